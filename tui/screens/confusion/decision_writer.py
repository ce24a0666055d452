"""Decisions as the db worker writes them, and what of the filters a key sets or takes away."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.curation.label_writer import Labelled
from core.curation.undo_history import Undone
from core.views.disagreements.disagreement_card import DisagreementCard
from core.views.disagreements.disagreement_filter import DisagreementFilter
from core.views.disagreements.disagreement_queue import DisagreementQueue
from core.views.disagreements.grader_rates import GraderRates
from core.views.snapshot import Snapshot
from core.views.target import Target
from core.vocabulary import Label, Task
from tui.screens.confusion import state
from tui.screens.confusion.state import IdenticalOffer

if TYPE_CHECKING:
    from core.views.session import Session


@dataclass(frozen=True, slots=True)
class DecisionResult:
    """What a decision has changed: the board, the queue's decisions, rates, the card in sight."""

    board: Snapshot
    queue: DisagreementQueue
    rates: GraderRates
    card: DisagreementCard | None


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What undoing did, where, and all that follows.

    `place` is where the answer stands in the queue, and `card` its card; None where it is not in
    it, `queue` and `rates` where there is none.
    """

    undone: Undone | None
    of: Target | None
    board: Snapshot
    queue: DisagreementQueue | None
    rates: GraderRates | None
    place: int | None
    card: DisagreementCard | None


def label_of(what: Label | str | None, card: DisagreementCard) -> Label | None:
    """The label that a decision sets: one's own, or that of the grader who is right."""
    if what is None or isinstance(what, Label):
        return what
    return card.a.label if what == "a" else card.b.label


def decide(
    name: str,
    queue: DisagreementQueue,
    slot: int,
    then: int,
    offer: IdenticalOffer,
    note: str | None,
    session: "Session",
) -> DecisionResult:
    """Write a decision, and read in the same go what is shown after it: the card of `then`."""
    session.name = name
    _, board = session.confusions.decide(slot, offer.label, note, offer.blind)
    return DecisionResult(board, *state.renewed(queue, then, session))


def undo(queue: DisagreementQueue | None, session: "Session") -> TakenBack:
    """Undo the newest label or flag, and read what is shown after it."""
    undone, board = session.undo()
    of = None if undone is None else session.target(undone.what)
    if queue is None:
        return TakenBack(undone, of, board, None, None, None, None)
    slot = undone.what.slot if undone is not None and isinstance(undone.what, Labelled) else None
    place = None if slot is None else queue.place_of(slot)
    now, rates, card = state.renewed(queue, None if place is None else slot, session)
    return TakenBack(undone, of, board, now, rates, place, card)


def cover(offer: IdenticalOffer, session: "Session") -> Snapshot:
    """Give the same label to answers that are the same, as one decision."""
    first, *others = offer.slots
    return session.confusions.decide(first, offer.label, blind=offer.blind, also=others)[1]


def with_cell(among: DisagreementFilter, cell: tuple[Label, Label] | None) -> DisagreementFilter:
    """Only a cell of the matrix, or all."""
    return replace(among, cell=cell)


def with_task(among: DisagreementFilter, task: Task) -> DisagreementFilter:
    """Only a task; all where it was that one."""
    return replace(among, task=None if among.task is task else task)


def with_model(among: DisagreementFilter, model: str) -> DisagreementFilter:
    """Only a model; all where it was that one."""
    return replace(among, model=None if among.model == model else model)
