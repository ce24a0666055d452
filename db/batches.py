"""Batches of requests that a service works on while nobody here needs to be running.

A row is written before anything is sent, with a token that goes along: whatever happens then, the
batch can be found again at the service and is not submitted twice. What is in a batch is claimed
by it, not by a lease, so that nobody else asks for it until it has been collected.
"""

import json
import secrets
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

End = Literal["collected", "failed", "cancelled"]


@dataclass(frozen=True, slots=True)
class StoredBatch:
    """One batch that is not at its end.

    `name` is the service's, None until it has said one. `lane` names the model. `items` is JSON,
    in an order that stays; the first `taken` of them are through.
    """

    id: int
    job: int
    token: str
    name: str | None
    lane: str
    items: str
    taken: int


def prepare(connection: sqlite3.Connection, job: int, lane: str, items: str) -> StoredBatch:
    """A batch that is about to be submitted. Inside a transaction."""
    token = f"lostkeys-{secrets.token_hex(16)}"
    cursor = connection.execute(
        "INSERT INTO batch (job, token, lane, state, items) VALUES (?, ?, ?, 'prepared', ?)",
        (job, token, lane, items),
    )
    return StoredBatch(int(cursor.lastrowid or 0), job, token, None, lane, items, 0)


def mark_submitted(connection: sqlite3.Connection, batch: int, name: str) -> None:
    """Note the name that the service gave a batch. Inside a transaction."""
    connection.execute("UPDATE batch SET state = 'submitted', name = ? WHERE id = ?", (name, batch))


def take(connection: sqlite3.Connection, batch: int, taken: int) -> None:
    """Note that the first `taken` items are through. Inside a transaction."""
    connection.execute("UPDATE batch SET taken = ? WHERE id = ?", (taken, batch))


def end(connection: sqlite3.Connection, batch: int, state: End) -> None:
    """Note that a batch is at its end; what it still claimed is free. Inside a transaction."""
    connection.execute(
        "UPDATE batch SET state = ?, items = '[]', taken = 0 WHERE id = ?", (state, batch)
    )
    connection.execute("DELETE FROM claim WHERE batch = ?", (batch,))


def find_unfinished(connection: sqlite3.Connection, job: int) -> list[StoredBatch]:
    """Batches of a job that are not at their end, oldest first."""
    rows = connection.execute(
        "SELECT id, job, token, name, lane, items, taken FROM batch "
        "WHERE job = ? AND state IN ('prepared', 'submitted') ORDER BY id",
        (job,),
    )
    return [StoredBatch(*row) for row in rows]


def claim(connection: sqlite3.Connection, batch: int, stage: str, items: Sequence[int]) -> None:
    """Claim these items for a batch, unless somebody else has. Inside a transaction."""
    connection.execute(
        "INSERT OR IGNORE INTO claim (stage, item, batch) SELECT ?, value, ? FROM json_each(?)",
        (stage, batch, json.dumps(list(items))),
    )


def release(connection: sqlite3.Connection, batch: int, stage: str, items: Sequence[int]) -> None:
    """Give up claims of a batch. Inside a transaction."""
    connection.execute(
        "DELETE FROM claim WHERE stage = ? AND batch = ? "
        "AND item IN (SELECT value FROM json_each(?))",
        (stage, batch, json.dumps(list(items))),
    )
