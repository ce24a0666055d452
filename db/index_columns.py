"""What is read of all facts at once: columns of their index, and which of them people touched."""

import sqlite3
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import orjson

from db.project_values import EDITS, REMOVALS
from db.tags_and_notes import facts_noted

Ids = npt.NDArray[np.int64]

READ_AT_ONCE = 10_000
"""Facts that are read at once: a million at once take gigabytes."""


class IndexColumns(NamedTuple):
    """What totals, filters and groups need of some facts: equal columns."""

    ids: tuple[int, ...]
    fact_ids: tuple[str, ...]
    views: tuple[int | None, ...]
    categories: tuple[str, ...]
    subject_types: tuple[str, ...]
    object_types: tuple[str, ...]
    created: tuple[str, ...]
    flagged: tuple[int, ...]
    rejected: tuple[int, ...]


def fact_columns(connection: sqlite3.Connection) -> Iterator[IndexColumns]:
    """All facts in the order of their import, some at a time."""
    cursor = connection.execute(
        "SELECT id, fact_id, views, category, subject_type, object_type, page_created, "
        "flagged, rejected FROM fact ORDER BY id"
    )
    while rows := cursor.fetchmany(READ_AT_ONCE):
        yield IndexColumns(*zip(*rows, strict=True))


def question_columns(
    connection: sqlite3.Connection,
) -> Iterator[tuple[list[str], Ids, Ids]]:
    """Ids of all current questions: some tasks, the facts that have just these, an id for each.

    Facts have shape (facts,), ids (facts, tasks). Few columns come out of SQLite far faster than
    a row a question.
    """
    for tasks, facts, ids in connection.execute(
        "SELECT tasks, group_concat(fact), group_concat(ids) FROM "
        "(SELECT fact, json_group_array(task) AS tasks, group_concat(id) AS ids FROM question "
        "WHERE current GROUP BY fact) GROUP BY tasks"
    ):
        those = _read_ids(facts)
        yield orjson.loads(tasks), those, _read_ids(ids).reshape(len(those), -1)


def _read_ids(text: str) -> Ids:
    return np.fromstring(text, np.int64, sep=",")


def read_newest_ids(connection: sqlite3.Connection) -> tuple[int, int, int, int, int]:
    """Highest ids of a fact, of a current question and of a gold; numbers of edits and removals.

    They tell what is new.
    """
    fact, gold, edits, removals = connection.execute(
        "SELECT (SELECT coalesce(max(id), 0) FROM fact), (SELECT coalesce(max(id), 0) FROM gold), "
        "(SELECT CAST(value AS INTEGER) FROM project WHERE name = ?), "
        "(SELECT CAST(value AS INTEGER) FROM project WHERE name = ?)",
        (EDITS, REMOVALS),
    ).fetchone()
    return fact, newest_question(connection), gold, edits or 0, removals or 0


def newest_question(connection: sqlite3.Connection) -> int:
    """The highest id of a current question, 0 without any."""
    row = connection.execute("SELECT coalesce(max(id), 0) FROM question WHERE current").fetchone()
    return int(row[0])


def find_flagged(connection: sqlite3.Connection) -> list[int]:
    """Ids of the facts that a person has flagged."""
    return [key for (key,) in connection.execute("SELECT id FROM fact WHERE flagged")]


def find_rejected(connection: sqlite3.Connection) -> list[int]:
    """Ids of the facts that a review has rejected."""
    return [key for (key,) in connection.execute("SELECT id FROM fact WHERE rejected")]


def find_edited(connection: sqlite3.Connection) -> list[int]:
    """Ids of the facts of which a question or a gold has been changed."""
    rows = connection.execute(
        "SELECT fact FROM question WHERE current AND id IN "
        "(SELECT id FROM question WHERE version > 1) "  # by an index: most rows are at version 1
        "UNION SELECT fact FROM gold WHERE current AND id IN "
        "(SELECT id FROM gold WHERE version > 1)"
    )
    return [key for (key,) in rows]


def find_noted(connection: sqlite3.Connection) -> list[int]:
    """Ids of the facts with a person's note on them, or on a current question or its answers."""
    rows = connection.execute(
        "SELECT DISTINCT question.fact FROM remark JOIN question ON question.id = response >> 20 "
        "WHERE at IS NOT NULL AND rationale IS NOT NULL AND question.current ORDER BY 1"
    )
    return sorted({key for (key,) in rows} | {key for key, _ in facts_noted(connection)})


def notes(connection: sqlite3.Connection) -> dict[int, str]:
    """People's newest note on an answer to a current question, by fact (id)."""
    rows = connection.execute(
        "SELECT question.fact, rationale FROM remark "
        "JOIN question ON question.id = response >> 20 "
        "WHERE at IS NOT NULL AND rationale IS NOT NULL AND question.current ORDER BY at"
    )
    return dict(rows.fetchall()) | dict(facts_noted(connection))


def read_review_stamp(connection: sqlite3.Connection) -> tuple[int, ...]:
    """What is another whenever reviews or samples are: how many there are, and their sums."""
    found: tuple[int, ...] = connection.execute(
        "SELECT count(*), coalesce(sum(at), 0), coalesce(sum(length(reason) + length(note)), 0), "
        "coalesce(sum(verdict IS NULL), 0), (SELECT count(*) FROM sampled) FROM review"
    ).fetchone()
    return found


def compute_digest(connection: sqlite3.Connection, tables: Iterable[str]) -> int:
    """A number that all rows of these tables give; it means nothing to another program.

    SQLite puts their texts together, during which other threads run.
    """
    found = 0
    for table in tables:
        names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        row = " || ',' || ".join(f"quote({name})" for name in names)
        (last,) = connection.execute(f"SELECT coalesce(max(rowid), 0) FROM {table}").fetchone()
        for start in range(0, last, READ_AT_ONCE):
            (text,) = connection.execute(
                f"SELECT CAST(group_concat({row}, ';') AS BLOB) FROM {table} "
                "WHERE rowid > ? AND rowid <= ?",
                (start, start + READ_AT_ONCE),
            ).fetchone()
            found = hash((found, text))
        found = hash((found, table, last))
    return found
