"""Decisions as the desk writes them, and what of the filters a key sets or takes away."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.curation.label_writer import Labelled
from core.curation.undo_history import Undone
from core.views.disagreements.disagreement_card import Card
from core.views.disagreements.disagreement_filter import Among
from core.views.disagreements.disagreement_queue import Queue
from core.views.disagreements.grader_rates import Rates
from core.views.snapshot import Board
from core.views.target import Target
from core.vocabulary import Label, Task
from tui.screens.confusion import state
from tui.screens.confusion.state import Offer

if TYPE_CHECKING:
    from core.views.session import Session


@dataclass(frozen=True, slots=True)
class Done:
    """What a decision has changed: the board, the queue's decisions, rates, the card in sight."""

    board: Board
    queue: Queue
    rates: Rates
    card: Card | None


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What undoing did, where, and all that follows.

    `place` is where the answer stands in the queue, and `card` its card; None where it is not in
    it, `queue` and `rates` where there is none.
    """

    undone: Undone | None
    of: Target | None
    board: Board
    queue: Queue | None
    rates: Rates | None
    place: int | None
    card: Card | None


def label_of(what: Label | str | None, card: Card) -> Label | None:
    """The label that a decision sets: one's own, or that of the grader who is right."""
    if what is None or isinstance(what, Label):
        return what
    return card.a.label if what == "a" else card.b.label


def decide(
    name: str,
    queue: Queue,
    slot: int,
    then: int,
    offer: Offer,
    note: str | None,
    session: "Session",
) -> Done:
    """Write a decision, and read in the same go what is shown after it: the card of `then`."""
    session.name = name
    _, board = session.confusions.decide(slot, offer.label, note, offer.blind)
    return Done(board, *state.renewed(queue, then, session))


def undo(queue: Queue | None, session: "Session") -> TakenBack:
    """Undo the newest label or flag, and read what is shown after it."""
    undone, board = session.undo()
    of = None if undone is None else session.target(undone.what)
    if queue is None:
        return TakenBack(undone, of, board, None, None, None, None)
    slot = undone.what.slot if undone is not None and isinstance(undone.what, Labelled) else None
    place = None if slot is None else queue.place_of(slot)
    now, rates, card = state.renewed(queue, None if place is None else slot, session)
    return TakenBack(undone, of, board, now, rates, place, card)


def cover(offer: Offer, session: "Session") -> Board:
    """Give the same label to answers that are the same, as one decision."""
    first, *others = offer.slots
    return session.confusions.decide(first, offer.label, blind=offer.blind, also=others)[1]


def with_cell(among: Among, cell: tuple[Label, Label] | None) -> Among:
    """Only a cell of the matrix, or all."""
    return replace(among, cell=cell)


def with_task(among: Among, task: Task) -> Among:
    """Only a task; all where it was that one."""
    return replace(among, task=None if among.task is task else task)


def with_model(among: Among, model: str) -> Among:
    """Only a model; all where it was that one."""
    return replace(among, model=None if among.model == model else model)
