"""Leases: who works on what, so that two programs never do the same thing twice.

A lease is a row with a secret token and a counter that its owner raises again and again. Nobody
looks at clocks or processes: a lease whose counter stands still for as long as the observer
likes to wait has lost its owner and may be taken away. Claims, the things that an owner is busy
with, go with their lease.
"""

import json
import secrets
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lease:
    """A lease that is held by this program."""

    id: int
    token: str


def take(connection: sqlite3.Connection) -> Lease:
    """A new lease. Inside a transaction."""
    token = secrets.token_hex(16)
    cursor = connection.execute("INSERT INTO lease (token) VALUES (?)", (token,))
    return Lease(int(cursor.lastrowid or 0), token)


def beat(connection: sqlite3.Connection, lease: Lease) -> bool:
    """Raise the counter of a lease; gives whether it is still held. Inside a transaction."""
    cursor = connection.execute(
        "UPDATE lease SET beat = beat + 1 WHERE id = ? AND token = ?", (lease.id, lease.token)
    )
    return cursor.rowcount == 1


def is_held(connection: sqlite3.Connection, lease: Lease) -> bool:
    """Whether a lease is still held by whom it was given to."""
    return bool(
        connection.execute(
            "SELECT 1 FROM lease WHERE id = ? AND token = ?", (lease.id, lease.token)
        ).fetchone()
    )


def beats(connection: sqlite3.Connection) -> dict[int, int]:
    """The counters of all leases by id."""
    return dict(connection.execute("SELECT id, beat FROM lease"))


def end(connection: sqlite3.Connection, lease: Lease) -> None:
    """Give a lease back with all its claims. Inside a transaction."""
    connection.execute("DELETE FROM lease WHERE id = ? AND token = ?", (lease.id, lease.token))


def take_away(connection: sqlite3.Connection, lease: int, beat: int) -> bool:
    """End a lease (its id) whose counter still stands at `beat`; gives whether it did.

    Its claims are free then. Inside a transaction.
    """
    cursor = connection.execute("DELETE FROM lease WHERE id = ? AND beat = ?", (lease, beat))
    return cursor.rowcount == 1


def claim(
    connection: sqlite3.Connection, lease: Lease, stage: str, items: Sequence[int]
) -> list[int]:
    """Claim those of these items that nobody has claimed; gives them. Inside a transaction."""
    return [
        item
        for (item,) in connection.execute(
            "INSERT OR IGNORE INTO claim (stage, item, lease) "
            "SELECT ?, value, ? FROM json_each(?) RETURNING item",
            (stage, lease.id, json.dumps(list(items))),
        ).fetchall()
    ]


def release(connection: sqlite3.Connection, lease: Lease, stage: str, items: Sequence[int]) -> None:
    """Give up claims of a lease. Inside a transaction."""
    connection.execute(
        "DELETE FROM claim WHERE stage = ? AND lease = ? "
        "AND item IN (SELECT value FROM json_each(?))",
        (stage, lease.id, json.dumps(list(items))),
    )


def find_claims(
    connection: sqlite3.Connection, stage: str, items: Sequence[int]
) -> dict[int, int | None]:
    """Leases (ids) of those of these items that are claimed; None for a claim of a batch."""
    return dict(
        connection.execute(
            "SELECT item, lease FROM claim WHERE stage = ? "
            "AND item IN (SELECT value FROM json_each(?))",
            (stage, json.dumps(list(items))),
        )
    )
