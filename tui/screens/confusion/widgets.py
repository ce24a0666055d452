"""The lower panes of the Confusion screen: queue and card."""

from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from core.views.disagreements.disagreement_queue import DisagreementQueue, DisagreementRow
from core.vocabulary import Label
from tui import keys
from tui.screens.confusion import render_queue
from tui.screens.confusion.render_queue import QueueLayout
from tui.text.line import Line
from tui.widgets.document_view import DocumentView
from tui.widgets.line_view import LineView


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
