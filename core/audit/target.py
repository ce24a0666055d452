"""What a label or flag is about, in what people know it by."""

from dataclasses import dataclass

import db.models
from core.audit.board import Board
from core.audit.labelling import Flagged, Labelled
from core.names import TASKS, Task
from core.project import Project
from db.slots import unpack


@dataclass(frozen=True, slots=True)
class Asked:
    """One answer: to which task, of which model, thinking off or on, which sample (from 0)."""

    task: Task
    model: str
    thinking: bool
    sample: int


@dataclass(frozen=True, slots=True)
class Target:
    """A fact by its subject, and the answer of it, if it is about one."""

    subject: str
    answer: Asked | None = None


def target_of(project: Project, board: Board, what: Labelled | Flagged) -> Target | None:
    """What was written about; None where the board no longer has it."""
    if isinstance(what, Flagged):
        place = board.place(what.fact)
        return None if place is None else Target(board.headings[place].subject)
    question, setting, sample = unpack(what.slot)
    found = (board.index.questions == question).nonzero()
    named = db.models.settings(project.connection).get(setting)
    if not len(found[0]) or named is None:
        return None
    place, task = int(found[0][0]), TASKS[int(found[1][0])]
    return Target(board.headings[place].subject, Asked(task, *named, sample))
