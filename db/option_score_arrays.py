"""What scores come to, as dense arrays: one a series and part, indexed by the fact's id.

A *series* is a model under one setup. In the file a part is a blob, plus a list of changes since.
Whoever writes scores appends the change in the same transaction (`record`); whoever reads lays
the changes over the blobs (`load`); now and then they are folded in (`fold_if_due`). The scores
stay the truth: `replace` puts arrays that were made from them anew in the place of all.
"""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from enum import IntFlag

import numpy as np
import numpy.typing as npt

from db.connection import write_transaction
from db.sqlite_errors import StoredValueError
from db.stored_values import StoredValues

Cells = npt.NDArray[np.generic]

PARTS: Mapping[str, str] = {
    "state": "<u1",
    "options": "<u4",
    "rank": "<u2",
    "p_top": "<f8",
    "p_gold": "<f8",
    "mass": "<f8",
}
"""Each part with its type: a `ScoreState`, the list of options, and what `OptionScores` has."""

ROW = np.dtype([("fact", "<i8"), *PARTS.items()])
"""A score as a change has it; its fields are the fact's id and the parts."""

FOLD_AFTER_ROWS = 100_000
FOLD_AFTER_CHANGES = 500
"""Reading so many takes a few milliseconds; more would slow down every table."""


class ScoreState(IntFlag):
    """What is known of a fact under a series."""

    ASKED = 1
    """It has log probabilities."""
    USABLE = 2
    """There is one of every option."""
    CORRECT = 4
    """The gold is the most probable."""
    ANSWERED = 8
    """It has a response."""
    RIGHT = 16
    """The response names the gold."""


def record(connection: sqlite3.Connection, series: int, rows: npt.NDArray[np.void]) -> None:
    """Append a change; in the transaction that writes the scores."""
    if rows.size:
        connection.execute(
            "INSERT INTO score_change (series, cells) VALUES (?, ?)",
            (series, rows.astype(ROW).tobytes()),
        )


def load(
    connection: sqlite3.Connection, series: Sequence[int], part: str, facts: int
) -> npt.NDArray[np.generic]:
    """A part of these series, shape (series, facts), 0 where nothing is known. In one reading."""
    found = np.zeros((len(series), facts), PARTS[part])
    for place, key in enumerate(series):
        row = connection.execute(
            "SELECT cells FROM score_grid WHERE series = ? AND part = ?", (key, part)
        ).fetchone()
        if row is not None:
            cells = _read_cells(part, row[0])[:facts]
            found[place, : cells.size] = cells
        for rows in _changes(connection, key):
            known = rows[rows["fact"] < facts]
            found[place, known["fact"]] = known[part]
    return found


def has_scores(connection: sqlite3.Connection) -> bool:
    """Whether there is a score of any series."""
    row = connection.execute(
        "SELECT EXISTS (SELECT 1 FROM score_grid) OR EXISTS (SELECT 1 FROM score_change)"
    ).fetchone()
    return bool(row[0])


def length_of(connection: sqlite3.Connection, series: int) -> int:
    """How many facts the arrays of a series reach to."""
    row = connection.execute(
        "SELECT length(cells) FROM score_grid WHERE series = ? AND part = 'state'", (series,)
    ).fetchone()
    changed = (int(rows["fact"].max(initial=-1)) + 1 for rows in _changes(connection, series))
    return max(row[0] if row else 0, *changed, 0)


def _changes(connection: sqlite3.Connection, series: int) -> Iterable[npt.NDArray[np.void]]:
    rows = connection.execute(
        "SELECT cells FROM score_change WHERE series = ? ORDER BY seq", (series,)
    )
    return (_read_change(blob) for (blob,) in rows)


def fold_if_due(connection: sqlite3.Connection) -> None:
    """Fold the pending changes if reading them would slow tables down."""
    changes, size = connection.execute(
        "SELECT count(*), coalesce(sum(length(cells)), 0) FROM score_change"
    ).fetchone()
    if changes > FOLD_AFTER_CHANGES or size > FOLD_AFTER_ROWS * ROW.itemsize:
        fold(connection)


def fold(connection: sqlite3.Connection) -> None:
    """Write all pending changes into the blobs, in one transaction."""
    with write_transaction(connection):
        changed = connection.execute("SELECT DISTINCT series FROM score_change").fetchall()
        for (series,) in changed:
            facts = length_of(connection, series)
            for part in PARTS:
                _store(connection, series, part, load(connection, [series], part, facts)[0])
        connection.execute("DELETE FROM score_change")


def _store(connection: sqlite3.Connection, series: int, part: str, cells: Cells) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO score_grid (series, part, cells) VALUES (?, ?, ?)",
        (series, part, cells.tobytes()),
    )


def replace(
    connection: sqlite3.Connection, rows: Iterable[tuple[int, npt.NDArray[np.void]]]
) -> None:
    """Store rows of series instead of what is there. Inside a transaction."""
    connection.execute("DELETE FROM score_change")
    connection.execute("DELETE FROM score_grid")
    for series, cells in rows:
        facts = int(cells["fact"].max(initial=-1)) + 1
        for part, kind in PARTS.items():
            dense = np.zeros(facts, kind)
            dense[cells["fact"]] = cells[part]
            _store(connection, series, part, dense)


def last_change(connection: sqlite3.Connection) -> int:
    """A number that is another one as soon as a score has come."""
    row = connection.execute(
        "SELECT seq FROM sqlite_sequence WHERE name = 'score_change'"
    ).fetchone()
    return int(row[0]) if row else 0


def _read_cells(part: str, blob: bytes) -> Cells:
    kind = PARTS.get(part)
    if kind is None or len(blob) % np.dtype(kind).itemsize:
        raise StoredValueError("an array of scores", f"{len(blob)} bytes of {part}")
    return np.frombuffer(blob, kind)


def _read_change(blob: bytes) -> npt.NDArray[np.void]:
    if len(blob) % ROW.itemsize:
        raise StoredValueError("a change of the arrays of scores", f"{len(blob)} bytes")
    return np.frombuffer(blob, ROW)


STORED = (
    StoredValues("score_grid", "part, cells", _read_cells, key="rowid"),
    StoredValues("score_change", "cells", _read_change, key="seq"),
)
"""All that is read of the arrays; `lostkeys doctor --repair` makes them anew."""
