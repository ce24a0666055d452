"""The upper panes of the Confusion screen: the matrix, and agreement by task or model."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from textual import events

from core.results.agreement_table import Agreement
from core.views.disagreements import confusion_matrix as crossed
from core.views.disagreements.confusion_matrix import ConfusionMatrix
from core.views.disagreements.grader_rates import GraderRates
from core.vocabulary import LABELS
from tui import keys
from tui.screens.confusion import render_agreement, render_matrix
from tui.screens.confusion.render_matrix import MatrixCell
from tui.screens.confusion.state import ConfusionState
from tui.text.line import Line
from tui.widgets.line_view import LineView
from tui.widgets.line_widget import LineWidget
from tui.widgets.pane import Pane

if TYPE_CHECKING:
    from tui.app.app import LostkeysApp


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

    def is_choosable(self, row: int) -> bool:
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

    @property
    def term_here(self) -> str:
        """B's label of the cell in brackets, as the glossary calls it."""
        return LABELS[self.bracket.b]

    def put(self, counts: Agreement | None, picked: MatrixCell | None) -> None:
        """Show other counts."""
        self.counts, self.picked, self._drawn_for = counts, picked, ()
        self.refresh_changed()

    def move(self, down: int, right: int) -> None:
        """Move the bracket."""
        self.bracket = self.bracket.cell_beside(down, right)
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
            self.post_message(self.RowClicked(self, found.a, None, again))


class AgreementView(LineView):
    """Agreement over everything, then by task or by model, a row each.

    Where it stands `beside` another one it has the rows alone, under their heading.
    """

    BINDINGS = keys.bindings("list")

    def __init__(self, *, beside: bool = False) -> None:
        super().__init__(id="beside-view" if beside else "agreement-view")
        self.crossing: ConfusionMatrix | None = None
        self.by = "task"
        self._head = 1 if beside else HEADING
        self._rates: tuple[GraderRates | None, int] = (None, 0)
        """What is decided, and how much of it by others."""
        self._cells: dict[int, render_agreement.Widths] = {}
        """Cells of each column, by the width that they are for."""

    @property
    def entries(self) -> Sequence[crossed.AgreementRow]:
        """The rows there are."""
        if self.crossing is None:
            return ()
        return self.crossing.by_task if self.by == "task" else self.crossing.by_model

    @property
    def chosen(self) -> crossed.AgreementRow | None:
        """The row under the cursor."""
        return None if self.cursor is None else self.entries[self.cursor - self._head]

    def row_count(self) -> int:
        """Summary and intervals, what is decided, heading, rows."""
        return 0 if self.crossing is None else self._head + len(self.entries)

    def is_choosable(self, row: int) -> bool:
        """The cursor stands on tasks and models."""
        return self._head <= row < self.row_count()

    def draw(self, row: int, line: int, width: int) -> Line:
        """One line."""
        assert self.crossing is not None
        if row < self._head - 1:
            if row == PROGRESS:
                return render_agreement.progress(*self._rates, width)
            if row:
                return render_agreement.intervals(self.crossing, width)
            return render_agreement.summary(self.crossing)
        if width not in self._cells:
            self._cells = {width: render_agreement.widths(self.entries, width)}
        cells = self._cells[width]
        if row < self._head:
            both = self._head == HEADING
            return render_agreement.heading(self.by, cells, width, both)
        entry, under = self.entries[row - self._head], row == self.cursor
        return render_agreement.draw(entry, cells, width, under)

    def put(self, crossing: ConfusionMatrix | None, by: str) -> None:
        """Show another crossing, or by the other of the two."""
        if by != self.by or crossing is None:
            self.cursor = None
        self.crossing, self.by, self._cells = crossing, by, {}
        self.refresh_changed()

    def show_rates(self, rates: GraderRates | None, by_others: int) -> None:
        """How much of the queue is decided, and in the pane's edge what the counts are not."""
        if self._rates != (rates, by_others):
            self._rates = rates, by_others
            self._repaint_rows(PROGRESS)
        if isinstance(pane := self.parent, Pane):
            changed = cast("LostkeysApp", self.app).settings.keys
            key = keys.cap_of("confusion.view", changed)
            pane.edge(render_agreement.scope(rates, key))

    def go_to(self, name: str | None) -> None:
        """The cursor to a task or model, if there is one of that name."""
        names = [str(one.name) for one in self.entries]
        if name in names:
            self.move_to(self._head + names.index(name), tell=False)

    def on_focus(self, event: events.Focus) -> None:
        """The cursor is there with focus only, so that nothing looks chosen."""
        if self.cursor is None and self.entries:
            self.move_to(self._head, tell=False)


class AgreementLine(LineWidget):
    """Agreement over everything, where there is no room for its pane."""

    def __init__(self, state: ConfusionState) -> None:
        super().__init__()
        self._state = state

    def draw(self, width: int) -> Line:
        """The summary."""
        shown, snapshot = self._state.crossing, self.lostkeys.snapshot
        if shown is None:
            return Line()
        line = render_agreement.summary(shown)
        progress = render_agreement.progress(self._state.rates)
        if line.width + progress.width + 2 <= width:
            line.add("  ").join(progress)
        counted = snapshot is not None and snapshot.counted is not None
        return line.add("   of the answers here", "ink-3") if counted else line


HEADING = 4
"""Lines over the rows of the agreement."""

PROGRESS = 2
"""Which of them says how much of the queue is decided."""
