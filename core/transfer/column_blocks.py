"""Rows of a table as columns, some ten thousands at a time.

A writer that wants columns takes them as they are, any other goes through the same rows.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class CodedColumn:
    """Texts that recur: row i holds `names[codes[i]]`."""

    codes: Codes
    names: Sequence[str]

    def __len__(self) -> int:
        return self.codes.size

    def values(self) -> list[Any]:
        """What each row holds."""
        names = self.names
        return [names[code] for code in self.codes.tolist()]


@dataclass(frozen=True, slots=True)
class PairsColumn:
    """Texts by name: row i holds the pairs from `ends[i]` to `ends[i + 1]`."""

    ends: Codes
    names: CodedColumn
    texts: CodedColumn

    def __len__(self) -> int:
        return self.ends.size - 1

    def values(self) -> list[Any]:
        """What each row holds."""
        pairs = list(zip(self.names.values(), self.texts.values(), strict=True))
        ends = self.ends.tolist()
        return [dict(pairs[start:end]) for start, end in pairwise(ends)]


Column = list[Any] | npt.NDArray[Any] | CodedColumn | PairsColumn
Block = Mapping[str, Column]
"""Columns of one length, by name."""


class CountedRows:
    """Rows to be gone through once; `count` says how many have been."""

    def __init__(self, rows: Iterable[dict[str, Any]]) -> None:
        self.count = 0
        self._rows = rows

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for row in self._rows:
            self.count += 1
            yield row


class BlockRows(CountedRows):
    """Rows that come as blocks of columns."""

    def __init__(self, blocks: Iterable[Block]) -> None:
        super().__init__(row for block in blocks for row in _to_rows(block))
        self._blocks = blocks

    def blocks(self) -> Iterator[Block]:
        """The blocks instead of their rows."""
        for block in self._blocks:
            self.count += len(next(iter(block.values())))
            yield block


def _to_rows(block: Block) -> Iterator[dict[str, Any]]:
    columns = [_values(column) for column in block.values()]
    return (dict(zip(block, row, strict=True)) for row in zip(*columns, strict=True))


def _values(column: Column) -> list[Any]:
    if isinstance(column, list):
        return column
    return column.tolist() if isinstance(column, np.ndarray) else column.values()
