"""Audits: how each was drawn, and the facts of its frame as they stood then.

`frame` is a JSON object that `core.certainty.audit_frame` reads. Of a fact `graded` and `parted`
are its states by the graders and with the second grader, a code for each model; `versions` says
which golds and questions were in use.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

FrameRow = tuple[int, int, str, str, str]
"""Fact id, weight, graded, parted, versions."""

_VERSIONS = (
    "SELECT fact, group_concat(part, ' ') FROM (SELECT fact, side || version AS part FROM gold "
    "WHERE current UNION ALL SELECT fact, task || version FROM question WHERE current "
    "AND substr(task, 1, 3) <> 'mc_' ORDER BY 1, 2) GROUP BY fact"
)


@dataclass(frozen=True, slots=True)
class StoredAudit:
    """One audit without its facts; `at` is UTC."""

    id: int
    name: str
    frame: str
    closed: bool
    at: str


def insert(
    connection: sqlite3.Connection,
    name: str,
    frame: str,
    rows: Iterable[FrameRow],
    at: str | None = None,
) -> None:
    """Add an audit, whose name must be free; it was drawn `at`, UTC, else now. In a transaction."""
    cursor = connection.execute(
        "INSERT INTO audit (name, frame, at) VALUES (?, ?, coalesce(?, CURRENT_TIMESTAMP))",
        (name, frame, at),
    )
    connection.executemany(
        "INSERT INTO audit_fact (audit, fact, weight, graded, parted, versions) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        [(cursor.lastrowid, *row) for row in rows],
    )


def audits(connection: sqlite3.Connection, schema: str = "main") -> list[StoredAudit]:
    """All audits of an open file, the oldest first."""
    rows = connection.execute(f"SELECT id, name, frame, closed, at FROM {schema}.audit ORDER BY id")
    return [
        StoredAudit(key, name, frame, bool(closed), at) for key, name, frame, closed, at in rows
    ]


def facts_of(connection: sqlite3.Connection, audit: int) -> list[FrameRow]:
    """The facts of an audit that are not rejected, by id."""
    return connection.execute(
        "SELECT fact, weight, graded, parted, versions FROM audit_fact "
        "JOIN fact ON fact.id = fact WHERE audit = ? AND NOT rejected ORDER BY fact",
        (audit,),
    ).fetchall()


def close(connection: sqlite3.Connection, audit: int) -> None:
    """Mark an audit as done with. Inside a transaction."""
    connection.execute("UPDATE audit SET closed = 1 WHERE id = ?", (audit,))


def versions(connection: sqlite3.Connection) -> dict[int, str]:
    """The golds and open questions in use, by fact: one text, which an edit makes another."""
    return dict(connection.execute(_VERSIONS).fetchall())


def answers_to(
    connection: sqlite3.Connection, questions: Sequence[int]
) -> list[tuple[int, str, str | None]]:
    """Slot, text and end of the draw of every response to these questions."""
    return connection.execute(
        "SELECT response.id, text, finish FROM json_each(?) AS asked CROSS JOIN response "
        "ON response.id >= asked.value << 20 AND response.id < (asked.value + 1) << 20 "
        "LEFT JOIN draw ON draw.response = response.id",
        (json.dumps(list(questions)),),
    ).fetchall()


def take_over(connection: sqlite3.Connection) -> list[str]:
    """Add audits of `other`; gives the names of those drawn otherwise here. In a transaction.

    Needs `fact_of`. One that is closed in either file is closed.
    """
    ours, theirs = (_whole(connection, schema) for schema in ("main", "other"))
    place = dict(connection.execute("SELECT theirs, ours FROM fact_of").fetchall())
    found = []
    for name, (audit, facts) in theirs.items():
        moved = sorted((place[fact], *rest) for fact, *rest in facts)
        if name not in ours:
            insert(connection, name, audit.frame, moved, audit.at)
        elif ours[name][0].frame != audit.frame or ours[name][1] != moved:
            found.append(name)
            continue
        if audit.closed:
            connection.execute("UPDATE main.audit SET closed = 1 WHERE name = ?", (name,))
    return found


def _whole(
    connection: sqlite3.Connection, schema: str
) -> dict[str, tuple[StoredAudit, list[FrameRow]]]:
    return {
        one.name: (
            one,
            connection.execute(
                "SELECT fact, weight, graded, parted, versions "
                f"FROM {schema}.audit_fact WHERE audit = ? ORDER BY fact",
                (one.id,),
            ).fetchall(),
        )
        for one in audits(connection, schema)
    }
