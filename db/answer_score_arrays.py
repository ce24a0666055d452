"""Scores of answers, as one array a setting: what has been worked out need not be again.

The responses and golds stay the truth. A score names the gold that it was worked out with, so
that whoever reads tells those of an earlier gold; where responses leave their slots, the array of
their setting goes with them (`forget`).
"""

import json
import sqlite3
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from db.label_grids import last_change
from db.slot_ids import MAX_SETTING, SAMPLE_BITS
from db.sqlite_errors import StoredValueError
from db.stored_values import StoredValues

ROW = np.dtype(
    [
        ("question", "<i8"),
        ("gold", "<i8"),
        ("em", "u1"),
        ("em_raw", "u1"),
        ("f1", "<f8"),
        ("f1_raw", "<f8"),
    ]
)
"""The scores of the first response to a question in a setting; question and gold are ids."""

AnswerScoreRows = npt.NDArray[np.void]
"""Rows of scores, shape (questions,), by rising question."""


def load(connection: sqlite3.Connection, setting: int) -> AnswerScoreRows:
    """The scores that are kept of a setting; none where there are none."""
    row = connection.execute(
        "SELECT cells FROM answer_score WHERE setting = ?", (setting,)
    ).fetchone()
    return np.zeros(0, ROW) if row is None else _read_cells(row[0])


def store(connection: sqlite3.Connection, setting: int, cells: AnswerScoreRows, seen: int) -> bool:
    """Keep the scores of a setting in the place of what is kept. Inside a transaction.

    `seen` is the number of the last change of the label grids when the responses were read; where
    there has been one since, nothing is kept. Gives whether they were.
    """
    if last_change(connection) != seen:
        return False
    ordered = np.sort(cells.astype(ROW), order="question")
    connection.execute(
        "INSERT OR REPLACE INTO answer_score (setting, cells) VALUES (?, ?)",
        (setting, ordered.tobytes()),
    )
    return True


def forget(connection: sqlite3.Connection, slots: Sequence[int]) -> None:
    """Drop the scores of the settings of these slots. Inside a transaction."""
    settings = sorted({slot >> SAMPLE_BITS & MAX_SETTING for slot in slots})
    connection.execute(
        "DELETE FROM answer_score WHERE setting IN (SELECT value FROM json_each(?))",
        (json.dumps(settings),),
    )


def clear(connection: sqlite3.Connection) -> None:
    """Drop all scores (repair). Inside a transaction."""
    connection.execute("DELETE FROM answer_score")


def _read_cells(blob: bytes) -> AnswerScoreRows:
    if len(blob) % ROW.itemsize:
        raise StoredValueError("scores of answers", f"{len(blob)} bytes")
    cells = np.frombuffer(blob, ROW)
    if (np.diff(cells["question"]) <= 0).any():
        raise StoredValueError("scores of answers", "a question twice")
    return cells


STORED = (StoredValues("answer_score", "cells", _read_cells, key="setting"),)
"""All that is read of the scores; `lostkeys doctor --repair` drops them."""
