"""The upper panes of the Confusion screen: the matrix, and agreement by task or model."""

from collections.abc import Sequence

from textual import events

from core.results.agreement_table import Agreement
from core.views.disagreements import confusion_matrix as crossed
from core.views.disagreements.confusion_matrix import ConfusionMatrix
from tui import keys
from tui.screens.confusion import render_agreement, render_matrix
from tui.screens.confusion.render_matrix import MatrixCell
from tui.text.line import Line
from tui.widgets.line_view import LineView


class MatrixView(LineView):
    """The matrix; arrows move the bracket, which stands in one of its cells."""

    BINDINGS = keys.bindings("list")

    def __init__(self) -> None:
        super().__init__(id="matrix-view")
        self.counts: Agreement | None = None
        self.bracket = MatrixCell(0, 0)
        self.picked: MatrixCell | None = None
        """The cell that is the queue."""
        self._drawn_for: tuple[object, ...] = ()
        self._matrix: list[Line] = []

    @property
    def chosen(self) -> MatrixCell | None:
        """The cell in brackets: the one that arrows move, else the one that is the queue."""
        return self.bracket if self.has_focus else self.picked

    def row_count(self) -> int:
        """As many rows as lines."""
        return 0 if self.counts is None else 2 + 2 * render_matrix.SIZE

    def choosable(self, row: int) -> bool:
        """It has a bracket instead of a cursor."""
        return False

    def draw(self, row: int, line: int, width: int) -> Line:
        """One line of it."""
        assert self.counts is not None
        key = (self.chosen, width, self.look)
        if key != self._drawn_for:
            self._drawn_for = key
            self._matrix = render_matrix.lines_of(self.counts, self.chosen, width, self.look)
        return Line().join(self._matrix[row])

    def put(self, counts: Agreement | None, picked: MatrixCell | None) -> None:
        """Show other counts."""
        self.counts, self.picked, self._drawn_for = counts, picked, ()
        self.refresh_changed()

    def move(self, down: int, right: int) -> None:
        """Move the bracket."""
        self.bracket = self.bracket.moved(down, right)
        self.refresh_changed()
        if self.size.height < self.row_count():
            self.show_row(1 + 2 * self.bracket.a)

    def action_down(self) -> None:
        """The cell below."""
        self.move(1, 0)

    def action_up(self) -> None:
        """The cell above."""
        self.move(-1, 0)

    def action_first(self) -> None:
        """The first cell."""
        self.move(-render_matrix.SIZE, -render_matrix.SIZE)

    def action_last(self) -> None:
        """The last cell."""
        self.move(render_matrix.SIZE, render_matrix.SIZE)

    def on_focus(self, event: events.Focus) -> None:
        """The bracket is seen with focus."""
        self.refresh_changed()

    def on_blur(self, event: events.Blur) -> None:
        """The bracket is seen with focus, or where it is the queue."""
        self.refresh_changed()

    def on_click(self, event: events.Click) -> None:
        """A click puts the bracket into a cell; there, it is as good as enter."""
        event.stop()
        found = render_matrix.place_at(event.y + self._top, event.x, self.line_width)
        if found is not None:
            again = found == self.bracket and self.has_focus
            self.bracket = found
            self.refresh_changed()
            self.post_message(self.Clicked(self, found.a, None, again))


class AgreementView(LineView):
    """Agreement over everything, then by task or by model, a row each."""

    BINDINGS = keys.bindings("list")

    def __init__(self) -> None:
        super().__init__(id="agreement-view")
        self.crossing: ConfusionMatrix | None = None
        self.by = "task"

    @property
    def entries(self) -> Sequence[crossed.AgreementRow]:
        """The rows there are."""
        if self.crossing is None:
            return ()
        return self.crossing.by_task if self.by == "task" else self.crossing.by_model

    @property
    def chosen(self) -> crossed.AgreementRow | None:
        """The row under the cursor."""
        return None if self.cursor is None else self.entries[self.cursor - HEADING]

    def row_count(self) -> int:
        """Summary, intervals, heading, rows."""
        return 0 if self.crossing is None else HEADING + len(self.entries)

    def choosable(self, row: int) -> bool:
        """The cursor stands on tasks and models."""
        return HEADING <= row < self.row_count()

    def draw(self, row: int, line: int, width: int) -> Line:
        """One line."""
        assert self.crossing is not None
        if row >= HEADING:
            entry, under = self.entries[row - HEADING], row == self.cursor
            return render_agreement.draw(
                entry, render_agreement.widths(self.entries, width), width, under
            )
        if row == HEADING - 1:
            return render_agreement.heading(
                self.by, render_agreement.widths(self.entries, width), width
            )
        draw = render_agreement.intervals if row else render_agreement.summary
        return draw(self.crossing)

    def put(self, crossing: ConfusionMatrix | None, by: str) -> None:
        """Show another crossing, or by the other of the two."""
        if by != self.by or crossing is None:
            self.cursor = None
        self.crossing, self.by = crossing, by
        self.refresh_changed()

    def go_to(self, name: str | None) -> None:
        """The cursor to a task or model, if there is one of that name."""
        names = [str(one.name) for one in self.entries]
        if name in names:
            self.move_to(HEADING + names.index(name), tell=False)

    def on_focus(self, event: events.Focus) -> None:
        """The cursor is there with focus only, so that nothing looks chosen."""
        if self.cursor is None and self.entries:
            self.move_to(HEADING, tell=False)


HEADING = 3
"""Lines over the rows of the agreement."""
