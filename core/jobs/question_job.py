"""The job in which a model writes the questions of triples that have none."""

from collections import Counter
from pathlib import Path

from core.engine.db_writer import DbWriter
from core.engine.engine import Engine
from core.engine.lease_liveness import BEAT_EVERY
from core.fact_bench.question_work import STAGE, QuestionWork, open_triples
from core.fact_bench.stored_sets import choose_set
from core.jobs.grade_job import budget_of
from core.jobs.job_run import JobResult, JobRun, hold_lease
from core.pipeline.model_setup import make_stage_model
from core.pipeline.stage_requests import MODEL
from core.specs.build_specs import QuestionsSpec
from db.prepared_triples import SetTriple


def run(work: JobRun, spec: QuestionsSpec) -> JobResult:
    """Ask for what is missing. Raises `UsageError`, `Stopped` and what the engine raises."""
    name = choose_set(work.project, spec.set_name)
    triples = open_triples(work.project, name)
    work.control.counters.expect(STAGE, len(triples))
    if not triples:
        return JobResult(f"every triple of {name} with a subject has a question")
    work.control.await_(lambda: _write(work, spec, triples))
    work.project.refresh()
    stage = work.control.counters.stages[STAGE]
    said = f"{stage.done:,} questions"
    if stage.failed:
        reason, count = Counter(stage.reasons).most_common(1)[0]
        said += f"; {stage.failed:,} failed ({count:,}: {reason}); start it again to ask again"
    return JobResult(said, stage.failed, in_vain=not stage.done)


async def _write(work: JobRun, spec: QuestionsSpec, triples: list[SetTriple]) -> None:
    control, project = work.control, work.project
    provider = work.open_provider(spec.model)
    try:
        async with hold_lease(work):
            stage_model = await make_stage_model(provider, spec.model, project.connection)

        def told(line: str) -> None:
            control.counters.say("warn", line)

        async with DbWriter(project.connection, project.path, told) as db_writer:
            db_writer.every(BEAT_EVERY, work.holder.beat)
            folder = Path(spec.prompts) if spec.prompts else None
            writing = await db_writer.read(
                lambda: QuestionWork(
                    project,
                    triples,
                    stage_model,
                    work.holder.lease_holder,
                    control.counters,
                    folder,
                )
            )
            channels = {MODEL: work.channel(provider, spec.model, stage_model.known)}
            engine = Engine(db_writer, writing, channels, control.counters, budget_of(work))
            control.steer(engine)
            await engine.run()
    finally:
        await provider.close()
