"""What the Confusion screen has the db worker read and write."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from core.curation.label_writer import Labelled
from core.curation.undo_history import Undone
from core.views.disagreements.confusion_matrix import ConfusionMatrix
from core.views.disagreements.disagreement_card import DisagreementCard
from core.views.disagreements.disagreement_filter import DisagreementFilter
from core.views.disagreements.disagreement_queue import DisagreementQueue
from core.views.question_context import QuestionContext
from core.views.snapshot import Snapshot
from tui.screens.confusion.position import ConfusionPosition
from tui.screens.confusion.queue_kinds import QueueSizes
from tui.screens.confusion.state import (
    Decision,
    IdenticalOffer,
    LastDecision,
    MarkedQueue,
    News,
    OpenedQueue,
)

if TYPE_CHECKING:
    from core.curation.question_edits import QuestionDraft
    from core.views.session import Session

FIRST = 60
"""Rows whose answers are read with the queue."""


@dataclass(frozen=True, slots=True)
class DecisionResult:
    """What a decision changed: the snapshot, the queue's decisions, rates, the card in sight."""

    snapshot: Snapshot
    marked: MarkedQueue


@dataclass(frozen=True, slots=True)
class QueueStep:
    """A queue after something was written or undone, and where in it the card stands.

    `place` is None where there is none in it.
    """

    marked: MarkedQueue
    place: int | None


@dataclass(frozen=True, slots=True)
class RejectionResult:
    """What rejecting a question changed, what is gone on to, and the note on the rejection."""

    snapshot: Snapshot
    step: QueueStep
    note: str


def open_queue(
    among: DisagreementFilter,
    slot: int | None,
    sought: ConfusionPosition | None,
    session: "Session",
) -> OpenedQueue:
    """Cross and queue the answers; the card is the one sought, else that of a slot, else the first.

    What is not queued is not sought.
    """
    source = session.confusions
    crossing, queue = source.crossing(among), source.queue(among)
    place = None if sought is None else sought.place_in(queue)
    if place is None and slot is not None:
        place = queue.place_of(slot)
    if place is None:
        place = queue.undecided()
    first = place or 0
    near = range(max(0, first - FIRST), min(len(queue), first + FIRST))
    card = source.card(queue.row(first).slot) if len(queue) else None
    texts, sizes = source.answers(queue, near), _sizes(queue, among, session)
    return OpenedQueue(crossing, queue, source.rates(queue), card, texts, sizes)


def _sizes(queue: DisagreementQueue, among: DisagreementFilter, session: "Session") -> QueueSizes:
    """How many rows this queue has, and the one beside it."""
    other = replace(among, unsure=not among.unsure, cell=None)
    sizes = len(queue), session.confusions.count(other, session.snapshot.lens)
    return QueueSizes(*(sizes[::-1] if among.unsure else sizes))


def mark_queue(queue: DisagreementQueue, slot: int | None, session: "Session") -> MarkedQueue:
    """The same queue with the decisions as they are now, and the card of a slot."""
    source = session.confusions
    now = source.marked(queue)
    card = source.card(slot) if slot is not None else None
    return MarkedQueue(now, source.rates(now), card)


def read_context(card: DisagreementCard, session: "Session") -> QuestionContext | None:
    """What stands around the question of a card."""
    return session.context(card.fact, card.task, card.model)


def read_cards(slots: Sequence[int], session: "Session") -> list[DisagreementCard]:
    """The cards of several answers; of those that are gone none."""
    found = (session.confusions.card(slot) for slot in slots)
    return [card for card in found if card is not None]


def read_answers(queue: DisagreementQueue, places: range, session: "Session") -> dict[int, str]:
    """The answers at these places, by slot."""
    return session.confusions.answers(queue, places)


def read_news(shown: ConfusionMatrix, queue: DisagreementQueue, session: "Session") -> News:
    """What has come since a crossing and its queue were read, by any program."""
    source = session.confusions
    slots = source.queue(queue.among).columns.slot
    new = int((~np.isin(slots, queue.columns.slot)).sum())
    now = source.crossing(queue.among)
    return News(new, not np.array_equal(now.whole.table.matrix, shown.whole.table.matrix))


def write_decision(
    name: str, decision: Decision, last: bool, session: "Session"
) -> DecisionResult | None:
    """Write a decision, and read in the same go what is shown after it.

    That is read after the `last` of those made at once, and None after the others.
    """
    session.name = name
    offer, slot = decision.offer, decision.card.slot
    _, snapshot = session.confusions.decide(
        slot, offer.label, decision.note, offer.blind, looks=last
    )
    if not last:
        return None
    return DecisionResult(snapshot, mark_queue(decision.queue, decision.then, session))


def read_undone(queue: DisagreementQueue, undone: Undone | None, session: "Session") -> QueueStep:
    """What is shown after undoing: the queue, and the card of the answer it was about."""
    slot = undone.what.slot if undone is not None and isinstance(undone.what, Labelled) else None
    place = None if slot is None else queue.place_of(slot)
    return QueueStep(mark_queue(queue, None if place is None else slot, session), place)


def read_following(queue: DisagreementQueue, place: int, session: "Session") -> QueueStep:
    """What is gone on to after something of the question at a place was written."""
    source = session.confusions
    now = source.marked(queue)
    following = now.undecided(place)
    then = place if following is None else following
    card = source.card(queue.row(then).slot)
    return QueueStep(MarkedQueue(now, source.rates(now), card), then)


def write_rejection(
    name: str,
    question: int,
    reason: str,
    note: str | None,
    queue: DisagreementQueue,
    place: int,
    session: "Session",
) -> RejectionResult:
    """Reject the question of the card at a place, and read what is gone on to."""
    session.name = name
    effect, snapshot = session.reviews.reject(question, reason, note)
    kept = effect.after.note if effect.after is not None else ""
    return RejectionResult(snapshot, read_following(queue, place, session), kept)


def write_edit(
    card: DisagreementCard,
    draft: "QuestionDraft",
    queue: DisagreementQueue,
    place: int,
    session: "Session",
) -> tuple[Snapshot, QueueStep]:
    """Write the edit of the question of the card at a place, and read what is gone on to."""
    _, snapshot = session.reviews.edit(card.key, draft, card.draft)
    return snapshot, read_following(queue, place, session)


def write_note(last: LastDecision, note: str, session: "Session") -> Snapshot:
    """Write the note on a decision: on one's label, or on the rejection of the question."""
    if last.reason:
        return session.reviews.note(last.card.key, note)[1]
    return session.set_note(last.card.slot, note)[1]


def write_flag(fact: int, flagged: bool, session: "Session") -> Snapshot:
    """Flag a fact, or take its flag away."""
    return session.set_flag(fact, flagged)[1]


def write_same(offer: IdenticalOffer, session: "Session") -> Snapshot:
    """Give the same label to answers that are the same, as one decision."""
    first, *others = offer.slots
    return session.confusions.decide(first, offer.label, blind=offer.blind, also=others)[1]
