"""By model: the mean grade of each task, and which questions fail where a fact is stored.

Counts are gathered once for all policies, so that a new threshold is arithmetic over the few
different counts that occur.
"""

from dataclasses import dataclass
from functools import reduce

import numpy as np
import numpy.typing as npt

from core.dataset.subsets import Mask
from core.scoring.label_counts import LabelCounts
from core.scoring.policy import Policy
from core.scoring.question_states import FAIL, PASS, CountCodes, code_counts, grades
from core.scoring.verdicts import CELLS
from core.views.profiles.profile_scores import ProfileScores, find_stored_unknown
from core.vocabulary import KNOWLEDGE, TASK_INDEX, TASKS, VERIFICATION, Task

FEW = 5
"""Up to so many models are looked at task by task."""

ASKED = tuple((task, thinking) for task in TASKS for thinking in (False, True))
"""The questions of a fact in both settings, in the order in which grades are gathered."""

OPEN_CELLS = [CELLS.index((task, False)) for task in KNOWLEDGE]


@dataclass(frozen=True, slots=True)
class TaskGrade:
    """The mean g of one task with thinking off and on; None where no question is gradable."""

    task: Task
    off: float | None
    on: float | None


@dataclass(frozen=True, slots=True)
class FailedQuestions:
    """Stored facts that are not known without thinking, by the questions that fail.

    `choices_pass` are those of `both` of which all gradable multiple-choice questions pass; None
    where no fact of `both` has one.
    """

    only_direct: int
    only_reverse: int
    both: int
    choices_pass: int | None

    @property
    def total(self) -> int:
        """Facts that are encoded and not known without thinking."""
        return self.only_direct + self.only_reverse + self.both


@dataclass(frozen=True, slots=True)
class TaskCounts:
    """Label counts of one model by task: each that occurs, and how often.

    `kinds` (4, n) are the different counts, task by task as in `ASKED`; `times` (n,) says for how
    many facts each stands, `first` where those of each task and setting begin. `knowledge` are
    the questions of `KNOWLEDGE` with thinking off, `choices` those of `VERIFICATION`.
    """

    kinds: npt.NDArray[np.int64]
    times: npt.NDArray[np.intp]
    first: npt.NDArray[np.intp]
    knowledge: CountCodes
    choices: tuple[CountCodes, ...]


def count_few(tally: LabelCounts, cells: CountCodes, facts: Mask) -> tuple[TaskCounts, ...]:
    """The counts of every model of a tally over the facts of a mask; of more than `FEW`, none.

    `cells` are the codes of the same tally, in the order of `CELLS`.
    """
    if len(tally.models) > FEW:
        return ()
    return tuple(count_tasks(tally, cells, facts, one) for one in range(len(tally.models)))


def count_tasks(tally: LabelCounts, cells: CountCodes, facts: Mask, model: int = 0) -> TaskCounts:
    """The counts of the model at a place of a tally, as `count_few` takes it."""
    left = tally.count_left()
    found = {asked: _question_codes(tally, cells, left, model, *asked) for asked in ASKED}
    kinds = [one.kinds for one in found.values()]
    times = [np.bincount(one.codes[facts], minlength=one.kinds.shape[1]) for one in found.values()]
    return TaskCounts(
        np.concatenate(kinds, axis=1),
        np.concatenate(times),
        np.cumsum([0, *(len(one) for one in times[:-1])]),
        CountCodes(cells.kinds, cells.codes[OPEN_CELLS, model], cells.left),
        tuple(found[task, False] for task in VERIFICATION),
    )


def _question_codes(
    tally: LabelCounts,
    cells: CountCodes,
    left: npt.NDArray[np.uint16] | None,
    model: int,
    task: Task,
    thinking: bool,
) -> CountCodes:
    """One question of all facts as codes."""
    if (task, thinking) in CELLS:
        codes = cells.codes[CELLS.index((task, thinking)), model]
        return CountCodes(cells.kinds, codes, cells.left)
    row, place = tally.rows[model, int(thinking)], TASK_INDEX[task]
    if row < 0:
        none = np.zeros(tally.exists.shape[1], np.uint8)
        return CountCodes(np.zeros((4, 1), np.int64), none)
    return code_counts(
        tally.labels[row, :, place],
        tally.exists[place],
        None if left is None else left[row, place],
    )


def mean_grades(counts: TaskCounts, policy: Policy) -> list[TaskGrade]:
    """The mean g of every task over its gradable questions; the threshold plays no part."""
    found = grades(counts.kinds, policy)
    gradable = ~np.isnan(found)
    times = np.where(gradable, counts.times, 0)
    above = np.add.reduceat(np.where(gradable, found, 0.0) * times, counts.first).tolist()
    below = np.add.reduceat(times, counts.first).tolist()
    means = [part / whole if whole else None for part, whole in zip(above, below, strict=True)]
    both = zip(means[0::2], means[1::2], strict=True)
    return [TaskGrade(task, off, on) for task, (off, on) in zip(TASKS, both, strict=True)]


def count_failed(
    counts: TaskCounts, scores: ProfileScores, facts: Mask, policy: Policy, model: int = 0
) -> FailedQuestions:
    """Which questions fail of facts that the model at a place stores and does not know."""
    unknown = find_stored_unknown(scores, model) & facts
    failed = (counts.knowledge.states(policy) & FAIL) != 0
    direct, reverse = unknown & (failed[0] | failed[1]), unknown & (failed[2] | failed[3])
    both = direct & reverse
    choices = reduce(np.bitwise_or, (one.states(policy) for one in counts.choices))
    asked = both & ((choices & (PASS | FAIL)) != 0)
    return FailedQuestions(
        int(np.count_nonzero(direct & ~reverse)),
        int(np.count_nonzero(reverse & ~direct)),
        int(np.count_nonzero(both)),
        int(np.count_nonzero(asked & ((choices & FAIL) == 0))) if asked.any() else None,
    )
