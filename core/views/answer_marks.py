"""Answers as marks: what counts under a lens, and what graders A and B said."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.errors import UsageError
from core.project import OpenProject
from core.scoring.precedence import (
    LAST_LABEL,
    GraderVersion,
    Rank,
    append_choice,
    first_of,
    labels_of,
    resolve,
)
from core.views.lens import Lens
from core.vocabulary import LABELS, Label, Outcome, Task
from db.label_grids import DRAWN, Cells, LabelMatrix


@dataclass(frozen=True, slots=True)
class AnswerMark:
    """One answer as a mark.

    `outcome` is what counts under the lens: a label, a state of grading, or None for no label
    yet; `drawn` is false while the slot is empty, and `dropped` says that it stays so: the
    question or the fact was decided without. `counted`: the answer lies in a lake, its label is
    among the counts that are here. `a` and `b` are the two graders' labels, `own` says
    that a person's label counts.
    """

    drawn: bool
    outcome: Outcome | None = None
    a: Label | None = None
    b: Label | None = None
    own: bool = False
    dropped: bool = False
    counted: bool = False

    @property
    def differs(self) -> bool:
        """Whether the two graders gave different labels."""
        return self.a is not None and self.b is not None and self.a is not self.b

    @property
    def label(self) -> Label | None:
        """The label that counts, if one does."""
        if self.outcome is None or self.outcome > LAST_LABEL:
            return None
        return LABELS[self.outcome - 1]


@dataclass(frozen=True, slots=True)
class MarkedQuestion:
    """A question of which marks are wanted; `samples` are drawn or being drawn of it."""

    question: int
    task: Task
    samples: int = 0


@dataclass(frozen=True, slots=True)
class Ranking:
    """The graders of a lens as ranks: those that count, in order, and those compared, each alone.

    None stands for a grader that is compared and has no labels.
    """

    counting: tuple[Rank, ...]
    compared: tuple[Rank | None, ...]

    @property
    def a_and_b(self) -> tuple[Rank | None, Rank | None]:
        """The first two that are compared."""
        a, b, *_ = (*self.compared, None, None)
        return a, b


def rank_graders(project: OpenProject, lens: Lens) -> Ranking:
    """The ranks of a lens; a grader that has labelled nothing is left out."""
    known = project.graders()
    found = [_rank(name, known) for name in lens.ranked]
    counting = [rank for rank in found if rank is not None]
    compared = tuple(_rank(name, known) for name in lens.compared)
    return Ranking(append_choice(counting, known), compared)


def _rank(name: str, known: Sequence[GraderVersion]) -> Rank | None:
    try:
        return resolve((name,), known, None)[0]
    except UsageError:
        return None


def marks_of(
    project: OpenProject, ranks: Ranking, setting: int | None, asked: Sequence[MarkedQuestion]
) -> list[tuple[AnswerMark, ...]]:
    """The marks of each question in one setting, by sample, empty slots included."""
    if setting is None:
        return [(AnswerMark(False),) * one.samples for one in asked]
    questions = [one.question for one in asked]
    grids = project.grids.select(setting, questions)
    choice = np.array([one.task.is_choice for one in asked], np.uint8)
    counting = project.find_counting(grids, ranks.counting, setting, choice, questions)
    a, b = (
        None if rank is None else labels_of(grids, rank, setting, choice) for rank in ranks.a_and_b
    )
    states = _states(grids, ranks.counting, setting)
    own = None if counting.people is None else (counting.people > 0).astype(np.uint8)
    planes = [grids.cells(DRAWN, setting), counting.labels, states, a, b, own]
    height = max(
        [one.samples for one in asked] + [len(cells) for cells in planes if cells is not None]
    )
    columns = np.stack([_pad_cells(cells, height, len(asked)) for cells in planes]).transpose(
        2, 1, 0
    )
    found = []
    for one, column in zip(asked, columns, strict=True):
        drawn = np.flatnonzero(column[:, 0])
        length = max(one.samples, int(drawn[-1]) + 1 if drawn.size else 0)
        found.append(tuple(_mark(*row) for row in column[:length].tolist()))
    return found


@lru_cache(maxsize=4096)
def _mark(drawn: int, label: int, state: int, a: int, b: int, own: int) -> AnswerMark:
    """A mark from its codes; marks never change, so equal ones are one."""
    code = label or state
    return AnswerMark(
        bool(drawn),
        Outcome(code) if code else None,
        LABELS[a - 1] if a else None,
        LABELS[b - 1] if b else None,
        bool(own),
    )


def _states(grids: LabelMatrix, ranks: Sequence[Rank], setting: int) -> Cells | None:
    """Why there is no label: the states of grading of those whose labels count."""
    found: Cells | None = None
    for plane in (plane for rank in ranks for plane in rank.planes):
        cells = grids.cells(plane, setting)
        if cells is not None:
            states = np.where(cells > LAST_LABEL, cells, np.uint8(0))
            found = states if found is None else first_of(found, states)
    return found


def _pad_cells(cells: Cells | None, samples: int, questions: int) -> Cells:
    tall = np.zeros((samples, questions), np.uint8)
    if cells is not None:
        tall[: len(cells)] = cells
    return tall
