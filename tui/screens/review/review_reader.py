"""Reading for the Review screen: the queue, cards before they are wanted, what is new."""

from collections.abc import Sequence
from functools import partial

from textual.timer import Timer

from core.errors import LostkeysError
from core.views.question_context import QuestionContext
from core.views.review.question_card import QuestionCard
from core.views.review.review_queue import ReviewQueue
from tui.app.loader import Loader
from tui.screens.review import loader
from tui.screens.review.state import ReviewState, ShownQueue
from tui.screens.review.widgets import ReviewPanes

SINCE = 1.0
"""Seconds from a change of the file to looking what the queue would have of it."""


class ReviewReader:
    """Has read what a state lacks, and shows it in the panes. What comes too late is dropped."""

    def __init__(self, state: ReviewState, panes: ReviewPanes) -> None:
        self._state, self._panes = state, panes
        self._loader = Loader(panes, lambda: panes.queue_pane)
        self._looking: Timer | None = None

    # The queue

    def open_queue(self, question: int | None = None) -> None:
        """Read the queue that is wanted, at a question; what is shown stays until then."""
        now = self._state
        if now.has_facts:
            now.begin_opening()
            work = partial(loader.open_queue, now.wanted, question=question, sought=now.sought)
            self._loader.load("review", work, self.take_opened, self._miss)

    def take_opened(self, shown: ShownQueue) -> None:
        """Show a queue that was opened."""
        self._state.take_opened(shown)
        self.show(from_top=True)
        self._panes.hold()

    def mark_queue(self) -> None:
        """Take in verdicts, whoever gave them."""
        shown = self._state.shown
        if shown is not None and not self._state.opening:
            self._state.begin_marking()
            work = partial(loader.mark_queue, shown.queue, self._panes.queue_view.place)
            self._loader.load("review", work, self._take_marked, self._miss, hint=False)

    def _take_marked(self, shown: ShownQueue) -> None:
        if not self._state.unwritten:  # else what is shown already would vanish for a moment
            self._state.take(shown)
            self.show()

    def show(self, from_top: bool = False) -> None:
        """Show what has been read, and read what may be wanted next."""
        if from_top:
            self._panes.card_view.begin_anew()
        self._panes.audit.paint()
        self.read_ahead()
        self.read_context()

    def stop(self) -> None:
        """Nothing is waited for."""
        self._loader.stop()

    def _miss(self, error: LostkeysError) -> None:
        self._state.fail()

    # Cards and rows

    def read_card(self) -> None:
        """Read the card of the question under the cursor."""
        now = self._state
        now.rejecting = now.unreadable = False
        if now.marking:
            self.mark_queue()
        elif now.shown is not None and not now.opening:
            work = partial(loader.move_to, now.shown, self._panes.queue_view.place)
            self._loader.load("review", work, self._take_marked, self._miss, hint=False)

    def read_context(self) -> None:
        """Have read what stands around the question of the card, where there is room for it."""
        now, audit = self._state, self._panes.audit
        card = now.shown.card if now.shown is not None else None
        if card is None or not audit.high or (now.around and now.around[0] == card.queued):
            return
        work, take = partial(loader.read_context, card), partial(self._take_context, card.queued)
        audit.lostkeys.ask("review context", work, take, _skip, patient=True)

    def _take_context(self, question: int, context: QuestionContext | None) -> None:
        self._state.around = question, context
        self._panes.paint_card()

    def read_ahead(self) -> None:
        """Have the cards read that verdicts go on to: where verdicts are given, in the card."""
        now = self._state
        if self._panes.inside and now.shown is not None and not now.looking_ahead:
            now.looking_ahead = True
            queue = now.shown.queue
            work = partial(loader.read_ahead, now.shown, tuple(now.ahead))
            take = partial(self._take_ahead, queue)
            self._panes.audit.lostkeys.ask("review ahead", work, take, self._miss_ahead)

    def _take_ahead(
        self, queue: ReviewQueue, found: tuple[Sequence[int], Sequence[QuestionCard]]
    ) -> None:
        self._state.take_ahead(queue, *found)
        if found[1] and self._panes.is_mounted:
            self.read_ahead()

    def _miss_ahead(self, error: LostkeysError) -> None:
        self._state.looking_ahead = False

    def read_texts(self) -> None:
        """Read the questions of the rows in sight."""
        now = self._state
        near = now.unread_rows(self._panes.queue_view.places_in_sight)
        if now.shown is not None and near:
            work = partial(loader.read_texts, now.shown.queue, near)
            self._panes.audit.lostkeys.ask("review texts", work, self._take_texts, _skip)

    def _take_texts(self, found: dict[int, str]) -> None:
        self._state.texts = self._state.texts | found
        self._panes.queue_view.refresh_changed()

    # What is new

    def look_soon(self) -> None:
        """Look at what is new, but not at every label that a job writes."""
        if self._looking is None:
            self._looking = self._panes.set_timer(SINCE, self._look)

    def _look(self) -> None:
        self._looking = None
        shown = self._state.shown
        if shown is not None and not self._state.opening:
            work = partial(loader.count_new, shown.queue)
            take = partial(self._take_new, shown.queue)
            self._panes.audit.lostkeys.ask("review news", work, take, _skip, patient=True)

    def _take_new(self, queue: ReviewQueue, new: int) -> None:
        if self._state.take_new(queue, new):
            self._panes.paint_edges()


def _skip(error: LostkeysError) -> None:
    """What was only read ahead is read again when it is wanted."""
