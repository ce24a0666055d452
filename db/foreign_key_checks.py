"""Many answers at once, whose references are proved by a few looks instead of some for each row."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

from db.connection import write_transaction
from db.slot_ids import MAX_SETTING, QUESTION_SHIFT, SAMPLE_BITS


@contextmanager
def write_unchecked(connection: sqlite3.Connection) -> Iterator[None]:
    """A write transaction in which SQLite does not look up what each row refers to.

    That takes a third of the time of adding answers with labels. Whoever writes adds only what
    refers to rows that the same transaction makes, finds, or asks `check_answers` for, and removes
    with a row all that refer to it (`db.row_removal`).
    """
    connection.execute("PRAGMA foreign_keys = OFF")
    try:
        with write_transaction(connection):
            yield
    finally:
        connection.execute("PRAGMA foreign_keys = ON")


def check_answers(
    connection: sqlite3.Connection,
    slots: Sequence[int] | npt.NDArray[np.int64],
    graders: Iterable[int],
    runs: Iterable[int] = (),
) -> None:
    """Raise SQLite's own error unless the questions and settings of slots are there.

    So are the graders, and the runs. Inside a transaction.
    """
    keys = np.array(slots, np.int64)
    _check(connection, "question", np.unique(keys >> QUESTION_SHIFT).tolist())
    _check(connection, "setting", np.unique(keys >> SAMPLE_BITS & MAX_SETTING).tolist())
    _check(connection, "grader", graders)
    _check(connection, "run", runs)


def _check(connection: sqlite3.Connection, table: str, ids: Iterable[int]) -> None:
    (lost,) = connection.execute(
        f"SELECT EXISTS (SELECT 1 FROM json_each(?) WHERE value NOT IN (SELECT id FROM {table}))",
        (json.dumps(list(ids)),),
    ).fetchone()
    if lost:
        raise sqlite3.IntegrityError("FOREIGN KEY constraint failed")
