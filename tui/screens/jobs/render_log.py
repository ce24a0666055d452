"""The lines of a job's log, and which of them are shown."""

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from core.engine.run_counters import SERVED
from core.jobs.job_view import LogLine
from tui.text.inert_text import make_inert
from tui.text.line import Line, Span
from tui.text.line_wrap import wrap_spans
from tui.theme.glyphs import spell

KIND = 10
"""Column at which a line's kind begins, and its text after that."""

TEXT = 17
MOST = 4
"""Lines at most that one line of the log is broken into."""

LONG = 2_000
"""Characters of a text that are looked at."""

IMPORTED = "import"
"""What of a file was not as expected."""

ROLES = {"warn": "label-p", IMPORTED: "label-p", SERVED: "label-p", "fail": "label-i"}


class Choice(NamedTuple):
    """Which lines are shown: their kinds (None: all), and what that is called."""

    name: str
    kinds: frozenset[str] | None


CHOICES = (
    Choice("", None),
    Choice("trouble", frozenset(ROLES)),
    Choice("answers", frozenset({"answer"})),
    Choice("grades", frozenset({"grade"})),
    Choice("job", frozenset({"job"})),
)
"""In the order in which a key goes through them."""


def choose_lines(lines: Sequence[LogLine], choice: Choice) -> list[LogLine]:
    """The lines of some kinds."""
    return [one for one in lines if choice.kinds is None or one.kind in choice.kinds]


def draw_line(one: LogLine, width: int) -> list[Line]:
    """A line of the log, in as many lines as it takes."""
    line = Line(" ").add(f"{one.at:%H:%M:%S} ", "ink-3").to(KIND)
    line.cell(one.kind, TEXT - KIND - 1, ROLES.get(one.kind, "ink-3")).to(TEXT)
    role = "ink" if one.kind in ROLES else "ink-2"
    room = max(10, width - TEXT - 1)
    found = list(islice(wrap_spans([Span(make_inert(one.text[:LONG]), role)], room), MOST + 1))
    if len(found) > MOST:
        found = [*found[: MOST - 1], found[MOST - 1].add(spell(" …"), role).clip(room)]
    return [line.join(found[0]), *(Line().to(TEXT).join(other) for other in found[1:])]
