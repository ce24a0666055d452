"""The log of a job as a view: its lines, and which of them are shown."""

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from textual import events
from textual.message import Message

from core.engine.run_counters import SERVED
from core.jobs.job_view import LogLine
from tui import keys
from tui.text.inert_text import make_inert
from tui.text.line import Line, Span
from tui.text.line_wrap import wrap_spans
from tui.theme.glyphs import spell
from tui.widgets.line_view import LineView

# The lines of a job's log, and which of them are shown.

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


class LogView(LineView):
    """The log of one job. It follows what comes until it is scrolled; at its end it follows again.

    `missed` counts lines that have come while it did not follow. `served` are the texts of those
    about served models, each once.
    """

    BINDINGS = keys.bindings("list")

    class FollowingChanged(Message):
        """It follows, or follows no more."""

    def __init__(self) -> None:
        super().__init__(id="log-view")
        self.following = True
        self.missed = 0
        self.served: list[str] = []
        self.choice: Choice = CHOICES[0]
        self._read: list[LogLine] = []
        self._rows: list[Line] = []
        self._for = 0
        self._busy = False

    def row_count(self) -> int:
        """Lines at the present width."""
        return len(self._rows)

    def draw(self, row: int, line: int, width: int) -> Line:
        """One of them."""
        return Line().join(self._rows[row])

    @property
    def newest(self) -> int:
        """The id of the newest line, 0 where there is none."""
        return self._read[-1].id if self._read else 0

    @property
    def empty(self) -> bool:
        """Whether nothing is shown."""
        return not self._rows

    def add(self, lines: Sequence[LogLine]) -> None:
        """Take in lines that have come."""
        if lines:
            self._read += lines
            told = (one.text for one in lines if one.kind == SERVED)
            self.served = list(dict.fromkeys((*self.served, *told)))
            shown = choose_lines(lines, self.choice)
            self.missed += 0 if self.following else len(shown)
            self._append(shown)

    def clear(self) -> None:
        """Begin with another log, at its end."""
        self._read, self._rows, self.missed, self.following = [], [], 0, True
        self.served = []
        self._append(())

    def step(self) -> None:
        """Show the next choice of kinds."""
        self.choice = CHOICES[(CHOICES.index(self.choice) + 1) % len(CHOICES)]
        self._break()

    def choose(self, name: str) -> None:
        """Show the choice of kinds of a name, if there is one."""
        self.choice = next((one for one in CHOICES if one.name == name), self.choice)
        self._break()

    def rebuild(self) -> None:
        """Make all lines anew (another theme)."""
        self._break()

    def _append(self, lines: Sequence[LogLine]) -> None:
        self._rows += [line for one in lines for line in draw_line(one, self.size.width)]
        self._busy = True
        self.refresh_changed()
        if self.following:
            self._scroll(len(self._rows))
        self._busy = False

    def _break(self) -> None:
        """Break all lines anew, for another width or choice."""
        self._rows, self.missed, self.following = [], 0, True
        self._append(choose_lines(self._read, self.choice))

    def on_resize(self, event: events.Resize) -> None:
        """Lines are broken for a width; the newest ones stay in sight."""
        if event.size.width != self._for:
            self._for = event.size.width
            self._break()
        elif self.following:
            self._append(())

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Follow at the end, and only there."""
        super().watch_scroll_y(old_value, new_value)
        if self._busy:
            return
        following = new_value >= self.max_scroll_y
        if following != self.following:
            self.following = following
            self.missed = 0
            self.post_message(self.FollowingChanged())
