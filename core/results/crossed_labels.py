"""How often one grader gave one label where another gave another, fact by fact."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from core.dataset.subsets import Mask
from core.results.agreement_table import Agreement
from core.results.disagreements import CommonLabels, Ints, Places
from core.vocabulary import LABELS, TASKS

K = TypeVar("K", bound=str)

_SIDE = len(LABELS)


@dataclass(frozen=True, slots=True)
class CrossedLabels:
    """Columns of equal length: `count` responses to a fact's question in a setting.

    `model` is the model's place, `task` that in `TASKS`; A's label and B's are 0 to 3 in the
    order of `LABELS`. What nobody gave has no row.
    """

    model: Ints
    thinking: Mask
    task: Ints
    fact: Ints
    a: Ints
    b: Ints
    count: Ints

    def filter(self, keep: Mask) -> "CrossedLabels":
        """The rows that are kept."""
        return CrossedLabels(
            self.model[keep],
            self.thinking[keep],
            self.task[keep],
            self.fact[keep],
            self.a[keep],
            self.b[keep],
            self.count[keep],
        )

    @property
    def whole(self) -> Agreement:
        """All of them in one table."""
        facts, at = np.unique(self.fact, return_inverse=True)
        shape = (facts.size, _SIDE, _SIDE)
        cells = np.ravel_multi_index((at, self.a, self.b), shape)
        size = facts.size * _SIDE * _SIDE
        tables = np.bincount(cells, self.count, size).astype(np.int64).reshape(shape)
        return Agreement(tables.sum(axis=0), tables)

    def count_by_task(self) -> dict[str, Agreement]:
        """A table for each task that has responses, in the order of `TASKS`."""
        return self._split(TASKS, self.task)

    def count_by_model(self, models: Sequence[K]) -> dict[K, Agreement]:
        """A table for each model that has responses."""
        return self._split(models, self.model)

    def _split(self, names: Sequence[K], column: Ints) -> dict[K, Agreement]:
        there = np.unique(column).tolist()
        return {names[place]: self.filter(column == place).whole for place in there}


def cross_setting(
    common: CommonLabels, places: Places, model: int, thinking: bool
) -> CrossedLabels:
    """Count the labels of one setting."""
    both = (common.a > 0) & (common.b > 0) & places.mask_counted(common)
    sample, question = np.nonzero(both)
    a, b = (cells[sample, question].astype(np.intp) - 1 for cells in (common.a, common.b))
    shape = (common.a.shape[1], _SIDE, _SIDE)
    counts = np.bincount(np.ravel_multi_index((question, a, b), shape))
    keys = np.flatnonzero(counts)
    asked, a, b = np.unravel_index(keys, shape)
    return CrossedLabels(
        np.full(keys.size, model),
        np.full(keys.size, thinking),
        places.task[asked],
        places.fact[asked],
        a,
        b,
        counts[keys],
    )


def join_settings(parts: Sequence[CrossedLabels]) -> CrossedLabels:
    """The rows of several settings."""
    none = np.zeros(0, np.intp)
    empty = CrossedLabels(none, none.astype(np.bool_), none, none, none, none, none)

    def join(column: Callable[[CrossedLabels], Ints]) -> Ints:
        return np.concatenate([column(part) for part in (empty, *parts)])

    thinking = np.concatenate([part.thinking for part in (empty, *parts)])
    return CrossedLabels(
        join(lambda one: one.model),
        thinking,
        join(lambda one: one.task),
        join(lambda one: one.fact),
        join(lambda one: one.a),
        join(lambda one: one.b),
        join(lambda one: one.count),
    )
