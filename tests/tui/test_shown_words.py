"""Every heading, mark and code in a picture of a screen has an entry in the glossary.

Headings are found by how they stand: in the edge of a pane, before a hairline, or in the row of
column names that a screen draws.
"""

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from core.demo import demo_setup
from core.figures.figure_table import CATALOGUE
from core.glossary.glossary import GLOSSARY
from core.glossary.glossary_entry import GlossaryEntry
from core.jobs.job_progress import State
from core.views.fact_query import FactOrder
from core.views.profiles.profile_rows import RowKind, RowOrder
from core.vocabulary import CODE_ORDER, LABELS, Strategy
from tests.terminal import ROOT
from tests.tui.screens.bench.making import WORDS as BENCH_WORDS
from tests.tui.screens.latent.making import WORDS
from tui.app.tab_table import TABS as PLACES
from tui.keys import KEYS
from tui.screens.confusion import render_agreement
from tui.screens.confusion.disagreement_views import TITLES
from tui.screens.facts.render_verdict import PART_NAMES
from tui.screens.figures.render_table import HEADER
from tui.screens.jobs import render_stages
from tui.screens.profiles import render_bars, render_comparison, render_rows
from tui.screens.review.render_queue import TABS as QUEUES
from tui.screens.task.state import AnswerPage
from tui.text import task_names
from tui.theme.glyphs import UNICODE

PICTURE = re.compile(r"^# name: (?P<name>.+?)\n  '''\n(?P<text>.*?)\n  '''", re.S | re.M)
EDGE = re.compile(r"╭─+ ([^╭╮]+?) ─")
HAIRLINE = re.compile(r"│\s*([^│─╭╮╰▌·●]+?) ─{2,}")
NUMBER = re.compile(r" \.\d\d$|  \d+$")
"""A row that ends in one, at the right of a column, is no heading: the track of its bar follows."""

TABS = {
    "test_confusion": "confusion",
    "test_jobs": "jobs",
    "test_profiles": "profiles",
    "test_as_it_stands": "profiles",
    "test_looking_over": "review",
    "test_samples": "review",
    "test_figures": "figures",
    "test_latent": "latent",
    "test_bench": "bench",
    "test_ways_to_look": "figures",
}
"""The screen that a picture is of, by the beginning of its name."""

FILLERS = {
    *("a", "all", "and", "are", "as", "at", "by", "from", "in", "is", "it", "of", "on", "out"),
    *("than", "that", "the", "then", "to", "what", "with"),
}
"""Words between terms."""

NAMES = re.compile(r"judge:openai:|(gemma|gemini|gpt)[\w.-]*|[A-Z]\.\d|ZT?\d+|B[1-6]|inspect\.eval")
"""Names of models and files, numbers of figures."""


def _data() -> set[str]:
    """The words of the bundled facts, which most pictures show."""
    named = ("page_title", "subject", "object")
    made_up = {word for text in (*WORDS, *BENCH_WORDS) for word in words(text)}
    return made_up | {
        word for row in demo_setup.read_rows() for name in named for word in words(row[name])
    }


NO_CODES = {"AI", "II", "PM"}
"""Two capitals that are no codes: words of the bundled facts."""


def pictures() -> Iterator[tuple[str, str]]:
    """Names and texts of all pictures; the styles below a text are left out."""
    for path in sorted(Path(ROOT, "tests").rglob("*.ambr")):
        for found in PICTURE.finditer(path.read_text(encoding="utf-8")):
            if "[help-" not in found["name"]:  # which has words of its own
                yield found["name"], found["text"].split("\n  \n")[0]


def headings(text: str) -> set[str]:
    """What stands in edges and before hairlines."""
    found = {one.rstrip() for rule in (EDGE, HAIRLINE) for one in rule.findall(text)}
    return {" ".join(one.split()) for one in found if not NUMBER.search(one)}


def forms(entries: list[GlossaryEntry]) -> set[tuple[str, ...]]:
    """The ways in which entries are written, word by word."""
    return {words(one) for entry in entries for one in entry.written}


def words(text: str) -> tuple[str, ...]:
    return tuple(word for word in re.split(r"[\s,:()]+", text.casefold()) if word)


def unexplained(text: str, known: set[tuple[str, ...]]) -> list[str]:
    """The words of a heading that no entry has; numbers and words between terms are none."""
    left, missing, data = list(words(NAMES.sub("", text))), [], _data()
    longest = max(map(len, known))
    while left:
        for size in range(min(longest, len(left)), 0, -1):
            if tuple(left[:size]) in known:
                del left[:size]
                break
        else:
            word = left.pop(0)
            if word not in FILLERS | data and not re.fullmatch(r"[\d.,%$·]+", word):
                missing.append(word)
    return missing


def known_on(tab: str | None) -> set[tuple[str, ...]]:
    """What may stand on a screen: its terms, what keys do, names of screens."""
    entries = [entry for entry in GLOSSARY if tab is None or entry.is_on(tab)]
    keys = {words(text) for key in KEYS for text in (key.words, key.help)}
    return forms(entries) | keys | {words(place.name) for place in PLACES}


def tab_of(name: str) -> str | None:
    """The screen of a picture; None where a name stands for several."""
    return next((tab for start, tab in TABS.items() if name.startswith(start)), None)


def test_headings_have_entries_on_their_screen() -> None:
    missing = {}
    known = {tab: known_on(tab) for tab in (None, *TABS.values())}
    count = 0
    for name, text in pictures():
        for heading in headings(text):
            count += 1
            if found := unexplained(heading, known[tab_of(name)]):
                missing[heading] = (found, name)
    assert missing == {}
    assert count > 500


def tasks_in(room: int) -> list[str]:
    """What the tasks are called where there are so many cells."""
    return [*task_names.fit_names(room).values()]


def columns() -> Iterator[tuple[str, str]]:
    """Names of columns and other words of tables, as the screens draw them, with the screen."""
    tables: dict[str, tuple[str, ...]] = {
        "jobs": ("stage", *render_stages.COUNTS, *(state.value for state in State)),
        "confusion": (*render_agreement.COLUMNS, *TITLES.values(), *LABELS),
        "profiles": (
            *(render_rows.ENCODES, render_rows.KNOWS, render_rows.KNOWS_THINKING),
            *(render_rows.DIFFERENCE, render_rows.EXCLUDED, render_rows.FACTS),
            *render_bars.NAMES.values(),
            *render_bars.WORDS.values(),
            *render_comparison.TERMS.values(),
            *map(render_comparison.share_name, render_comparison.ORDER),
            *(order.value for order in RowOrder),
            *(by.value for by in RowKind),
            *render_rows.TIERS.values(),
        ),
        "facts": (
            *PART_NAMES,
            *PART_NAMES.values(),
            *(order.value for order in FactOrder),
            *CODE_ORDER,
            "title", "subject → object", "topic", "views", "question", "gold",
        ),
        "task": (*map(str, AnswerPage), *chain.from_iterable(map(tasks_in, range(20)))),
        "review": tuple(QUEUES.values()),
        "figures": (*HEADER, *(entry.name for entry in CATALOGUE)),
    }  # fmt: skip
    for tab, names in tables.items():
        yield from ((tab, str(name)) for name in names)
    for place in PLACES:
        yield from ((place.tab, str(name)) for name in Strategy)


@pytest.mark.parametrize(("tab", "name"), sorted(set(columns())))
def test_names_of_columns_have_entries(tab: str, name: str) -> None:
    assert unexplained(name, forms([one for one in GLOSSARY if one.is_on(tab)])) == []


def test_a_heading_without_an_entry_is_found() -> None:
    picture = "│  a new heading ───── │\n╭─ Strange ─────╮"
    assert headings(picture) == {"a new heading", "Strange"}
    assert unexplained("a new heading", known_on(None)) == ["new", "heading"]
    assert unexplained("Strange", known_on(None)) == ["strange"]


def test_marks_and_codes_have_entries() -> None:
    written = {one for entry in GLOSSARY for one in entry.written}
    named = {entry.mark.partition("-")[0] if entry.mark.startswith("level") else entry.mark
             for entry in GLOSSARY}  # fmt: skip
    glyphs = {char: name for name, char in UNICODE.items()}
    shown: set[str] = set()
    codes: set[str] = set()
    for _, text in pictures():
        shown |= set(text) & set(glyphs)
        codes |= set(re.findall(r"(?<![\w.-])(?:[A-Z]{2}|[EK][0T]|··)(?![\w.-])", text))
    for char in shown:
        name = re.sub(r"^level-\d$", "level", glyphs[char])
        assert name in named or any(char in one for one in written), (char, name)
    assert len(shown) > 20
    assert {code for code in codes if code not in written} <= NO_CODES
    assert {"DR", "EF", "K0", "KT"} <= codes
