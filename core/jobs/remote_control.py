"""Steering jobs of other programs: a wish in the job's row, at which its owner looks."""

import sqlite3
from pathlib import Path
from typing import Literal

import db.batches
import db.job_rows
import db.plan_ranges
from core.engine.lease_liveness import watch_leases
from core.errors import LostkeysError
from core.jobs.job_list import HELD, read_job, spec_of
from core.jobs.job_progress import State
from core.project import OpenProject
from core.specs.file_specs import TuningSpec
from core.specs.job_kinds import Spec
from core.specs.stored_specs import as_json
from db.connection import write_transaction
from db.job_rows import StoredJob

Wish = Literal["pause", "resume", "cancel"]

OVER = (State.FINISHED, State.CANCELLED)

IS_OUT = (
    "job {job} is out in files: `lostkeys collect DIR OUT...` collects the responses, "
    "`lostkeys jobs cancel {job}` frees what it claims"
)


def pause(path: Path, job: int) -> None:
    """Ask a job's owner to pause it. Raises `LostkeysError` where nobody runs it."""
    with OpenProject(path, "write") as project:
        row = read_job(project.connection, job)
        if row.state != State.RUNNING or not is_held(project.connection, row):
            raise LostkeysError(f"job {job} is not running: there is nothing to pause")
        _wish(project.connection, job, "pause")


def resume(path: Path, job: int) -> Spec | None:
    """Ask a paused job's owner to go on; where it has none, gives what there is to go on with.

    Raises `LostkeysError` for a job that is at its end, or runs.
    """
    with OpenProject(path, "write") as project:
        row = read_job(project.connection, job)
        if row.state in OVER:
            raise LostkeysError(f"job {job} is {row.state}: there is nothing to resume")
        if row.state == State.OUT:
            raise LostkeysError(IS_OUT.format(job=job))
        if not is_held(project.connection, row):
            return spec_of(row)
        if row.state != State.PAUSED and row.wish != "pause":
            raise LostkeysError(f"job {job} is {row.state} in another program already")
        _wish(project.connection, job, "resume")
    return None


def cancel(path: Path, job: int) -> None:
    """Cancel a job: by its owner, or at once where it has none; what it has done is kept.

    What a plan claims that is out is free then; answers that come late are still taken.
    """
    with OpenProject(path, "write") as project:
        row = read_job(project.connection, job)
        if row.state in OVER:
            raise LostkeysError(f"job {job} is {row.state} already")
        if is_held(project.connection, row):
            _wish(project.connection, job, "cancel")
            return
        tunes = isinstance(spec_of(row), TuningSpec)
        if tunes or db.batches.find_unfinished(project.connection, job):
            raise LostkeysError(
                f"job {job} has {'a fine-tuning' if tunes else 'a batch'} with the service, and "
                f"no program works on it: resume it with `lostkeys run --job {job}`, then cancel it"
            )
        with write_transaction(project.connection):
            db.job_rows.set_state(
                project.connection, job, State.CANCELLED, "cancelled; what was done is kept"
            )
            db.plan_ranges.free(project.connection, job)


def spec(path: Path, job: int) -> Spec:
    """What a job of the file is to do. Raises `LostkeysError`."""
    with OpenProject(path, "read") as project:
        return spec_of(read_job(project.connection, job))


def find_running(connection: sqlite3.Connection, spec: Spec) -> int | None:
    """The job of just this spec that another program works on; None where there is none."""
    rows = db.job_rows.find_jobs_like(connection, spec.kind, as_json(spec))
    return next((row.id for row in rows if is_held(connection, row)), None)


def is_held(connection: sqlite3.Connection, row: StoredJob) -> bool:
    """Whether a program works on a job, or has it waiting. Takes a few seconds at the most."""
    if row.state not in HELD or row.lease is None:
        return False
    return not watch_leases(connection, [row.lease]).is_gone(row.lease)


def _wish(connection: sqlite3.Connection, job: int, what: Wish) -> None:
    with write_transaction(connection):
        db.job_rows.wish(connection, job, what)
