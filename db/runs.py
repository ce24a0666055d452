"""Sampling runs: what was asked for, and whether all of it has been drawn."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OpenRun:
    """A run that is not finished: it may still be drawing, or has been stopped."""

    setting: int
    tasks: tuple[str, ...]
    facts: tuple[int, ...] | None
    samples: int


def start(
    connection: sqlite3.Connection,
    setting: int,
    tasks: Sequence[str],
    facts: Sequence[int] | None,
    samples: int,
) -> int:
    """Open a run, or take up an unfinished one that asked for the same. Inside a transaction."""
    some = None if facts is None else json.dumps(list(facts))
    asked = (setting, json.dumps(list(tasks)), some, samples)
    row = connection.execute(
        "SELECT id FROM run WHERE setting = ? AND tasks = ? AND facts IS ? AND samples = ? "
        "AND NOT done",
        asked,
    ).fetchone()
    if row:
        return int(row[0])
    cursor = connection.execute(
        "INSERT INTO run (setting, tasks, facts, samples) VALUES (?, ?, ?, ?)", asked
    )
    return int(cursor.lastrowid or 0)


def finish(connection: sqlite3.Connection, run: int) -> None:
    """Mark a run as finished. Inside a transaction."""
    connection.execute("UPDATE run SET done = 1 WHERE id = ?", (run,))


def unfinished(connection: sqlite3.Connection) -> list[OpenRun]:
    """Runs that have not drawn all they were asked for."""
    return [
        OpenRun(setting, tuple(json.loads(tasks)), facts and tuple(json.loads(facts)), samples)
        for setting, tasks, facts, samples in connection.execute(
            "SELECT setting, tasks, facts, samples FROM run WHERE NOT done"
        )
    ]
