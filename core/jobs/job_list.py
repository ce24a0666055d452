"""Jobs as they are in the file, whoever runs them."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import db.failures
import db.job_rows
import db.served_models
from core.engine.lease_liveness import Liveness, watch_leases
from core.errors import LostkeysError
from core.jobs.job_progress import State
from core.jobs.job_view import JobView, LogLine
from core.project import OpenProject
from core.providers.model_names import EMBEDDED
from core.specs.answer_specs import AnsweringSpec, DemoSpec
from core.specs.build_specs import BuildingSpec
from core.specs.job_kinds import Spec
from core.specs.stored_specs import from_json
from db import leases
from db.connection import read_transaction
from db.job_rows import JobSpend, JobStage, StoredEvent, StoredJob
from db.served_models import StoredServed
from db.stored_values import StoredValues, read_time

HELD = (State.WAITING, State.RUNNING, State.PAUSED)
"""States in which a job has an owner, unless that is gone."""


def watched_jobs(connection: sqlite3.Connection) -> Liveness:
    """The same for all jobs that claim to have an owner."""
    claims = [row.lease for row in db.job_rows.list_jobs(connection) if row.state in HELD]
    return watch_leases(connection, [lease for lease in claims if lease is not None])


GONE = "its program is gone; resume it to continue"

LOST = "its program is gone; what was done is kept"
"""Line of the log."""


def list_jobs(project: OpenProject, liveness: Liveness | None = None) -> list[JobView]:
    """All jobs of a file, newest first.

    With `liveness`, which is to be the same at each look, jobs whose program is gone are known
    after a few seconds; without it only those are whose lease has been taken away.
    """
    connection = project.connection
    with read_transaction(connection):
        stages, spends = db.job_rows.stages(connection), db.job_rows.read_spends(connection)
        if liveness is not None:
            liveness.look(leases.beats(connection))
        return [
            view_of(row, stages.get(row.id, []), spends.get(row.id, []), _is_lost(row, liveness))
            for row in db.job_rows.list_jobs(connection)
        ]


def find_loss(connection: sqlite3.Connection, job: int) -> bool:
    """Whether a job has lost its program. Takes a few seconds at the most.

    Raises `LostkeysError` where there is no such job.
    """
    row = read_job(connection, job)
    if row.state not in HELD:
        return False
    return row.lease is None or watch_leases(connection, [row.lease]).is_gone(row.lease)


def note_loss(connection: sqlite3.Connection, job: int) -> None:
    """Add to a job's log that its program is gone, unless that stands there. In a transaction."""
    events = db.job_rows.events(connection, job)
    if not events or events[-1].text != LOST:
        db.job_rows.add_event(connection, job, "fail", LOST)


def find_running(project: OpenProject, liveness: Liveness) -> JobView | None:
    """The job that a program works on: one that runs before one that is paused or waits.

    Known from the second look with the same `liveness`; None where no program has one.
    """
    connection = project.connection
    with read_transaction(connection):
        liveness.look(leases.beats(connection))
        rows = [row for row in db.job_rows.open_jobs(connection) if liveness.is_owned(row.lease)]
        if not rows:
            return None
        row = min(rows, key=lambda one: one.state != State.RUNNING)
        return view_of(row, db.job_rows.stages(connection).get(row.id, []))


def _is_lost(row: StoredJob, liveness: Liveness | None) -> bool:
    if row.state not in HELD:
        return False
    return row.lease is None if liveness is None else liveness.is_gone(row.lease)


def read_log(project: OpenProject, job: int | None = None, after: int = 0) -> list[LogLine]:
    """The log of a job (or of all), oldest first, from behind the line with the id `after`."""
    return [log_line(one) for one in db.job_rows.events(project.connection, job, after)]


@dataclass(frozen=True, slots=True)
class ErrorGroup:
    """Answers that could not be had for one reason: how many, and an example.

    `fact_id` and `task` say which question the example is of.
    """

    reason: str
    count: int
    model: str
    example: str
    fact_id: str
    task: str


@dataclass(frozen=True, slots=True)
class JobTrouble:
    """What a job's model could not answer, by reason, and by which names it was served, in order.

    Both are empty where the job asks no model for answers.
    """

    errors: tuple[ErrorGroup, ...] = ()
    served: tuple[StoredServed, ...] = ()


def trouble(project: OpenProject, view: JobView) -> JobTrouble:
    """What went wrong in a job so far, as the file has it."""
    if not isinstance(view.spec, AnsweringSpec):
        return JobTrouble()
    served = db.served_models.read_by_label(project.connection).get(view.spec.label, [])
    return JobTrouble(tuple(_group_errors(project, view.spec.label)), tuple(served))


def errors(project: OpenProject, job: int | None = None) -> list[ErrorGroup]:
    """What could not be answered so far, grouped by reason; of one job's model, or of all.

    Raises `LostkeysError` where there is no such job, or where it asks no model.
    """
    return _group_errors(project, None if job is None else _label(project.connection, job))


def _group_errors(project: OpenProject, label: str | None) -> list[ErrorGroup]:
    return [
        ErrorGroup(
            one.reason,
            one.count,
            one.model,
            f"{one.fact_id}, {one.task}, thinking {'on' if one.thinking else 'off'}, "
            f"answer {one.sample + 1}",
            one.fact_id,
            one.task,
        )
        for one in db.failures.group_failures(project.connection, label)
    ]


def _label(connection: sqlite3.Connection, job: int) -> str:
    spec = spec_of(read_job(connection, job))
    if isinstance(spec, DemoSpec):
        return EMBEDDED
    if isinstance(spec, BuildingSpec):
        raise LostkeysError(f"job {job} is a build: `lostkeys build --funnel` says what it lost")
    if not isinstance(spec, AnsweringSpec):
        raise LostkeysError(f"job {job} asks no model: its log says what happened")
    return spec.label


def read_job(connection: sqlite3.Connection, job: int) -> StoredJob:
    """The row of a job. Raises `LostkeysError` where there is none."""
    row = db.job_rows.get(connection, job)
    if row is None:
        raise LostkeysError(f"there is no job {job}: `lostkeys jobs` lists them")
    return row


def spec_of(row: StoredJob) -> Spec:
    """What a job is to do. Raises `LostkeysError` for what this program does not know."""
    return from_json(row.spec)


def view_of(
    row: StoredJob,
    stages: Sequence[JobStage] = (),
    spends: Sequence[JobSpend] = (),
    lost: bool = False,
) -> JobView:
    """A job's row as it is shown. One that has lost its owner counts as stopped."""
    try:
        spec = spec_of(row)
    except LostkeysError:
        spec = None
    return JobView(
        id=row.id,
        kind=row.kind,
        name=row.name if spec is None else spec.subject,
        state=State.STOPPED if lost else State(row.state),
        reason=GONE if lost else row.reason,
        lost=lost,
        wish=row.wish,
        spec=spec,
        stages=tuple(stages),
        spends=tuple(spends),
        max_cost=row.max_cost,
        created=to_local(row.created),
        started=to_local(row.started),
        ended=to_local(row.ended),
    )


def log_line(event: StoredEvent) -> LogLine:
    """A line of the log as it is shown."""
    at = to_local(event.at)
    assert at is not None
    return LogLine(event.id, event.job, at, event.kind, event.text)


def to_local(text: str | None) -> datetime | None:
    """A time as the file has it (UTC), in local time."""
    return None if text is None else read_time(text).astimezone()


STORED = (
    StoredValues("job", "created", to_local),
    StoredValues("job", "started", to_local),
    StoredValues("job", "ended", to_local),
    StoredValues("event", "at", to_local),
)
