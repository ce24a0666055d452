"""What is to be drawn: plans, and how much of them is missing."""

import sqlite3
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

import db.failures
import db.label_grids
import db.model_rows
from core.dataset.subsets import Mask
from core.errors import UsageError
from core.modes import is_arm
from core.project import OpenProject
from core.providers.capabilities import Capabilities
from core.providers.endpoints import AUTO, Endpoints
from core.sampling.arm_form import ArmForm
from core.sampling.recipe import (
    Recipe,
    apply_endpoints,
    check_same,
    default_tasks,
    find_begun_recipe,
    has_way,
    known_of,
    recipe_for,
)
from core.sampling.recipe_settings import AS_BEGUN, RecipeSettings, apply_settings
from core.scoring.missing_pairs import PAIRS, MissingPairs, find_unprofiled
from core.vocabulary import TASK_INDEX, TASKS, Task
from db.slot_ids import unpack

Counts = npt.NDArray[np.int64]

MOST_SAMPLES = 1024

NO_WAY = "a raw endpoint continues a text without thinking"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be drawn: these facts' tasks in these settings, `samples` times each.

    `tasks` None means the default ones of each setting; `prompts` is a folder with templates of
    the user's own. `only_failed`: only slots that were asked for in vain before. `endpoints` is
    what the user says of them. `form` is how an arm puts its questions, None for a model.
    """

    model: str
    label: str
    samples: int
    facts: Mask
    thinking: tuple[bool, ...] = (False, True)
    tasks: tuple[Task, ...] | None = None
    prompts: Path | None = None
    only_failed: bool = False
    endpoints: Endpoints = AUTO
    form: ArmForm | None = None
    settings: RecipeSettings = AS_BEGUN

    @property
    def mode(self) -> str:
        """The mode of an arm in words, empty for a model."""
        return "" if self.form is None else str(self.form.mode)

    def tasks_of(self, thinking: bool) -> tuple[Task, ...]:
        """Tasks drawn in one setting; encoding with thinking on only if asked for alone."""
        if self.tasks is None:
            return default_tasks(thinking)
        if thinking and self.thinking == (True,):
            return self.tasks
        return tuple(task for task in self.tasks if task in default_tasks(thinking))


def check_plan(project: OpenProject, plan: Plan) -> Recipe:
    """The recipe of a plan, if its label may be used for it. Raises `UsageError` if not."""
    if not 1 <= plan.samples <= MOST_SAMPLES:
        raise UsageError(f"{plan.samples} samples: draw 1 to {MOST_SAMPLES:,} of each question")
    recipe = _recipe_of(project, plan)
    if plan.label in project.models(arms=True):
        check_same(db.model_rows.recipe_of(project.connection, plan.label), recipe, plan.label)
    return recipe


def known_for(connection: sqlite3.Connection, plan: Plan) -> Capabilities:
    """What is known of the model of a plan, at the endpoints that the plan asks.

    Raises `UsageError` for an endpoint that there is not.
    """
    known = known_of(connection, plan.model, plan.label, plan.endpoints)
    if plan.form is None or plan.endpoints.questions != "auto":
        return known
    return apply_endpoints(known, plan.model, Endpoints("auto", plan.form.endpoint(known)))


def _recipe_of(project: OpenProject, plan: Plan) -> Recipe:
    known = known_for(project.connection, plan)
    if plan.form is None:
        if is_arm(plan.label):
            raise UsageError(
                f"{plan.label} is the name of a model in one mode: `lostkeys fact-bench run` asks "
                "it, or give another --as"
            )
        begun = find_begun_recipe(project.connection, plan.model, plan.label)
        return apply_settings(recipe_for(plan.model, plan.prompts, known), plan.settings, begun)
    return plan.form.recipe(plan.model, known, plan.prompts)


def find_unprofiled_facts(project: OpenProject, plan: Plan) -> MissingPairs | None:
    """What the facts of a plan for profiles lack where none of them can have one; else None."""
    asked = set(TASKS if plan.tasks is None else plan.tasks)
    if plan.form is not None or any(asked.isdisjoint(pair) for pair in PAIRS.values()):
        return None
    return find_unprofiled(project.connection, project.index, plan.facts)


def drop_unaskable(plan: Plan, recipe: Recipe) -> Plan:
    """The plan without tasks that its recipe has no way to ask. `UsageError` if none is left."""
    ways = {task for on in plan.thinking for task in plan.tasks_of(on) if has_way(task, on, recipe)}
    named = plan.tasks or ()
    if not named or ways.issuperset(named):
        return plan
    left = tuple(task for task in named if task in ways)
    if not left:
        raise UsageError(f"{' and '.join(named)} with thinking on: {NO_WAY}; name other tasks")
    return replace(plan, tasks=left)


def count_missing(project: OpenProject, plan: Plan) -> int:
    """How many slots of a plan have no response yet."""
    return sum(
        int(count_missing_by_fact(project, plan, thinking).sum()) for thinking in plan.thinking
    )


def count_missing_by_fact(project: OpenProject, plan: Plan, thinking: bool) -> Counts:
    """How many slots of each fact of a plan have no response in a setting, shape (facts,)."""
    wanted, drawn = count_slots(project, plan, thinking, db.label_grids.DRAWN)
    left: Counts = (wanted - drawn).sum(axis=1)
    return left


def count_slots(
    project: OpenProject, plan: Plan, thinking: bool, plane: int, choice: bool | None = None
) -> tuple[Counts, Counts]:
    """Slots of a plan in a setting, and those of them that a plane of the grids knows of.

    Both by fact and task, shape (facts, tasks). `choice` narrows it to multiple choice, or to
    all else. Of a plan for what has failed, the slots are those that have; no plane knows them.
    """
    tasks = [task for task in plan.tasks_of(thinking) if choice is None or task.is_choice is choice]
    questions = project.index.questions[plan.facts][:, [TASK_INDEX[task] for task in tasks]]
    if plan.only_failed:
        return _count_failed(project, plan, thinking, questions), np.zeros(
            questions.shape, np.int64
        )
    wanted = np.where(questions > 0, plan.samples, 0)
    setting = project.setting_ids().get((plan.label, thinking))
    cells = None if setting is None else project.grids.cells(plane, setting)
    if cells is None:
        return wanted, np.zeros(questions.shape, np.int64)
    there = np.count_nonzero(cells[: plan.samples], axis=0)
    known = questions < there.size
    return wanted, np.where(known, there[np.where(known, questions, 0)], 0)


def _count_failed(project: OpenProject, plan: Plan, thinking: bool, questions: Counts) -> Counts:
    """How many slots of these questions were asked for in vain."""
    failed = np.zeros(int(questions.max(initial=0)) + 1, np.int64)
    settings = db.model_rows.settings(project.connection)
    for question, setting, sample in map(unpack, db.failures.find_failed(project.connection)):
        if settings.get(setting) == (plan.label, thinking) and sample < plan.samples:
            failed[question : question + 1] += 1
    counts: Counts = failed[questions]
    return counts
