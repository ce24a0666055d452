"""The widgets of a comparison: the flow table, and the numbers below it."""

from typing import ClassVar

from textual import events
from textual.binding import BindingType

from core.results.model_comparison import ShareChange
from core.views.profiles.profile_comparison import CrossedProfiles
from tui import keys
from tui.screens.profiles import render_comparison, render_flow
from tui.screens.profiles.render_flow import SIZE, FlowCell, Table
from tui.text.line import Line
from tui.theme.look import Look
from tui.widgets.line_view import LineView


class FlowView(LineView):
    """The flow table; arrows move the bracket, which stands in one of its cells."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("list"), *keys.bindings("flow")]

    def __init__(self) -> None:
        super().__init__(id="flow-view")
        self.table: Table | None = None
        self.words: list[Line] = []
        self.bracket: FlowCell | None = None
        self.lines_a_row = 2
        self._drawn_for: tuple[object, ...] = ()
        self._made: list[Line] = []

    def row_count(self) -> int:
        """As many rows as lines."""
        return len(self.words) if self.table is None else 2 + self.lines_a_row * SIZE

    def is_choosable(self, row: int) -> bool:
        """It has a bracket instead of a cursor."""
        return False

    def draw(self, row: int, line: int, width: int) -> Line:
        """One line of it."""
        if self.table is None:
            return Line(" ").join(self.words[row]).clip(width)
        chosen = self.bracket if self.has_focus else None
        key = (chosen, width, self.look)
        if key != self._drawn_for:
            self._drawn_for = key
            self._made = render_flow.lines_of(self.table, chosen, width, self.lines_a_row)
        return self._made[row].copy_clipped(width)

    def put(self, table: Table, lines: int) -> None:
        """Show other counts, `lines` lines a row."""
        same = self.table is not None and lines == self.lines_a_row
        self.table, self.lines_a_row, self._drawn_for = table, lines, ()
        self.bracket = self.bracket or render_flow.find_fullest(table)
        self._resettle(same)

    def say(self, words: list[Line]) -> None:
        """Show words instead."""
        same = self.table is None and len(words) == len(self.words)
        self.table, self.words = None, words
        self._resettle(same)

    def _resettle(self, same: bool) -> None:
        self.refresh_changed()
        if not same:
            self.refresh(layout=True)

    def move(self, down: int, right: int) -> None:
        """Move the bracket."""
        if self.table is None or self.bracket is None:
            return
        before, self.bracket = self.bracket, self.bracket.cell_beside(down, right)
        self.refresh_changed()
        if self.size.height < self.row_count():
            first = 1 + self.lines_a_row * self.bracket.a
            for row in (first + self.lines_a_row - 1, first):
                self.show_row(row)
        if self.bracket != before:
            self.post_message(self.CursorMoved(self, self.bracket.a))

    def action_down(self) -> None:
        """The cell below."""
        self.move(1, 0)

    def action_up(self) -> None:
        """The cell above."""
        self.move(-1, 0)

    def action_first(self) -> None:
        """The first cell."""
        self.move(-SIZE, -SIZE)

    def action_last(self) -> None:
        """The last cell."""
        self.move(SIZE, SIZE)

    def on_focus(self, event: events.Focus) -> None:
        """The bracket is seen with focus."""
        self.refresh_changed()

    def on_blur(self, event: events.Blur) -> None:
        """The bracket is seen with focus."""
        self.refresh_changed()

    def on_click(self, event: events.Click) -> None:
        """A click puts the bracket into a cell; there, it is as good as enter."""
        event.stop()
        y = event.y + self._top
        found = render_flow.place_at(y, event.x, self.line_width, self.lines_a_row)
        if found is not None and self.table is not None:
            again = found == self.bracket and self.has_focus
            self.bracket = found
            self.refresh_changed()
            self.post_message(self.RowClicked(self, found.a, None, again))


class NumbersView(LineView):
    """The numbers of both sides, one a row under a heading."""

    BINDINGS = keys.bindings("list")

    def __init__(self) -> None:
        super().__init__(id="numbers-view")
        self.changes: list[ShareChange] = []
        self.crossed: CrossedProfiles | None = None

    @property
    def change(self) -> ShareChange | None:
        """The number under the cursor."""
        there = self.cursor is not None and 1 <= self.cursor <= len(self.changes)
        return self.changes[self.cursor - 1] if there and self.cursor is not None else None

    def row_count(self) -> int:
        """A heading and the numbers."""
        return 1 + len(self.changes) if self.changes else 0

    def is_choosable(self, row: int) -> bool:
        """All but the heading."""
        return row > 0

    def draw(self, row: int, line: int, width: int) -> Line:
        """The heading, or a number."""
        if not row or self.crossed is None:
            return render_comparison.heading(width)
        return render_comparison.line_of(
            self.changes[row - 1], self.crossed, row == self.cursor, width
        )

    def put(self, crossed: CrossedProfiles | None) -> None:
        """Show other numbers; the cursor stays where it is."""
        same = len(self.changes)
        self.crossed = crossed
        self.changes = (
            [] if crossed is None else render_comparison.order_changes(crossed.found.changes)
        )
        if self.changes:
            self.cursor = min(max(self.cursor or 1, 1), len(self.changes))
        else:
            self.cursor = None
        self.refresh_changed()
        if same != len(self.changes):
            self.refresh(layout=True)


def crossed_segment(
    found: CrossedProfiles | None, flow: FlowView, numbers: NumbersView, look: Look, narrow: bool
) -> Line:
    """The chosen cell, or the number under the cursor."""
    change = numbers.change
    if found is None:
        return Line()
    if not numbers.has_focus and flow.table is not None and flow.bracket:
        return render_flow.segment(flow.table, flow.bracket, found, look, narrow)
    return Line() if change is None else render_comparison.segment(change, found, look, narrow)
