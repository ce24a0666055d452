"""What the Review screen has read, as plain data, and how the db worker reads and writes it."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from core.curation.review_decisions import ReviewEffect
from core.curation.undo_history import Undone
from core.views.review.error_rates import ErrorRates, Quality
from core.views.review.question_card import QuestionCard
from core.views.review.question_samples import Strata
from core.views.review.review_queue import QueueRequest, ReviewQueue, ReviewStatus
from core.views.target import Target
from core.vocabulary import QueueKind

if TYPE_CHECKING:
    from core.views.review.review_service import Reviews
    from core.views.session import Session
    from core.views.snapshot import Snapshot

AHEAD = 60
"""Rows on either side of the cursor whose questions are read with it."""

CARDS_AHEAD, CARDS = 16, 4
"""Cards that are read before they are wanted, and how many of them in one go."""

KINDS = (
    QueueKind.SUSPICIOUS,
    QueueKind.RANDOM,
    QueueKind.STRATIFIED,
    QueueKind.STAGE,
    QueueKind.EDITED,
)
"""Queues in the order of the key that steps through them."""

SAMPLED = (QueueKind.RANDOM, QueueKind.STRATIFIED)
"""Those that hold a sample, from which there is an error rate."""


@dataclass(frozen=True, slots=True)
class ShownQueue:
    """A queue as it is marked, with what is seen beside it; `card` is that of `place`.

    `rates` are those of the queue `rated`: this one if it is of a sample, else the random one.
    """

    queue: ReviewQueue
    rated: ReviewQueue
    rates: ErrorRates
    quality: Quality
    texts: dict[int, str]
    place: int | None
    card: QuestionCard | None


@dataclass(frozen=True, slots=True)
class ReviewResult:
    """What writing has come to (`what`), the board after it, and what is shown then."""

    what: Any
    board: "Snapshot"
    shown: ShownQueue
    of: Target | None = None


@dataclass(frozen=True, slots=True)
class Last:
    """The verdict given last: the card it is on, at which place, and where it led to."""

    card: QuestionCard
    place: int
    then: int | None


@dataclass(slots=True)
class ReviewState:
    """Where a person is; `rejecting` says that a reason is to be chosen.

    `ahead` are cards that are read before they are wanted, by question. `unwritten` is how many
    decisions are shown and not written yet; while something is `going`, what is written leads to
    another card. `unreadable`: the card under the cursor cannot be had.
    """

    wanted: QueueRequest = field(default_factory=QueueRequest)
    shown: ShownQueue | None = None
    rejecting: bool = False
    ahead: dict[int, QuestionCard] = field(default_factory=dict)
    looking_ahead: bool = False
    unwritten: int = 0
    going: int = 0
    unreadable: bool = False
    last: Last | None = None
    new: int = 0
    """Questions that have come since the queue was opened."""

    def go_on(self, said: ReviewStatus) -> bool:
        """Show what is said of the open question, and the next one; False where that is not read.

        What else follows is shown when it has been written.
        """
        shown = self.shown
        if shown is None or shown.place is None:
            return False
        queue = shown.queue.said_at(shown.place, said)
        place = queue.undecided(shown.place)
        card = None if place is None else self.ahead.get(queue.questions[place])
        if card is None or card.queued == queue.questions[shown.place]:
            return False
        self.shown = replace(shown, queue=queue, place=place, card=card)
        return True

    def card_at(self, place: int | None) -> QuestionCard | None:
        """The card of the question at a place, if that is what is shown."""
        shown = self.shown
        if shown is None or shown.card is None or place is None or place != shown.place:
            return None
        return shown.card if shown.card.queued == shown.queue.questions[place] else None

    def forget_fact(self, fact: int | None) -> None:
        """Something was written of a fact (None: of any): cards that show it are to be read."""
        kept = {} if fact is None else self.ahead
        self.ahead = {key: card for key, card in kept.items() if card.fact != fact}


def opened(wanted: QueueRequest, session: "Session", question: int | None = None) -> ShownQueue:
    """Open a queue at a question if it holds that, else at its first without a verdict."""
    reviews = session.reviews
    queue = reviews.queue(wanted)
    place = None if question is None else queue.place_of(question)
    place = queue.undecided() if place is None else place
    return _shown(reviews, queue, 0 if place is None and len(queue) else place)


def renewed(queue: ReviewQueue, place: int | None, session: "Session") -> ShownQueue:
    """The same queue with what was said of it as it is now, at a place."""
    reviews = session.reviews
    return _shown(reviews, reviews.marked(queue), place)


def news(queue: ReviewQueue, session: "Session") -> int:
    """How many questions the queue would have that it had not when it was opened."""
    now = session.reviews.queue(queue.wanted)
    known = set(zip(queue.facts, queue.tasks, strict=True))
    return len(set(zip(now.facts, now.tasks, strict=True)) - known)


def moved(shown: ShownQueue, place: int | None, session: "Session") -> ShownQueue:
    """The same at another place: what was said of questions comes with `renewed`."""
    reviews, queue = session.reviews, shown.queue
    at, near = _near(queue, place)
    card = None if at is None else reviews.card(queue.questions[at])
    return replace(shown, texts=reviews.texts(queue, near), place=at, card=card)


def ahead(
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


def write(
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
    what, board = work(reviews)
    now = reviews.marked(queue)
    following = now.undecided(place)
    return ReviewResult(
        what, board, _shown(reviews, now, place if stay or following is None else following)
    )


def undo(queue: ReviewQueue | None, place: int | None, session: "Session") -> ReviewResult:
    """Undo what was done last; the place is that of the question it was about, if it is queued."""
    undone, board = session.undo()
    of = None if undone is None else session.target(undone.what)
    reviews = session.reviews
    now = reviews.queue(QueueRequest()) if queue is None else reviews.marked(queue)
    found = _place_of(undone, now)
    return ReviewResult(undone, board, _shown(reviews, now, place if found is None else found), of)


def sampled(n: int, wanted: QueueRequest, session: "Session") -> ShownQueue:
    """Have `n` questions sampled, and open the queue of them."""
    by = wanted.by if wanted.kind is QueueKind.STRATIFIED else None
    session.reviews.sample(n, by)
    return opened(wanted, session)


def stepped(wanted: QueueRequest) -> QueueRequest:
    """The next kind of queue."""
    from core.views.review.stage_changes import CHANGERS

    kind = KINDS[(KINDS.index(wanted.kind) + 1) % len(KINDS)]
    return replace(wanted, kind=kind, stage=wanted.stage or CHANGERS[0].stage)


def parts() -> list[tuple[QueueRequest, str]]:
    """All queues that there are, with their names."""
    from core.views.review.stage_changes import CHANGERS

    found = [(QueueRequest(), "suspicious"), (QueueRequest(QueueKind.RANDOM), "a random sample")]
    found += [
        (QueueRequest(QueueKind.STRATIFIED, by), f"the same number of each {by}") for by in Strata
    ]
    found += [
        (QueueRequest(QueueKind.STAGE, stage=one.stage), f"changed by {one.stage}")
        for one in CHANGERS
    ]
    return [*found, (QueueRequest(QueueKind.EDITED), "edited")]


def _place_of(undone: Undone | None, queue: ReviewQueue) -> int | None:
    if undone is None or not isinstance(undone.what, ReviewEffect):
        return None
    return queue.place_of(undone.what.question)


def _near(queue: ReviewQueue, place: int | None) -> tuple[int | None, range]:
    """A place that there is, and those around it."""
    at = None if place is None or not len(queue) else min(place, len(queue) - 1)
    return at, range(max(0, (at or 0) - AHEAD), min(len(queue), (at or 0) + AHEAD))


def _shown(reviews: "Reviews", queue: ReviewQueue, place: int | None) -> ShownQueue:
    at, near = _near(queue, place)
    card = None if at is None else reviews.card(queue.questions[at])
    texts = reviews.texts(queue, near)
    sampled = queue.wanted.kind in SAMPLED
    rated = queue if sampled else reviews.queue(QueueRequest(QueueKind.RANDOM))
    return ShownQueue(queue, rated, reviews.rates(rated), reviews.quality(), texts, at, card)


def texts(queue: ReviewQueue, places: range, session: "Session") -> dict[int, str]:
    """The questions at these places, by id."""
    return session.reviews.texts(queue, places)
