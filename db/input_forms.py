"""Forms of inputs: templates with a subject, by relation (empty: all) and name."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StoredForm:
    """A form as it is kept; what parts subject, object and pairs are `inner` and `outer`."""

    relation: str
    name: str
    kind: str
    template: str
    inner: str
    outer: str


_COLUMNS = "relation, name, kind, template, inner_gap, outer_gap"


def insert(connection: sqlite3.Connection, one: StoredForm) -> None:
    """Add a form that is new. Inside a transaction."""
    connection.execute(
        f"INSERT INTO input_form ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)",
        (one.relation, one.name, one.kind, one.template, one.inner, one.outer),
    )


def read_forms(connection: sqlite3.Connection) -> Iterator[StoredForm]:
    """All forms, in the order of their coming."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM input_form ORDER BY id")
    return (StoredForm(*row) for row in rows)


def take_over(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Add the forms of the attached database `other`; in a transaction.

    Gives relation and name of those that are there otherwise.
    """
    clashes = connection.execute(
        "SELECT relation, name FROM other.input_form AS theirs "
        "JOIN main.input_form AS mine USING (relation, name) "
        "WHERE (mine.kind, mine.template, mine.inner_gap, mine.outer_gap) <> "
        "(theirs.kind, theirs.template, theirs.inner_gap, theirs.outer_gap)"
    ).fetchall()
    connection.execute(
        f"INSERT OR IGNORE INTO main.input_form ({_COLUMNS}) SELECT {_COLUMNS} "
        "FROM other.input_form ORDER BY id"
    )
    return clashes
