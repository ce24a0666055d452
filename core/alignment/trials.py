"""Trials: a grader version labels the answers of a reference set, and the set notes it."""

from collections.abc import Sequence
from time import time_ns

import numpy as np

import db.grades
import db.reference_sets
from core.alignment.reference_set import FINAL, PARTS, find_set, read_set
from core.alignment.rubric_versions import find_rubric, name_version, read_rubric
from core.errors import UsageError
from core.graders.grader_record import is_model
from core.grading.prompt_rubric import PromptRubric
from core.project import OpenProject
from core.specs.answer_specs import GradingSpec
from db.connection import write_transaction
from db.reference_sets import Trial
from db.slot_ids import Slots


def make_trial_spec(
    project: OpenProject,
    name: str,
    grader: str,
    rubric: str | None = None,
    parts: Sequence[str] = PARTS[:2],
    folder: str | None = None,
) -> GradingSpec:
    """What a job is to do that tries a grader on parts of a set.

    Raises `UsageError` for a set, rubric or part that is none or closed, a rubric without a model,
    and for `final` together with others.
    """
    stored = find_set(project, name)
    if stored.closed:
        raise UsageError(f"{name} is closed: draw another set, or look at its report")
    unknown = next((part for part in parts if part not in PARTS), None)
    if unknown is not None or not parts:
        raise UsageError(f"{unknown or 'nothing'} is no part: parts are {', '.join(PARTS)}")
    if FINAL in parts and len(parts) > 1:
        raise UsageError("final is tried alone, for the version that you chose: --part final")
    if rubric is not None and not is_model(grader):
        raise UsageError(f"{grader} is no model and takes no rubric: name a grader llm:MODEL")
    named = None if rubric is None else name_version(find_rubric(project, rubric))
    return GradingSpec((grader,), folder, rubric=named, reference_set=name, parts=tuple(parts))


def find_trial_slots(project: OpenProject, spec: GradingSpec) -> Slots | None:
    """The answers that a trial is of; None where the spec is of none."""
    if spec.reference_set is None:
        return None
    found = read_set(project, find_set(project, spec.reference_set))
    return np.sort(found.slots[found.places(spec.parts)])


def rubric_of(project: OpenProject, spec: GradingSpec) -> PromptRubric | None:
    """What a person adds to the prompts of a spec's graders."""
    return None if spec.rubric is None else read_rubric(find_rubric(project, spec.rubric))


def note_trial(
    project: OpenProject, spec: GradingSpec, version: int, answers: int, cost: float | None
) -> None:
    """Note that a version (its id) was tried: how many answers it labelled, and what that cost."""
    assert spec.reference_set is not None
    stored = find_set(project, spec.reference_set)
    rubric = None if spec.rubric is None else find_rubric(project, spec.rubric).id
    trial = Trial(version, rubric, answers, cost, time_ns() // 1_000_000)
    with write_transaction(project.connection):
        db.reference_sets.add_trial(project.connection, stored.id, trial)
