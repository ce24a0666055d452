"""The panes of the Review screen: queue and card above, error rate below."""

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widget import Widget

from core.views.review.question_card import QuestionCard
from tui import keys
from tui.screens.base_screen import BaseScreen
from tui.screens.review import render_card, render_queue, render_rate, sentences
from tui.screens.review.render_queue import HEAD
from tui.screens.review.render_rate import RateReport
from tui.screens.review.state import ReviewPosition, ReviewState
from tui.screens.screen_panes import ScreenPanes
from tui.text.line import Line
from tui.widgets.document_view import DecisionFoot, DocumentView, ReadOnlyLines
from tui.widgets.line_widget import LineWidget
from tui.widgets.pane import Pane, view_title
from tui.widgets.queue_view import QueueView

RATE = 7
"""Lines of the pane of the error rate, without its parts."""


VERDICTS = frozenset(one.id for one in keys.KEYS if "verdict" in one.places)
"""Keys, by their ids, that act on the card."""


class ReviewQueueView(QueueView):
    """The questions; rows are made when they are seen."""

    BINDINGS = keys.bindings("verdict", silent=True)

    class QueueWidened(Message):
        """Another width: words in place of rows have to be broken into lines anew."""

    def __init__(self, state: ReviewState) -> None:
        super().__init__(id="review-queue-view")
        self._state = state

    @property
    def size_of_queue(self) -> int:
        """How many questions there are."""
        return 0 if self._state.shown is None else len(self._state.shown.queue)

    def row_count(self) -> int:
        """Heading and rows, or words where there are none."""
        return HEAD + (self.size_of_queue or len(self.words))

    @property
    def pinned(self) -> int:
        """The head stays where questions scroll."""
        return HEAD if self.size_of_queue else 0

    def sentence(self, row: int) -> Line | None:
        """A question, and how many models fail it."""
        now, place = self._state, self.place_at(row)
        if now.shown is None or place is None:
            return None
        found = now.shown.queue.row(place)
        return render_queue.sentence(found, now.texts.get(found.question))

    def place_at(self, row: int) -> int | None:
        """The place of a question; those of the head have none."""
        return row - HEAD if HEAD <= row < HEAD + self.size_of_queue else None

    @property
    def place(self) -> int | None:
        """The place in the queue under the cursor, also where the queue has become shorter."""
        return None if self.cursor is None else self.cursor - HEAD

    def draw(self, row: int, line: int, width: int) -> Line:
        """One line."""
        now = self._state
        if row == 0:
            key = self._base.lostkeys.settings.keys.get(
                "review.view", keys.BY_ID["review.view"].keys
            )
            return render_queue.tabs(now.wanted, now.shown.queue if now.shown else None, width, key)
        if now.shown is None or not len(now.shown.queue):
            at = row - HEAD
            return Line(" ").join(self.words[at]) if 0 <= at < len(self.words) else Line()
        if row == 1:
            return render_queue.heading(now.wanted, width)
        found = now.shown.queue.row(row - HEAD)
        text = now.texts.get(found.question)
        return render_queue.draw(
            found, text, width, self.look, row == self.cursor, self._base.narrow
        )

    @property
    def _base(self) -> BaseScreen:
        screen = self.screen
        assert isinstance(screen, BaseScreen)
        return screen

    def put(self, place: int | None, words: list[Line]) -> None:
        """Show what has been read, with the cursor at a place."""
        self.words = words
        if not self.size_of_queue:
            self.cursor = None
        self.refresh_changed()
        if place is not None and self.size_of_queue:
            self.move_to(HEAD + place, tell=False)

    def on_resize(self, event: events.Resize) -> None:
        """Words are broken for a width."""
        super().on_resize(event)
        if self.words:
            self.post_message(self.QueueWidened())


class QuestionCardView(DocumentView):
    """The open question."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("verdict"), *keys.bindings("list")]

    def __init__(self) -> None:
        super().__init__(id="review-card-view")


class RateView(ReadOnlyLines):
    """The error rate; it is only read."""

    BINDINGS = keys.bindings("list")
    indent = 1

    def __init__(self) -> None:
        super().__init__(id="review-rate-view")


class RateLine(LineWidget):
    """The error rate, where there is no room for its pane."""

    def __init__(self, state: ReviewState) -> None:
        super().__init__()
        self._state = state

    def draw(self, width: int) -> Line:
        """The rate in a line."""
        shown = self._state.shown
        if shown is None:
            return Line()
        return render_rate.one_line(RateReport(shown.rated, shown.rates, shown.quality), width)


class ReviewPanes(ScreenPanes):
    """Three panes that show a state; below 100 columns the queue with a rate, or the card.

    Lines that are the same stay as they are.
    """

    SCOPED_CSS = False  # what is seen depends on the screen's size class
    DEFAULT_CSS = """
    ReviewPanes #review-upper { height: 1fr; }
    ReviewPanes #review-queue { width: 43%; }
    ReviewPanes #review-card { width: 1fr; }
    ReviewPanes #review-rate { height: 7; }
    ReviewPanes QuestionCardView { overflow-y: scroll; }
    ReviewPanes RateLine { display: none; }
    .-narrow ReviewPanes #review-rate { display: none; }
    .-narrow ReviewPanes RateLine { display: block; }
    .-narrow ReviewPanes #review-queue { width: 1fr; }
    .-narrow ReviewPanes #review-card { display: none; }
    .-narrow.-inside ReviewPanes #review-card { display: block; }
    .-narrow.-inside ReviewPanes #review-queue { display: none; }
    """

    def __init__(self, state: ReviewState) -> None:
        super().__init__()
        self._state = state
        self.queue_view, self.card_view = ReviewQueueView(state), QuestionCardView()
        self.card_foot, self.rate_view = DecisionFoot(), RateView()

    def compose(self) -> ComposeResult:
        """Queue and card, the rate below them."""
        yield RateLine(self._state)
        with Horizontal(id="review-upper"):
            with Pane(id="review-queue"):
                yield self.queue_view
            with Pane(id="review-card"):
                yield self.card_view
                yield self.card_foot
        with Pane(id="review-rate"):
            yield self.rate_view

    @property
    def queue_pane(self) -> Pane:
        """The pane that says what is being read, and what could not be."""
        return self.query_one("#review-queue", Pane)

    @property
    def card(self) -> QuestionCard | None:
        """The card of the question under the cursor; None while that is read."""
        return self._state.card_at(self.queue_view.place)

    @property
    def inside(self) -> bool:
        """Whether the focus is in the card."""
        return self.screen.focused is self.card_view

    @property
    def can_decide(self) -> bool:
        """Whether the card is in sight, and the focus in it or in the list beside it."""
        focused = self.screen.focused
        return focused in (self.card_view, self.queue_view) and self.card_view.size.height > 0

    def waits_for_card(self, key: str | None) -> bool:
        """Whether a key is for the card: any in it, and those in the list that decide."""
        bound = self.screen.active_bindings.get(key or "")
        decides = bound is not None and bound.binding.id in VERDICTS
        return self.inside or (self.can_decide and decides)

    def go(self, view: Widget) -> None:
        """Focus a pane; where there is room for one, it is seen instead of the other."""
        self.screen.set_class(view is self.card_view, "-inside")
        self.screen.set_focus(view)

    # Where a person is

    @property
    def position(self) -> ReviewPosition:
        """The queue, the question under the cursor, and how far the card is scrolled."""
        now = self._state
        if now.sought is not None:
            return now.sought
        height, scroll = self.queue_view.cursor_height, self.card_view.scroll_offset.y
        called = now.place_called
        return ReviewPosition(now.wanted, self.inside, *called, height, scroll, now.viewed)

    def hold(self) -> None:
        """Bring the cursor to where it is sought, once its queue is there."""
        now, sought, view = self._state, self._state.sought, self.queue_view
        now.sought = None
        if sought is None or view.cursor is None:
            return
        if now.place_called == (sought.fact, sought.task):
            view.hold_cursor(view.cursor, sought.height)
            self.card_view.hold_at(sought.scroll)

    # Painting

    def paint(self) -> None:
        """Show all of the state."""
        shown, width = self._state.shown, max(20, self.queue_view.size.width - 2)
        words = sentences.explain_empty(self._state, width, self.base.lostkeys.settings.keys)
        self.queue_view.put(shown.place if shown else None, words)
        self.paint_edges()
        self.paint_card()
        self._paint_rate()

    def paint_edges(self) -> None:
        """Where in the queue the cursor is, and what is new."""
        now = self._state
        title = view_title("Questions to review", now.words.title(now.viewed))
        edge = sentences.position(now, self.queue_view.place, self.base.narrow)
        self.queue_pane.edge(edge)
        self.queue_pane.title(title.add("  ").join(edge) if self.base.edges_above else title)

    def paint_card(self) -> None:
        """The open question."""
        now, view, pane = self._state, self.card_view, self.query_one("#review-card", Pane)
        card = now.shown.card if now.shown is not None else None
        if card is None:
            pane.title(Line())
            pane.edge(Line())
            view.put([], True)
            self.card_foot.put([])
            return
        room = max(8, pane.size.width - 6)
        pane.title(render_card.title(card).clip(room))
        edge = render_card.edge(card)
        pane.edge(edge.clip(room) if card.rejected else edge)
        width, screen = view.size.width - 2, self.base
        if width > 0:
            setting = render_card.ReviewCardContext(
                width,
                view.size.height,
                screen.lostkeys.look,
                render_card.caps(screen.lostkeys.settings.keys),
                not screen.low and not screen.narrow,
                self.can_decide,
                now.rejecting,
                screen.narrow,
                now.context,
            )
            self.card_foot.put(render_card.decision_lines(card, setting))
            view.put(render_card.lines_of(card, setting), view.about is None, card.queued)

    def _paint_rate(self) -> None:
        shown, pane, view = self._state.shown, self.query_one("#review-rate", Pane), self.rate_view
        if shown is None:
            pane.title(Line())
            pane.edge(Line())
            view.show_lines([])
            return
        sampled, screen = shown.rated.sample is not None, self.base
        pane.title(Line("Error rate of all questions"))
        kind = shown.rated.wanted.kind
        pane.edge(Line(f"from the {kind} sample only" if sampled else "", "ink-3"))
        width = max(10, view.size.width - 2)
        told = RateReport(shown.rated, shown.rates, shown.quality)
        key = keys.cap_of("review.view", screen.lostkeys.settings.keys)
        view.show_lines(render_rate.lines_of(told, width, screen.lostkeys.look, key))
        screen.layouts.start("review-rate", self._rate_height(told, width))

    def _rate_height(self, told: RateReport, width: int) -> int:
        """Room for the rate, and as far as there is any for its parts; verdicts do not move it."""
        roomy = told.rates.strata or self.base.high
        more = len(render_rate.parts(told, width)) if roomy else 0
        return min(RATE + more, max(RATE, self.app.size.height // 3))
