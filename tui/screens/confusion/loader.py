"""Reading and writing of the Confusion screen: the queue, cards before they are wanted."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from textual.timer import Timer

from core.curation.label_writer import LabelEffect
from core.curation.undo_history import UndoResult
from core.errors import LostkeysError
from core.views.disagreements.confusion_matrix import ConfusionMatrix
from core.views.disagreements.disagreement_card import DisagreementCard
from core.views.disagreements.disagreement_filter import DisagreementFilter
from core.views.disagreements.disagreement_queue import DisagreementQueue
from core.views.question_context import QuestionContext
from core.views.snapshot import Snapshot
from tui.app.loader import Loader
from tui.screens.confusion import sentences
from tui.screens.confusion.position import ConfusionPosition
from tui.screens.confusion.queue_kinds import QueueSizes
from tui.screens.confusion.state import (
    CARDS,
    NO_NEWS,
    ConfusionState,
    Decision,
    IdenticalOffer,
    LastDecision,
    MarkedQueue,
    News,
    OpenedQueue,
)
from tui.screens.confusion.widgets import ConfusionPanes

if TYPE_CHECKING:
    from core.curation.question_edits import EditEffect, QuestionDraft
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
    crossing, queue = source.cross_graders(among), source.queue(among)
    place = None if sought is None else sought.place_in(queue)
    if place is None and slot is not None:
        place = queue.place_of(slot)
    if place is None:
        place = queue.find_undecided()
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
    now = source.mark_queue(queue)
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
    source, among = session.confusions, queue.among
    now = source.cross_graders(among)
    if now is shown and not (among.unsure or among.by_others):
        return NO_NEWS
    slots = source.queue(among).columns.slot
    new = int((~np.isin(slots, queue.columns.slot)).sum())
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


def read_undone(
    queue: DisagreementQueue, undone: UndoResult | None, session: "Session"
) -> QueueStep:
    """What is shown after undoing: the queue, and the card of the answer it was about."""
    slot = undone.what.slot if undone is not None and isinstance(undone.what, LabelEffect) else None
    place = None if slot is None else queue.place_of(slot)
    return QueueStep(mark_queue(queue, None if place is None else slot, session), place)


def read_following(queue: DisagreementQueue, place: int, session: "Session") -> QueueStep:
    """What is gone on to after something of the question at a place was written."""
    source = session.confusions
    now = source.mark_queue(queue)
    following = now.find_undecided(place)
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
) -> "tuple[EditEffect, tuple[Snapshot, QueueStep]]":
    """Write the edit of the question of the card at a place, and read what is gone on to."""
    effect, snapshot = session.reviews.edit(card.key, draft, card.draft)
    return effect, (snapshot, read_following(queue, place, session))


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


SINCE = 1.0
"""Seconds between two looks at what labels written meanwhile would show."""


class DisagreementLoader:
    """Has read what a state lacks, and shows it in the panes. What comes too late is dropped."""

    def __init__(self, state: ConfusionState, panes: ConfusionPanes) -> None:
        self._state, self._panes = state, panes
        self.queue = Loader(panes, lambda: panes.queue_pane)
        self._looking: Timer | None = None

    # The queue

    def take_snapshot(self, snapshot: Snapshot) -> None:
        """Open the queue under another lens; under the same one take in what was decided."""
        now = self._state
        now.fit(snapshot.answerers)
        if sentences.explain_no_matrix(snapshot, now.among) is not None:
            now.clear_for(snapshot.lens)
            self.end_waiting()
            self._panes.base.paint()
        elif now.is_opened_for(snapshot.lens):
            now.lens = snapshot.lens
            self.mark_queue()
            self.look_soon()
        else:
            now.lens = snapshot.lens
            self.open_queue()

    def go_to(self, position: ConfusionPosition) -> None:
        """Cross, queue and choose what was chosen at a position."""
        opens = self._state.go_to(position)
        self._panes.focus_called(position.pane)
        if opens:
            self.open_queue()
        else:
            self._panes.hold()
        self._panes.base.paint()

    def open_queue(self) -> None:
        """Cross and queue; what is shown stays until that is read."""
        now = self._state
        if now.lens is None or (not now.among.unsure and now.lens.b is None):
            return
        now.among, now.opening = now.among.with_lens(now.lens), True
        work = partial(open_queue, now.among, self._panes.slot, now.sought)
        self.queue.load("queue", work, self._take_opened, self._miss)

    def filter_queue(self, among: DisagreementFilter) -> None:
        """Cross and queue other answers."""
        if among != self._state.among:
            self._state.among = among
            self.open_queue()
            self._panes.paint_matrix()
            self._panes.base.refresh_frame()
        self._panes.paint_position()

    def _take_opened(self, found: OpenedQueue) -> None:
        place = self._state.take_opened(found)
        self._panes.card_view.begin_anew()
        self._panes.paint_queue(place)
        self._panes.base.paint()
        self._panes.hold()
        self.read_ahead_soon()
        self.read_context()

    def mark_queue(self) -> None:
        """Take in decisions, one's own and undone ones; the order stays."""
        queue = self._state.queue
        if queue is not None and not self._state.opening:
            work = partial(mark_queue, queue, self._panes.slot)
            self.queue.load("queue", work, self._take_marked, self._miss, hint=False)

    def _take_marked(self, found: MarkedQueue) -> None:
        if self._state.take_marked(found, self._panes.slot):
            self._panes.paint_queue()
            self._panes.base.paint()
            self.read_ahead_soon()
            self.read_context()

    def end_waiting(self) -> None:
        """Nothing is waited for."""
        self.queue.stop()

    def _miss(self, error: LostkeysError) -> None:
        self._state.opening = False

    # Cards

    def read_card(self, anew: bool = False) -> None:
        """The card under the cursor: at once if it was read ahead."""
        now, slot = self._state, self._panes.slot
        if slot is None or (now.card_of(slot) is not None and not anew):
            return
        if slot in now.cards and not anew:
            self._take_cards(slot, [now.cards[slot]])
        else:
            work = partial(read_cards, (slot,))
            self._panes.base.lostkeys.ask(
                "card", work, partial(self._take_cards, slot), partial(self._miss_card, slot)
            )

    def _take_cards(self, slot: int, found: list[DisagreementCard]) -> None:
        card = found[0] if found else None
        if self._state.take_card(slot, card, self._panes.slot):
            self._panes.paint_card()
            self._panes.base.refresh_bindings()
        self.read_ahead_soon()
        self.read_context()

    def read_context(self) -> None:
        """Have read what stands around the question of the card, where there is a column for it."""
        card, around = self._state.card, self._state.around
        if card is None or not self._panes.base.wide or (around and around[0] == card.slot):
            return
        work, take = partial(read_context, card), partial(self._take_context, card.slot)
        self._panes.base.lostkeys.ask("context", work, take, _skip, patient=True)

    def _take_context(self, slot: int, context: QuestionContext | None) -> None:
        self._state.around = slot, context
        self._panes.paint_context()

    def _miss_card(self, slot: int, error: LostkeysError) -> None:
        self._state.unreadable.add(slot)
        self._state.opening = False
        self.queue.fail(error)

    # What may be wanted next

    def read_ahead_soon(self) -> None:
        """Read ahead once what is in sight has been laid out."""
        self._panes.call_after_refresh(self.read_ahead)

    def read_ahead(self) -> None:
        """Have the cards read that may be wanted next, and the answers of rows in sight."""
        now, place = self._state, self._panes.queue_view.place
        if now.queue is None or place is None:
            return
        wanted = now.list_unread(place)[:CARDS]
        if wanted and not now.ahead:
            now.ahead = True
            self._panes.base.lostkeys.ask(
                "ahead",
                partial(read_cards, wanted),
                partial(self._take_ahead, now.queue, wanted),
                partial(self._miss_ahead, now.queue),
            )
        self.read_texts()

    def _take_ahead(
        self, queue: DisagreementQueue, asked: list[int], found: list[DisagreementCard]
    ) -> None:
        self._state.take_ahead(queue, asked, found)
        if self._panes.is_mounted:
            self.read_ahead()

    def _miss_ahead(self, queue: DisagreementQueue, error: LostkeysError) -> None:
        self._state.take_ahead(queue, (), ())

    def read_texts(self) -> None:
        """The answers of the rows on screen, and of those around them."""
        now = self._state
        near = now.unread_rows(self._panes.queue_view.places_in_sight)
        if now.queue is not None and near:
            work = partial(read_answers, now.queue, near)
            self._panes.base.lostkeys.ask("texts", work, self._take_texts, _skip)

    def _take_texts(self, found: dict[int, str]) -> None:
        self._state.texts = self._panes.queue_view.texts = found
        self._panes.queue_view.refresh_changed()

    # What is new

    def look_soon(self) -> None:
        """Look at what is new, but not at every label that a job writes."""
        if self._looking is None:
            self._looking = self._panes.set_timer(SINCE, self._look)

    def _look(self) -> None:
        self._looking = None
        now = self._state
        if now.queue is not None and now.crossing is not None:
            work = partial(read_news, now.crossing, now.queue)
            take = partial(self._take_news, now.queue)
            self._panes.base.lostkeys.ask("news", work, take, _skip, patient=True)

    def _take_news(self, queue: DisagreementQueue, news: News) -> None:
        if news.new and not len(queue) and queue is self._state.queue:
            self.open_queue()  # there is no order that rows which come would disturb
        elif self._state.take_news(queue, news):
            self._panes.paint_position()


def _skip(error: LostkeysError) -> None:
    """What was only read ahead is read again when it is wanted."""
