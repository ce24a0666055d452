"""The job that builds facts from documents, and the tasks that imported facts lack."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import db.build_steps
import db.candidates
from core.engine.db_writer import DbWriter
from core.engine.engine import Engine
from core.engine.lease_liveness import BEAT_EVERY
from core.engine.model_channel import ModelChannel
from core.engine.retry import OutageError
from core.jobs.job_run import JobResult, JobRun, hold_lease
from core.pipeline.build_scope import FACTS, BuildScope, before, by_model, find_stage, scope_of
from core.pipeline.build_work import BuildTarget, BuildWork
from core.pipeline.funnel import FunnelRow, funnel, tell
from core.pipeline.grounding import GroundingSource, open_grounding
from core.pipeline.missing_tasks import IncompleteFacts
from core.pipeline.model_setup import make_stage_model
from core.pipeline.redo import redo, redo_failed
from core.pipeline.stage_requests import MODEL, SEARCH, Asker, StageModel
from core.pipeline.stage_table import BY_NAME
from core.providers.base import Provider
from core.specs.build_specs import BuildingSpec
from core.stats.number_format import format_amount
from db.build_steps import OF_TRIPLES


def run(work: JobRun, spec: BuildingSpec) -> JobResult:
    """Take all units through the stages. Raises `UsageError`, `JobStopped`, what the engine raises.

    Without a model only what needs none is done.
    """
    scope = scope_of(spec.until, spec.only, spec.paragraphs, spec.set_name)
    if spec.redo is not None:
        find_stage(spec.redo)
    if spec.model is None:
        return _run_rules(work, spec, scope)
    return work.control.await_(lambda: _run_models(work, spec, scope))


def _run_rules(work: JobRun, spec: BuildingSpec, scope: BuildScope) -> JobResult:
    """Do what needs no model."""
    building = _begin_building(work, spec, scope, None)
    if spec.until is None and spec.only is None:
        for _ in IncompleteFacts(work.project.connection, work.holder.job).fall_back():
            work.control.check(work.holder.beat_if_due)
    while building.settle():
        work.control.check(work.holder.beat_if_due)
    return _result(work, scope, None)


async def _run_models(work: JobRun, spec: BuildingSpec, scope: BuildScope) -> JobResult:
    assert spec.model is not None
    project, counters = work.project, work.control.counters
    grounding = open_grounding(spec.grounding, project, spec.model)
    for note in grounding.notes:
        counters.say("warn", note)
    providers = {MODEL: work.open_provider(spec.model)}
    try:
        if grounding.model != spec.model:
            providers[SEARCH] = work.open_provider(grounding.model)
        asker = await _asker(work, spec, grounding, providers)
        return await _build(work, spec, scope, asker, providers)
    finally:
        for provider in providers.values():
            await provider.close()


async def _asker(
    work: JobRun, spec: BuildingSpec, grounding: GroundingSource, providers: dict[str, Provider]
) -> Asker:
    async def stage_model(channel: str, model: str) -> StageModel:
        tried = work.on_trial(providers[channel], model)
        return await make_stage_model(tried, model, work.project.connection, spec.replies)

    assert spec.model is not None
    async with hold_lease(work):
        first = await stage_model(MODEL, spec.model)
        other = await stage_model(SEARCH, grounding.model) if SEARCH in providers else first
    return Asker(first, other, grounding, Path(spec.prompts) if spec.prompts else None)


async def _build(
    work: JobRun,
    spec: BuildingSpec,
    scope: BuildScope,
    asker: Asker,
    providers: dict[str, Provider],
) -> JobResult:
    """Do it; where the source of a search is down, all that needs none, before that is raised."""
    project, counters = work.project, work.control.counters

    def warn(line: str) -> None:
        counters.say("warn", line)

    async with DbWriter(project.connection, project.path, warn) as db_writer:
        db_writer.every(BEAT_EVERY, work.holder.beat)
        building = await db_writer.run_read(lambda: _begin_building(work, spec, scope, asker))
        try:
            await _ask(work, db_writer, building, _channels(work, asker, providers))
        except OutageError as error:
            if SEARCH not in providers:
                raise
            counters.say("warn", f"{error}; meanwhile what needs no search goes on")
            await db_writer.write(building.let_go)
            rest = BuildScope(
                tuple(one for one in scope.stages if not one.grounded), scope.paragraphs
            )
            building = await db_writer.run_read(lambda: _work_over(work, spec, rest, asker))
            await _ask(work, db_writer, building, _channels(work, asker, {MODEL: providers[MODEL]}))
            await db_writer.run_read(lambda: tell(project.connection, scope, counters))
            raise
        return await db_writer.run_read(lambda: _result(work, scope, asker))


async def _ask(
    work: JobRun, db_writer: DbWriter, building: BuildWork, channels: dict[str, ModelChannel]
) -> None:
    engine = Engine(db_writer, building, channels, work.control.counters, work.budget())
    work.control.steer(engine)
    await engine.run()


def _channels(
    work: JobRun, asker: Asker, providers: dict[str, Provider]
) -> dict[str, ModelChannel]:
    """The channels to these providers, in the running event loop."""
    stage_models = {MODEL: asker.stage_model, SEARCH: asker.search}
    return {
        key: work.channel(provider, stage_models[key].model, stage_models[key].known)
        for key, provider in providers.items()
    }


def _begin_building(
    work: JobRun, spec: BuildingSpec, scope: BuildScope, asker: Asker | None
) -> BuildWork:
    """Make units of imported facts, set aside what is to be done anew, and declare the stages."""
    connection, job = work.project.connection, work.holder.job
    _work_blocks(work, IncompleteFacts(connection, job).prepare())
    if spec.redo is not None:
        count = _work_blocks(work, redo(connection, find_stage(spec.redo), asker, job))
        what = f"{count:,} discarded, to be done again" if count else "nothing to do again"
        work.control.counters.say("job", f"{spec.redo}: {what}")
    if spec.only_failed:
        _work_blocks(work, redo_failed(connection, scope.stages, job))
    tell(connection, scope, work.control.counters)
    return _work_over(work, spec, scope, asker)


def _work_over(
    work: JobRun, spec: BuildingSpec, scope: BuildScope, asker: Asker | None
) -> BuildWork:
    holder, target = work.holder, BuildTarget(spec.target, spec.seed)
    return BuildWork(
        work.project, scope, asker, holder.lease_holder, work.control.counters, target, holder.job
    )


def _work_blocks(work: JobRun, blocks: Iterable[int]) -> int:
    """Do work block by block, with a sign of life between."""
    count = 0
    for one in blocks:
        count += one
        work.holder.beat_if_due()
    return count


REASONS = 3
"""Reasons that the line of a build has where nothing came of it."""


@dataclass(frozen=True, slots=True)
class BuildResult:
    """What a build came to: facts of documents, missing tasks made and the imported facts of these.

    Also units that were dropped by any stage but the draw, have failed, and wait for a model.
    `kept` by the last stage, which has a name here where no facts were to be made. `idle`: why
    there was nothing to do, if so. `left_out`: candidates that no draw has taken. `reasons`: why
    most units of the file were dropped.
    """

    facts: int
    tasks: int
    completed: int
    dropped: int
    failed: int
    waiting: int
    kept: int = 0
    stage: str = ""
    idle: str = ""
    left_out: int = 0
    reasons: str = ""

    @property
    def said(self) -> str:
        """All of it in one line."""
        said = ", ".join(self._parts())
        if self.left_out:
            said += f"; {self.left_out:,} not in the sample: a larger target takes more"
        if self.waiting:
            said += f"; {_wait(self.waiting)} for a model: --model M goes on"
        return said

    def _parts(self) -> Iterator[str]:
        if self.idle:
            yield f"nothing to do{self.idle}"
            return
        if self.stage:
            yield f"{self.kept:,} kept by {self.stage}"
        elif self.facts or not self.tasks:
            yield f"{format_amount(self.facts, 'fact')} built"
        if self.tasks:
            made, facts = (
                format_amount(self.tasks, "missing task"),
                format_amount(self.completed, "fact"),
            )
            yield f"{made} made for {facts}"
        if self.dropped:
            why = "" if self.facts or self.tasks or self.kept else self.reasons
            yield f"{self.dropped:,} dropped on the way{why and f' ({why})'}"
        if self.failed:
            yield f"{self.failed:,} failed: --only-failed asks them again"


def _wait(count: int) -> str:
    return "1 waits" if count == 1 else f"{count:,} wait"


def _result(work: JobRun, scope: BuildScope, asker: Asker | None) -> JobResult:
    """What the job came to; counts are those of this job, but for what waits."""
    connection, job = work.project.connection, work.holder.job
    tell(connection, scope, work.control.counters)
    verdicts, last, kept = Counter[str](), scope.stages[-1].name, 0
    for one in db.build_steps.counts(connection, job):
        passed_over = one.verdict == "dropped" and BY_NAME[one.stage].whole
        verdicts["not drawn" if passed_over else one.verdict] += one.count
        kept += one.count if (one.stage, one.verdict) == (last, "kept") else 0
    rows = funnel(connection, scope)
    waiting = sum(row.waiting for row in rows if asker is None and by_model(row.stage))
    tasks, completed = db.candidates.count_tasks(connection, FACTS, job)
    if last in OF_TRIPLES:  # what it keeps is the task that it makes
        tasks = completed = 0
    reasons = _describe_reasons(rows)
    idle = _idle(rows, reasons) if not verdicts and not tasks else ""
    built = BuildResult(
        db.candidates.count_facts(connection, FACTS, job),
        tasks,
        completed,
        verdicts["dropped"],
        verdicts["failed"],
        waiting,
        kept,
        "" if last == FACTS else last,
        idle,
        sum(row.dropped.total() for row in rows if row.stage.whole),
        reasons,
    )
    return JobResult(built.said, built.failed, built)


def _describe_reasons(rows: Sequence[FunnelRow]) -> str:
    """The reasons for which most were dropped: `3 fewer than 50 words`."""
    dropped = sum((row.dropped for row in rows if not row.stage.whole), Counter[str]())
    return ", ".join(f"{count:,} {reason}" for reason, count in dropped.most_common(REASONS))


def _idle(rows: Sequence[FunnelRow], reasons: str) -> str:
    """Why nothing was done: all is through, or the stages before have kept nothing yet."""
    if any(row.taken or row.waiting for row in rows):
        lost = f"; dropped before: {reasons}" if reasons and not rows[-1].kept else ""
        return f" that was not done before{lost}"
    if rows[0].stage.name in OF_TRIPLES:
        return ": every triple with a subject has a question"
    names = before(rows[0].stage.name)
    return f": nothing has come through {names[-1]} yet" if names else ": no documents are here"
