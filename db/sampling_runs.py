"""Sampling runs: what was asked for, and whether all of it has been drawn."""

import json
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from core.vocabulary import Task
from db.stored_values import StoredValues, read_integers, read_member, read_texts


class Run(NamedTuple):
    """What a run was asked for.

    One that is open may still be drawing, or has been stopped. `curtailed` is the policy of a
    run that draws no more than its verdicts need (as JSON), None for one that draws everything.
    """

    setting: int
    tasks: tuple[Task, ...]
    facts: tuple[int, ...] | None
    samples: int
    curtailed: str | None = None


def start(
    connection: sqlite3.Connection,
    setting: int,
    tasks: Sequence[str],
    facts: Sequence[int] | None,
    samples: int,
    job: int | None = None,
    curtailed: str | None = None,
) -> int:
    """Open a run, or take up an unfinished one that asked for the same. Inside a transaction."""
    some = None if facts is None else json.dumps(list(facts))
    asked = (setting, json.dumps(list(tasks)), some, samples, curtailed)
    row = connection.execute(
        "SELECT id FROM run WHERE setting = ? AND tasks = ? AND facts IS ? AND samples = ? "
        "AND curtailed IS ? AND NOT done",
        asked,
    ).fetchone()
    if row:
        connection.execute("UPDATE run SET job = coalesce(?, job) WHERE id = ?", (job, row[0]))
        return int(row[0])
    cursor = connection.execute(
        "INSERT INTO run (setting, tasks, facts, samples, curtailed, job) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        (*asked, job),
    )
    return int(cursor.lastrowid or 0)


def find_job_runs(connection: sqlite3.Connection, job: int) -> dict[int, int]:
    """The runs of a job by their settings."""
    return dict(connection.execute("SELECT setting, id FROM run WHERE job = ? ORDER BY id", (job,)))


def finish(connection: sqlite3.Connection, run: int) -> None:
    """Mark a run as finished. Inside a transaction."""
    connection.execute("UPDATE run SET done = 1 WHERE id = ?", (run,))


def find_unfinished(connection: sqlite3.Connection) -> list[Run]:
    """Runs that have not drawn all they were asked for."""
    return _read_runs(connection, "NOT done")


def find_curtailed(connection: sqlite3.Connection) -> list[Run]:
    """Runs that draw no more than their verdicts need, finished or not."""
    return _read_runs(connection, "curtailed IS NOT NULL")


def _read_runs(connection: sqlite3.Connection, condition: str) -> list[Run]:
    return [_run(*row) for row in connection.execute(f"SELECT {_RUNS} FROM run WHERE {condition}")]


def _run(setting: int, tasks: str, facts: str | None, samples: int, policy: str | None) -> Run:
    return Run(
        setting,
        tuple(read_member(Task, one, "task") for one in read_texts(tasks, "tasks of a run")),
        None if facts is None else read_integers(facts, "facts of a run"),
        samples,
        policy,
    )


_RUNS = "setting, tasks, facts, samples, curtailed"
STORED = (StoredValues("run", _RUNS, _run),)
