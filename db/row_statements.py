"""Statements over many rows: values inserted, rows selected by names."""

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Literal

Verb = Literal["INSERT OR FAIL", "INSERT OR IGNORE"]
"""What fails leaves the rows before it to whoever undoes the transaction.

A bare `INSERT` takes them back itself, and for that keeps each page as it was: a fifth of its time.
"""

ROWS_IN_STATEMENT = (200, 20, 1)
"""As many as there are: takes less than half the time of a statement for each row."""


def insert_rows(
    connection: sqlite3.Connection,
    table: str,
    columns: Sequence[str],
    rows: Sequence[tuple[object, ...]],
    verb: Verb = "INSERT OR FAIL",
) -> None:
    """Add rows in the order given. Inside a transaction."""
    _insert(connection, f"{verb} INTO {table}", columns, list(chain.from_iterable(rows)))


def insert_filled(
    connection: sqlite3.Connection,
    table: str,
    columns: Sequence[str],
    rows: Sequence[tuple[object, ...]],
    optional: Collection[str],
    verb: Verb = "INSERT OR FAIL",
) -> None:
    """The same, without optional columns that say nothing in any row, as is their default."""
    if rows:
        values = zip(columns, zip(*rows, strict=True), strict=True)
        filled = {
            name: column
            for name, column in values
            if name not in optional or not _NOTHING.issuperset(column)
        }
        insert_by_column(connection, table, filled, verb)


_NOTHING = frozenset(("", None))


def insert_by_column(
    connection: sqlite3.Connection,
    table: str,
    columns: Mapping[str, Sequence[object]],
    verb: Verb = "INSERT OR FAIL",
    shared: Mapping[str, object] = {},
) -> None:
    """The same of columns of one length, by name; `shared` are values that all rows have."""
    width = len(columns)
    values: list[object] = [None] * (width * len(next(iter(columns.values()))))
    for place, column in enumerate(columns.values()):
        values[place::width] = column
    _insert(connection, f"{verb} INTO {table}", tuple(columns), values, shared)


def _insert(
    connection: sqlite3.Connection,
    head: str,
    columns: Sequence[str],
    values: list[object],
    shared: Mapping[str, object] = {},
) -> None:
    """Add rows, whose values stand one after another.

    What they share is bound once: `?` is the parameter behind all before.
    """
    head += f" ({', '.join((*shared, *columns))}) VALUES "
    numbered = [f"?{place}" for place in range(1, len(shared) + 1)]
    row = f"({', '.join((*numbered, *'?' * len(columns)))})"
    same, start = list(shared.values()), 0
    for rows in ROWS_IN_STATEMENT:
        many = rows * len(columns)
        end = len(values) - (len(values) - start) % many
        if end > start:
            sql = head + ", ".join([row] * rows)
            some = (same + values[place : place + many] for place in range(start, end, many))
            connection.executemany(sql, some)
        start = end


NAMES_IN_STATEMENT = 500


def select_named(
    connection: sqlite3.Connection, sql: str, names: Iterable[str]
) -> list[tuple[Any, ...]]:
    """The rows of a query that ends in a column which is one of some texts.

    The texts are bound: `json_each` would cut one at a NUL.
    """
    every, found = list(names), []
    for start in range(0, len(every), NAMES_IN_STATEMENT):
        some = every[start : start + NAMES_IN_STATEMENT]
        found += connection.execute(f"{sql} IN ({', '.join('?' * len(some))})", some).fetchall()
    return found
