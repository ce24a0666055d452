"""The job that writes what is to be asked to files, which are then out for engines elsewhere."""

from dataclasses import replace
from pathlib import Path

import db.plan_ranges
from core.errors import LostkeysError
from core.jobs.grader_files import write_for_grader
from core.jobs.job_progress import State
from core.jobs.job_run import JobResult, JobRun, hold_lease
from core.jobs.job_view import WRITE
from core.jobs.plan_jobs import find_folder, find_lost_plans, say_lost
from core.jobs.plan_output import NOTHING, check_cost, name_outside, price_within, send_out
from core.project import OpenProject
from core.providers import most_answers
from core.sampling.preflight import check_model
from core.sampling.recipe import is_found_out
from core.sampling.response_store import ResponseStore
from core.sampling.sample_plan import find_unprofiled_facts
from core.sampling.sample_requests import stage_of
from core.scale.kept_columns import keep_columns
from core.scale.plan_columns import read_plan
from core.scale.plan_draft import PlanDraft, check_new
from core.scale.plan_manifest import Manifest, PlanFolder, bare_recipe
from core.scale.plan_scope import (
    SETTINGS,
    PlanScope,
    is_anything_missing,
    read_scope,
    task_names,
    write_by,
)
from core.scale.request_planner import Choose, RequestFormat, RequestPlanner
from core.scoring.missing_pairs import ASK_TRIPLES
from core.specs.file_specs import FilesSpec
from core.stats.number_format import format_amount
from db.connection import write_transaction

ALL_OUT = (
    "there is nothing to ask: what is missing is out in files, or another job asks for it "
    "(`lostkeys jobs` lists them); no file was written"
)


def _explain_nothing(project: OpenProject, spec: FilesSpec) -> str:
    """Why nothing is left; of a curtailed plan the verdicts may be decided."""
    if spec.curtailed is not None:
        return NOTHING
    return "; ".join([ALL_OUT, *map(say_lost, find_lost_plans(project))])


def run(work: JobRun, spec: FilesSpec) -> JobResult:
    """Write a plan, which is out then. What has been claimed is free again where that fails.

    Raises `UsageError`, `JobStopped`, and `LostkeysError` where the folder cannot be written.
    """
    folder = Path(spec.folder)
    check_new(folder)
    if (left := find_folder(work.project, folder)) is not None:
        if folder.exists():
            return JobResult(f"{folder} is there now: job {left.id} was killed as it was written")
        raise LostkeysError(say_lost(left))
    if spec.grader:
        return write_for_grader(work, spec)
    connection, job = work.project.connection, work.holder.job
    with write_transaction(connection):
        db.plan_ranges.free(connection, job)  # of a program that was killed
    try:
        return _write(work, spec)
    except BaseException:
        with write_transaction(connection):
            db.plan_ranges.free(connection, job)
        raise


def _write(work: JobRun, spec: FilesSpec) -> JobResult:
    scope = read_scope(work.project, spec)
    unprofiled = find_unprofiled_facts(work.project, scope.plan)
    if unprofiled is not None:
        work.control.counters.say("warn", f"{unprofiled.describe()}; {ASK_TRIPLES}")
    work.control.counters.expect(WRITE, scope.facts.size)
    if not is_anything_missing(work.project, scope):
        return JobResult(NOTHING)
    if is_found_out(scope.plan.model) and not spec.unchecked:
        _check(work, scope)
    written = write_by(work.project, spec, scope)
    scope = replace(scope, plan=written.plan)
    price = price_within(work, scope.plan.model)
    settings, choose = _register(work, spec, scope, written)
    planner = RequestPlanner(
        work.project, scope.plan, settings, work.holder.job, written, choose, price, scope.rejected
    )
    with PlanDraft(Path(spec.folder)) as draft:
        _fill(work, scope, planner, draft)
        if not draft.facts:
            with write_transaction(work.project.connection):
                db.plan_ranges.free(work.project.connection, work.holder.job)
            return JobResult(
                planner.sum.reason
                if planner.sum.unaskable
                else _explain_nothing(work.project, spec)
            )
        files = draft.cut(spec.shards)
        found = planner.sum
        manifest = draft.complete(
            {
                "label": name_outside(work, spec, spec.label),
                "model": written.model,
                "engine": scope.engine,
                "recipe": bare_recipe(written.recipe.as_json()),
                "tasks": task_names(found.tasks),
                "thinking": tuple(SETTINGS[on] for on, count in found.answers.items() if count),
                "samples": spec.samples,
                "per_request": written.most,
                "tokens_in": found.tokens_in,
                "most_out": found.most_out,
            },
            files,
        )
        for on, count in found.answers.items():
            if count:
                work.control.counters.expect(stage_of(on), count)
        plan = PlanFolder(draft.place, manifest)
        keep_columns(plan, read_plan(plan, planner.shown))
        send_out(work, spec, manifest.plan)
        draft.deliver()
    return JobResult(_say(manifest, planner, spec.folder), state=State.OUT)


def _check(work: JobRun, scope: PlanScope) -> None:
    """Look at the model that stands for the many."""
    project, plan = work.project, scope.plan

    async def check() -> None:
        provider = work.open_provider(plan.model)
        try:
            async with hold_lease(work):
                seen = await check_model(project, work.on_trial(provider, plan.model), plan)
            if provider.most_answers is not None:
                most_answers.keep_most(project.connection, plan.model, provider.most_answers)
        finally:
            await provider.close()
        for note in seen.notes:
            work.control.counters.say("job", f"{plan.model}: {note}")

    work.control.await_(check)


def _register(
    work: JobRun, spec: FilesSpec, scope: PlanScope, written: RequestFormat
) -> tuple[dict[bool, int], Choose | None]:
    """Settings of the plan, and what to ask of a fact where that is not all that is missing."""
    project, holder = work.project, work.holder
    if spec.curtailed is None:
        with write_transaction(project.connection):
            store = ResponseStore(project, scope.plan, written.recipe, job=holder.job)
        return store.settings, None
    from core.sampling.curtailed_work import CurtailedWork

    curtailing = CurtailedWork(
        project,
        scope.plan,
        holder.lease_holder,
        work.control.counters,
        spec.curtailed.graders or (),
        spec.curtailed,
        job=holder.job,
    )
    while curtailing.grade_rest():
        holder.beat_if_due()
    return dict(curtailing.settings), curtailing.choose


def _fill(work: JobRun, scope: PlanScope, planner: RequestPlanner, draft: PlanDraft) -> None:
    """Put all facts that lack anything into the draft."""
    through = 0
    for block in scope.blocks():
        for fact in planner.claim(block):
            lines = planner.lines(fact, draft.facts)
            if lines:
                draft.add(fact.fact_id, lines)
            check_cost(work, planner.sum.cost, "ask about fewer facts with --facts N")
        through += len(block)
        work.reach(WRITE, through, scope.facts.size)


def _say(manifest: Manifest, planner: RequestPlanner, folder: str) -> str:
    said = (
        f"{format_amount(manifest.requests, 'request')} for "
        f"{format_amount(manifest.answers, 'answer')} about "
        f"{format_amount(manifest.facts, 'fact')} in {folder}"
    )
    if planner.sum.unaskable:
        said += f"; {planner.sum.unaskable:,} cannot be asked ({planner.sum.reason})"
    return said
