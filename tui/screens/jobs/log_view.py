"""The log of a job as a view: its lines, and which of them are shown."""

from collections.abc import Sequence

from textual import events
from textual.message import Message

from core.engine.run_counters import SERVED
from core.jobs.job_view import LogLine
from tui import keys
from tui.screens.jobs import render_log
from tui.screens.jobs.render_log import CHOICES, Choice
from tui.text.line import Line
from tui.widgets.line_view import LineView


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
            shown = render_log.choose_lines(lines, self.choice)
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
        self._rows += [line for one in lines for line in render_log.draw_line(one, self.size.width)]
        self._busy = True
        self.refresh_changed()
        if self.following:
            self._scroll(len(self._rows))
        self._busy = False

    def _break(self) -> None:
        """Break all lines anew, for another width or choice."""
        self._rows, self.missed, self.following = [], 0, True
        self._append(render_log.choose_lines(self._read, self.choice))

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
