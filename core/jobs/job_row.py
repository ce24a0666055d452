"""Holding a job: its row is this program's while its lease is raised again and again."""

import sqlite3
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Self

import db.job_rows
from core.engine.lease_holder import LeaseHolder
from core.engine.lease_liveness import Liveness, watch_leases
from core.engine.run_counters import RunCounters, Spend
from core.errors import LostkeysError
from core.jobs.job_control import Control
from core.jobs.job_list import HELD, log_line, note_loss, read_job
from core.jobs.job_progress import State
from core.jobs.job_view import LogLine
from core.specs.job_kinds import Spec
from core.specs.stored_specs import as_json
from db.connection import Presence, write_transaction
from db.job_rows import JobSpend, JobStage, StoredJob

LINES_KEPT = 5_000
"""Lines of a job's log that are kept in memory."""

OVER = ("finished", "cancelled")


class JobRow:
    """A job's row, held: what its counters counts is written there, what others wish comes in.

    All of it in the thread that owns the connection.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        control: Control,
        spec: Spec,
        max_cost: float | None = None,
        job: int | None = None,
    ) -> None:
        """Take up the job with this id, or one of this spec that nobody works on, else a new one.

        Raises `LostkeysError` where there is no job of that id, or another program works on it.
        """
        self.control, self.spec, self.max_cost = control, spec, max_cost
        self.lines: deque[LogLine] = deque(maxlen=LINES_KEPT)
        self._connection = connection
        self._presence = Presence(connection)
        self._state = State.WAITING
        self._spent: dict[tuple[str, str], Spend] = {}
        self._stages: list[JobStage] = []
        free, liveness = (
            _find_open(connection, spec) if job is None else _find_free(connection, job)
        )
        self.lease_holder = LeaseHolder(connection)
        with write_transaction(connection):
            self.is_new = free is None or not _is_still(connection, free)
            """Whether nobody has worked on it before."""
            if free is not None and not self.is_new:
                liveness.take_away(connection, free.lease)
                if free.state in HELD:
                    note_loss(connection, free.id)
            self.job = self._create() if self.is_new or free is None else free.id
            db.job_rows.hold(connection, self.job, self.lease_holder.lease.id)
            db.job_rows.set_state(connection, self.job, State.WAITING)
            if max_cost is not None or job is None:
                db.job_rows.set_budget(connection, self.job, max_cost)
            row = read_job(connection, self.job)
        self.max_cost, self.created = row.max_cost, row.created
        self.earlier = tuple(db.job_rows.read_spends(connection).get(self.job, ()))
        """What it had used before it was taken up now."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.lease_holder.close()

    @property
    def counters(self) -> RunCounters:
        """What is counted."""
        return self.control.counters

    @property
    def cost(self) -> float:
        """US dollars that this job had cost before it was taken up now."""
        return sum(one.cost or 0.0 for one in self.earlier)

    def begin(self) -> None:
        """The job's turn has come."""
        with write_transaction(self._connection):
            db.job_rows.begin(self._connection, self.job, self.lease_holder.lease.id)
        self._state = State.RUNNING

    def beat(self) -> None:
        """Raise the lease, write how far the job is, and do what was wished of it.

        Raises `DatabaseError` where the file was removed or replaced.
        """
        self.lease_holder.defer()
        self.check_file()
        with self._write_counts():
            self.lease_holder.beat()
            holder, wish = db.job_rows.heed(self._connection, self.job)
            if holder != self.lease_holder.lease.id:
                self._regain(holder)
            self._do(wish)
            self._note_pause()

    def _do(self, wish: str | None) -> None:
        if wish == "pause":
            self.control.pause()
        elif wish == "resume":
            self.control.resume()
        elif wish == "cancel":
            self.control.stop(State.CANCELLED)

    def check_file(self) -> None:
        """Raise `DatabaseError` where the file was removed or replaced since the job was held."""
        self._presence.check()

    def beat_if_due(self) -> None:
        """Beat, unless it was done just now."""
        if self.lease_holder.is_due:
            self.beat()

    def forget(self) -> bool:
        """Leave no trace of a job that has done nothing; False where it is older, or has."""
        counted = any(
            one.running or one.done or one.dropped or one.failed
            for one in self.counters.stages.values()
        )
        if not self.is_new or counted or self.counters.spends:
            return False
        with write_transaction(self._connection):
            db.job_rows.forget(self._connection, self.job)
        return True

    def finish(self, state: State, reason: str) -> None:
        """Write how the job ended."""
        with self._write_counts():
            holder, _ = db.job_rows.heed(self._connection, self.job)
            if holder in (self.lease_holder.lease.id, None):
                db.job_rows.set_state(self._connection, self.job, state, reason)

    def _create(self) -> int:
        kind, name = self.spec.kind, self.spec.subject
        return db.job_rows.create(self._connection, kind, name, as_json(self.spec), self.max_cost)

    def _regain(self, holder: int | None) -> None:
        """The lease was taken while this program slept: take the row back, or make another.

        What was spent until then stays in the row that another program has.
        """
        if holder is not None:
            self.job = self._create()
            self._stages = []
        db.job_rows.hold(self._connection, self.job, self.lease_holder.lease.id)
        if self._state is not State.WAITING:
            db.job_rows.begin(self._connection, self.job, self.lease_holder.lease.id)

    def _note_pause(self) -> None:
        if self._state is State.WAITING:
            return
        state = State.PAUSED if self.control.paused else State.RUNNING
        if state is not self._state:
            db.job_rows.set_state(self._connection, self.job, state)
            self._state = state

    @contextmanager
    def _write_counts(self) -> Iterator[None]:
        """A transaction that also writes what was counted since."""
        events = list(self.counters.unsaved)
        spends = {key: replace(one) for key, one in list(self.counters.spends.items())}
        stages = [
            JobStage(one.name, one.waiting, one.running, one.done, one.dropped, one.failed)
            for one in list(self.counters.stages.values())
        ]
        with write_transaction(self._connection):
            yield
            if stages != self._stages:
                db.job_rows.set_stages(self._connection, self.job, stages)
            for key, spend in spends.items():
                self._add_spend(key, spend)
            ids = [
                db.job_rows.add_event(self._connection, self.job, one.kind, one.text)
                for one in events
            ]
        for _ in events:
            self.counters.unsaved.popleft()
        self._stages, self._spent = stages, spends
        if ids:
            written = db.job_rows.events(self._connection, self.job, ids[0] - 1)
            self.lines.extend(map(log_line, written))

    def _add_spend(self, key: tuple[str, str], spend: Spend) -> None:
        before = self._spent.get(key, Spend())
        if spend == before:
            return
        cost = None if spend.cost is None else spend.cost - (before.cost or 0.0)
        db.job_rows.add_spend(
            self._connection,
            self.job,
            JobSpend(
                *key,
                requests=spend.requests - before.requests,
                answers=spend.answers - before.answers,
                input_tokens=spend.input_tokens - before.input_tokens,
                output_tokens=spend.output_tokens - before.output_tokens,
                cost=cost,
                seconds=spend.seconds - before.seconds,
            ),
        )


def _find_open(connection: sqlite3.Connection, spec: Spec) -> tuple[StoredJob | None, Liveness]:
    """The newest job of this spec that is not at its end and that nobody works on."""
    rows = db.job_rows.find_jobs_like(connection, spec.kind, as_json(spec))
    liveness = watch_leases(connection, _leases(rows))
    return next((row for row in rows if liveness.is_gone(row.lease)), None), liveness


def _is_still(connection: sqlite3.Connection, free: StoredJob) -> bool:
    """Whether nobody else has taken a job up meanwhile."""
    now = read_job(connection, free.id)
    return now.lease in (free.lease, None) and now.state not in OVER


def _find_free(connection: sqlite3.Connection, job: int) -> tuple[StoredJob, Liveness]:
    row = read_job(connection, job)
    if row.state in OVER:
        raise LostkeysError(f"job {job} is {row.state}: there is nothing to resume")
    if row.state == State.OUT:
        raise LostkeysError(
            f"job {job} is out in files: `lostkeys collect DIR OUT...` collects its responses"
        )
    liveness = watch_leases(connection, _leases([row]))
    if not liveness.is_gone(row.lease):
        raise LostkeysError(
            f"job {job} is {row.state} in another program: `lostkeys jobs` shows it"
        )
    return row, liveness


def _leases(rows: list[StoredJob]) -> list[int]:
    return [row.lease for row in rows if row.lease is not None]
