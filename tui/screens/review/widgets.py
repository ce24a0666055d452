"""The three panes of the Review screen: queue, card, error rate."""

from typing import TYPE_CHECKING, ClassVar, cast

from textual import events
from textual.binding import BindingType
from textual.message import Message

from tui import keys
from tui.screens.review import render_queue
from tui.screens.review.render_queue import HEAD
from tui.screens.review.state import ReviewState
from tui.text.line import Line
from tui.widgets.document_view import DocumentView
from tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from tui.app.services import AppServices


class ReviewQueueView(LineView):
    """The questions; rows are made when they are seen."""

    BINDINGS = keys.bindings("list")

    class Scrolled(Message):
        """Other rows are in sight."""

        def can_replace(self, message: Message) -> bool:
            """Only where it came to rest matters."""
            return isinstance(message, ReviewQueueView.Scrolled)

    class Resized(Message):
        """Another width: words in place of rows have to be broken into lines anew."""

    def __init__(self, reading: ReviewState) -> None:
        super().__init__(id="review-queue-view")
        self.reading = reading
        self.words: list[Line] = []
        self.texts: dict[int, str] = {}

    @property
    def size_of_queue(self) -> int:
        """How many questions there are."""
        return 0 if self.reading.shown is None else len(self.reading.shown.queue)

    def row_count(self) -> int:
        """Heading and rows, or words where there are none."""
        return HEAD + (self.size_of_queue or len(self.words))

    def choosable(self, row: int) -> bool:
        """The cursor stands on questions."""
        return HEAD <= row < HEAD + self.size_of_queue

    def draw(self, row: int, line: int, width: int) -> Line:
        """One line."""
        shown = self.reading.shown
        if row == 0:
            changed = cast("AppServices", self.app).settings.keys
            key = changed.get("review.view", keys.BY_ID["review.view"].keys)
            return render_queue.tabs(
                self.reading.wanted, shown.queue if shown else None, width, key
            )
        if shown is None or not len(shown.queue):
            at = row - HEAD
            return Line(" ").join(self.words[at]) if 0 <= at < len(self.words) else Line()
        if row == 1:
            return render_queue.heading(self.reading.wanted, width)
        found = shown.queue.row(row - HEAD)
        text = self.texts.get(found.question)
        return render_queue.draw(found, text, width, self.look, row == self.cursor)

    @property
    def place(self) -> int | None:
        """The place in the queue under the cursor."""
        return None if self.cursor is None else self.cursor - HEAD

    @property
    def places_in_sight(self) -> list[int]:
        """Places of the rows on screen."""
        return [row - HEAD for row in self.in_sight if self.choosable(row)]

    def put(self, place: int | None, words: list[Line]) -> None:
        """Show what has been read, with the cursor at a place."""
        self.words = words
        if not self.size_of_queue:
            self.cursor = None
        self.settle()
        if place is not None and self.size_of_queue:
            self.move_to(HEAD + place, tell=False)

    def on_resize(self, event: events.Resize) -> None:
        """Words are broken for a width."""
        super().on_resize(event)
        if self.words:
            self.post_message(self.Resized())

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Tell that other rows are in sight."""
        super().watch_scroll_y(old_value, new_value)
        self.post_message(self.Scrolled())


class QuestionCardView(DocumentView):
    """The open question. Only here it is decided."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("verdict"), *keys.bindings("list")]

    def __init__(self) -> None:
        super().__init__(id="review-card-view")


class RateView(LineView):
    """The error rate; it is only read."""

    BINDINGS = keys.bindings("list")

    def __init__(self) -> None:
        super().__init__(id="review-rate-view")
        self._content: list[Line] = []

    def row_count(self) -> int:
        """As many rows as lines."""
        return len(self._content)

    def choosable(self, row: int) -> bool:
        """Nothing is chosen here."""
        return False

    def draw(self, row: int, line: int, width: int) -> Line:
        """One line, a cell from the edge."""
        return Line(" ").join(self._content[row])

    def put(self, lines: list[Line]) -> None:
        """Show other rates."""
        self._content = lines
        self.settle()
