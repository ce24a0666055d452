"""Counts of several values in one sum of a statement: less time and memory than a count for each.

Each value has a lane of bits in the sum, which is exact as a number of double precision.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

LANE = 13
"""Bits for the count of a value: a cell has 1,024 samples at most."""

WIDE = 63
"""Samples below this are told apart by the bits that `pack_counts` gives."""

SAMPLE_BITS = f"bit_or(1::BIGINT << (sample::BIGINT % {WIDE}))"
"""SQL for the samples of some rows as bits."""

PACKED = "packed, many, bits"
"""The columns of `pack_counts`."""


def pack_counts(column: str, values: Iterable[object]) -> str:
    """SQL for the counts of up to four values (SQL, too) of a column, in lanes of one sum.

    Beside it are the count of all rows, which tells whether there are other values, and `bits`
    with a bit for each sample: as many as there are rows, unless one stands twice or is beyond
    `WIDE`.
    """
    lanes = " ".join(f"WHEN {one} THEN {1 << LANE * place}" for place, one in enumerate(values))
    packed = f"coalesce(sum((CASE {column} {lanes} END)::DOUBLE), 0) AS packed"
    return f"{packed}, count(*) AS many, {SAMPLE_BITS} AS bits"


def unpack_counts(packed: npt.NDArray[np.float64], values: int) -> npt.NDArray[np.uint16]:
    """The counts in some sums, shape (values, sums)."""
    whole = packed.astype(np.int64)
    found = np.empty((values, packed.size), np.uint16)
    for place in range(values):
        found[place] = whole >> LANE * place & ((1 << LANE) - 1)
    return found
