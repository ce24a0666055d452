"""Collecting what engines said of answers, for a plan that asks a grader for labels."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import get_args

import db.label_grids
from core.errors import LostkeysError
from core.graders.grader_record import model_of
from core.grading.model_grader import GraderRecipe, ModelGrader, register_grader
from core.jobs.plan_jobs import PlanJob, check_templates, note_standing
from core.project import OpenProject
from core.scale.answer_index import AnswerIndex
from core.scale.collect_report import PlanProgress
from core.scale.collector import LineCounts
from core.scale.engine_fields import ENGINES
from core.scale.label_collector import LabelCollector, PlanAnswers
from core.scale.label_report import LabelReport
from core.scale.label_requests import LabelRequestFormat
from core.scale.plan_manifest import WHOLE, PlanFolder
from core.scale.plan_questions import PlanQuestions
from core.settings import paths
from db.connection import write_transaction
from prompts.reply_shape import ReplyForm


def collect_labels(
    project: OpenProject,
    plan: PlanFolder,
    files: Sequence[Path],
    job: PlanJob | None,
    tell: Callable[[int], object],
) -> tuple[LineCounts, PlanProgress]:
    """Write the labels in what engines wrote; the retry files are new then.

    Raises `LostkeysError` for a plan that is not as it was written, before anything is taken.
    """
    plan.check_sums()
    index = AnswerIndex(plan)
    questions = PlanQuestions(project.connection, plan, {})
    written = _open(plan, job)
    with write_transaction(project.connection):
        version = register_grader(project.connection, written.grader)
    answers = PlanAnswers(project, index, questions, written, version)
    counts = LabelCollector(answers).take(files, tell)
    found = LabelReport(answers, plan).write()
    db.label_grids.fold_if_due(project.connection)
    if job is not None:
        note_standing(project, job, found)
    return counts, found


def _open(plan: PlanFolder, job: PlanJob | None) -> LabelRequestFormat:
    """How the plan was written: by a grader of its name here, with its address."""
    manifest = plan.manifest
    name = manifest.grader if job is None else job.spec.grader
    folder = (job.spec.prompts if job is not None else None) or paths.prompts_folder()
    try:
        recipe = GraderRecipe(**{**manifest.recipe, "model": model_of(name)})
        engine = ENGINES[manifest.engine]  # type: ignore[index]
        known = get_args(ReplyForm)
        if recipe.replies not in known:
            raise TypeError(f"replies are one of {known}")
        check_templates(
            recipe.prompts, None if folder is None else Path(folder), plan, recipe.replies
        )
    except (TypeError, KeyError, AttributeError):
        raise LostkeysError(f"{plan.path}: its recipe is not as it should be: {WHOLE}") from None
    grader = ModelGrader(name, recipe, None if folder is None else Path(folder))
    return LabelRequestFormat(grader, manifest.model, engine.limit, engine.strict)
