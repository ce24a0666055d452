"""The ground of a cell in a square table of counts: the more, the hotter; the diagonal agrees."""

import numpy as np
import numpy.typing as npt

HOT, WARM, MILD = 0.6, 0.25, 0.1
"""Shares of the fullest cell from which on a cell is drawn hotter; on the diagonal, where one
cell holds most, `MILD` stands for `WARM`."""


def heat(table: npt.NDArray[np.integer], row: int, column: int) -> str:
    """The ground of a cell, ` @heat-agree-2`; none where it is empty."""
    count, same = int(table[row, column]), row == column
    if not count:
        return ""
    among = table[np.eye(len(table), dtype=np.bool_) == same]
    share = count / int(among.max())
    level = 3 if share >= HOT else 2 if share >= (MILD if same else WARM) else 1
    return f" @heat-{'agree' if same else 'differ'}-{level}"
