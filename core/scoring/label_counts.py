"""Label counts of every question in every setting: what all figures are computed from."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.dataset.fact_index import FactIndex
from core.scoring.policy import Policy
from core.vocabulary import LABELS, TASKS, Strategy
from db.label_grids import DRAWN, Cells, LabelMatrix

Counts = npt.NDArray[np.uint16]


Numbers = tuple[Fraction, Strategy, Fraction]
"""What a policy says apart from graders: threshold, strategy, weight of PARTIALLY."""


def numbers(policy: Policy) -> Numbers:
    """The numbers of a policy as they are compared."""
    return policy.exact_tau, policy.strategy, policy.exact_weight


class CurtailedDraws(NamedTuple):
    """What curtailed runs were to draw, and the policies that they are valid for.

    `planned` (settings, tasks, facts) has the draws that a full run would make, 0 where no
    curtailed run asks. `valid` has for each model the policies of its curtailed runs, of those
    whose graders are the ones that the labels are counted by, with the facts (facts,) of each.
    """

    planned: Counts
    valid: tuple[Mapping[Numbers, npt.NDArray[np.bool_]], ...]


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """Counts per setting: `labels` (settings, labels, tasks, facts), `drawn` without labels.

    `models` lists model labels; `rows[model, thinking]` is the place of that setting in the
    arrays, -1 where the model has no response with thinking so. `exists` (tasks, facts) says
    which questions the facts have. `curtailed` is None where no run of these models was.
    """

    models: list[str]
    rows: npt.NDArray[np.intp]
    labels: Counts
    drawn: Counts
    exists: npt.NDArray[np.bool_]
    curtailed: CurtailedDraws | None = None

    def count_left(self) -> Counts | None:
        """Labels that may still come of each question, shape (settings, tasks, facts).

        A question with all its planned draws has none left, whatever labels it lacks: that is
        as in any other run. None where nothing was curtailed.
        """
        if self.curtailed is None:
            return None
        planned = self.curtailed.planned
        labelled = self.labels.sum(axis=1, dtype=np.uint16)
        short = self.exists & (self.drawn < planned)
        return np.where(short, planned - labelled, np.uint16(0))

    def find_skipping(self, policy: Policy) -> npt.NDArray[np.bool_] | None:
        """Facts (models, facts) that may be decided though questions are not.

        Those that a curtailed run under this policy asked of. None where nothing was curtailed.
        """
        if self.curtailed is None:
            return None
        found = np.zeros((len(self.models), self.exists.shape[1]), np.bool_)
        for model, valid in enumerate(self.curtailed.valid):
            found[model] = valid.get(numbers(policy), False)
        return found

    def select_model(self, place: int) -> "LabelCounts":
        """The tally of one model (its place) alone."""
        rows = self.rows[place]
        mine = rows[rows >= 0]
        own = np.full((1, 2), -1, np.intp)
        own[0, rows >= 0] = np.arange(mine.size)
        curtailed = self.curtailed and CurtailedDraws(
            self.curtailed.planned[mine], self.curtailed.valid[place : place + 1]
        )
        return LabelCounts(
            [self.models[place]], own, self.labels[mine], self.drawn[mine], self.exists, curtailed
        )

    def select_first(self, models: int) -> "LabelCounts":
        """The tally of the first models alone, as views; itself where it has no others."""
        if models == len(self.models):
            return self
        rows = self.rows[:models]
        many = int(rows.max(initial=-1)) + 1
        curtailed = self.curtailed and CurtailedDraws(
            self.curtailed.planned[:many], self.curtailed.valid[:models]
        )
        return LabelCounts(
            self.models[:models],
            rows,
            self.labels[:many],
            self.drawn[:many],
            self.exists,
            curtailed,
        )

    @property
    def answers(self) -> dict[str, int]:
        """How many answers each model has."""
        return {
            model: sum(int(self.drawn[row].sum()) for row in self.rows[place] if row >= 0)
            for place, model in enumerate(self.models)
        }

    def thinks(self) -> npt.NDArray[np.bool_]:
        """Which models have any response with thinking on, shape (models,)."""
        return self.rows[:, 1] >= 0

    def row(self, model: str, thinking: bool) -> int | None:
        """The place of a setting in the arrays, None where it is not counted."""
        if model not in self.models:
            return None
        row = int(self.rows[self.models.index(model), int(thinking)])
        return None if row < 0 else row


def no_facts() -> FactIndex:
    """The index of an empty project."""
    none, unmarked = np.empty(0, np.int64), np.empty(0, np.bool_)
    return FactIndex(
        none,
        [],
        none,
        [],
        [],
        [],
        none,
        unmarked,
        unmarked,
        np.empty((0, len(TASKS)), np.int64),
    )


def no_counts() -> LabelCounts:
    """The tally of an empty project."""
    shape = (0, len(LABELS), len(TASKS), 0)
    return LabelCounts(
        [],
        np.empty((0, 2), np.intp),
        np.empty(shape, np.uint16),
        np.empty((0, len(TASKS), 0), np.uint16),
        np.empty((len(TASKS), 0), np.bool_),
    )


Columns = npt.NDArray[np.int64]


def find_columns(questions: npt.NDArray[np.int64], width: int) -> Columns:
    """The column of each question in grids of this width, shape (tasks, facts); 0 for none."""
    return np.ascontiguousarray(np.where(questions < width, questions, 0).T)


def count_labels(cells: Cells | None, columns: Columns, found: Counts | None = None) -> Counts:
    """Counts of the four labels for each question, shape (labels, tasks, facts).

    They are put into `found` where that is there already.
    """
    if found is None:
        found = np.empty((len(LABELS), *columns.shape), np.uint16)
    if cells is None:
        found[...] = 0
        return found
    for place in range(len(LABELS)):  # one after another: of a million facts each is large
        many = _sum_samples((cells == place + 1).view(np.uint8))
        many[0] = 0
        np.take(many, columns, out=found[place], mode="clip")
    return found


def count_drawn(
    grids: LabelMatrix, setting: int, columns: Columns, found: Counts | None = None
) -> Counts:
    """How many responses each question has, shape (tasks, facts); `found` as of `count_labels`."""
    if found is None:
        found = np.empty(columns.shape, np.uint16)
    cells = grids.cells(DRAWN, setting)
    if cells is None:
        found[...] = 0
        return found
    np.take(_sum_samples(cells), columns, out=found, mode="clip")
    return found


def _sum_samples(ones: Cells) -> Counts:
    """How many samples of each question are 1; bytes are added where a byte holds them all."""
    narrow = np.uint8 if len(ones) <= np.iinfo(np.uint8).max else np.uint16
    many: Counts = ones.sum(axis=0, dtype=narrow).astype(np.uint16)
    return many
