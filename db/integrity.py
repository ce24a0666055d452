"""Whether a database is sound."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from db import (
    answer_score_arrays,
    arms,
    build_steps,
    label_grids,
    lake_label_counts,
    long_inputs,
    model_rows,
    option_score_arrays,
    option_scores,
    person_actions,
    prepared_triples,
    question_versions,
    response_sources,
    responses,
    reviews,
    sampling_runs,
    triples,
)
from db.connection import read_transaction, write_transaction
from db.sqlite_errors import StoredValueError
from db.stored_values import StoredValues, unreadable

STORED = tuple(
    one
    for module in (
        question_versions,
        model_rows,
        sampling_runs,
        reviews,
        person_actions,
        build_steps,
        responses,
        response_sources,
        label_grids,
        triples,
        option_scores,
        long_inputs,
        option_score_arrays,
        prepared_triples,
        arms,
        answer_score_arrays,
        lake_label_counts,
    )
    for one in module.STORED
)
"""What the modules of this room read; those above read more."""

READ = 4_096
"""Rows of a table that are remembered as read, so that equal ones need not be read again."""

REPAIRED = frozenset(
    one.table
    for module in (label_grids, option_score_arrays, answer_score_arrays)
    for one in module.STORED
)
"""Tables of what follows from others, so that it can be worked out anew."""

REMEDY = "restore a copy, or mend these rows with SQLite"


@dataclass(slots=True)
class Damage:
    """Rows of a table that are damaged in one way: how many, and one of them."""

    table: str
    fault: str
    kind: str
    example: str
    rows: int = 0

    def __str__(self) -> str:
        rows = f"{self.rows:,} row{'s' if self.rows > 1 else ''}"
        remedy = "`lostkeys doctor --repair`" if self.table in REPAIRED else REMEDY
        return (
            f"has {rows} of table {self.table} {self.fault} "
            f"({self.kind}; such as {self.example}): {remedy}"
        )


def faults(connection: sqlite3.Connection, more: Iterable[StoredValues] = ()) -> list[str]:
    """What is wrong, and what to do: a line for each kind of damage. The file is not changed.

    Damaged pages come alone, nothing can be said of what rests on them. Else rows that point
    nowhere, values that their readers (those of this room, and `more`) cannot read, versions that
    cannot be.
    """
    pages = [row[0] for row in connection.execute("PRAGMA quick_check(5)") if row[0] != "ok"]
    if pages:
        return [f"is damaged ({one}): restore a copy" for one in pages]
    damage = [*find_orphans(connection), *find_damage(connection, (*STORED, *more))]
    edits = [f"is damaged ({one}): restore a copy" for one in question_versions.faults(connection)]
    return [*map(str, damage), *edits]


def find_orphans(connection: sqlite3.Connection) -> list[Damage]:
    """Rows that name a row of another table that is not there, by both tables."""
    found: dict[tuple[str, int], Damage] = {}
    for table, row, parent, key in connection.execute("PRAGMA foreign_key_check"):
        damage = found.get((table, key))
        if damage is None:
            example = f"row {row}" if row is not None else _orphan(connection, table, key)
            kind = f"a {parent} that is not there"
            damage = found[table, key] = Damage(table, "pointing nowhere", kind, example)
        damage.rows += 1
    return list(found.values())


def _orphan(connection: sqlite3.Connection, table: str, key: int) -> str:
    """One row without an id of its own that points nowhere: by what it names."""
    pairs = [
        (parent, mine, theirs)
        for one, _, parent, mine, theirs, *_ in connection.execute(
            f"PRAGMA foreign_key_list({table})"
        )
        if one == key
    ]
    same = " AND ".join(f"parent.{theirs} = mine.{mine}" for _, mine, theirs in pairs)
    row = connection.execute(
        f"SELECT {', '.join(f'mine.{mine}' for _, mine, _ in pairs)} FROM {table} AS mine "
        f"WHERE NOT EXISTS (SELECT 1 FROM {pairs[0][0]} AS parent WHERE {same}) LIMIT 1"
    ).fetchone()
    named = zip((mine for _, mine, _ in pairs), row, strict=True)
    return f"the one of {' and '.join(f'{name} {value}' for name, value in named)}"


def find_damage(connection: sqlite3.Connection, stored: Iterable[StoredValues]) -> list[Damage]:
    """Values that their readers cannot read, by table and by what they should be."""
    return [damage for one in stored for damage in _damage(connection, one)]


def _damage(connection: sqlite3.Connection, stored: StoredValues) -> Iterable[Damage]:
    try:
        return _count(stored, _unreadable(connection, stored, lambda: None))
    except sqlite3.OperationalError:  # text that is not Unicode, which SQLite stops at
        decoder, usual = _Decoder(), connection.text_factory
        connection.text_factory = decoder
        try:
            return _count(stored, _unreadable(connection, stored, decoder.check))
        finally:
            connection.text_factory = usual


def _count(
    stored: StoredValues, errors: Iterable[tuple[object, StoredValueError]]
) -> Iterable[Damage]:
    found: dict[str, Damage] = {}
    for key, error in errors:
        example = f"{stored.key} {key}: {error.shown}"
        damage = found.setdefault(
            error.kind, Damage(stored.table, "that cannot be read", error.kind, example)
        )
        damage.rows += 1
    return found.values()


def _unreadable(
    connection: sqlite3.Connection, stored: StoredValues, check: Callable[[], None]
) -> Iterator[tuple[object, StoredValueError]]:
    """The rows of a table that their reader cannot read, and why; equal rows are read once."""
    columns = ", ".join(filter(None, (stored.key, stored.columns, stored.texts)))
    last = -len(stored.texts.split()) or None
    read = lru_cache(READ)(stored.read)
    for row in connection.execute(f"SELECT {columns} FROM {stored.table} WHERE {stored.where}"):
        key = row[0]
        try:
            check()
            read(*row[1:last])
        except StoredValueError as error:
            yield key, error


class _Decoder:
    """Makes texts of the file's bytes; `check` tells of a row whose bytes are none."""

    def __init__(self) -> None:
        self._fault = b""

    def __call__(self, data: bytes) -> str:
        try:
            return data.decode()
        except UnicodeDecodeError:
            self._fault = data
            return ""

    def check(self) -> None:
        """Raise `StoredValueError` if anything since the last check was no text."""
        if self._fault:
            fault, self._fault = self._fault, b""
            raise unreadable("text that is not Unicode", fault)


def grids_are_stale(connection: sqlite3.Connection) -> bool:
    """Whether the label grids differ from the responses and grades they were made from."""
    with read_transaction(connection):
        return label_grids.differ(label_grids.load(connection), label_grids.rebuild(connection))


def repair_grids(connection: sqlite3.Connection) -> None:
    """Make the label grids anew."""
    with write_transaction(connection):
        label_grids.replace(connection, label_grids.rebuild(connection))
