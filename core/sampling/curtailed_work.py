"""The work of a curtailed run: in rounds, and no further than its verdicts need.

What is decided follows from the rows of the database alone, so a run that was stopped goes on,
and a label by which a person undecides a question opens its slots again.
"""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

import db.grades
import db.model_rows
import db.question_rows
import db.responses
from core.engine.lease_holder import LeaseHolder
from core.engine.run_counters import RunCounters
from core.errors import UsageError
from core.graders.grader_table import builtin
from core.project import OpenProject
from core.sampling.missing_slots import Cell, FactSlots
from core.sampling.sample_plan import Plan, count_slots
from core.sampling.sample_progress import grading_stage
from core.sampling.sample_requests import SampleRequest, stage_of
from core.sampling.sample_work import SampleWork
from core.scoring.curtailed_runs import find_planes
from core.scoring.curtailment import CellName, as_text, fixed_policy, next_draws
from core.scoring.curtailment import CurtailedCell as Question
from core.scoring.label_counts import LabelCounts
from core.scoring.policy import Policy
from core.scoring.precedence import CHOICE, LAST_LABEL, PEOPLE, GraderVersion, Rank
from core.stats.number_format import format_amount, format_percent
from core.vocabulary import LABELS, TASK_INDEX, Task
from db.label_grids import DRAWN
from db.slot_ids import MAX_SAMPLE, slot

# The labels that count of a few cells, read from the database: for deciding while sampling.
#
# The same precedence as `core.scoring.precedence` gives whole projects (semantics section 3).

Counts = tuple[int, int, int, int]
"""Labels of a question in the order of `LABELS`."""

Said = dict[int, tuple[int, int]]
"""What grader versions (their planes) said of one response: the outcome, and when."""


@dataclass(frozen=True, slots=True)
class _Rank:
    """One place in a list of graders: their planes, newest first."""

    planes: tuple[int, ...]
    by_time: bool
    only_choice: bool

    def label(self, said: Said) -> int | None:
        """The label that this rank gives a response, if it gives one."""
        found = [plane for plane in self.planes if plane in said]
        if not found:
            return None
        newest = max(found, key=lambda plane: (said[plane][1], plane)) if self.by_time else found[0]
        return said[newest][0]


def count_labels(
    connection: sqlite3.Connection, graders: Sequence[str], cells: Mapping[int, bool]
) -> dict[int, Counts]:
    """Label counts of cells under a list of graders (`choice` joins it last).

    A cell is given as the slot of its sample 0, with whether it is multiple choice.
    """
    ranks = _ranks(connection, graders)
    said: defaultdict[tuple[int, int], Said] = defaultdict(dict)
    for cell, response, plane, outcome, at in db.grades.read_in_cells(connection, list(cells)):
        if outcome <= LAST_LABEL:
            said[cell, response][plane] = outcome, at or 0
    labels = {cell: Counter[int]() for cell in cells}
    for (cell, _), one in said.items():
        asked = (rank.label(one) for rank in ranks if cells[cell] or not rank.only_choice)
        label = next((found for found in asked if found is not None), None)
        if label is not None:
            labels[cell][label] += 1
    return {cell: _sort_counts(found) for cell, found in labels.items()}


def _ranks(connection: sqlite3.Connection, graders: Sequence[str]) -> list[_Rank]:
    known = [GraderVersion(*row) for row in db.grades.graders(connection)]
    return [
        _Rank(find_planes(name, known), name == PEOPLE, name.partition("#")[0] == CHOICE)
        for name in dict.fromkeys([*graders, CHOICE])
    ]


def _sort_counts(found: Counter[int]) -> Counts:
    correct, incorrect, partially, other = (found[place] for place in range(1, len(LABELS) + 1))
    return correct, incorrect, partially, other


DECIDED = "decided"
"""Why an answer of the full run is not asked for."""


class CurtailedWork(SampleWork):
    """A `Work` that draws what the verdicts of one policy need of a plan."""

    in_rounds = True

    def __init__(
        self,
        project: OpenProject,
        plan: Plan,
        lease_holder: LeaseHolder,
        counters: RunCounters,
        graders: Iterable[str],
        policy: Policy,
        on_fact: Callable[[int], object] = lambda fact: None,
        job: int | None = None,
        every_question: bool = False,
    ) -> None:
        """Register the plan as `SampleWork` does, with the policy that it is curtailed for.

        `graders` label the answers as they come; with `every_question` a question is decided
        even where the fact is so without it. Raises `UsageError` without any grader.
        """
        named = tuple(graders)
        if not named:
            raise UsageError(
                "a curtailed run stops by the labels of its answers: name who gives them, as in "
                "--grader lexical"
            )
        self._policy = fixed_policy(policy, named)
        self._every_question = every_question
        self._decided: set[int] = set()
        super().__init__(
            project, plan, lease_holder, counters, named, on_fact, job, as_text(self._policy)
        )
        self._labelling = [name for name in dict.fromkeys(named) if name != CHOICE]
        self._whole = set(plan.thinking) == {False, True} and plan.tasks is None

    def next(self, most: int) -> Sequence[SampleRequest] | None:
        """The same, once all answers that were there before have their labels."""
        while self.grade_rest():
            self._lease_holder.beat()
        return super().next(most)

    def choose(self, fact: FactSlots) -> Mapping[int, Sequence[int]]:
        """The next round: the samples that could decide most, nothing of a fact that is through."""
        askable = {
            (cell.question.task, cell.thinking): self._list_askable(cell) for cell in fact.cells
        }
        asked = next_draws(self._questions(fact, askable), self._policy, self._every_question)
        if not asked:
            self._drop(fact)
        return {
            cell.key: askable[name][: asked[name]]
            for cell in fact.cells
            if (name := (cell.question.task, cell.thinking)) in asked
        }

    def complete(self) -> bool:
        """Whether nothing is left to be asked for. Of a project that is up to date."""
        plan = replace(self._plan_now(), only_failed=False)
        known = self.project.graders()
        names = self._policy.graders or ()
        ranks = [Rank(name, find_planes(name, known), name == PEOPLE) for name in names]
        tally = self.project.tally(ranks, [self.plan.label])
        facts = np.flatnonzero(plan.facts & ~self.project.index.rejected)
        return not any(
            next_draws(_count_questions(tally, plan, fact), self._policy, self._every_question)
            for fact in facts.tolist()
        )

    def close(self) -> None:
        """The same; says besides how many answers of the full run were asked for."""
        super().close()
        if self.plan.only_failed:
            return
        plan = self._plan_now()
        counts = [count_slots(self.project, plan, on, DRAWN) for on in plan.thinking]
        wanted = sum(int(slots.sum()) for slots, _ in counts)
        there = sum(int(drawn.sum()) for _, drawn in counts)
        if wanted:
            share = f"{format_percent(there / wanted)} %"
            self.counters.say(
                "job", f"{there:,} of {format_amount(wanted, 'answer')} asked, {share}"
            )

    def _list_askable(self, cell: Cell) -> list[int]:
        """Samples of a cell that can be asked for; some may have failed."""
        return [one for one in cell.missing if cell.key + one not in self._given_up]

    def _questions(
        self, fact: FactSlots, askable: Mapping[CellName, Sequence[int]]
    ) -> dict[CellName, Question]:
        """The fact's questions of all the model's settings, by the labels that count now."""
        keys = {(cell.question.task, cell.thinking): cell.key for cell in fact.cells}
        keys |= {} if self._whole else self._count_beside(fact, keys)
        connection, samples = self._connection, self.plan.samples
        labels = count_labels(
            connection,
            self._policy.graders or (),
            {key: task.is_choice for (task, _), key in keys.items()},
        )
        drawn = db.responses.find_filled(connection, keys.values(), MAX_SAMPLE + 1)
        found = {}
        for name, key in keys.items():
            short = name in askable and len(drawn.get(key, ())) < samples
            left = samples - sum(labels[key]) if short else 0
            found[name] = Question(labels[key], left, len(askable[name]) if short else 0)
        return found

    def _count_beside(self, fact: FactSlots, keys: Mapping[CellName, int]) -> dict[CellName, int]:
        """Cells of a fact that are not in the plan: what they hold counts, too."""
        settings = [
            (key, on)
            for key, (label, on) in db.model_rows.settings(self._connection).items()
            if label == self.plan.label
        ]
        return {
            (question.task, on): slot(question.id, setting, 0)
            for question in db.question_rows.questions(self._connection, [fact.id])
            for setting, on in settings
            if (question.task, on) not in keys
        }

    def _drop(self, fact: FactSlots) -> None:
        """Count what of a decided fact need not be asked for."""
        if fact.id in self._decided:
            return
        self._decided.add(fact.id)
        for cell in fact.cells:
            count = len(self._list_askable(cell))
            self.counters.drop(stage_of(cell.thinking), count, DECIDED)
            for name in self._labelling:
                if builtin(name).reads_choice == cell.question.task.is_choice:
                    self.counters.drop(grading_stage(name), count, DECIDED)


def _count_questions(tally: LabelCounts, plan: Plan, fact: int) -> dict[CellName, Question]:
    """The same questions by the tally of the model alone; `fact` is a place."""
    found = {}
    for on, row in zip((False, True), tally.rows[0].tolist(), strict=True):
        tasks = plan.tasks_of(on) if on in plan.thinking else ()
        for task in Task:
            place = TASK_INDEX[task]
            if not tally.exists[place, fact] or (row < 0 and task not in tasks):
                continue
            labels = tally.labels[row, :, place, fact].tolist() if row >= 0 else [0, 0, 0, 0]
            room = plan.samples - int(tally.drawn[row, place, fact]) if row >= 0 else plan.samples
            short = task in tasks and room > 0
            left = plan.samples - sum(labels) if short else 0
            found[task, on] = Question(tuple(labels), left, room if short else 0)
    return found
