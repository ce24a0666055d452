"""Collecting what engines answered into a database, for the job whose plan is out."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np

import db.model_rows
import db.responses
from core.errors import LostkeysError, UsageError
from core.jobs.label_collection import collect_labels
from core.jobs.plan_jobs import (
    PlanJob,
    check_templates,
    find_folder,
    find_job,
    list_own_files,
    note_standing,
    say_lost,
)
from core.project import OpenProject
from core.sampling.recipe import Recipe
from core.sampling.response_store import ResponseStore
from core.sampling.sample_plan import Plan
from core.scale.answer_sink import AnswerSink, DatabaseSink
from core.scale.collect_report import PlanProgress, PlanReport
from core.scale.collector import Collector, LineCounts
from core.scale.engine_fields import ENGINES
from core.scale.engine_output import find_files
from core.scale.plan_index import PlanIndex
from core.scale.plan_manifest import PlanFolder, bare_recipe, open_plan
from core.scale.plan_questions import PlanQuestions, UnchangedQuestions
from core.scale.request_planner import RequestFormat
from core.settings import paths
from core.transfer.imports import pause_collection
from core.vocabulary import Task
from db.connection import write_transaction

Tell = Callable[[int], object]
"""Told how many lines are through."""


def collect(
    project: OpenProject,
    folder: Path,
    outs: Sequence[Path],
    tell: Tell = lambda lines: None,
    lake: Path | None = None,
) -> tuple[LineCounts, PlanProgress]:
    """Take in what engines wrote for the plan in a folder; its retry files are new then.

    Of a plan for a grader these are labels, which are written to the database alone. With `lake`
    answers land there and not in the database, where the plan goes on claiming its
    slots, so that nobody asks for them again.

    Raises `LostkeysError` for what is no plan, or is no file of answers, before anything is taken;
    `UsageError` where the label stands for another recipe by now.
    """
    lost = None if folder.exists() else find_folder(project, folder)
    if lost is not None and not folder.exists():
        raise LostkeysError(say_lost(lost))
    plan = open_plan(folder)
    files = find_files(outs, list_own_files(plan))
    job = find_job(project, plan)
    if plan.manifest.grader:
        if lake is not None:
            raise UsageError(
                f"{folder} asks a grader for labels, and --lake takes answers: collect it into the "
                "database that wrote it"
            )
        with pause_collection():
            return collect_labels(project, plan, files, job, tell)
    since = plan.manifest.created.replace("T", " ")[:19]
    with pause_collection():
        index = PlanIndex(plan)
        written, store = _open(project, plan, job)
        questions = PlanQuestions(project.connection, plan, store.settings)
        unchanged = UnchangedQuestions(project.connection, None if job is None else job.id)
        with _open_sink(project, store, since, plan, lake) as sink:
            taking = Collector(project, index, questions, sink, written, unchanged)
            counts = taking.take(files, tell)
            sink.refresh()
            found = PlanReport(project, index, questions, sink, written).write()
            if found.is_here and not found.refused:
                with write_transaction(project.connection):
                    store.finish()
    if job is not None:
        note_standing(project, job, found, lake)
    return counts, found


def _open_sink(
    project: OpenProject, store: ResponseStore, since: str, plan: PlanFolder, lake: Path | None
) -> AbstractContextManager[AnswerSink]:
    """Where answers land: in the database, or in a lake."""
    if lake is None:
        return nullcontext(DatabaseSink(project, store, since))
    from core.transfer.lake_sink import lake_sink

    return lake_sink(project, store, since, plan, lake)


def _open(
    project: OpenProject, plan: PlanFolder, job: PlanJob | None
) -> tuple[RequestFormat, ResponseStore]:
    """How the plan was written, and what keeps its answers under its label."""
    manifest = plan.manifest
    label = job.spec.label if job is not None else manifest.label
    recipe = _recipe(project, plan, label, job)
    folder = (job.spec.prompts if job is not None else None) or paths.prompts_folder()
    named = set(plan.fact_ids())
    asked = Plan(
        model=recipe.model,
        label=label,
        samples=manifest.samples,
        facts=np.array([name in named for name in project.index.fact_ids], np.bool_),
        thinking=tuple(one == "on" for one in manifest.thinking),
        tasks=tuple(map(Task, manifest.tasks)),
        prompts=None if folder is None else Path(folder),
    )
    check_templates(recipe.prompts, asked.prompts, plan)
    limit = ENGINES[manifest.engine].limit  # type: ignore[index]
    written = RequestFormat(recipe, manifest.model, limit, max(manifest.per_request, 1), asked)
    with write_transaction(project.connection):
        store = ResponseStore(
            project, asked, recipe, job=None if job is None else job.id, goes_on=True
        )
    return written, store


def _recipe(project: OpenProject, plan: PlanFolder, label: str, job: PlanJob | None) -> Recipe:
    """The recipe of the plan, with the address that the label has here."""
    stored = db.model_rows.recipe_of(project.connection, label)
    wanted: dict[str, Any] = dict(plan.manifest.recipe)
    if db.responses.has_responses(project.connection, label):
        here = None if stored is None else bare_recipe(stored)
        if here != wanted:
            raise UsageError(
                f"{label} has responses of another recipe than that of {plan.path}: discard them "
                "with `lostkeys discard`, or collect into another database"
            )
    if job is not None:
        wanted["model"] = job.spec.model
    elif stored is not None and bare_recipe(stored) == wanted:
        wanted["model"] = stored["model"]
    try:
        return Recipe(**wanted)
    except TypeError:
        raise LostkeysError(f"{plan.path}: its recipe is not as it should be") from None
