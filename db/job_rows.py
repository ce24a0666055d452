"""Jobs: what was started, by whom it is held, how far it is, what it cost, what happened.

States: `waiting`, `running`, `paused`; `stopped` (it can go on: interrupted, out of budget),
`failed`, `finished`, `cancelled`; `out`: what it asks is in files, and nobody works on it here.
A job that is `running` or `paused` and whose lease is gone, or
stands still, has lost its owner.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

OPEN = ("waiting", "running", "paused", "stopped", "failed")
"""States of jobs that somebody may take up."""


@dataclass(frozen=True, slots=True)
class StoredJob:
    """One job as it is in the file. Times are UTC text; `lease` is a lease's id."""

    id: int
    kind: str
    name: str
    spec: str
    state: str
    reason: str
    wish: str | None
    lease: int | None
    max_cost: float | None
    created: str
    started: str | None
    ended: str | None


@dataclass(frozen=True, slots=True)
class JobStage:
    """How many things of one stage of a job wait, run, are done, were dropped, have failed.

    Known only of jobs at work in the same program, and in no file: `reasons` of what failed or was
    dropped, `late`, the requests that are out for much longer than others took, `retried`, why
    requests were in vain that are made again, and `resumes`, the end of its last pause (local).
    """

    name: str
    waiting: int = 0
    running: int = 0
    done: int = 0
    dropped: int = 0
    failed: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)
    late: int = 0
    retried: Mapping[str, int] = field(default_factory=dict)
    resumes: datetime | None = None

    @property
    def total(self) -> int:
        """All things of the stage."""
        return self.waiting + self.running + self.done + self.dropped + self.failed

    @property
    def left(self) -> int:
        """Things that are still to be done."""
        return self.waiting + self.running


@dataclass(frozen=True, slots=True)
class JobSpend:
    """What a stage of a job used of a model; `cost` in US dollars, None where no price is known.

    `seconds` is the time during which it worked.
    """

    stage: str
    model: str
    requests: int = 0
    answers: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """A line of a job's log; `at` is UTC text."""

    id: int
    job: int
    at: str
    kind: str
    text: str


def create(
    connection: sqlite3.Connection,
    kind: str,
    name: str,
    spec: str,
    max_cost: float | None = None,
    state: str = "waiting",
) -> int:
    """A new job. Inside a transaction."""
    cursor = connection.execute(
        "INSERT INTO job (kind, name, spec, max_cost, state) VALUES (?, ?, ?, ?, ?)",
        (kind, name, spec, max_cost, state),
    )
    return int(cursor.lastrowid or 0)


_COLUMNS = "id, kind, name, spec, state, reason, wish, lease, max_cost, created, started, ended"


def list_jobs(connection: sqlite3.Connection) -> list[StoredJob]:
    """All jobs, newest first."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM job ORDER BY id DESC")
    return [StoredJob(*row) for row in rows]


def open_jobs(connection: sqlite3.Connection) -> list[StoredJob]:
    """Jobs that wait, run or are paused, newest first."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM job WHERE state IN ('waiting', 'running', 'paused') "
        "ORDER BY id DESC"
    )
    return [StoredJob(*row) for row in rows]


def get(connection: sqlite3.Connection, job: int) -> StoredJob | None:
    """One job, None where there is none of that id."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM job WHERE id = ?", (job,)).fetchone()
    return StoredJob(*row) if row else None


def find_jobs_like(connection: sqlite3.Connection, kind: str, spec: str) -> list[StoredJob]:
    """Jobs of this kind and spec that somebody may take up, newest first."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM job WHERE kind = ? AND spec = ? "
        "AND state NOT IN ('finished', 'cancelled', 'out') ORDER BY id DESC",
        (kind, spec),
    )
    return [StoredJob(*row) for row in rows]


def hold(connection: sqlite3.Connection, job: int, lease: int) -> None:
    """Note whose a job is, whatever its state. Inside a transaction."""
    connection.execute("UPDATE job SET lease = ? WHERE id = ?", (lease, job))


def heed(connection: sqlite3.Connection, job: int) -> tuple[int | None, str | None]:
    """The lease that a job is held under, and what was wished of its owner, which is forgotten.

    Inside a transaction.
    """
    row = connection.execute("SELECT lease, wish FROM job WHERE id = ?", (job,)).fetchone()
    if row is None:
        return None, None
    if row[1] is not None:
        connection.execute("UPDATE job SET wish = NULL WHERE id = ?", (job,))
    return row[0], row[1]


def begin(connection: sqlite3.Connection, job: int, lease: int) -> None:
    """Note who works on a job from now on. Inside a transaction."""
    connection.execute(
        "UPDATE job SET state = 'running', reason = '', wish = NULL, lease = ?, ended = NULL, "
        "started = coalesce(started, CURRENT_TIMESTAMP) WHERE id = ?",
        (lease, job),
    )


def set_state(connection: sqlite3.Connection, job: int, state: str, reason: str = "") -> None:
    """Note where a job is; at an end its lease is forgotten. Inside a transaction."""
    over = state not in ("waiting", "running", "paused")
    connection.execute(
        "UPDATE job SET state = ?, reason = ?, "
        "lease = CASE WHEN ? THEN NULL ELSE lease END, "
        "ended = CASE WHEN ? THEN CURRENT_TIMESTAMP END WHERE id = ?",
        (state, reason, over, over, job),
    )


def set_spec(connection: sqlite3.Connection, job: int, spec: str) -> None:
    """Note anew what a job is to do. Inside a transaction."""
    connection.execute("UPDATE job SET spec = ? WHERE id = ?", (spec, job))


def set_reason(connection: sqlite3.Connection, job: int, reason: str) -> None:
    """Say anew in a line how a job stands. Inside a transaction."""
    connection.execute("UPDATE job SET reason = ? WHERE id = ?", (reason, job))


def list_jobs_of_kind(connection: sqlite3.Connection, kind: str) -> list[StoredJob]:
    """All jobs of a kind, newest first."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM job WHERE kind = ? ORDER BY id DESC", (kind,)
    )
    return [StoredJob(*row) for row in rows]


def forget(connection: sqlite3.Connection, job: int) -> None:
    """Delete a job that has done nothing. Inside a transaction."""
    for table in ("stage", "spend", "event", "plan_range"):
        connection.execute(f"DELETE FROM {table} WHERE job = ?", (job,))
    connection.execute("DELETE FROM job WHERE id = ?", (job,))


def set_budget(connection: sqlite3.Connection, job: int, max_cost: float | None) -> None:
    """Give a job another budget, in US dollars. Inside a transaction."""
    connection.execute("UPDATE job SET max_cost = ? WHERE id = ?", (max_cost, job))


def wish(connection: sqlite3.Connection, job: int, wish: str | None) -> None:
    """Ask the owner of a job to `pause`, `resume` or `cancel` it. Inside a transaction."""
    connection.execute("UPDATE job SET wish = ? WHERE id = ?", (wish, job))


def set_stages(connection: sqlite3.Connection, job: int, stages: Sequence[JobStage]) -> None:
    """Note how far the stages of a job are, in their order. Inside a transaction."""
    connection.executemany(
        "INSERT INTO stage (job, place, name, waiting, running, done, dropped, failed) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (job, name) DO UPDATE SET "
        "place = ?2, waiting = ?4, running = ?5, done = ?6, dropped = ?7, failed = ?8",
        [
            (job, place, s.name, s.waiting, s.running, s.done, s.dropped, s.failed)
            for place, s in enumerate(stages)
        ],
    )


def stages(connection: sqlite3.Connection) -> Mapping[int, list[JobStage]]:
    """The stages of all jobs, in their order."""
    found: dict[int, list[JobStage]] = {}
    for job, *row in connection.execute(
        "SELECT job, name, waiting, running, done, dropped, failed FROM stage ORDER BY job, place"
    ):
        found.setdefault(job, []).append(JobStage(*row))
    return found


def add_spend(connection: sqlite3.Connection, job: int, spend: JobSpend) -> None:
    """Add to what a stage of a job used of a model. Inside a transaction."""
    connection.execute(
        "INSERT INTO spend VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) "
        "ON CONFLICT (job, stage, model) DO UPDATE SET requests = requests + ?4, "
        "answers = answers + ?5, input_tokens = input_tokens + ?6, "
        "output_tokens = output_tokens + ?7, cost = coalesce(cost + ?8, cost, ?8), "
        "seconds = seconds + ?9",
        (
            job,
            spend.stage,
            spend.model,
            spend.requests,
            spend.answers,
            spend.input_tokens,
            spend.output_tokens,
            spend.cost,
            spend.seconds,
        ),
    )


def read_spends(connection: sqlite3.Connection) -> Mapping[int, list[JobSpend]]:
    """What every job used, by stage and model."""
    found: dict[int, list[JobSpend]] = {}
    for job, *row in connection.execute(
        "SELECT job, stage, model, requests, answers, input_tokens, output_tokens, cost, seconds "
        "FROM spend ORDER BY job, stage, model"
    ):
        found.setdefault(job, []).append(JobSpend(*row))
    return found


def add_event(connection: sqlite3.Connection, job: int, kind: str, text: str) -> int:
    """Add a line to a job's log; gives its id. Inside a transaction."""
    cursor = connection.execute(
        "INSERT INTO event (job, kind, text) VALUES (?, ?, ?)", (job, kind, text)
    )
    return int(cursor.lastrowid or 0)


def events(
    connection: sqlite3.Connection, job: int | None = None, after: int = 0
) -> list[StoredEvent]:
    """The log of a job (or of all), oldest first, from behind the event with the id `after`."""
    return [
        StoredEvent(*row)
        for row in connection.execute(
            "SELECT id, job, at, kind, text FROM event "
            "WHERE id > ?1 AND (?2 IS NULL OR job = ?2) ORDER BY id",
            (after, job),
        )
    ]
