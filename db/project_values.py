"""Values kept with the project: its random id, the primary grader, what was found out of models."""

import sqlite3

IDENTITY = "id"
"""The name of the value that tells a project from all others, wherever its file is."""


def value(connection: sqlite3.Connection, name: str) -> str | None:
    """A value kept with the project, such as `primary_grader`."""
    row = connection.execute("SELECT value FROM project WHERE name = ?", (name,)).fetchone()
    return row[0] if row else None


def identify(connection: sqlite3.Connection) -> None:
    """Give the project its random id, if it has none. Inside a transaction."""
    connection.execute(
        "INSERT OR IGNORE INTO project (name, value) VALUES (?, lower(hex(randomblob(16))))",
        (IDENTITY,),
    )


def set_value(connection: sqlite3.Connection, name: str, text: str) -> None:
    """Keep a value with the project. Inside a transaction."""
    connection.execute("INSERT OR REPLACE INTO project (name, value) VALUES (?, ?)", (name, text))


EDITS = "edits"
"""Under this name the project counts changes of what is in use, so that programs notice them."""


REMOVALS = "removals"
"""Under this name it counts what was removed or put back, so that programs read all anew."""


def count_removal(connection: sqlite3.Connection) -> None:
    """Count one more removal, or restoring. Inside its transaction."""
    _count(connection, REMOVALS)


def edit_count(connection: sqlite3.Connection) -> int:
    """How often what is in use was changed: another number says that it was again."""
    row = connection.execute(
        "SELECT CAST(value AS INTEGER) FROM project WHERE name = ?", (EDITS,)
    ).fetchone()
    return int(row[0]) if row else 0


def count_edit(connection: sqlite3.Connection) -> None:
    """Count one more change of what is in use. Inside its transaction."""
    _count(connection, EDITS)


def _count(connection: sqlite3.Connection, name: str) -> None:
    connection.execute(
        "INSERT INTO project (name, value) VALUES (?, '1') "
        "ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT)",
        (name,),
    )
