"""Whether a database is sound."""

import sqlite3
from contextlib import closing

from db import editing, grids
from db.connection import reading, writing


def faults(connection: sqlite3.Connection) -> list[str]:
    """What is wrong: damaged pages, rows that point nowhere, versions that cannot be."""
    found = [row[0] for row in connection.execute("PRAGMA quick_check(5)") if row[0] != "ok"]
    found += [
        f"table {table} row {row} points nowhere"
        for table, row, *_ in connection.execute("PRAGMA foreign_key_check").fetchmany(5)
    ]
    return found or editing.faults(connection)


def foreign(connection: sqlite3.Connection) -> list[str]:
    """Views, triggers and virtual tables that are not as this program makes them, by name."""
    from sqlite_utils import Database

    from db.schema import migrations

    with closing(sqlite3.connect(":memory:")) as fresh:
        migrations.apply(Database(fresh, strict=True))
        ours = set(_active(fresh))
    return [
        f"{kind} {name}" for kind, name, sql in _active(connection) if (kind, name, sql) not in ours
    ]


def _active(connection: sqlite3.Connection) -> list[tuple[str, str, str]]:
    """What of a schema runs code when it is used: kind, name and definition."""
    return connection.execute(
        "SELECT iif(type = 'table', 'virtual table', type), name, sql FROM sqlite_master "
        "WHERE type IN ('trigger', 'view') OR sql LIKE 'CREATE VIRTUAL TABLE%' ORDER BY name"
    ).fetchall()


def grids_are_stale(connection: sqlite3.Connection) -> bool:
    """Whether the label grids differ from the responses and grades they were made from."""
    with reading(connection):
        return grids.differ(grids.load(connection), grids.rebuilt(connection))


def repair_grids(connection: sqlite3.Connection) -> None:
    """Make the label grids anew."""
    with writing(connection):
        grids.replace(connection, grids.rebuilt(connection))
