"""The help page: every key and word, nothing cut at any width; typing finds them."""

from pathlib import Path

import pytest

from core.glossary.glossary import GLOSSARY, search_terms, terms_on
from core.settings.preferences import Settings
from tests.tui.sample import sample_project
from tests.tui.seeing import settled
from tui.app.app import LostkeysApp
from tui.app.tab_table import TABS
from tui.dialogs.help_dialog import keys_everywhere
from tui.dialogs.help_page import (
    HERE,
    ROOMY,
    KeyPlace,
    TermDetails,
    entry_lines,
    page_lines,
    result_lines,
)
from tui.keys import KEYS, caps
from tui.text.line import ELLIPSIS
from tui.theme.look import Look, look_named

LOOK = look_named("dark")
ASCII = look_named("dark", True)
WIDTHS = (40, 78, 80, 102, 198)
EVERY = keys_everywhere({})


def texts(keys: list[KeyPlace], tab: str, width: int, look: Look = LOOK) -> list[str]:
    return [one.line.text for one in page_lines(keys, terms_on(tab), "words", width, look)]


def words_of(lines: list[str]) -> str:
    """The lines as one text, however they were broken."""
    return " ".join(" ".join(lines).split())


@pytest.mark.parametrize("place", sorted({place for key in KEYS for place in key.places}))
@pytest.mark.parametrize("width", [40, 80, 104])
def test_every_place_has_help(place: str, width: int) -> None:
    here = [
        KeyPlace(key, key.keys.partition(",")[0], key.group) for key in KEYS if place in key.places
    ]
    lines = [one.line for one in page_lines(here, (), "words", width, LOOK)]
    shown = "\n".join(line.text for line in lines)
    for one in here:
        assert f" {one.title}" in shown
    assert all(line.width <= width for line in lines)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("look", [LOOK, ASCII], ids=["unicode", "ascii"])
def test_nothing_is_cut(width: int, look: Look) -> None:
    lines = [one.line for one in page_lines(EVERY, GLOSSARY, "all words", width, look)]
    assert all(line.width <= width for line in lines)
    assert not any(line.text.rstrip().endswith(ELLIPSIS) for line in lines if look is ASCII)
    shown = words_of([line.text for line in lines])
    for entry in GLOSSARY:
        assert " ".join(entry.short.split()) in shown or width < 60


def test_a_name_is_told_apart_from_its_term() -> None:
    lines = {one.term: entry_lines(one, ROOMY, LOOK)[0].text for one in GLOSSARY}
    assert lines["direct natural"].split("  ")[0] == " direct natural"
    assert "as a person would" in lines["direct natural"]
    assert lines["verification"].startswith(" verification  verification tasks  ")
    assert lines["K0"].startswith(" K0           known    ")


def test_what_keys_do_stands_whole_beside_them() -> None:
    one = [KeyPlace(key, "r", key.group) for key in KEYS if key.id == "start"]
    assert "start: ask a model, grade, import, export" in words_of(texts(one, "facts", 78))


def test_keys_of_the_pane_stand_first() -> None:
    here = [
        KeyPlace(key, key.keys.partition(",")[0], HERE if "list" in key.places else key.group)
        for key in KEYS
        if {"list", "profiles", "everywhere"} & set(key.places)
    ]
    lines = texts(here, "profiles", 80)
    order = [" Where you are", " Profiles", " Labels", " Everywhere", " words "]
    places = [next(at for at, line in enumerate(lines) if name in line) for name in order]
    assert places == sorted(places)
    assert places[0] == 0


@pytest.mark.parametrize("tab", [place.tab for place in TABS])
def test_every_word_of_a_screen_is_there(tab: str) -> None:
    shown = words_of(texts(EVERY, tab, 198))
    for entry in terms_on(tab):
        assert entry.short in shown


def test_typing_finds_keys_and_terms_and_opens_the_first() -> None:
    found = search_terms("kn+")
    details = TermDetails("42.3", "gemma3-27b, you›A, τ .50", True)
    rows = result_lines(EVERY, found, 0, details, "kn+", 78, LOOK)
    shown = words_of([row.line.text for row in rows])
    assert rows[0].entry is found[0]
    assert "knows with thinking also: knows, or with thinking, knows +T, knows_thinking" in shown
    assert "It counts DR, RT, IE and direct inference" in shown
    assert "here 42.3 gemma3-27b, you›A, τ .50 enter shows its facts" in shown
    assert "see K0 KT excl tau" in shown
    keys = words_of(
        [row.line.text for row in result_lines(EVERY, [], 0, None, "threshold", 78, LOOK)]
    )
    assert caps(["left_square_bracket", "right_square_bracket"]) in keys


@pytest.mark.parametrize("width", WIDTHS)
def test_results_fit(width: int) -> None:
    found = search_terms("e")
    assert len(found) > 20
    for chosen in (0, 7, len(found) - 1):
        rows = result_lines(EVERY, found, chosen, None, "e", width, LOOK)
        assert all(row.line.width <= width for row in rows)
        assert [row.entry for row in rows if row.entry] == found


@pytest.mark.parametrize("text", ["zzzz", "\x1b[31m", "[bold]x[/]", "a" * 5000])
def test_what_is_not_there_is_said(text: str) -> None:
    (row,) = result_lines(EVERY, search_terms(text), 0, None, text, 78, LOOK)
    assert row.line.text.startswith(" nothing about")
    assert row.line.width <= 78
    assert "\x1b" not in row.line.text


@pytest.mark.slow
async def test_help_begins_with_what_is_under_the_cursor(tmp_path: Path) -> None:
    app = LostkeysApp(sample_project(tmp_path / "sample.db"), Settings(name="mira"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("question_mark")
        shown = await settled(pilot)
        assert shown.index("empty shelf.") < shown.index("Where you are")
        assert "marks of a fact" in shown[shown.index("words in this pane") :]
        await pilot.press("escape", "f3", "h", "question_mark")
        shown = await settled(pilot)
        assert shown.index("found after a search.") < shown.index("Where you are")
