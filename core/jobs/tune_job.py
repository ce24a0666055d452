"""The job that has a service fine-tune a model, and follows it until there is a new one."""

import asyncio
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import db.project_values
from core.engine.poll_schedule import Patience
from core.errors import LostkeysError, UsageError
from core.fact_bench.tuning_check import EXPLAINED, check_examples, read_reported
from core.jobs.job_progress import State
from core.jobs.job_run import JobResult, JobRun, hold_lease
from core.providers.model_names import parse
from core.settings.compression import open_file
from core.specs.file_specs import TuningSpec

if TYPE_CHECKING:
    from core.providers.openai_tuner import OpenAITuner, TuningStatus

TUNE = "tune"
"""Its stage."""


def run(work: JobRun, spec: TuningSpec) -> JobResult:
    """Check the files, upload them, start a job at the service, and wait for its end.

    What another program of the same job has uploaded or started is found again. Raises
    `UsageError` for files that no service takes, `LostkeysError` where nothing comes of it.
    """
    contents = [_read_checked(work, path) for path in spec.files]
    work.control.counters.expect(TUNE, 1)
    model = work.control.await_(lambda: _tune(work, spec, contents))
    address = parse(spec.model)
    where = "" if address.is_openai else f"@{address.base_url}"
    return JobResult(f"the new model is openai:{model}{where}")


def _read_checked(work: JobRun, path: str) -> bytes:
    """The content of a file of examples in which nothing is wrong."""
    file = Path(path)
    report = check_examples(file, read_reported(work.project.path, None, None))
    if report.errors:
        first = report.errors[0]
        where = f", line {first.line}" if first.line else ""
        raise UsageError(
            f"{path}{where}: {EXPLAINED[first.problem]}; `lostkeys fact-bench check-tuning` lists "
            f"all {len(report.errors):,} errors"
        )
    try:
        with open_file(file) as opened:
            return opened.read()
    except OSError as error:
        raise LostkeysError(f"{path}: {error.strerror}: check the name") from None


def token_of(work: JobRun) -> str:
    """What tells the uploads of this job from all others, whichever program does it."""
    identity = db.project_values.value(work.project.connection, db.project_values.IDENTITY)
    return hashlib.sha256(f"{identity}/{work.holder.job}".encode()).hexdigest()[:32]


async def _tune(work: JobRun, spec: TuningSpec, contents: list[bytes]) -> str:
    """The name of the model that comes of it."""
    tuner = work.means.open_tuner(spec.model)
    patience = Patience(work.means.pace, work.control.counters)
    token = token_of(work)
    status: TuningStatus | None = None
    try:
        async with hold_lease(work):
            status = await patience.ask(lambda: _begin(tuner, spec, contents, token))
            work.control.counters.say("job", f"{status.job} at the service: {status.state}")
            status = await _follow(work, tuner, patience, status)
    except asyncio.CancelledError:
        if work.control.end is State.CANCELLED:
            await _cancel(tuner, token)
        raise
    finally:
        await tuner.close()
    if not status.model:
        raise LostkeysError(status.reason or f"{spec.model}: the service names no new model")
    return status.model


async def _begin(
    tuner: "OpenAITuner", spec: TuningSpec, contents: list[bytes], token: str
) -> "TuningStatus":
    """The job of a token at the service, started where it is not there."""
    from core.providers.openai_tuner import TuningOrder

    found = await tuner.find(token)
    if found is not None:
        return found
    names = [
        await tuner.upload(f"lostkeys-{token}-{place}.jsonl", content)
        for place, content in enumerate(contents)
    ]
    order: TuningOrder = TuningOrder(
        names[0],
        names[1] if len(names) > 1 else None,
        spec.epochs,
        spec.suffix,
        spec.learning_rate,
        spec.batch,
        spec.seed,
    )
    return await tuner.start(token, order)


async def _follow(
    work: JobRun, tuner: "OpenAITuner", patience: Patience, status: "TuningStatus"
) -> "TuningStatus":
    """Look at a job, less and less often, until it is over; says what happens in it."""
    counters, pace = work.control.counters, work.means.pace
    seen: set[str] = set()
    wait = pace.first_look
    while True:
        job, state = status.job, status.state
        for event in await patience.ask(lambda job=job: tuner.events(job)):  # type: ignore[misc]
            if event.id not in seen:
                seen.add(event.id)
                counters.say("job", event.message)
            if event.steps:
                counters.reach(TUNE, event.step, event.steps)
        if status.over:
            return status
        await pace.sleep(wait)
        wait = min(2 * wait, pace.longest_look)
        status = await patience.ask(lambda job=job: tuner.get_status(job))  # type: ignore[misc]
        if status.state != state:
            counters.say("job", f"{status.job}: {status.state}")


async def _cancel(tuner: "OpenAITuner", token: str) -> None:
    """Have the job of a token end at the service; it may have been started a moment ago."""
    found = await tuner.find(token)
    if found is not None and not found.over:
        await tuner.cancel(found.job)
