"""Decisions as the desk writes them, and what of the filters a key sets or takes away."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.audit.board import Board
from core.audit.queue.among import Among
from core.audit.queue.card import Card
from core.audit.queue.queue import Queue
from core.audit.queue.rates import Rates
from core.names import Label, Task
from tui.screens.confusion import reading
from tui.screens.confusion.reading import Offer

if TYPE_CHECKING:
    from core.audit.session import Session


@dataclass(frozen=True, slots=True)
class Done:
    """What a decision has changed: the board, the queue's decisions, rates, cards to go on with."""

    board: Board
    queue: Queue
    rates: Rates
    cards: list[Card]


def label_of(what: Label | str | None, card: Card) -> Label | None:
    """The label that a decision sets: one's own, or that of the grader who is right."""
    if what is None or isinstance(what, Label):
        return what
    return card.a.label if what == "a" else card.b.label


def decide(queue: Queue, place: int, slot: int, offer: Offer, session: "Session") -> Done:
    """Write a decision, and read in the same go what is shown after it."""
    _, board = session.confusions.decide(slot, offer.label, blind=offer.blind)
    now, rates, _ = reading.renewed(queue, None, session)
    following = now.undecided(place)
    then = slot if following is None else now.row(following).slot
    return Done(board, now, rates, reading.cards([then], session))


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
