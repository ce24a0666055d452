"""Reading and writing of the Review screen: the queue, the cards to come, what is new."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.timer import Timer

from core.curation.question_reviews import ReviewEffect
from core.curation.undo_history import UndoResult
from core.errors import LostkeysError
from core.views.question_context import QuestionContext
from core.views.review.question_card import QuestionCard
from core.views.review.review_queue import QueueRequest, ReviewQueue
from core.vocabulary import QueueKind
from tui.app.loader import Loader
from tui.screens.review.state import (
    CARDS,
    CARDS_AHEAD,
    ROWS_AHEAD,
    SAMPLED,
    ReviewPosition,
    ReviewResult,
    ReviewState,
    ShownQueue,
)
from tui.screens.review.widgets import ReviewPanes

if TYPE_CHECKING:
    from core.views.review.review_service import Reviews
    from core.views.session import Session
    from core.views.snapshot import Snapshot


def open_queue(
    wanted: QueueRequest,
    session: "Session",
    question: int | None = None,
    sought: ReviewPosition | None = None,
) -> ShownQueue:
    """Open a queue at what is sought or at a question, else at its first without a verdict."""
    reviews = session.reviews
    queue = reviews.queue(wanted)
    place = None if question is None else queue.place_of(question)
    if sought is not None:
        place = queue.place_called(session.snapshot.index, sought.fact, sought.task)
    place = queue.find_undecided() if place is None else place
    return _build_shown_queue(reviews, queue, 0 if place is None and len(queue) else place)


def mark_queue(queue: ReviewQueue, place: int | None, session: "Session") -> ShownQueue:
    """The same queue with what was said of it as it is now, at a place."""
    reviews = session.reviews
    return _build_shown_queue(reviews, reviews.mark_queue(queue), place)


def count_new(queue: ReviewQueue, session: "Session") -> int:
    """How many questions the queue would have that it had not when it was opened."""
    now = session.reviews.queue(queue.wanted)
    known = set(zip(queue.facts, queue.tasks, strict=True))
    return len(set(zip(now.facts, now.tasks, strict=True)) - known)


def move_to(shown: ShownQueue, place: int | None, session: "Session") -> ShownQueue:
    """The same at another place: what was said of questions comes with `mark_queue`."""
    reviews, queue = session.reviews, shown.queue
    at, near = _find_near(queue, place)
    card = None if at is None else reviews.card(queue.questions[at])
    return replace(shown, texts=reviews.texts(queue, near), place=at, card=card)


def read_ahead(
    shown: ShownQueue, known: Collection[int], session: "Session"
) -> tuple[list[int], list[QuestionCard]]:
    """The questions that decisions go on to, and cards of the first that are not `known`."""
    place, queue = shown.place, shown.queue
    if place is None:
        return [], []
    near = (one for one in (place + 1, place - 1) if 0 <= one < len(queue))
    places = (*queue.list_undecided(place, CARDS_AHEAD), *near)
    wanted = list(dict.fromkeys(queue.questions[one] for one in places))
    missing = [key for key in wanted if key not in known][:CARDS]
    found = (session.reviews.card(key) for key in missing)
    return wanted, [card for card in found if card is not None]


def write_review(
    name: str,
    queue: ReviewQueue,
    place: int,
    stay: bool,
    work: "Callable[[Reviews], tuple[Any, Snapshot]]",
    session: "Session",
) -> ReviewResult:
    """Write something of the question at a place, and read what is shown after it.

    That is the next question without a verdict, or the same one where one is to `stay`.
    """
    session.name = name
    reviews = session.reviews
    what, snapshot = work(reviews)
    now = reviews.mark_queue(queue)
    following = now.find_undecided(place)
    return ReviewResult(
        what,
        snapshot,
        _build_shown_queue(reviews, now, place if stay or following is None else following),
    )


def read_undone(
    queue: ReviewQueue | None, place: int | None, undone: UndoResult | None, session: "Session"
) -> ShownQueue:
    """What is shown after undoing: the question it was about, if it is queued, else a place."""
    reviews = session.reviews
    now = reviews.queue(QueueRequest()) if queue is None else reviews.mark_queue(queue)
    found = _place_of(undone, now)
    return _build_shown_queue(reviews, now, place if found is None else found)


def draw_sample(n: int, wanted: QueueRequest, session: "Session") -> ShownQueue:
    """Have `n` questions sampled, and open the queue of them."""
    by = wanted.by if wanted.kind is QueueKind.STRATIFIED else None
    session.reviews.sample(n, by)
    return open_queue(wanted, session)


def _place_of(undone: UndoResult | None, queue: ReviewQueue) -> int | None:
    if undone is None or not isinstance(undone.what, ReviewEffect):
        return None
    return queue.place_of(undone.what.question)


def _find_near(queue: ReviewQueue, place: int | None) -> tuple[int | None, range]:
    """A place that there is, and those around it."""
    at = None if place is None or not len(queue) else min(place, len(queue) - 1)
    return at, range(max(0, (at or 0) - ROWS_AHEAD), min(len(queue), (at or 0) + ROWS_AHEAD))


def _build_shown_queue(reviews: "Reviews", queue: ReviewQueue, place: int | None) -> ShownQueue:
    at, near = _find_near(queue, place)
    card = None if at is None else reviews.card(queue.questions[at])
    texts = reviews.texts(queue, near)
    sampled = queue.wanted.kind in SAMPLED
    rated = queue if sampled else reviews.queue(QueueRequest(QueueKind.RANDOM))
    return ShownQueue(queue, rated, reviews.rates(rated), reviews.quality(), texts, at, card)


def read_context(card: QuestionCard, session: "Session") -> QuestionContext | None:
    """What stands around the question of a card, of the model whose answers it shows first."""
    model = card.models[0].model if card.models else None
    return session.context(card.fact, card.task, model)


def read_texts(queue: ReviewQueue, places: range, session: "Session") -> dict[int, str]:
    """The questions at these places, by id."""
    return session.reviews.texts(queue, places)


SINCE = 1.0
"""Seconds from a change of the file to looking what the queue would have of it."""


class ReviewLoader:
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
            work = partial(open_queue, now.wanted, question=question, sought=now.sought)
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
            work = partial(mark_queue, shown.queue, self._panes.queue_view.place)
            self._loader.load("review", work, self._take_marked, self._miss, hint=False)

    def _take_marked(self, shown: ShownQueue) -> None:
        if not self._state.unwritten:  # else what is shown already would vanish for a moment
            self._state.take(shown)
            self.show()

    def show(self, from_top: bool = False) -> None:
        """Show what has been read, and read what may be wanted next."""
        if from_top:
            self._panes.card_view.begin_anew()
        self._panes.base.paint()
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
            work = partial(move_to, now.shown, self._panes.queue_view.place)
            self._loader.load("review", work, self._take_marked, self._miss, hint=False)

    def read_context(self) -> None:
        """Have read what stands around the question of the card, where there is room for it."""
        now, base = self._state, self._panes.base
        card = now.shown.card if now.shown is not None else None
        if card is None or not base.high or (now.around and now.around[0] == card.queued):
            return
        work, take = partial(read_context, card), partial(self._take_context, card.queued)
        base.lostkeys.ask("review context", work, take, _skip, patient=True)

    def _take_context(self, question: int, context: QuestionContext | None) -> None:
        self._state.around = question, context
        self._panes.paint_card()

    def read_ahead(self) -> None:
        """Have the cards read that verdicts go on to: where verdicts are given, in the card."""
        now = self._state
        if self._panes.can_decide and now.shown is not None and not now.looking_ahead:
            now.looking_ahead = True
            queue = now.shown.queue
            work = partial(read_ahead, now.shown, tuple(now.ahead))
            take = partial(self._take_ahead, queue)
            self._panes.base.lostkeys.ask("review ahead", work, take, self._miss_ahead)

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
            work = partial(read_texts, now.shown.queue, near)
            self._panes.base.lostkeys.ask("review texts", work, self._take_texts, _skip)

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
            work = partial(count_new, shown.queue)
            take = partial(self._take_new, shown.queue)
            self._panes.base.lostkeys.ask("review news", work, take, _skip, patient=True)

    def _take_new(self, queue: ReviewQueue, new: int) -> None:
        if self._state.take_new(queue, new):
            self._panes.paint_edges()


def _skip(error: LostkeysError) -> None:
    """What was only read ahead is read again when it is wanted."""
