"""What is read of all facts at once: columns of their index, and which of them people touched."""

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

import orjson

from db.project_values import EDITS


class IndexRow(NamedTuple):
    """What totals, filters and groups need of one fact."""

    id: int
    fact_id: str
    views: int | None
    category: str
    object_type: str
    flagged: int
    rejected: int


def index(connection: sqlite3.Connection) -> Iterator[IndexRow]:
    """All facts in the order of their import, one by one: a million at once take gigabytes."""
    rows = connection.execute(
        "SELECT id, fact_id, views, category, object_type, flagged, rejected FROM fact ORDER BY id"
    )
    return map(IndexRow._make, rows)


def question_columns(
    connection: sqlite3.Connection,
) -> Iterator[tuple[str, list[int], list[int]]]:
    """Task, facts and question ids of all current questions: two equal columns a task.

    Two lists a task come out of SQLite far faster than a row a question.
    """
    for task, facts, ids in connection.execute(
        "SELECT task, json_group_array(fact), json_group_array(id) FROM question "
        "WHERE current GROUP BY task"
    ):
        yield task, orjson.loads(facts), orjson.loads(ids)


def read_newest_ids(connection: sqlite3.Connection) -> tuple[int, int, int, int]:
    """Highest ids of a fact, of a current question and of a gold, and the number of edits.

    They tell what is new.
    """
    fact, gold, edits = connection.execute(
        "SELECT (SELECT coalesce(max(id), 0) FROM fact), (SELECT coalesce(max(id), 0) FROM gold), "
        "(SELECT CAST(value AS INTEGER) FROM project WHERE name = ?)",
        (EDITS,),
    ).fetchone()
    return fact, newest_question(connection), gold, edits or 0


def newest_question(connection: sqlite3.Connection) -> int:
    """The highest id of a current question, 0 without any."""
    row = connection.execute("SELECT coalesce(max(id), 0) FROM question WHERE current").fetchone()
    return int(row[0])


def find_flagged(connection: sqlite3.Connection) -> list[int]:
    """Ids of the facts that a person has flagged."""
    return [key for (key,) in connection.execute("SELECT id FROM fact WHERE flagged")]


def find_kept(connection: sqlite3.Connection) -> Iterator[int]:
    """Ids of the facts that no review has rejected, in the order of their import."""
    rows = connection.execute("SELECT id FROM fact WHERE NOT rejected ORDER BY id")
    return (key for (key,) in rows)


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
    """Ids of the facts with a person's note on an answer to a current question."""
    rows = connection.execute(
        "SELECT DISTINCT question.fact FROM remark JOIN question ON question.id = response >> 20 "
        "WHERE at IS NOT NULL AND rationale IS NOT NULL AND question.current ORDER BY 1"
    )
    return [key for (key,) in rows]


def notes(connection: sqlite3.Connection) -> dict[int, str]:
    """People's newest note on an answer to a current question, by fact (id)."""
    rows = connection.execute(
        "SELECT question.fact, rationale FROM remark "
        "JOIN question ON question.id = response >> 20 "
        "WHERE at IS NOT NULL AND rationale IS NOT NULL AND question.current ORDER BY at"
    )
    return dict(rows.fetchall())


def read_review_stamp(connection: sqlite3.Connection) -> tuple[int, ...]:
    """What is another whenever reviews or samples are: how many there are, and their sums."""
    found: tuple[int, ...] = connection.execute(
        "SELECT count(*), coalesce(sum(at), 0), coalesce(sum(length(reason) + length(note)), 0), "
        "coalesce(sum(verdict IS NULL), 0), (SELECT count(*) FROM sampled) FROM review"
    ).fetchone()
    return found
