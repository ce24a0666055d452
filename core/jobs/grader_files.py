"""Writing what a grader is to be asked to files, which are then out for engines elsewhere."""

from pathlib import Path

from core.grading.answer_selection import AnswerSelection
from core.grading.model_grader import ModelGrader, grader_for
from core.jobs.grade_job import GradingScope, count_now, get_ready, stage_of
from core.jobs.job_progress import State
from core.jobs.job_run import JobResult, JobRun
from core.jobs.job_view import WRITE
from core.jobs.plan_output import NOTHING, check_cost, name_outside, price_within, send_out
from core.providers.model_names import parse
from core.scale.engine_fields import ENGINES, choose_engine, describe_files
from core.scale.label_planner import LabelPlanner
from core.scale.label_requests import LabelRequestFormat
from core.scale.plan_draft import PlanDraft
from core.scale.plan_manifest import ANSWERS, Manifest, bare_recipe
from core.scale.plan_scope import task_names
from core.specs.file_specs import EngineName, FilesSpec
from core.stats.number_format import format_amount

CHEAPER = "grade by another model"


def write_for_grader(work: JobRun, spec: FilesSpec) -> JobResult:
    """Write a plan for a grader, which is out then. It claims nothing: what `grade` labels stays.

    Raises `UsageError`, `JobStopped`, what the grader's model raises, and `LostkeysError` where the
    folder cannot be written.
    """
    engine = choose_engine(spec.model, spec.engine)
    folder = Path(spec.prompts) if spec.prompts else None
    selection = AnswerSelection(spec.where, spec.models, spec.tasks, spec.size, spec.seed)
    scope = GradingScope(
        folder, tried=spec.unchecked, selection=selection, effort=spec.effort, replies=spec.replies
    )
    nobody = parse(spec.model).provider == "file"
    if not nobody and not count_now(work, spec.grader, scope)[0]:
        return JobResult(NOTHING)
    price = price_within(work, spec.model)
    if nobody:
        known = describe_files(engine, spec.thinking_by)
        grader = grader_for(
            spec.grader, known, folder=folder, effort=spec.effort, replies=spec.replies
        )
    else:
        grader = _look_at(work, spec, scope)
    written = LabelRequestFormat(
        grader, parse(spec.model).model, ENGINES[engine].limit, ENGINES[engine].strict
    )
    slots = scope.find_slots(work.project, spec.grader)
    planner = LabelPlanner(work.project, written, price, slots)
    work.control.counters.expect(WRITE, planner.facts)
    with PlanDraft(Path(spec.folder)) as draft:
        _fill(work, planner, draft)
        work.project.refresh()
        if not draft.facts:
            return JobResult(_add_known(NOTHING, planner))
        manifest = _complete(work, draft, spec, engine, planner, written)
        work.control.counters.expect(stage_of(spec.grader), manifest.answers)
        send_out(work, spec, manifest.plan)
        draft.deliver()
    return JobResult(_say(manifest, planner, spec.folder), state=State.OUT)


def _look_at(work: JobRun, spec: FilesSpec, scope: GradingScope) -> ModelGrader:
    """The grader at an address that stands for the many, as it is to be asked."""

    async def look() -> ModelGrader:
        provider = work.open_provider(spec.model)
        try:
            return (await get_ready(work, provider, spec.grader, scope)).grader
        finally:
            await provider.close()

    return work.control.await_(look)


def _fill(work: JobRun, planner: LabelPlanner, draft: PlanDraft) -> None:
    """Put all facts that lack labels into the draft."""
    for through, block in planner.blocks():
        answers: list[bytes] = []
        for fact in block:
            lines = planner.lines(fact, draft.facts)
            draft.add(fact.fact_id, {"chat": (lines.requests, lines.count)})
            answers += lines.answers
            check_cost(work, planner.sum.cost, CHEAPER)
        draft.append(ANSWERS, answers)
        work.reach(WRITE, through, planner.facts)


def _complete(
    work: JobRun,
    draft: PlanDraft,
    spec: FilesSpec,
    engine: EngineName,
    planner: LabelPlanner,
    written: LabelRequestFormat,
) -> Manifest:
    """Cut the draft into files and write the manifest."""
    name = name_outside(work, spec, spec.grader)
    return draft.complete(
        {
            "label": name,
            "grader": name,
            "model": written.model,
            "engine": engine,
            "recipe": bare_recipe(written.grader.recipe.as_json()),
            "tasks": task_names(planner.sum.tasks),
            "thinking": (),
            "samples": 0,
            "per_request": written.grader.most_answers,
            "tokens_in": planner.sum.tokens_in,
            "most_out": planner.sum.most_out,
        },
        draft.cut(spec.shards),
    )


def _say(manifest: Manifest, planner: LabelPlanner, folder: str) -> str:
    said = (
        f"{format_amount(manifest.requests, 'request')} for labels of "
        f"{format_amount(manifest.answers, 'different answer')} "
        f"about {format_amount(manifest.facts, 'fact')} in {folder}"
    )
    return _add_known(said, planner)


def _add_known(said: str, planner: LabelPlanner) -> str:
    known = planner.sum.known
    return f"{said}; {known:,} answers were labelled without asking" if known else said
