"""Which stages a build goes through, and what becomes theirs."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from core.errors import UsageError
from core.pipeline.stage import Stage, UnitKind
from core.pipeline.stage_table import BY_NAME, STAGES
from core.specs.build_specs import ParagraphChoice

OBJECTS, DOWNSAMPLE, FACTS = "objects", "downsample", "facts"
"""Stages that do more than keep a value: candidates come of the first, facts of the last."""


@dataclass(frozen=True, slots=True)
class BuildScope:
    """The stages of a run, in order, and which paragraphs of each document are meant.

    `set_name`: whose triples the stages of triples take (None: those of all sets).
    """

    stages: tuple[Stage, ...] = STAGES
    paragraphs: ParagraphChoice = "auto"
    set_name: str | None = None


def scope_of(
    until: str | None = None,
    only: str | None = None,
    paragraphs: ParagraphChoice = "auto",
    set_name: str | None = None,
) -> BuildScope:
    """The stages up to one, or that one alone. Raises `UsageError` for a name that is none."""
    if until is not None and only is not None:
        raise UsageError("--until and --only exclude each other: name one stage with one of them")
    if only is not None:
        return BuildScope((find_stage(only),), paragraphs, set_name)
    if until is None:
        return BuildScope(STAGES, paragraphs, set_name)
    return BuildScope(STAGES[: STAGES.index(find_stage(until)) + 1], paragraphs, set_name)


def find_stage(name: str) -> Stage:
    """The stage of a name. Raises `UsageError` where there is none."""
    if name not in BY_NAME:
        raise UsageError(f"no stage named {name}: stages are {', '.join(BY_NAME)}")
    return BY_NAME[name]


@cache
def before(name: str) -> tuple[str, ...]:
    """The stages that have to be through with a unit before a stage takes it, in order.

    Besides those of `after` they are the earlier ones that make the same task or one that it
    needs; all of them for the last stage. Facts that were imported skip what they have.
    """
    stage, found = BY_NAME[name], list[str]()
    for one in STAGES[: STAGES.index(stage)]:
        tasks = {one.task, one.makes} - {None}
        related = stage.task in tasks or not tasks.isdisjoint(stage.needs_tasks)
        is_all = name == FACTS and one.of is UnitKind.CANDIDATE
        if one.name in stage.after or is_all or (related and one.of is stage.of):
            found.append(one.name)
    return tuple(found)


def followers(stage: Stage, stages: Sequence[Stage] = STAGES) -> list[Stage]:
    """The stages that come after a stage's for a unit, directly or not, in order."""
    names, found = {stage.name}, []
    for one in stages:
        if not names.isdisjoint(before(one.name)):
            names.add(one.name)
            found.append(one)
    return found


def by_model(stage: Stage) -> bool:
    """Whether a stage asks a model."""
    return stage.prompt is not None or stage.grounded
