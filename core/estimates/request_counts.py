"""What a run would ask: questions by setting, with the answers that they lack."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

import db.grades
import db.label_grids
import db.model_rows
import db.plan_ranges
from core.dataset import choice_options
from core.project import OpenProject
from core.sampling.recipe_settings import RecipeSettings
from core.sampling.sample_plan import Plan
from core.scoring.policy import Policy
from core.scoring.precedence import CHOICE, LAST_LABEL
from core.vocabulary import TASK_INDEX, TASKS, Outcome, Task
from db.label_grids import Cells
from db.slot_ids import MAX_SAMPLE, QUESTION_SHIFT, Slots, keep_cells

if TYPE_CHECKING:
    from core.specs.answer_specs import AnsweringSpec

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TaskRequests:
    """The questions of one task in one setting: their ids, and how many answers each lacks.

    `out` are answers that lack too and are not `missing`: plans in files ask for them.
    """

    task: Task
    questions: Counts
    missing: Counts
    out: Counts

    @property
    def answers(self) -> int:
        """Answers that are missing."""
        return int(self.missing.sum())

    def requests(self, draws: int) -> Counts:
        """Requests that each question takes, up to `draws` answers each.

        Multiple choice shows its options in four orders, each with requests of its own.
        """
        if not self.task.is_choice:
            return -(-self.missing // draws)
        turns = np.minimum(self.missing, choice_options.OPTIONS)
        each = -(-self.missing // np.maximum(turns, 1))
        return np.asarray(turns * -(-each // draws))


def plan_of(project: OpenProject, spec: "AnsweringSpec") -> Plan:
    """What a spec asks of this project. Raises `UsageError` for a filter that is none."""
    facts = project.facts(spec.where, project.models(), Policy())
    if spec.first is not None:
        facts[facts.nonzero()[0][spec.first :]] = False
    return Plan(
        model=spec.model,
        label=spec.label,
        samples=spec.samples,
        facts=facts,
        thinking=spec.thinking,
        tasks=spec.tasks,
        prompts=Path(spec.prompts) if spec.prompts else None,
        only_failed=spec.only_failed,
        endpoints=spec.endpoints,
        settings=RecipeSettings.from_words(spec.temperature, spec.effort, spec.limits),
    )


def count_requests(project: OpenProject, plan: Plan, thinking: bool) -> Iterator[TaskRequests]:
    """The questions of a plan in one setting, task by task."""
    settings = {name: key for key, name in db.model_rows.settings(project.connection).items()}
    setting = settings.get((plan.label, thinking))
    drawn = None if setting is None else project.grids.cells(db.label_grids.DRAWN, setting)
    ranges = [] if setting is None else db.plan_ranges.open_ranges(project.connection, setting)
    for task in plan.tasks_of(thinking):
        questions = project.index.questions[plan.facts, TASK_INDEX[task]]
        questions = questions[questions > 0]
        lacking = _count_lacking(drawn, questions, plan.samples)
        out = np.zeros(questions.size, np.int64)
        for one in ranges:
            if one.tasks >> TASK_INDEX[task] & 1:
                claimed = (one.first <= questions) & (questions <= one.last)
                asked_for = _count_lacking(drawn, questions, min(one.samples, plan.samples))
                out = np.where(claimed, np.maximum(out, asked_for), out)
        yield TaskRequests(task, questions, lacking - out, out)


def _count_lacking(drawn: Cells | None, questions: Counts, samples: int) -> Counts:
    """How many of their first samples questions (ids) lack."""
    lacking = np.full(questions.size, samples, np.int64)
    if drawn is not None:
        known = questions < drawn.shape[1]
        lacking[known] -= np.count_nonzero(drawn[:samples, questions[known]], axis=0)
    return lacking


def count_to_grade(
    project: OpenProject,
    grader: str,
    plan: Plan | None = None,
    version: str | None = None,
    rest_of: str | None = None,
    slots: Slots | None = None,
) -> tuple[int, int]:
    """Answers that are there and a grader has not labelled, and those that it has.

    All answers to current questions, or those of a plan. `choice` grades multiple choice, every
    other grader the rest. What this version has not labelled counts as not graded, and labels that
    are out of date since an alias; None: what the grader's newest one has not. `rest_of`: only
    answers that this grader is unsure of; `slots`: only these.
    """
    todo = done = 0
    for _, waiting, read in _answers(project, grader, plan, version, rest_of, slots):
        todo, done = todo + int(waiting.sum()), done + read
    return todo, done


def count_questions_to_grade(
    project: OpenProject,
    grader: str,
    plan: Plan | None = None,
    version: str | None = None,
    slots: Slots | None = None,
) -> int:
    """Questions of these answers of which at least one is not labelled."""
    found = [np.empty(0, np.int64)]
    for questions, waiting, _ in _answers(project, grader, plan, version, None, slots):
        found.append(questions[waiting > 0])
    return int(np.unique(np.concatenate(found)).size)


def _answers(
    project: OpenProject,
    grader: str,
    plan: Plan | None,
    version: str | None,
    rest_of: str | None = None,
    slots: Slots | None = None,
) -> Iterator[tuple[Counts, Counts, int]]:
    """Setting by setting: questions, how many answers of each are to grade, how many are graded."""
    versions = [
        one.plane
        for one in project.graders()
        if one.name == grader and version in (None, one.version)
    ]
    old = db.grades.list_outdated(project.connection, versions[-1]) if versions else []
    outdated = np.array(old, np.int64)
    settings = project.setting_ids()
    if plan is not None:
        settings = {name: key for name, key in settings.items() if name[0] == plan.label}
    for (_, thinking), setting in settings.items():
        drawn = project.grids.cells(db.label_grids.DRAWN, setting)
        if drawn is None or (plan is not None and thinking not in plan.thinking):
            continue
        tasks = TASKS if plan is None else plan.tasks_of(thinking)
        columns = [TASK_INDEX[t] for t in tasks if t.is_choice == (grader == CHOICE)]
        facts = ~project.index.rejected if plan is None else plan.facts
        questions = project.index.questions[facts][:, columns]
        questions = questions[(questions > 0) & (questions < drawn.shape[1])]
        graded = project.grids.cells(versions[-1], setting) if versions else None
        if graded is not None and outdated.size:
            graded = _drop_slots(graded, outdated, setting)
        asked = keep_cells(slots, drawn, setting)[:, questions]
        if rest_of is not None:
            asked = asked * _find_unsure(project, rest_of, setting, questions, len(drawn))
        there, read = _count_labelled(asked, graded, questions)
        yield questions, there - read, int(read.sum())


def _drop_slots(cells: Cells, slots: Slots, setting: int) -> Cells:
    """Cells of a setting, shape (samples, questions), with 0 where a slot is."""
    there = slots[(slots >> QUESTION_SHIFT < cells.shape[1]) & (slots & MAX_SAMPLE < len(cells))]
    return np.asarray(cells - keep_cells(there, cells, setting))


def find_newest_plane(project: OpenProject, grader: str) -> int | None:
    """The newest version of a grader in the label grids; None before it has graded."""
    planes = [one.plane for one in project.graders() if one.name == grader]
    return planes[-1] if planes else None


def _find_unsure(
    project: OpenProject, grader: str, setting: int, questions: Counts, samples: int
) -> Cells:
    """1 for each answer that a grader is unsure of, shape (samples, questions)."""
    found = np.zeros((samples, questions.size), np.uint8)
    plane = find_newest_plane(project, grader)
    cells = None if plane is None else project.grids.cells(plane, setting)
    if cells is not None:
        known, rows = questions < cells.shape[1], min(samples, len(cells))
        found[:rows, known] = cells[:rows, questions[known]] == Outcome.UNSURE
    return found


def _count_labelled(drawn: Cells, graded: Cells | None, questions: Counts) -> tuple[Counts, Counts]:
    """How many answers each question has, and how many of these are labelled."""
    there = np.count_nonzero(drawn, axis=0)
    labelled = np.zeros(questions.size, np.int64)
    if graded is not None:
        rows = min(drawn.shape[0], graded.shape[0])
        known = questions < graded.shape[1]
        outcomes = graded[:rows, questions[known]]
        both = (drawn[:rows, known] > 0) & (outcomes > 0) & (outcomes <= LAST_LABEL)
        labelled[known] = np.count_nonzero(both, axis=0)
    return there, labelled
