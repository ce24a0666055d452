"""The four panes of the Confusion screen: matrix, agreement, queue, card."""

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from core.results.agreement import Agreement
from core.views.disagreements import confusion_matrix as crossed
from core.views.disagreements.confusion_matrix import ConfusionMatrix
from core.views.disagreements.disagreement_queue import DisagreementQueue, DisagreementRow
from core.vocabulary import Label
from tui import keys
from tui.screens.confusion import render_agreement, render_matrix, render_queue
from tui.screens.confusion.render_matrix import MatrixCell
from tui.screens.confusion.render_queue import QueueLayout
from tui.text.line import Line
from tui.widgets.document_view import DocumentView
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
        self.settle()

    def move(self, down: int, right: int) -> None:
        """Move the bracket."""
        self.bracket = self.bracket.moved(down, right)
        self.settle()
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
        self.settle()

    def on_blur(self, event: events.Blur) -> None:
        """The bracket is seen with focus, or where it is the queue."""
        self.settle()

    def on_click(self, event: events.Click) -> None:
        """A click puts the bracket into a cell; there, it is as good as enter."""
        event.stop()
        found = render_matrix.place_at(event.y + self._top, event.x, self.size.width)
        if found is not None:
            again = found == self.bracket and self.has_focus
            self.bracket = found
            self.settle()
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
        self.settle()

    def on_focus(self, event: events.Focus) -> None:
        """The cursor is there with focus only, so that nothing looks chosen."""
        if self.cursor is None and self.entries:
            self.move_to(HEADING, tell=False)


HEADING = 3
"""Lines over the rows of the agreement."""


class DisagreementQueueView(LineView):
    """The disagreements; rows are made when they are seen."""

    BINDINGS = keys.bindings("list")

    class Scrolled(Message):
        """Other rows are in sight."""

        def can_replace(self, message: Message) -> bool:
            """Only where it came to rest matters."""
            return isinstance(message, DisagreementQueueView.Scrolled)

    def __init__(self) -> None:
        super().__init__(id="queue-view")
        self.queue: DisagreementQueue | None = None
        self.texts: dict[int, str] = {}
        self.blind = False
        self.words: list[Line] = []
        self.layout_: QueueLayout | None = None

    def row_count(self) -> int:
        """Rows and titles, or words where there is nothing."""
        return self.layout_.rows if self.layout_ is not None else len(self.words)

    def choosable(self, row: int) -> bool:
        """The cursor stands on disagreements only."""
        return self.layout_ is not None and self.layout_.place(row) is not None

    def draw(self, row: int, line: int, width: int) -> Line:
        """A title or a row."""
        if self.queue is None or self.layout_ is None:
            return Line(" ").join(self.words[row])
        place = self.layout_.place(row)
        if place is None:
            group = self.layout_.title(row)
            return render_queue.titled(*group, width) if group else Line()
        found = self.queue.row(place)
        text = self.texts.get(found.slot)
        under = row == self.cursor
        return render_queue.draw(found, text, width, self.look, under, self.blind)

    @property
    def place(self) -> int | None:
        """The place in the queue under the cursor."""
        if self.cursor is None or self.layout_ is None:
            return None
        return self.layout_.place(self.cursor)

    @property
    def row(self) -> DisagreementRow | None:
        """The disagreement under the cursor."""
        place = self.place
        return None if place is None or self.queue is None else self.queue.row(place)

    def put(self, queue: DisagreementQueue, place: int | None) -> None:
        """Show a queue, with the cursor at a place; the same one with other decisions too."""
        again = self.queue is not None and queue.columns is self.queue.columns
        self.queue, self.words = queue, []
        if not again or self.layout_ is None:
            self.layout_ = QueueLayout(queue)
            self.cursor = None
        self.settle()
        if place is not None and place != self.place:
            self.go_to(place)

    def say(self, words: list[Line]) -> None:
        """Say why there is nothing."""
        self.queue = self.layout_ = self.cursor = None
        self.words = words
        self.settle()

    def go_to(self, place: int) -> None:
        """The cursor to a place; the title above the first row of a group comes into sight too."""
        if self.layout_ is None:
            return
        row = self.layout_.row(place)
        self.move_to(row)
        if row and not self.choosable(row - 1):
            self.show_row(row - 1)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Tell that other rows are in sight."""
        super().watch_scroll_y(old_value, new_value)
        self.post_message(self.Scrolled())

    def on_resize(self, event: events.Resize) -> None:
        """Tell that other rows are in sight."""
        super().on_resize(event)
        self.post_message(self.Scrolled())

    @property
    def places_in_sight(self) -> list[int]:
        """Places of the rows on screen."""
        if self.layout_ is None:
            return []
        found = (self.layout_.place(row) for row in self.in_sight)
        return [place for place in found if place is not None]


class DisagreementCardView(DocumentView):
    """The open disagreement. Only here decisions are made."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("decision"), *keys.bindings("list")]

    class Decided(Message):
        """A label is to be set, or one of the graders is right (`a`, `b`); None withdraws."""

        def __init__(self, what: Label | str | None) -> None:
            super().__init__()
            self.what = what

    class Noting(Message):
        """A note is to be written."""

    def __init__(self) -> None:
        super().__init__(id="card-view")

    def action_side_with(self, grader: str) -> None:
        """Grader A or B is right."""
        self.post_message(self.Decided(grader))

    def action_label(self, label: str) -> None:
        """Your own label."""
        self.post_message(self.Decided(Label(label)))

    def action_withdraw(self) -> None:
        """Take your label away."""
        self.post_message(self.Decided(None))

    def action_skip(self) -> None:
        """To the next undecided one, with nothing written."""
        self.post_message(self.Stepped(1, skipping=True))

    def action_note(self) -> None:
        """Write a note."""
        self.post_message(self.Noting())
