"""The job that asks a model and grades its answers, fact by fact."""

import asyncio
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

import db.served_models
from core.engine.db_writer import DbWriter
from core.engine.engine import Engine
from core.engine.lease_liveness import BEAT_EVERY
from core.engine.model_channel import ModelChannel
from core.engine.run_counters import StageCounts
from core.engine.served_names import ServedNames
from core.errors import UsageError
from core.estimates.request_counts import plan_of
from core.graders import grader_table
from core.graders.grader_record import is_model
from core.jobs import grade_job as by_models
from core.jobs.job_progress import State
from core.jobs.job_run import JobResult, JobRun, hold_lease
from core.providers import most_answers
from core.providers.base import Provider, ServedModel
from core.providers.capabilities import Capabilities
from core.providers.exchange_file import RawFile, raw_path
from core.sampling.preflight import prepare_model
from core.sampling.sample_plan import Plan, check_plan, find_unprofiled_facts, known_for
from core.sampling.sample_requests import stage_of
from core.sampling.sample_work import OUT_IN, SampleWork
from core.scoring.missing_pairs import ASK_TRIPLES
from core.specs.answer_specs import AnsweringSpec
from core.stats.number_format import format_amount


def run(work: JobRun, spec: AnsweringSpec) -> JobResult:
    """Draw what is missing, and grade each fact when its answers are there.

    Raises `JobStopped` and what the engine and the preflight raise.
    """
    for name in spec.graders:
        grader_table.check(name)
    check_curtailed(spec.curtailed is not None, spec.graders)
    plan = plan_of(work.project, spec)
    unprofiled = find_unprofiled_facts(work.project, plan)
    if unprofiled is not None:
        work.control.counters.say("warn", f"{unprofiled.describe()}; {ASK_TRIPLES}")
    return answer(work, spec, plan)


def answer(work: JobRun, spec: AnsweringSpec, plan: Plan) -> JobResult:
    """Do it for a plan that stands for the spec. Raises as `run` does."""
    check_plan(work.project, plan)
    models = [name for name in spec.graders if is_model(name)]
    scope = by_models.scope_of(work, plan)
    for name in models:
        by_models.try_out(work, name, scope)
    before = work.control.await_(lambda: _draw(work, spec, plan))
    drawn = _result(work, spec, plan, before)
    graded = [by_models.grade_by_model(work, name, replace(scope, tried=True)) for name in models]
    return by_models.join_results([drawn, *graded])


def check_curtailed(curtailed: bool, graders: Collection[str]) -> None:
    """Raise `UsageError` for a curtailed run by the labels of a model."""
    model = next((name for name in graders if is_model(name)), None)
    if curtailed and model is not None:
        raise UsageError(
            f"a curtailed run stops by labels that are there at once, and {model} has to be "
            f"asked: curtail by lexical, and let {model} grade after it"
        )


async def _draw(work: JobRun, spec: AnsweringSpec, plan: Plan) -> int:
    """Do it; gives how many answers were there before."""
    provider = work.open_provider(plan.model, batches=spec.via == "batch")
    try:
        if not spec.unchecked:
            async with hold_lease(work):
                tried = work.on_trial(provider, plan.model)
                seen = await prepare_model(work.project, tried, plan)
            for note in seen.notes if seen is not None else ():
                work.control.counters.say("job", f"{plan.model}: {note}")
        before = await _fill(work, spec, plan, provider)
        if provider.most_answers is not None:
            most_answers.keep_most(work.project.connection, plan.model, provider.most_answers)
        return before
    finally:
        await provider.close()


async def _fill(work: JobRun, spec: AnsweringSpec, plan: Plan, provider: Provider) -> int:
    project, control, counters = work.project, work.control, work.control.counters

    def warn(line: str) -> None:
        counters.say("warn", line)

    async with DbWriter(project.connection, project.path, warn) as db_writer:
        db_writer.every(BEAT_EVERY, work.holder.beat)
        answering = await db_writer.run_read(lambda: _build_work(work, spec, plan))
        before = sum(stage.done for stage in list_answer_stages(work, plan))
        for name in filter(is_model, spec.graders):
            await db_writer.run_read(partial(by_models.expect, work, name, plan))
        known = await db_writer.run_read(lambda: _find_capabilities(work, plan))
        channels = {plan.model: work.channel(provider, plan.model, known)}
        before_this = await db_writer.run_read(
            lambda: db.served_models.read_by_label(project.connection)
        )
        channels[plan.model].served = ServedNames(
            ServedModel(one.name, one.fingerprint) for one in before_this.get(plan.label, ())
        )
        try:
            while await db_writer.run_read(answering.grade_rest):
                await control.wait_while_paused()
            with _open_raw(work, spec, plan, known) as raw:
                await _ask(work, spec, db_writer, answering, channels, raw)
        finally:
            await db_writer.run_read(answering.close)
    return before


def _find_capabilities(work: JobRun, plan: Plan) -> Capabilities:
    return known_for(work.project.connection, plan)


def _build_work(work: JobRun, spec: AnsweringSpec, plan: Plan) -> SampleWork:
    """What is to be asked, in rounds where the run is curtailed."""
    holder, on_fact = work.holder, work.means.on_fact
    graders = [name for name in spec.graders if not is_model(name)]
    if spec.curtailed is not None:
        from core.sampling.curtailed_work import CurtailedWork

        return CurtailedWork(
            work.project,
            plan,
            holder.lease_holder,
            work.control.counters,
            graders,
            spec.curtailed,
            on_fact,
            holder.job,
        )
    return SampleWork(
        work.project, plan, holder.lease_holder, work.control.counters, graders, on_fact, holder.job
    )


async def _ask(
    work: JobRun,
    spec: AnsweringSpec,
    db_writer: DbWriter,
    answering: SampleWork,
    channels: Mapping[str, ModelChannel],
    raw: RawFile | None,
) -> None:
    """Have it asked, request by request or in batches."""
    control, holder = work.control, work.holder
    budget = work.budget()
    if spec.via == "requests":
        engine = Engine(db_writer, answering, channels, control.counters, budget, raw)
        control.steer(engine)
        await engine.run()
        return
    from core.engine.batch_engine import BatchEngine
    from core.engine.batch_requests import BatchRun

    run = BatchRun(
        db_writer,
        answering,
        channels,
        control.counters,
        work.project.connection,
        holder.lease_holder,
        holder.job,
        budget,
        raw,
        pace=work.means.pace,
    )
    batches = BatchEngine(run)
    control.steer(batches)
    try:
        await batches.run()
    except asyncio.CancelledError:
        if control.end is State.CANCELLED:
            await batches.cancel()
        raise


@contextmanager
def _open_raw(
    work: JobRun, spec: AnsweringSpec, plan: Plan, known: Capabilities
) -> Iterator[RawFile | None]:
    if not spec.raw:
        yield None
        return
    raw = RawFile(raw_path(work.project.path), plan.model, known)
    try:
        yield raw
    finally:
        raw.close()


def list_answer_stages(work: JobRun, plan: Plan) -> list[StageCounts]:
    """The stages that count the answers of a plan."""
    names = [stage_of(on, plan.mode) for on in plan.thinking]
    return [one for name, one in work.control.counters.stages.items() if name in names]


def _result(work: JobRun, spec: AnsweringSpec, plan: Plan, before: int) -> JobResult:
    """What a run came to, in one line."""
    stages = list_answer_stages(work, plan)
    drawn = sum(one.done for one in stages) - before
    failed, dropped = sum(one.failed for one in stages), sum(one.dropped for one in stages)
    if not drawn and not failed and not dropped:
        if spec.only_failed:
            return JobResult("nothing is left that had failed")
        return JobResult("every answer was there already" if before else "there is nothing to ask")
    said = format_amount(before + drawn, "answer")
    if before:
        said += f", {before:,} of them there before"
    reasons = sum((one.reasons for one in stages), Counter[str]())
    for reason, count in reasons.items():
        if reason.startswith(OUT_IN):
            said += f", {count:,} {reason}"
            dropped -= count
    if dropped:
        said += f", {dropped:,} not needed"
    if failed:
        reasons = Counter({one: n for one, n in reasons.items() if not one.startswith(OUT_IN)})
        reason, count = reasons.most_common(1)[0]
        said += f", {failed:,} failed ({count:,}: {reason}); start it again to ask again"
    return JobResult(said, failed)
