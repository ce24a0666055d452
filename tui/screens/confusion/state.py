"""What the Confusion screen has read, as plain data, and how the db worker reads it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from core.views.disagreements.confusion_matrix import ConfusionMatrix
from core.views.disagreements.disagreement_card import DisagreementCard
from core.views.disagreements.disagreement_filter import DisagreementFilter
from core.views.disagreements.disagreement_queue import DisagreementQueue
from core.views.disagreements.grader_rates import GraderRates
from core.vocabulary import Label

if TYPE_CHECKING:
    from core.views.session import Session


@dataclass(frozen=True, slots=True)
class OpenedQueue:
    """A crossing, its queue, and the card at a place of it."""

    crossing: ConfusionMatrix
    queue: DisagreementQueue
    rates: GraderRates
    card: DisagreementCard | None
    texts: dict[int, str]


@dataclass(frozen=True, slots=True)
class IdenticalOffer:
    """The label of a decision for the answers that are the same; `blind` as it was decided."""

    label: Label
    slots: tuple[int, ...]
    blind: bool


@dataclass(frozen=True, slots=True)
class News:
    """What labels written since would show: disagreements that are `new`, or other counts."""

    new: int = 0
    counts: bool = False


NO_NEWS = News()


@dataclass(frozen=True, slots=True)
class Last:
    """The decision made last, on `card` (as it is with that), and where it led to."""

    card: DisagreementCard
    then: int | None


@dataclass(slots=True)
class ConfusionState:
    """Where a person is deciding.

    `cards` are those read ahead, of `unreadable` slots there is none. `unwritten` counts decisions
    under way; while one is `returning`, undoing leads back to another card. `notes` go with the
    decisions on their slots.
    """

    among: DisagreementFilter = field(default_factory=DisagreementFilter)
    crossing: ConfusionMatrix | None = None
    queue: DisagreementQueue | None = None
    rates: GraderRates | None = None
    card: DisagreementCard | None = None
    cards: dict[int, DisagreementCard] = field(default_factory=dict)
    unreadable: set[int] = field(default_factory=set)
    ahead: bool = False
    """Whether cards are being read ahead."""
    last: Last | None = None
    notes: dict[int, str] = field(default_factory=dict)
    returning: bool = False
    by: str = "task"
    blind: bool = False
    offer: IdenticalOffer | None = None
    news: News = NO_NEWS
    unwritten: int = 0

    @property
    def hidden(self) -> bool:
        """Whether the graders' labels of the open card are hidden."""
        return self.blind and self.card is not None and self.card.own is None

    def decided_before(self, slot: int | None) -> DisagreementCard | None:
        """The card that was decided just before this one was gone on to."""
        last = self.last
        return last.card if last and last.then == slot != last.card.slot else None

    def noted(self, card: DisagreementCard) -> DisagreementCard:
        """A card with the note that waits for a decision on it."""
        note = self.notes.get(card.slot)
        return card if note is None else replace(card, note=note)

    def take_ahead(self, asked: Sequence[int], found: Sequence[DisagreementCard]) -> None:
        """Take in cards that were read ahead."""
        self.ahead = False
        self.cards |= {card.slot: card for card in found}
        self.unreadable |= set(asked) - {card.slot for card in found}

    def missing(self, place: int) -> list[int]:
        """Slots whose cards may be wanted next and are to be read; forgets cards further away."""
        queue = self.queue
        if queue is None:
            return []
        near = (one for one in (place + 1, place - 1) if 0 <= one < len(queue))
        places = [*queue.undecided_from(place, CARDS_AHEAD), *near]
        slots = list(dict.fromkeys(int(queue.columns.slot[one]) for one in places))
        self.cards = {slot: self.cards[slot] for slot in slots if slot in self.cards}
        return [one for one in slots if one not in self.cards and one not in self.unreadable]


CARDS_AHEAD = 16
"""Undecided cards that are read ahead."""

FIRST = 60
"""Rows whose answers are read with the queue."""


def opened(among: DisagreementFilter, slot: int | None, session: "Session") -> OpenedQueue:
    """Cross and queue the answers; the card is that of a slot, if it is queued, else the first."""
    source = session.confusions
    crossing, queue = source.crossing(among), source.queue(among)
    place = queue.place_of(slot) if slot is not None else None
    if place is None:
        place = queue.undecided()
    first = place or 0
    near = range(max(0, first - FIRST), min(len(queue), first + FIRST))
    card = session.confusions.card(queue.row(first).slot) if len(queue) else None
    return OpenedQueue(
        crossing,
        queue,
        session.confusions.rates(queue),
        card,
        session.confusions.answers(queue, near),
    )


def renewed(
    queue: DisagreementQueue, slot: int | None, session: "Session"
) -> tuple[DisagreementQueue, GraderRates, DisagreementCard | None]:
    """The same queue with the decisions as they are now, and the card of a slot."""
    now = session.confusions.marked(queue)
    card = session.confusions.card(slot) if slot is not None else None
    return now, session.confusions.rates(now), card


def cards(slots: Sequence[int], session: "Session") -> list[DisagreementCard]:
    """The cards of several answers; of those that are gone none."""
    found = (session.confusions.card(slot) for slot in slots)
    return [card for card in found if card is not None]


def news(shown: ConfusionMatrix, queue: DisagreementQueue, session: "Session") -> News:
    """What has come since a crossing and its queue were read, by any program."""
    source = session.confusions
    slots = source.queue(queue.among).columns.slot
    new = int((~np.isin(slots, queue.columns.slot)).sum())
    now = source.crossing(queue.among)
    return News(new, not np.array_equal(now.whole.table.matrix, shown.whole.table.matrix))
