"""What a job of request files is about: the plan of its spec, the facts, the way they are asked."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

import db.model_rows
from core.project import OpenProject
from core.providers import model_traits
from core.providers.capabilities import Capabilities
from core.providers.model_names import parse
from core.sampling import missing_slots
from core.sampling.recipe import (
    apply_endpoints,
    check_label,
    find_begun_recipe,
    is_found_out,
    recipe_for,
)
from core.sampling.recipe_settings import RecipeSettings, apply_settings
from core.sampling.sample_plan import Plan, drop_unaskable, known_for
from core.scale.engine_fields import ENGINES, choose_engine, describe_files
from core.scale.request_planner import RequestFormat
from core.scoring.policy import Policy
from core.specs.file_specs import EngineName, FilesSpec
from core.vocabulary import TASKS

BLOCK = 128
"""Facts that are read and claimed in one transaction."""


@dataclass(frozen=True, slots=True)
class PlanScope:
    """A plan with its facts (ids, in order), those of them that were rejected, and its engine."""

    plan: Plan
    facts: npt.NDArray[np.int64]
    rejected: Collection[int]
    engine: EngineName

    def blocks(self) -> Iterator[Sequence[int]]:
        """The facts, some at a time."""
        for start in range(0, self.facts.size, BLOCK):
            yield self.facts[start : start + BLOCK].tolist()


def read_scope(project: OpenProject, spec: FilesSpec) -> PlanScope:
    """What a spec is about. Raises `UsageError` for a filter that is none, and for such a model."""
    engine = choose_engine(spec.model, spec.engine)
    mask = project.facts(spec.where, project.models(), Policy())
    if spec.first is not None:
        mask[mask.nonzero()[0][spec.first :]] = False
    facts = project.index.ids[mask]
    rejected = frozenset(project.index.ids[mask & project.index.rejected].tolist())
    plan = Plan(
        model=spec.model,
        label=spec.label,
        samples=spec.samples,
        facts=mask,
        thinking=spec.thinking,
        tasks=spec.tasks,
        prompts=Path(spec.prompts) if spec.prompts else None,
        only_failed=spec.only_failed,
        endpoints=spec.endpoints,
        settings=RecipeSettings.from_words(spec.temperature, spec.effort, spec.limits),
    )
    return PlanScope(plan, facts, rejected, engine)


def is_anything_missing(project: OpenProject, scope: PlanScope) -> bool:
    """Whether any slot of a plan has no response; of a label that is new, all have none."""
    ids = {name: key for key, name in db.model_rows.settings(project.connection).items()}
    plan = scope.plan
    settings = {on: ids[plan.label, on] for on in plan.thinking if (plan.label, on) in ids}
    if len(settings) < len(plan.thinking):
        return bool(scope.facts.size)
    return any(
        cell.missing or cell.out
        for block in scope.blocks()
        for fact in missing_slots.read_facts(
            project.connection, plan, settings, block, scope.rejected
        )
        for cell in fact.cells
    )


def find_file_capabilities(project: OpenProject, spec: FilesSpec, scope: PlanScope) -> Capabilities:
    """What is known of the model of a plan; of one that nobody asks, what the user says."""
    plan = scope.plan
    if parse(plan.model).provider != "file":
        return known_for(project.connection, plan)
    known = describe_files(scope.engine, spec.thinking_by)
    recipe = find_begun_recipe(project.connection, plan.model, plan.label)
    if recipe is not None:
        known = replace(
            known,
            completion="raw" if recipe.get("completion") == "raw" else "chat",
            questions="raw" if recipe.get("questions") == "raw" else "chat",
        )
    return apply_endpoints(known, plan.model, plan.endpoints)


def write_by(project: OpenProject, spec: FilesSpec, scope: PlanScope) -> RequestFormat:
    """How the requests of a plan are written.

    Raises `UsageError` where the label has responses of another recipe, and where the tasks that
    are named cannot be asked.
    """
    plan, known = scope.plan, find_file_capabilities(project, spec, scope)
    begun = find_begun_recipe(project.connection, plan.model, plan.label)
    recipe = apply_settings(recipe_for(plan.model, plan.prompts, known), plan.settings, begun)
    check_label(project.connection, plan.label, recipe)
    most = spec.per_request
    if is_found_out(plan.model):
        seen = model_traits.read_traits(project.connection, plan.model).most_answers
        most = min(most, seen or most)
    return RequestFormat(
        recipe,
        parse(plan.model).model,
        ENGINES[scope.engine].limit,
        most,
        drop_unaskable(plan, recipe),
    )


def task_names(tasks: Collection[str]) -> tuple[str, ...]:
    """Tasks in their order."""
    return tuple(str(task) for task in TASKS if task in tasks)


SETTINGS: Mapping[bool, str] = {False: "off", True: "on"}
