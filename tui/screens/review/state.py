"""What the Review screen shows as plain data, and how keys and what is read change it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from core.views.list_words import QUESTIONS, ListWords
from core.views.question_context import QuestionContext
from core.views.queue_query import format_questions
from core.views.review.error_rates import ErrorRates, Quality
from core.views.review.question_card import QuestionCard
from core.views.review.question_samples import Strata
from core.views.review.review_queue import QueueRequest, ReviewQueue, ReviewStatus
from core.vocabulary import TASKS, QueueKind, Task

if TYPE_CHECKING:
    from core.views.snapshot import Snapshot

ROWS_AHEAD = 60
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
    """What writing has come to (`what`), the snapshot after it, and what is shown then."""

    what: Any
    snapshot: "Snapshot"
    shown: ShownQueue


@dataclass(frozen=True, slots=True)
class LastVerdict:
    """The verdict given last: the card it is on, at which place, and where it led to."""

    card: QuestionCard
    place: int
    then: int | None


class ReviewDecision(NamedTuple):
    """Something that is written of the card at a place of a queue.

    `painted`: the next card stands there already; `leads`: it does so once this is written.
    """

    queue: ReviewQueue
    place: int
    card: QuestionCard
    painted: bool
    leads: bool


@dataclass(frozen=True, slots=True)
class ReviewPosition:
    """Where a person is on the Review screen: a queue, and a question of it.

    The question stands `height` lines below the top of the queue; `scroll` is how far its card is
    scrolled. `inside`: the focus is in the card.
    """

    wanted: QueueRequest = field(default_factory=QueueRequest)
    inside: bool = False
    fact: str | None = None
    task: Task | None = None
    height: int = 0
    scroll: int = 0
    viewed: ListWords | None = None
    """The saved view that the queue comes from, as it was then."""


@dataclass(slots=True)
class ReviewState:
    """Where a person is; `rejecting` says that a reason is to be chosen.

    `ahead` are cards that are read before they are wanted, by question. `unwritten` is how many
    decisions are shown and not written yet; while something is `going`, what is written leads to
    another card. `unreadable`: the card under the cursor cannot be had.
    """

    wanted: QueueRequest = field(default_factory=QueueRequest)
    viewed: ListWords | None = None
    """The saved view that the queue comes from, as it was then."""
    shown: ShownQueue | None = None
    rejecting: bool = False
    ahead: dict[int, QuestionCard] = field(default_factory=dict)
    looking_ahead: bool = False
    unwritten: int = 0
    going: int = 0
    unreadable: bool = False
    last: LastVerdict | None = None
    new: int = 0
    """Questions that have come since the queue was opened."""
    snapshot: "Snapshot | None" = None
    """The snapshot that the queue goes by."""
    texts: dict[int, str] = field(default_factory=dict)
    """Questions of rows in sight and around them, by id."""
    opening: bool = False
    """Whether a queue is being opened."""
    marking: bool = False
    """Whether it is being read what was said of the questions meanwhile."""
    sought: ReviewPosition | None = None
    """Where to go once the queue is open."""
    around: tuple[int, QuestionContext | None] | None = None
    """What stands around a question, where there is room for it; -1 where it is to be read anew."""

    # What follows from it

    @property
    def words(self) -> ListWords:
        """Which queue it is, in the words of a command."""
        view = "" if self.viewed is None else self.viewed.view
        return ListWords(QUESTIONS, format_questions(self.wanted), view=view)

    @property
    def context(self) -> QuestionContext | None:
        """What stands around the open question; None while it is read."""
        card = self.shown.card if self.shown is not None else None
        found = self.around[1] if self.around is not None else None
        if card is None or found is None:
            return None
        return found if (found.fact, found.task) == (card.fact, card.task) else None

    @property
    def has_place(self) -> bool:
        """Whether there is a question to stand on."""
        return self.shown is not None and self.shown.place is not None

    @property
    def has_facts(self) -> bool:
        """Whether there is anything to look over."""
        return self.snapshot is not None and bool(len(self.snapshot.index))

    @property
    def place_called(self) -> tuple[str | None, Task | None]:
        """The fact and the task of the open question."""
        shown, snapshot = self.shown, self.snapshot
        if shown is None or shown.place is None or snapshot is None:
            return None, None
        queue = shown.queue
        fact = snapshot.index.fact_ids[queue.facts[shown.place]]
        return fact, TASKS[queue.tasks[shown.place]]

    def is_opened_for(self, snapshot: "Snapshot") -> bool:
        """Whether the queue goes by the graders of a snapshot, and holds questions."""
        if self.snapshot is None or self.shown is None or not len(self.shown.queue):
            return False
        return self.snapshot.lens.ranked == snapshot.lens.ranked

    def holds(self, queue: ReviewQueue) -> bool:
        """Whether a queue is the one in sight, whatever is said of its questions."""
        return self.shown is not None and self.shown.queue.questions is queue.questions

    def facts_among(self, places: Sequence[int]) -> frozenset[int]:
        """Facts (ids) of these places, of the open card and of the verdict given just before."""
        cards = [self.shown.card if self.shown else None, self.last.card if self.last else None]
        found = {card.fact for card in cards if card is not None}
        if self.shown is not None and self.snapshot is not None:
            ids, queue = self.snapshot.index.ids, self.shown.queue
            found |= {int(ids[queue.facts[at]]) for at in places}
        return frozenset(found)

    def unread_rows(self, seen: Sequence[int]) -> range:
        """Places whose questions are to be read, as rows in sight lack theirs; empty for none."""
        if self.shown is None:
            return range(0)
        queue = self.shown.queue
        missing = [at for at in seen if queue.questions[at] not in self.texts]
        if not missing:
            return range(0)
        return range(max(0, missing[0] - ROWS_AHEAD), min(len(queue), missing[-1] + ROWS_AHEAD))

    # What a person chooses

    def clear(self) -> None:
        """Nothing is looked over: another database is opened."""
        fresh = ReviewState(self.wanted, self.viewed)
        for one in fields(self):
            setattr(self, one.name, getattr(fresh, one.name))

    def want(self, wanted: QueueRequest | None) -> bool:
        """Want another queue; False where it is the same."""
        if wanted is None or wanted == self.wanted:
            return False
        self.wanted, self.sought = wanted, None
        return True

    def go_to(self, position: ReviewPosition) -> None:
        """Go to a position once its queue is open."""
        wanted, self.viewed = position.wanted, position.viewed
        self.wanted = wanted if _is_known(wanted) else QueueRequest()
        self.sought = position

    def want_kind(self, kind: QueueKind) -> None:
        """Want the queue of a kind."""
        while self.wanted.kind is not kind:
            self.wanted = next_kind(self.wanted)

    def decide(
        self, card: QuestionCard, place: int, said: ReviewStatus | None
    ) -> ReviewDecision | None:
        """Say something of a card and go on, if the next one is read; without a verdict stay.

        None where there is no queue.
        """
        if self.shown is None:
            return None
        queue, self.rejecting = self.shown.queue, False
        painted = said is not None and self.go_on(said)
        if painted:
            self.last = LastVerdict(card, place, self.shown.place)
        leads = said is not None and not painted
        self.unwritten += 1
        self.going += leads
        return ReviewDecision(queue, place, card, painted, leads)

    def end_decision(self, decision: ReviewDecision) -> None:
        """A decision is written: cards of its fact are not as they were."""
        self.unwritten -= 1
        self.going -= decision.leads
        self.forget_fact(decision.card.fact)

    def fail_decision(self, decision: ReviewDecision) -> bool:
        """A decision could not be written: back to it; False where its place is gone."""
        self.unwritten -= 1
        self.going -= decision.leads
        self.last = None
        return self.shown is not None and decision.place < len(self.shown.queue)

    def go_on(self, said: ReviewStatus) -> bool:
        """Show what is said of the open question, and the next one; False where that is not read.

        What else follows is shown when it has been written.
        """
        shown = self.shown
        if shown is None or shown.place is None:
            return False
        queue = shown.queue.mark_place(shown.place, said)
        place = queue.find_undecided(shown.place)
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
        self.around = (-1, self.around[1]) if self.around else None
        kept = {} if fact is None else self.ahead
        self.ahead = {key: card for key, card in kept.items() if card.fact != fact}

    # What has been read and written

    def begin_opening(self) -> None:
        """A queue is to be read, with cards as they are then."""
        self.opening = True
        self.forget_fact(None)

    def begin_marking(self) -> None:
        """What was said of the queue is to be read, with cards as they are then."""
        self.marking = True
        self.forget_fact(None)

    def take_opened(self, shown: ShownQueue) -> None:
        """Show a queue that was opened."""
        self.opening, self.texts, self.new = False, {}, 0
        self.take(shown)

    def take(self, shown: ShownQueue) -> None:
        """Show a queue as it was read, at its place."""
        self.marking = False
        before, self.shown = self.shown, shown
        self.unreadable = shown.card is None
        self.rejecting &= before is not None and before.place == shown.place
        self.texts = self.texts | shown.texts

    def take_written(self, done: ReviewResult, place: int | None) -> bool:
        """Show what has come of writing, staying at a `place`; whether that is in sight.

        It waits for what is not written yet, and is not shown in another queue.
        """
        self.snapshot = done.snapshot
        if self.unwritten or not (self.shown is None or self._same_queue(done.shown)):
            return False
        stays = place is not None and self.shown is not None
        card = self.shown.card if self.shown is not None else None
        self.take(replace(done.shown, place=place, card=card) if stays else done.shown)
        return True

    def _same_queue(self, shown: ShownQueue) -> bool:
        return self.shown is not None and self.shown.queue.questions == shown.queue.questions

    def take_ahead(
        self, queue: ReviewQueue, wanted: Sequence[int], cards: Sequence[QuestionCard]
    ) -> None:
        """Take in cards that were read ahead, unless another queue is in sight meanwhile."""
        self.looking_ahead = False
        if self.holds(queue):
            known = self.ahead | {card.queued: card for card in cards}
            self.ahead = {key: known[key] for key in wanted if key in known}

    def take_new(self, queue: ReviewQueue, new: int) -> bool:
        """Take in how many questions have come since; False where the queue is out of sight."""
        if not self.holds(queue) or self.opening:
            return False
        self.new = new
        return True

    def fail(self) -> None:
        """Neither queue nor card can be had."""
        self.opening, self.unreadable = False, True


def _is_known(wanted: QueueRequest) -> bool:
    """Whether there is such a queue: its stage may be gone."""
    from core.views.review.stage_changes import CHANGERS

    return wanted.kind is not QueueKind.STAGE or wanted.stage in {one.stage for one in CHANGERS}


def next_kind(wanted: QueueRequest) -> QueueRequest:
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
