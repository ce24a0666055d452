"""Label counts of answers that are not in the file: those of a lake, cell by cell.

A row holds one task of a setting: ids of questions, and for each how many answers are CORRECT,
INCORRECT, PARTIALLY and OTHER, and how many there are. Answers that are in the file stand in none
of these numbers. A file with counts is opened by those alone that ask for them (`db.connection`).
"""

import json
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.vocabulary import LABELS
from db import project_values
from db.connection import COUNTS_OF
from db.sqlite_errors import StoredValueError
from db.stored_values import StoredValues

NUMBERS = len(LABELS) + 1

Questions = npt.NDArray[np.int64]
Counts = npt.NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class CountedLake:
    """A lake (its path as it was named) and the grader list that its labels were counted under.

    `versions` are those of each grader that the list names, the oldest first; `files` a sum over
    the names, sizes and times of its files as they were, empty where nobody noted it.
    """

    path: str
    graders: tuple[str, ...]
    versions: Mapping[str, Sequence[str]]
    files: str = ""


def counted_lake(connection: sqlite3.Connection) -> CountedLake | None:
    """What the counts in this file are of; None where it has none."""
    text = project_values.value(connection, COUNTS_OF)
    return None if text is None else _read_lake(text)


def note_lake(connection: sqlite3.Connection, lake: CountedLake) -> None:
    """Say what is counted. Inside a transaction."""
    text = json.dumps([lake.path, list(lake.graders), dict(lake.versions), lake.files])
    project_values.set_value(connection, COUNTS_OF, text)


def add(
    connection: sqlite3.Connection, setting: int, task: str, questions: Questions, counts: Counts
) -> None:
    """Keep the counts (numbers, questions) of a task in a setting. Inside a transaction."""
    ids, cells = (
        zlib.compress(np.ascontiguousarray(one).tobytes(), 1)
        for one in (questions.astype("<i8"), counts.astype("<u2"))
    )
    connection.execute(
        "INSERT INTO counted (setting, task, questions, counts) VALUES (?, ?, ?, ?)",
        (setting, task, ids, cells),
    )


def settings(connection: sqlite3.Connection) -> list[int]:
    """Ids of the settings that have counts."""
    rows = connection.execute("SELECT DISTINCT setting FROM counted ORDER BY setting")
    return [setting for (setting,) in rows]


def read_counts(
    connection: sqlite3.Connection, setting: int
) -> Iterator[tuple[str, Questions, Counts]]:
    """Each task of a setting with ids of questions and their counts (numbers, questions)."""
    rows = connection.execute(
        "SELECT task, questions, counts FROM counted WHERE setting = ?", (setting,)
    )
    for task, questions, counts in rows:
        yield task, *_read_cells(questions, counts)


def _read_lake(text: str) -> CountedLake:
    try:
        path, graders, versions, *files = json.loads(text)
        summed = str(files[0]) if files else ""
        return CountedLake(str(path), tuple(map(str, graders)), dict(versions), summed)
    except (ValueError, TypeError, RecursionError):
        raise StoredValueError("what was counted", text) from None


def _read_cells(questions: bytes, counts: bytes) -> tuple[Questions, Counts]:
    try:
        ids = np.frombuffer(zlib.decompress(questions), "<i8").astype(np.int64)
        cells = np.frombuffer(zlib.decompress(counts), "<u2").astype(np.uint16)
        return ids, cells.reshape(NUMBERS, ids.size)
    except (zlib.error, ValueError):
        raise StoredValueError("counts of a lake", f"{len(counts)} bytes") from None


STORED = (
    StoredValues("counted", "questions, counts", _read_cells, key="rowid"),
    StoredValues("project", "value", _read_lake, key="name", where=f"name = '{COUNTS_OF}'"),
)
"""All that is read of counts."""
