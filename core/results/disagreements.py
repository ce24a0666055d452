"""Responses that two graders label differently, and what each of them would change.

Semantics section 6: a disagreement is weighed by taking B's label for that response alone.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.dataset.subsets import Mask
from core.project import OpenProject
from core.scoring.flip_distance import flips
from core.scoring.label_counts import LabelCounts
from core.scoring.policy import Policy
from core.scoring.precedence import Rank, drop_labelled
from core.scoring.question_states import CountCodes, states
from core.scoring.verdicts import CELLS, Verdicts, judge_states
from core.vocabulary import TASK_INDEX, TASKS, Task
from db.label_grids import Cells

Ints = npt.NDArray[np.intp]

_CELL_OF = np.full((len(TASKS), 2), -1)
"""The place in `CELLS` of a task and setting, -1 where it decides no profile."""
for _cell, (_task, _thinking) in enumerate(CELLS):
    _CELL_OF[TASK_INDEX[_task], int(_thinking)] = _cell


class UnlikeLabels(NamedTuple):
    """Responses that A and B label differently, as columns of equal length.

    `row` is the setting's place in the tally, `model` the model's; labels are 0 to 3 in the
    order of `LABELS`.
    """

    row: Ints
    model: Ints
    thinking: Mask
    task: Ints
    fact: Ints
    sample: Ints
    a: Ints
    b: Ints


class WeighedLabels(NamedTuple):
    """What B's label would change, if taken for one response alone.

    `state` says for each response whether it changes the state of its question. Of the responses
    at the places `moved` it does so in a cell that decides a profile; `before` and `after` are the
    verdicts on their facts, shape (moved, 1).
    """

    state: Mask
    moved: Ints
    before: Verdicts
    after: Verdicts


class Places(NamedTuple):
    """Task and fact of every question id that counts, -1 for the others."""

    task: Ints
    fact: Ints

    def mask_counted(self, common: "CommonLabels") -> Mask:
        """Which questions of the cells count, shape (questions,)."""
        found: Mask = self.task[: common.a.shape[1]] >= 0
        return found


def places_of(project: OpenProject, facts: Mask, tasks: Sequence[Task] = TASKS) -> Places:
    """Where the questions of these facts and tasks stand."""
    questions = project.index.questions
    size = project.choice_questions().size
    places = Places(np.full(size, -1, np.intp), np.full(size, -1, np.intp))
    for task in tasks:
        column = TASK_INDEX[task]
        there = np.flatnonzero(facts & (questions[:, column] > 0))
        places.task[questions[there, column]] = column
        places.fact[questions[there, column]] = there
    return places


class CommonLabels(NamedTuple):
    """Two graders' labels in one setting, of one shape (samples, questions), 0 for none."""

    a: Cells
    b: Cells


def read_common(
    project: OpenProject, a: Rank, b: Rank, model: str, thinking: bool, before: Sequence[Rank] = ()
) -> CommonLabels | None:
    """Both graders' labels in a setting; None if one has none there.

    Without the responses that one of the graders `before` them has labelled.
    """
    setting = project.setting_ids().get((model, thinking))
    if setting is None:
        return None
    choice = project.choice_questions()
    cells_a = project.labels((a,), setting, choice)
    cells_b = project.labels((b,), setting, choice)
    if cells_a is None or cells_b is None:
        return None
    rows = min(len(cells_a), len(cells_b))
    others = project.labels(before, setting, choice)
    if others is not None:
        cells_a = drop_labelled(cells_a, others)
    return CommonLabels(cells_a[:rows], cells_b[:rows])


def find_unlike_labels(
    common: CommonLabels, places: Places, tally: LabelCounts, model: int, thinking: bool
) -> UnlikeLabels:
    """The responses of one setting that both have labelled, and not alike."""
    differ = (common.a != common.b) & (common.a > 0) & (common.b > 0)
    sample, question = np.nonzero(differ & places.mask_counted(common))
    size = sample.size
    return UnlikeLabels(
        np.full(size, tally.rows[model, int(thinking)]),
        np.full(size, model),
        np.full(size, thinking),
        places.task[question],
        places.fact[question],
        sample,
        common.a[sample, question].astype(np.intp) - 1,
        common.b[sample, question].astype(np.intp) - 1,
    )


def join_unlike(parts: Sequence[UnlikeLabels]) -> UnlikeLabels:
    """Several settings' responses one after another."""
    if not parts:
        none = np.empty(0, np.intp)
        return UnlikeLabels(none, none, none.astype(np.bool_), none, none, none, none, none)
    return UnlikeLabels(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def weigh(
    found: UnlikeLabels, tally: LabelCounts, cells: CountCodes, policy: Policy
) -> WeighedLabels:
    """Work out what each response would change if B's label were taken instead of A's.

    A's label must be the one that counts in the tally; `cells` are the tally's (`code_cells`).
    """
    counts, left = _counts_at(found, tally)
    skipping = tally.find_skipping(policy)
    before = states(counts, policy, left)
    each = np.arange(found.row.size)
    counts[found.a, each] -= 1
    counts[found.b, each] += 1
    after = states(counts, policy, left)
    cell = _CELL_OF[found.task, found.thinking.astype(np.intp)]
    moved = np.flatnonzero((before != after) & (cell >= 0))
    codes = cells.codes[:, found.model[moved], found.fact[moved], None]
    present = CountCodes(cells.kinds, codes, cells.left).states(policy)
    thinks = tally.thinks()[found.model[moved]]
    skips = None if skipping is None else skipping[found.model[moved], found.fact[moved], None]
    old = judge_states(present, thinks, policy.strategy, skips)
    present[cell[moved], np.arange(moved.size), 0] = after[moved]
    new = judge_states(present, thinks, policy.strategy, skips)
    return WeighedLabels(before != after, moved, old, new)


def distances(found: UnlikeLabels, tally: LabelCounts, policy: Policy) -> Ints:
    """How far the question of each response is from another state (`verdict_flips`)."""
    counts, left = _counts_at(found, tally)
    return flips(counts, policy, left)


def _counts_at(
    found: UnlikeLabels, tally: LabelCounts
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint16] | None]:
    """Labels of each response's cell, shape (labels, responses), and draws that are left there."""
    counts = tally.labels[found.row, :, found.task, found.fact].T.astype(np.int64)
    rest = tally.count_left()
    return counts, None if rest is None else rest[found.row, found.task, found.fact]
