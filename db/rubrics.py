"""Rubrics: what a person adds to a grader's prompt, each version with its parent.

`examples` is a JSON list of objects that `core.grading.prompt_rubric` reads. Times are
milliseconds.
"""

import sqlite3
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StoredRubric:
    """One version of a rubric; `parent` is the id of the version that it came from."""

    id: int
    name: str
    version: str
    rules: str
    examples: str
    parent: int | None
    author: str
    why: str
    at: int


_COLUMNS = "id, name, version, rules, examples, parent, author, why, at"


def insert(connection: sqlite3.Connection, rubric: StoredRubric) -> int:
    """Add a version, whose id is not looked at; gives its id. In a transaction."""
    cursor = connection.execute(
        "INSERT INTO rubric (name, version, rules, examples, parent, author, why, at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            rubric.name,
            rubric.version,
            rubric.rules,
            rubric.examples,
            rubric.parent,
            rubric.author,
            rubric.why,
            rubric.at,
        ),
    )
    return int(cursor.lastrowid or 0)


def read_rubrics(connection: sqlite3.Connection) -> list[StoredRubric]:
    """All versions of all rubrics, the oldest first."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM rubric ORDER BY at, id")
    return [StoredRubric(*row) for row in rows]


def find(connection: sqlite3.Connection, key: int) -> StoredRubric | None:
    """A version by its id."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM rubric WHERE id = ?", (key,)).fetchone()
    return None if row is None else StoredRubric(*row)


def take_over(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Add versions of `other`; gives (name, version) of those with another text here.

    Makes `rubric_of`, which says which of theirs is which of ours. In a transaction.
    """
    connection.execute("CREATE TEMP TABLE rubric_of (theirs INTEGER PRIMARY KEY, ours INTEGER)")
    found = connection.execute(
        "SELECT name, version FROM other.rubric AS theirs JOIN main.rubric AS ours "
        "USING (name, version) WHERE (ours.rules, ours.examples) <> (theirs.rules, theirs.examples)"
    ).fetchall()
    connection.execute(
        "INSERT OR IGNORE INTO main.rubric (name, version, rules, examples, author, why, at) "
        "SELECT name, version, rules, examples, author, why, at FROM other.rubric ORDER BY at, id"
    )
    connection.execute(
        "INSERT INTO rubric_of SELECT theirs.id, ours.id FROM other.rubric AS theirs "
        "JOIN main.rubric AS ours USING (name, version)"
    )
    connection.execute(
        "UPDATE main.rubric SET parent = (SELECT up.ours FROM rubric_of AS own "
        "JOIN other.rubric AS theirs ON theirs.id = own.theirs "
        "JOIN rubric_of AS up ON up.theirs = theirs.parent WHERE own.ours = rubric.id) "
        "WHERE parent IS NULL AND id IN (SELECT ours FROM rubric_of)"
    )
    return found
