"""The case of one fact and one model: its label counts, and the verdicts that follow.

Agrees with `core.scoring.verdicts` on all facts because it asks it, with counts of one fact.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from core.scoring.policy import Policy
from core.scoring.question_states import ABSENT, UNDECIDED, States, states
from core.scoring.verdicts import (
    CELLS,
    EXCLUDED_NAN,
    INCOMPLETE,
    NO_PROFILE,
    VERDICTS,
    judge_states,
)
from core.views.snapshot import Snapshot
from core.vocabulary import CODES, ENCODING, LABELS, TASK_INDEX, Label, Strategy, Task

Counts = npt.NDArray[np.int64]

_TASKS = [TASK_INDEX[task] for task, _ in CELLS]
_THINKING = [int(thinking) for _, thinking in CELLS]
_LABELS = {label: place for place, label in enumerate(LABELS)}


@dataclass(frozen=True, slots=True)
class LabelChange:
    """One answer with another label; None for no label."""

    task: Task
    thinking: bool
    old: Label | None
    new: Label | None


@dataclass(frozen=True, slots=True)
class FactVerdict:
    """What a fact is for a model: E, K0 and KT are None where they mean nothing."""

    number: int
    encodes: bool | None
    knows: bool | None
    knows_thinking: bool | None

    @property
    def name(self) -> str | None:
        """The verdict as `core.scoring.verdicts.VERDICTS` calls it."""
        return VERDICTS[self.number]

    @property
    def code(self) -> str:
        """Its two letters, as on the snapshot."""
        if self.name is None:
            return ("E" if self.encodes else "-") + ("K" if self.knows else "-")
        return CODES[self.name]

    def holds(self, part: str) -> bool | None:
        """Whether `E`, `K0` or `KT` holds."""
        return {"E": self.encodes, "K0": self.knows, "KT": self.knows_thinking}[part]


def part_of(task: Task, thinking: bool) -> str | None:
    """The part of the verdict that a cell decides: `E`, `K0`, `KT` or none."""
    if (task, thinking) not in CELLS:
        return None
    if task in ENCODING:
        return "E"
    return "KT" if thinking else "K0"


@dataclass(frozen=True, slots=True)
class FactCase:
    """Counts of one fact for one model.

    `counts` has shape (thinking, labels, tasks), `drawn` (thinking, tasks), `exists` (tasks,);
    `asked` says whether the model has answers with thinking off and on at all. `planned`
    (thinking, tasks) has the draws that curtailed runs would make at most, 0 where none asks;
    `skips` says whether one of them had this policy.
    """

    counts: Counts
    drawn: Counts
    exists: npt.NDArray[np.bool_]
    asked: tuple[bool, bool]
    policy: Policy
    planned: Counts | None = None
    skips: bool = False

    def cell(self, task: Task, thinking: bool) -> list[int]:
        """Labels of a question in a setting, counted in the order of `LABELS`."""
        found: list[int] = self.counts[int(thinking), :, TASK_INDEX[task]].tolist()
        return found

    def grade(
        self, task: Task, thinking: bool, change: LabelChange | None = None
    ) -> Fraction | None:
        """The question's g, exactly; None where it cannot be graded.

        With a change (which must be one of this cell) the g that would follow.
        """
        counts = self.counts if change is None else self._change_counts(change)
        found: list[int] = counts[int(thinking), :, TASK_INDEX[task]].tolist()
        correct, incorrect, partially, _ = found
        if self.policy.strategy is not Strategy.PARTIAL:
            partially = 0
        gradable = correct + incorrect + partially
        if not gradable:
            return None
        if not partially:
            return Fraction(correct, gradable)
        return (correct + self.policy.exact_weight * partially) / gradable

    def count_gradable(self, task: Task, thinking: bool) -> int:
        """How many of a question's labels its g rests on."""
        correct, incorrect, partially, _ = self.cell(task, thinking)
        return correct + incorrect + partially * (self.policy.strategy is Strategy.PARTIAL)

    def passes(self, grade: Fraction | None) -> bool | None:
        """Whether a g is above the threshold; None without one."""
        return None if grade is None else grade > self.policy.exact_tau

    def question_passes(
        self, task: Task, thinking: bool, change: LabelChange | None = None
    ) -> bool | None:
        """Whether a question passes; None where it cannot be graded or is undecided."""
        if self.is_undecided(task, thinking, change):
            return None
        return self.passes(self.grade(task, thinking, change))

    def is_undecided(self, task: Task, thinking: bool, change: LabelChange | None = None) -> bool:
        """Whether draws that a curtailed run has left could make the question's state another."""
        if self.planned is None or not self.exists[TASK_INDEX[task]]:
            return False
        counts = self.counts if change is None else self._change_counts(change)
        found = self._states(counts[None])[0, int(thinking), TASK_INDEX[task]]
        return bool(found & UNDECIDED)

    def _states(self, counts: Counts) -> States:
        """The states of all questions by counts (changes, thinking, labels, tasks)."""
        left = None
        if self.planned is not None:
            rest = self.planned - counts.sum(axis=2)
            left = np.where(self.drawn < self.planned, rest, 0)
        found = states(counts.transpose(2, 0, 1, 3), self.policy, left)
        found[..., ~self.exists] = ABSENT
        return found

    def verdict(self) -> FactVerdict:
        """The verdict as things stand."""
        return self.verdicts([()])[0]

    def verdicts(self, changes: Sequence[Sequence[LabelChange]]) -> list[FactVerdict]:
        """The verdict after the changes of each of these alone."""
        counts = np.stack([self._change_counts(*together) for together in changes])
        cells = self._states(counts)[:, _THINKING, _TASKS].T
        thinks, skips = np.array([self.asked[1]]), np.array([[self.skips]])
        found = judge_states(cells[:, None], thinks, self.policy.strategy, skips)
        return [
            self._verdict(*row)
            for row in zip(
                found.verdict[0].tolist(),
                found.encodes[0].tolist(),
                found.knows[0].tolist(),
                found.knows_thinking[0].tolist(),
                strict=True,
            )
        ]

    def _verdict(
        self, number: int, encodes: bool, knows: bool, knows_thinking: bool
    ) -> FactVerdict:
        if number in (EXCLUDED_NAN, INCOMPLETE):
            return FactVerdict(number, None, None, None)
        thinking = None if number == NO_PROFILE else knows_thinking
        return FactVerdict(number, encodes, knows, thinking if self.asked[1] else None)

    def _change_counts(self, *changes: LabelChange) -> Counts:
        counts = self.counts.copy()
        for change in changes:
            for label, step in ((change.old, -1), (change.new, 1)):
                if label is not None:
                    counts[int(change.thinking), _LABELS[label], TASK_INDEX[change.task]] += step
        return counts


def case_of(snapshot: Snapshot, place: int, model: int | None) -> FactCase:
    """The case of the fact at a place for a model (its place on the snapshot; None for none)."""
    tally = snapshot.tally
    rows = (-1, -1) if model is None else tally.rows[model].tolist()
    counts = np.zeros((2, len(LABELS), len(TASK_INDEX)), np.int64)
    drawn = np.zeros((2, len(TASK_INDEX)), np.int64)
    for thinking, row in enumerate(rows):
        if row >= 0:
            counts[thinking] = tally.labels[row, :, :, place]
            drawn[thinking] = tally.drawn[row, :, place]
    asked = rows[0] >= 0, rows[1] >= 0
    policy, exists = snapshot.lens.policy, tally.exists[:, place]
    skipping = tally.find_skipping(policy)
    if model is None or skipping is None or tally.curtailed is None:
        return FactCase(counts, drawn, exists, asked, policy)
    planned = np.zeros_like(drawn)
    for thinking, row in enumerate(rows):
        if row >= 0:
            planned[thinking] = tally.curtailed.planned[row, :, place] * exists
    return FactCase(counts, drawn, exists, asked, policy, planned, bool(skipping[model, place]))
