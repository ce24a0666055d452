"""What the Review screen has the db worker read and write."""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from core.curation.question_reviews import ReviewEffect
from core.curation.undo_history import Undone
from core.views.question_context import QuestionContext
from core.views.review.question_card import QuestionCard
from core.views.review.review_queue import QueueRequest, ReviewQueue
from core.vocabulary import QueueKind
from tui.screens.review.state import (
    CARDS,
    CARDS_AHEAD,
    ROWS_AHEAD,
    SAMPLED,
    ReviewPosition,
    ReviewResult,
    ShownQueue,
)

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
    place = queue.undecided() if place is None else place
    return _shown(reviews, queue, 0 if place is None and len(queue) else place)


def mark_queue(queue: ReviewQueue, place: int | None, session: "Session") -> ShownQueue:
    """The same queue with what was said of it as it is now, at a place."""
    reviews = session.reviews
    return _shown(reviews, reviews.marked(queue), place)


def count_new(queue: ReviewQueue, session: "Session") -> int:
    """How many questions the queue would have that it had not when it was opened."""
    now = session.reviews.queue(queue.wanted)
    known = set(zip(queue.facts, queue.tasks, strict=True))
    return len(set(zip(now.facts, now.tasks, strict=True)) - known)


def move_to(shown: ShownQueue, place: int | None, session: "Session") -> ShownQueue:
    """The same at another place: what was said of questions comes with `mark_queue`."""
    reviews, queue = session.reviews, shown.queue
    at, near = _near(queue, place)
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
    places = (*queue.undecided_from(place, CARDS_AHEAD), *near)
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
    now = reviews.marked(queue)
    following = now.undecided(place)
    return ReviewResult(
        what, snapshot, _shown(reviews, now, place if stay or following is None else following)
    )


def read_undone(
    queue: ReviewQueue | None, place: int | None, undone: Undone | None, session: "Session"
) -> ShownQueue:
    """What is shown after undoing: the question it was about, if it is queued, else a place."""
    reviews = session.reviews
    now = reviews.queue(QueueRequest()) if queue is None else reviews.marked(queue)
    found = _place_of(undone, now)
    return _shown(reviews, now, place if found is None else found)


def draw_sample(n: int, wanted: QueueRequest, session: "Session") -> ShownQueue:
    """Have `n` questions sampled, and open the queue of them."""
    by = wanted.by if wanted.kind is QueueKind.STRATIFIED else None
    session.reviews.sample(n, by)
    return open_queue(wanted, session)


def _place_of(undone: Undone | None, queue: ReviewQueue) -> int | None:
    if undone is None or not isinstance(undone.what, ReviewEffect):
        return None
    return queue.place_of(undone.what.question)


def _near(queue: ReviewQueue, place: int | None) -> tuple[int | None, range]:
    """A place that there is, and those around it."""
    at = None if place is None or not len(queue) else min(place, len(queue) - 1)
    return at, range(max(0, (at or 0) - ROWS_AHEAD), min(len(queue), (at or 0) + ROWS_AHEAD))


def _shown(reviews: "Reviews", queue: ReviewQueue, place: int | None) -> ShownQueue:
    at, near = _near(queue, place)
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
