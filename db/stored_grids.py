"""Label grids that are in the file but not in memory yet, read one by one when asked for."""

import sqlite3

import numpy as np
import numpy.typing as npt

from core.vocabulary import Outcome
from db.sqlite_errors import StoredValueError

Grid = npt.NDArray[np.uint8]

FIRST_CELLS = 4_096
"""Cells that are looked at to see whether a grid has any; nearly all have one among them."""


class StoredGrids:
    """Those of one file; each is given once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.rows = {
            (plane, setting): row
            for plane, setting, row in connection.execute("SELECT plane, setting, rowid FROM grid")
        }
        """Where they are in the table, by plane and setting."""
        self._begun = set[tuple[int, int]]()

    def take(self, plane: int, setting: int) -> Grid | None:
        """One of them, which is in memory from now on; None where it is not, or no more."""
        if self.rows.pop((plane, setting), None) is None:
            return None
        found = self._connection.execute(
            "SELECT samples, cells FROM grid WHERE plane = ? AND setting = ?", (plane, setting)
        ).fetchone()
        return None if found is None else read_cells(*found)

    def starts(self, plane: int, setting: int) -> bool:
        """Whether one of them has anything in its first cells; it may have so behind them."""
        row = self.rows.get((plane, setting))
        if row is not None and (plane, setting) not in self._begun:
            with self._connection.blobopen("grid", "cells", row, readonly=True) as blob:
                if blob.read(FIRST_CELLS).strip(b"\0"):
                    self._begun.add((plane, setting))
        return row is not None and (plane, setting) in self._begun


def read_cells(samples: int, blob: bytes) -> Grid:
    """The cells of a stored grid, shape (samples, questions); copied once they change (`_room`)."""
    if samples < 1 or len(blob) % samples:
        raise StoredValueError("a label grid", f"{len(blob)} cells in {samples} rows")
    cells = np.frombuffer(blob, np.uint8).reshape(samples, -1)
    check_cells(cells)
    return cells


def check_cells(cells: Grid) -> None:
    """Raise `StoredValueError` for outcomes that there are not."""
    most = int(cells.max(initial=0))
    if most > max(Outcome):
        raise StoredValueError("no outcome", most)
