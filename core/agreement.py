"""How far two graders agree, and what their disagreements would change.

Source: Calderon et al., appendix C.3 and figure 14; Cohen (1960); Krippendorff's alpha for
nominal data; semantics section 6.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from core.groups import Mask
from core.names import LABELS, TASK_INDEX, TASKS, Task
from core.policy import Policy
from core.profiles import CELLS, code_cells, judge_states
from core.project import Project
from core.states import states
from core.tally import Tally

K = TypeVar("K", bound=str)
Matrix = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two graders' labels of the same responses, crossed: rows A, columns B, shape (4, 4)."""

    matrix: Matrix

    @property
    def n(self) -> int:
        """Responses labelled by both."""
        return int(self.matrix.sum())

    @property
    def agreement(self) -> float | None:
        """Share of responses with the same label; None without responses."""
        return int(np.trace(self.matrix)) / self.n if self.n else None

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa; None where chance alone would agree always."""
        n, observed = self.n, self.agreement
        if observed is None:
            return None
        chance = int(self.matrix.sum(axis=1) @ self.matrix.sum(axis=0))
        if chance == n * n:
            return None
        expected = chance / n**2
        return (observed - expected) / (1 - expected)

    @property
    def alpha(self) -> float | None:
        """Krippendorff's alpha (nominal); None where no disagreement is to be expected."""
        n, observed = self.n, self.agreement
        if observed is None:
            return None
        values = self.matrix.sum(axis=1) + self.matrix.sum(axis=0)
        unlike = (2 * n) ** 2 - int((values * values).sum())
        if unlike == 0:
            return None
        return 1 - (1 - observed) * (2 * n) * (2 * n - 1) / unlike

    def as_json(self) -> dict[str, object]:
        """The keys of `confusion --json` for one table."""
        return {
            "n": self.n,
            "matrix": {
                a: {b: int(self.matrix[row, column]) for column, b in enumerate(LABELS)}
                for row, a in enumerate(LABELS)
            },
            "agreement": self.agreement,
            "kappa": self.kappa,
            "alpha": self.alpha,
        }


@dataclass(frozen=True, slots=True)
class Disagreements:
    """Responses that A and B label differently, as columns of equal length.

    `row` is the setting's place in the tally, `model` the model's; labels are 0 to 3 in the
    order of `LABELS`. `state` and `profile` say whether taking B's label for this response
    alone changes the state of the question, and the verdict on the fact.
    """

    row: npt.NDArray[np.intp]
    model: npt.NDArray[np.intp]
    thinking: Mask
    task: npt.NDArray[np.intp]
    fact: npt.NDArray[np.intp]
    sample: npt.NDArray[np.intp]
    a: npt.NDArray[np.intp]
    b: npt.NDArray[np.intp]
    state: Mask
    profile: Mask


@dataclass(frozen=True, slots=True)
class Confusion:
    """Everything `confusion` reports about two graders."""

    a: str
    b: str
    overall: Agreement
    by_task: Mapping[Task, Agreement]
    by_model: Mapping[str, Agreement]
    disagreements: Disagreements

    @property
    def consequential(self) -> int:
        """Disagreements that change the state of a question."""
        return int(self.disagreements.state.sum())

    @property
    def profile_changing(self) -> int:
        """Disagreements that change the verdict on a fact."""
        return int(self.disagreements.profile.sum())

    def as_json(self) -> dict[str, object]:
        """The document of `confusion --json`."""
        return {
            "a": self.a,
            "b": self.b,
            **self.overall.as_json(),
            "by_task": {task: table.as_json() for task, table in self.by_task.items()},
            "by_model": {model: table.as_json() for model, table in self.by_model.items()},
            "consequential": self.consequential,
            "profile_changing": self.profile_changing,
        }


def compare(
    project: Project,
    a: str,
    b: str,
    policy: Policy,
    models: Sequence[str],
    facts: Mask,
    tasks: Sequence[Task] = TASKS,
) -> Confusion:
    """Cross the labels of two graders over the responses that both have labelled.

    Consequences follow the policy with A's labels throughout (then `choice`), B's for the one
    response. Raises `UsageError` for a grader that has labelled nothing.
    """
    (rank_a,) = project.ranks(Policy(graders=(a,)))
    (rank_b,) = project.ranks(Policy(graders=(b,)))
    tally = project.tally((rank_a,), models)
    choice = project.choice_questions()
    task_of, fact_of = _places(project, facts, tasks, choice.size)
    crossed = np.zeros((len(models), len(TASKS), len(LABELS), len(LABELS)), np.int64)
    found: list[npt.NDArray[np.intp]] = []
    for (model, thinking), setting in project.setting_ids().items():
        if model not in models:
            continue
        cells_a = project.labels((rank_a,), setting, choice)
        cells_b = project.labels((rank_b,), setting, choice)
        if cells_a is None or cells_b is None:
            continue
        rows = min(len(cells_a), len(cells_b))
        both = (cells_a[:rows] > 0) & (cells_b[:rows] > 0)
        sample, question = np.nonzero(both & (task_of[: both.shape[1]] >= 0))
        label_a = cells_a[sample, question].astype(np.intp) - 1
        label_b = cells_b[sample, question].astype(np.intp) - 1
        place = models.index(model)
        np.add.at(crossed[place], (task_of[question], label_a, label_b), 1)
        unlike = np.flatnonzero(label_a != label_b)
        one = question[unlike]
        row = tally.rows[place, int(thinking)]
        same = [np.full(unlike.size, value, np.intp) for value in (row, place, int(thinking))]
        found.append(
            np.stack(
                [
                    *same,
                    task_of[one],
                    fact_of[one],
                    sample[unlike],
                    label_a[unlike],
                    label_b[unlike],
                ]
            )
        )
    columns = np.concatenate(found, axis=1) if found else np.empty((8, 0), np.intp)
    return Confusion(
        a,
        b,
        Agreement(crossed.sum(axis=(0, 1))),
        _tables(TASKS, crossed.sum(axis=0)),
        _tables(models, crossed.sum(axis=1)),
        _weighed(columns, tally, policy),
    )


def _tables(names: Sequence[K], crossed: Matrix) -> dict[K, Agreement]:
    return {
        name: Agreement(table) for name, table in zip(names, crossed, strict=True) if table.any()
    }


def _places(
    project: Project, facts: Mask, tasks: Sequence[Task], size: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Task and fact of every question id that counts, -1 for the others."""
    questions = project.index.questions
    task_of, fact_of = np.full(size, -1, np.intp), np.full(size, -1, np.intp)
    for task in tasks:
        place = TASK_INDEX[task]
        there = np.flatnonzero(facts & (questions[:, place] > 0))
        task_of[questions[there, place]] = place
        fact_of[questions[there, place]] = there
    return task_of, fact_of


def _weighed(columns: npt.NDArray[np.intp], tally: Tally, policy: Policy) -> Disagreements:
    """Work out what each disagreement would change."""
    row, model, thinking, task, fact, sample, a, b = columns
    counts = tally.labels[row, :, task, fact].T.astype(np.int64)
    before = states(counts, policy)
    each = np.arange(row.size)
    counts[a, each] -= 1
    counts[b, each] += 1
    after = states(counts, policy)
    cell_of = np.full((len(TASKS), 2), -1)
    for cell, (one, on) in enumerate(CELLS):
        cell_of[TASK_INDEX[one], int(on)] = cell
    cell = cell_of[task, thinking]
    moved = np.flatnonzero((before != after) & (cell >= 0))
    profile = np.zeros(row.size, np.bool_)
    if moved.size:
        cells = code_cells(tally).states(policy)[:, model[moved], fact[moved], None]
        thinks = tally.thinks()[model[moved]]
        old = judge_states(cells, thinks, policy.strategy).verdict[:, 0]
        cells[cell[moved], np.arange(moved.size), 0] = after[moved]
        profile[moved] = judge_states(cells, thinks, policy.strategy).verdict[:, 0] != old
    return Disagreements(
        row, model, thinking.astype(np.bool_), task, fact, sample, a, b, before != after, profile
    )
