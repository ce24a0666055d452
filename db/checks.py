"""Whether a database is sound."""

import sqlite3

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


def grids_are_stale(connection: sqlite3.Connection) -> bool:
    """Whether the label grids differ from the responses and grades they were made from."""
    with reading(connection):
        return grids.differ(grids.load(connection), grids.rebuilt(connection))


def repair_grids(connection: sqlite3.Connection) -> None:
    """Make the label grids anew."""
    with writing(connection):
        grids.replace(connection, grids.rebuilt(connection))
