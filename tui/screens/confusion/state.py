"""What the Confusion screen shows as plain data, and how keys and what is read change it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from time import time_ns

from core.views.disagreements import grader_rates
from core.views.disagreements.confusion_matrix import ConfusionMatrix
from core.views.disagreements.disagreement_card import DisagreementCard
from core.views.disagreements.disagreement_filter import DisagreementFilter
from core.views.disagreements.disagreement_queue import DisagreementQueue
from core.views.disagreements.grader_rates import GraderRates
from core.views.lens import Lens
from core.views.list_words import DISAGREEMENTS, ListWords
from core.views.question_context import QuestionContext
from core.views.queue_query import format_disagreements
from core.vocabulary import Label
from tui.screens.confusion.position import ConfusionPosition
from tui.screens.confusion.queue_kinds import DecisionQueue, QueueSizes

CARDS_AHEAD = 16
"""Undecided cards that are read ahead."""

CARDS = 4
"""Cards that are read in one go: what is wanted at once waits for no more."""

ROWS_AHEAD = 40
"""Rows on either side of those on screen whose answers are read with them."""


@dataclass(frozen=True, slots=True)
class OpenedQueue:
    """A crossing, its queue, and the card at a place of it."""

    crossing: ConfusionMatrix
    queue: DisagreementQueue
    rates: GraderRates
    card: DisagreementCard | None
    texts: dict[int, str]
    sizes: QueueSizes = field(default_factory=QueueSizes)


@dataclass(frozen=True, slots=True)
class MarkedQueue:
    """The same queue with the decisions as they are now, their rates, and a card of it."""

    queue: DisagreementQueue
    rates: GraderRates
    card: DisagreementCard | None


@dataclass(frozen=True, slots=True)
class IdenticalOffer:
    """The label of a decision for the answers that are the same; `blind` as it was decided."""

    label: Label
    slots: tuple[int, ...]
    blind: bool


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision on the card at a place of a queue, and what follows from it at once.

    `following` is the place that is gone on to, None where the card stays open; `then` is the
    slot that is in sight after it.
    """

    queue: DisagreementQueue
    place: int
    card: DisagreementCard
    offer: IdenticalOffer
    note: str | None
    following: int | None
    then: int


@dataclass(frozen=True, slots=True)
class News:
    """What labels written since would show: disagreements that are `new`, or other counts."""

    new: int = 0
    counts: bool = False


NO_NEWS = News()


@dataclass(frozen=True, slots=True)
class LastDecision:
    """The decision made last, on `card` (as it is with that), and where it led to.

    Where it rejected the card's question, `reason` says why, and the card's note is on that.
    """

    card: DisagreementCard
    then: int
    reason: str = ""


@dataclass(slots=True)
class ConfusionState:
    """Where a person is deciding.

    `cards` are those read ahead, of `unreadable` slots there is none. `unwritten` counts decisions
    under way; while one is `returning`, undoing leads back to another card. `notes` go with the
    decisions on their slots.
    """

    clock: Callable[[], int] = time_ns
    """The time, in nanoseconds since 1970."""
    lens: Lens | None = None
    """Through which the answers are crossed."""
    among: DisagreementFilter = field(default_factory=DisagreementFilter)
    viewed: ListWords | None = None
    """The saved view that the queue comes from, as it was then."""
    crossing: ConfusionMatrix | None = None
    queue: DisagreementQueue | None = None
    rates: GraderRates | None = None
    card: DisagreementCard | None = None
    around: tuple[int, QuestionContext | None] | None = None
    """What stands around the question of a card, and the slot that it was read for."""
    texts: dict[int, str] = field(default_factory=dict)
    """Answers of rows in sight and around them, by slot."""
    cards: dict[int, DisagreementCard] = field(default_factory=dict)
    unreadable: set[int] = field(default_factory=set)
    outdated: set[int] = field(default_factory=set)
    """Facts decided since their cards were read."""
    ahead: bool = False
    """Whether cards are being read ahead."""
    last: LastDecision | None = None
    notes: dict[int, str] = field(default_factory=dict)
    returning: bool = False
    opening: bool = False
    """Whether a queue is being opened, which will have all that was decided."""
    by: str = "task"
    blind: bool = False
    rejecting: bool = False
    """Whether a reason to reject the question of the open card is to be chosen."""
    offer: IdenticalOffer | None = None
    news: News = NO_NEWS
    unwritten: int = 0
    sought: ConfusionPosition | None = None
    """Where to go once the queue is open."""
    audits: bool = False
    """Whether an audit is seen instead of the queue."""
    aligns: bool = False
    """Whether a reference set is."""
    sizes: QueueSizes = field(default_factory=QueueSizes)

    # What follows from it

    @property
    def kind(self) -> DecisionQueue:
        """Which queue is seen."""
        if self.audits:
            return DecisionQueue.AUDIT
        if self.aligns:
            return DecisionQueue.ALIGN
        return DecisionQueue.UNSURE if self.among.unsure else DecisionQueue.DISAGREEMENTS

    @property
    def words(self) -> ListWords:
        """Which queue it is, in the words of a command."""
        view = "" if self.viewed is None else self.viewed.view
        where = format_disagreements(self.among)
        return ListWords(DISAGREEMENTS, where, view=view, blind=self.blind)

    @property
    def hidden(self) -> bool:
        """Whether the graders' labels of the open card are hidden."""
        return self.blind and self.card is not None and self.card.own is None

    @property
    def shown_card(self) -> DisagreementCard | None:
        """The open card with the note that waits for a decision on it."""
        if self.queue is None or self.card is None:
            return None
        return self.add_note(self.card)

    @property
    def context(self) -> QuestionContext | None:
        """What stands around the question of the open card; of the same question while it comes."""
        card, found = self.card, self.around[1] if self.around else None
        if card is None or found is None:
            return None
        here = (card.fact, card.task, card.model)
        return found if (found.fact, found.task, found.model) == here else None

    def is_opened_for(self, lens: Lens) -> bool:
        """Whether the queue is that of a lens; its model does not count: all are crossed."""
        if self.lens is None or self.queue is None:
            return False
        return _list_queue_inputs(self.lens) == _list_queue_inputs(lens)

    def holds(self, queue: DisagreementQueue) -> bool:
        """Whether a queue is the one in sight, whatever is decided in it."""
        return self.queue is not None and self.queue.columns is queue.columns

    def card_of(self, slot: int | None) -> DisagreementCard | None:
        """The open card, if it is that of a slot."""
        return self.card if self.card is not None and self.card.slot == slot else None

    def add_note(self, card: DisagreementCard) -> DisagreementCard:
        """A card with the note that waits for a decision on it."""
        note = self.notes.get(card.slot)
        return card if note is None else replace(card, note=note)

    def find_decision_before(self, slot: int | None) -> LastDecision | None:
        """The decision just before this card was gone on to; a rejection may have stayed on it."""
        last = self.last
        if last is None or last.then != slot or (slot == last.card.slot and not last.reason):
            return None
        return last

    def facts_among(self, places: Sequence[int]) -> frozenset[int]:
        """Facts (ids) of these places, of the open card and of the decision made just before."""
        cards = [self.card, self.last.card if self.last else None]
        found = {card.fact for card in cards if card is not None}
        if self.queue is not None:
            ids, facts = self.queue.index.ids, self.queue.columns.fact
            found |= {int(ids[facts[at]]) for at in places}
        return frozenset(found)

    def unread_rows(self, seen: Sequence[int]) -> range:
        """Places whose answers are to be read, as rows in sight lack theirs; empty for none."""
        queue = self.queue
        if queue is None or not seen:
            return range(0)
        if all(slot in self.texts for slot in queue.columns.slot[seen].tolist()):
            return range(0)
        return range(max(0, seen[0] - ROWS_AHEAD), min(len(queue), seen[-1] + ROWS_AHEAD))

    # What a person chooses

    def go_to(self, position: ConfusionPosition) -> bool:
        """Go to a position; whether another queue has to be opened for it."""
        among, self.among, self.viewed = self.among, position.among, position.viewed
        self.by = "model" if position.by == "model" else "task"
        self.blind, self.sought = position.blind, position
        self.audits = position.kind is DecisionQueue.AUDIT
        self.aligns = position.kind is DecisionQueue.ALIGN
        return self.queue is None or among != self.among

    def show_kind(self, kind: DecisionQueue) -> DisagreementFilter:
        """See another queue; gives what is queued there, all else as it is filtered for."""
        self.audits, self.aligns = kind is DecisionQueue.AUDIT, kind is DecisionQueue.ALIGN
        if self.audits or self.aligns:
            return self.among
        return replace(self.among, unsure=kind is DecisionQueue.UNSURE, cell=None)

    def fit(self, models: Sequence[str]) -> None:
        """Cross the answers of all models where the one filtered for is gone."""
        if self.among.model is not None and self.among.model not in models:
            self.among = replace(self.among, model=None)

    @property
    def by_other(self) -> str:
        """The other thing that agreement can be by."""
        return "model" if self.by == "task" else "task"

    def step_grouping(self) -> None:
        """Agreement by model instead of by task, or back."""
        self.by = self.by_other

    def keep_note(self, card: DisagreementCard, text: str) -> bool:
        """A note on a card, also where that was decided just before; whether to write it now.

        The note of what is not decided yet waits for the decision.
        """
        rejected = False
        if self.last is not None and self.last.card is card:
            self.last = replace(self.last, card=replace(card, note=text))
            rejected = bool(self.last.reason)
        if card.own is None and not rejected:
            self.notes[card.slot] = text
            return False
        return text != (card.note or "")

    def decide(self, card: DisagreementCard, place: int | None, label: Label) -> Decision | None:
        """Decide the card at a place and go on to the next; None where another one is there."""
        queue = self.queue
        if queue is None or place is None or queue.row(place).slot != card.slot:
            return None
        offer, note = IdenticalOffer(label, card.offered, self.hidden), self.notes.get(card.slot)
        following = self._go_on(queue, place, card, offer)
        then = card.slot if following is None else queue.row(following).slot
        self.last = LastDecision(replace(self.add_note(card), own=label), then)
        self.unwritten += 1
        self.sought, self.rejecting = None, False
        return Decision(queue, place, card, offer, note, following, then)

    def take_rejected(self, card: DisagreementCard, reason: str, note: str, place: int) -> None:
        """The question of a card was rejected; a place of the queue in sight is gone on to."""
        self.notes.pop(card.slot, None)
        if self.queue is not None:
            then = self.queue.row(place).slot
            self.last = LastDecision(replace(card, note=note), then, reason)

    def _go_on(
        self, queue: DisagreementQueue, place: int, card: DisagreementCard, offer: IdenticalOffer
    ) -> int | None:
        self.queue = queue.mark_place(place, offer.label)
        if self.rates is not None:
            now = self.clock() // 1_000_000
            self.rates = grader_rates.add_decision(self.rates, self.queue, now)
        self.offer = offer if offer.slots else None
        self.cards.pop(card.slot, None)
        following = self.queue.find_undecided(place)
        if following is None:
            self.card = replace(card, own=offer.label)
        return following

    # What has been read and written

    def clear(self) -> None:
        """Nothing is crossed: another database is opened."""
        self._restart(ConfusionState(self.clock))

    def clear_for(self, lens: Lens) -> None:
        """Nothing can be crossed through a lens; what is being written still is."""
        kept = ConfusionState(self.clock, lens, by=self.by, blind=self.blind)
        kept.unwritten, kept.audits, kept.aligns = self.unwritten, self.audits, self.aligns
        self._restart(kept)

    def _restart(self, fresh: "ConfusionState") -> None:
        for one in fields(self):
            setattr(self, one.name, getattr(fresh, one.name))

    def take_opened(self, found: OpenedQueue) -> int:
        """Show a queue that was opened; gives the place of its card."""
        self.crossing, self.queue, self.rates = found.crossing, found.queue, found.rates
        self.card, self.cards, self.texts = found.card, {}, found.texts
        self.offer, self.news, self.last = None, NO_NEWS, None
        self.opening, self.sizes = False, found.sizes
        self.unreadable = set()
        return (found.queue.place_of(found.card.slot) if found.card else None) or 0

    def take_marked(self, found: MarkedQueue, slot: int | None) -> bool:
        """Take in what was decided, while `slot` is in sight; not while something is written.

        What is being written brings all of it.
        """
        if self.unwritten:
            return False
        self.cards, self.unreadable = {}, set()
        self._outdate_context()
        self.queue, self.rates = found.queue, found.rates
        if found.card is not None and found.card.slot == slot:
            self.card = found.card
        return True

    def _outdate_context(self) -> None:
        """Labels have changed: what stands around the question is shown until it is read anew."""
        self.around = (-1, self.around[1]) if self.around else None

    def take_card(self, slot: int, card: DisagreementCard | None, here: int | None) -> bool:
        """Open the card of a slot, unless another one is in sight (`here`) meanwhile."""
        if card is None:
            self.unreadable.add(slot)
        if card is None or slot != here:
            return False
        self.card = card
        return True

    def take_ahead(
        self, queue: DisagreementQueue, asked: Sequence[int], found: Sequence[DisagreementCard]
    ) -> None:
        """Take in cards that were read ahead, unless another queue is in sight meanwhile."""
        self.ahead = False
        if self.holds(queue):
            self.cards |= {card.slot: card for card in found}
            self.unreadable |= set(asked) - {card.slot for card in found}

    def list_unread(self, place: int) -> list[int]:
        """Slots whose cards may be wanted next and are to be read; forgets cards further away."""
        queue = self.queue
        if queue is None:
            return []
        near = (one for one in (place + 1, place - 1) if 0 <= one < len(queue))
        places = [*queue.list_undecided(place, CARDS_AHEAD), *near]
        slots = list(dict.fromkeys(queue.columns.slot[places].tolist()))
        if self.last is not None and self.last.card.slot in slots:
            slots.remove(self.last.card.slot)  # what is written on it is not in the file yet
        self.cards = {slot: self.cards[slot] for slot in slots if slot in self.cards}
        return [one for one in slots if one not in self.cards and one not in self.unreadable]

    def take_news(self, queue: DisagreementQueue, news: News) -> bool:
        """Take in what is new since a queue was opened; False where that is out of sight."""
        if not self.holds(queue):
            return False
        self.news = news
        return True

    def end_decision(self, decision: Decision) -> None:
        """A decision is written, with its note."""
        self.unwritten -= 1
        self.outdated.add(decision.card.fact)
        self.notes.pop(decision.card.slot, None)

    def take_written(self, found: MarkedQueue, slot: int | None) -> bool:
        """Show the queue in sight as it is in the file; whether its card is to be read anew.

        Cards of the facts decided are not as they were.
        """
        facts, self.outdated = self.outdated, set()
        self._outdate_context()
        self.queue, self.rates = found.queue, found.rates
        self.cards = {key: one for key, one in self.cards.items() if one.fact not in facts}
        if found.card is not None and found.card.slot == slot:
            self.card = found.card
            return False
        return self.card is not None and self.card.fact in facts

    def fail_decision(self, decision: Decision) -> bool:
        """A decision could not be written: back to it; False where its queue is out of sight."""
        self.unwritten -= 1
        self.offer = self.last = None
        place, card = decision.place, decision.card
        if (
            self.queue is None
            or place >= len(self.queue)
            or self.queue.row(place).slot != card.slot
        ):
            return False
        self.queue = self.queue.mark_place(place, card.own)
        return True

    def take_undone(self, found: MarkedQueue, place: int | None) -> None:
        """Show the queue in sight as undoing has left it, with the card at a place if any is."""
        self.queue, self.rates, self.cards = found.queue, found.rates, {}
        self._outdate_context()
        if found.card is not None and place is not None:
            self.card = found.card


def _list_queue_inputs(lens: Lens) -> tuple[object, ...]:
    """What of a lens decides the queue."""
    return lens.thinking, lens.a, lens.b, lens.people, lens.policy
