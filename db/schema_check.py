"""Whether the tables of a file are those that this program makes."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

Definitions = dict[tuple[str, str], str]
"""What a schema holds: kind and name, and its definition where that is to be the same."""

HARMLESS = ("table", "index")
"""What may be added: unlike triggers, views and virtual tables it runs no code."""

FREE_DEFINITIONS = "_sqlite_migrations"
"""A table that a library makes, in words of its own version; so do those inside full-text ones."""


def find_differences(connection: sqlite3.Connection) -> list[str]:
    """What is missing, not ours, or another than a new file would have: a line each."""
    from db.schema import migrate

    with closing(sqlite3.connect(":memory:")) as fresh:
        migrate(fresh)
        ours, theirs = _read_definitions(fresh), _read_definitions(connection)
        found = [
            f"has lost the {kind} {name}: restore a copy" for kind, name in ours.keys() - theirs
        ]
        found += [
            f"holds {_one(kind)} {name} that Lostkeys did not make: drop it, or restore a copy"
            for kind, name in theirs.keys() - ours
            if kind not in HARMLESS
        ]
        for kind, name in ours.keys() & theirs.keys():
            if ours[kind, name] != theirs[kind, name]:
                columns = sorted(_compare_columns(fresh, connection, name))
                which = f" ({', '.join(columns)})" if columns else ""
                found.append(
                    f"holds {_one(kind)} {name} that Lostkeys did not make{which}: "
                    "drop it, or restore a copy"
                )
    return sorted(found)


def find_additions(connection: sqlite3.Connection) -> list[str]:
    """Tables and indexes that somebody added, which change nothing: a line each."""
    from db.schema import migrate

    with closing(sqlite3.connect(":memory:")) as fresh:
        migrate(fresh)
        added = _read_definitions(connection).keys() - _read_definitions(fresh)
    return [
        f"holds {_one(kind)} {name} of yours: Lostkeys does not use it"
        for kind, name in sorted(added)
        if kind in HARMLESS
    ]


def _read_definitions(connection: sqlite3.Connection) -> Definitions:
    rows = connection.execute(
        "SELECT iif(sql LIKE 'CREATE VIRTUAL TABLE%', 'virtual table', s.type), s.name, "
        "iif(t.type = 'shadow' OR s.name = ?, '', sql) FROM sqlite_schema AS s "
        "LEFT JOIN pragma_table_list AS t ON t.schema = 'main' AND t.name = s.name "
        "WHERE s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
        (FREE_DEFINITIONS,),
    )
    return {(kind, name): " ".join((sql or "").split()) for kind, name, sql in rows}


def _compare_columns(
    fresh: sqlite3.Connection, connection: sqlite3.Connection, table: str
) -> Iterator[str]:
    ours, theirs = (
        dict(one.execute("SELECT name, type FROM pragma_table_xinfo(?)", (table,)).fetchall())
        for one in (fresh, connection)
    )
    yield from (f"no column {name}" for name in ours.keys() - theirs)
    yield from (f"a column {name} more" for name in theirs.keys() - ours)
    yield from (
        f"column {name} holds {theirs[name] or 'anything'}"
        for name in ours.keys() & theirs.keys()
        if ours[name] != theirs[name]
    )


def _one(kind: str) -> str:
    return f"an {kind}" if kind == "index" else f"a {kind}"
