"""Rows of responses as columns, and where they wait while a file is read to its end."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from tempfile import SpooledTemporaryFile
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

HELD_BYTES = 2**26
"""Bytes of batches that wait in memory; more go to a passing file."""


Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ResponseColumns:
    """Rows that can land by themselves.

    Row i has `counts[i]` of the `marks`, which stand one after another. `settings` and `marks` are
    places in what the lander has seen so far, `shown` the number of an order or -1.
    """

    texts: list[str]
    lines: Ints
    questions: Ints
    samples: Ints
    settings: Ints
    shown: Ints
    counts: Ints
    marks: Ints


_NUMBERS = tuple(one.name for one in fields(ResponseColumns) if one.name != "texts")


class GatheredRows:
    """Rows on their way into columns; `characters` is the length of their texts."""

    def __init__(self) -> None:
        self.texts = list[str]()
        self.characters = 0
        self._numbers = {name: list[int]() for name in _NUMBERS}

    def add(self, texts: Sequence[str], **numbers: Sequence[int]) -> None:
        """Take in some rows, by the names of `ResponseColumns`."""
        self.texts += texts
        self.characters += sum(map(len, texts))
        for name, column in numbers.items():
            self._numbers[name] += column

    def columns(self) -> ResponseColumns:
        """All of them."""
        numbers = {name: np.array(column, np.int64) for name, column in self._numbers.items()}
        return ResponseColumns(self.texts, **numbers)


class ResponseSpool:
    """Batches in the order of their coming."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(HELD_BYTES)  # noqa: SIM115 (until `close`)

    def keep(self, batch: ResponseColumns) -> None:
        """Add a batch."""
        columns = [_narrow(getattr(batch, name)) for name in _NUMBERS]
        head = [[(column.dtype.str, column.nbytes) for column in columns], batch.texts]
        self._file.write(orjson.dumps(head, option=orjson.OPT_APPEND_NEWLINE))
        for column in columns:
            self._file.write(column.tobytes())

    def __iter__(self) -> Iterator[ResponseColumns]:
        self._file.seek(0)
        while head := self._file.readline():
            kinds, texts = orjson.loads(head)
            columns: dict[str, Any] = {
                name: np.frombuffer(self._file.read(size), kind).astype(np.int64)
                for name, (kind, size) in zip(_NUMBERS, kinds, strict=True)
            }
            yield ResponseColumns(texts, **columns)

    def close(self) -> None:
        """Forget the batches."""
        self._file.close()


def _narrow(column: Ints) -> npt.NDArray[np.integer[Any]]:
    """The numbers of a column in as few bytes as they need."""
    least, most = column.min(initial=0), column.max(initial=0)
    kind = np.promote_types(np.min_scalar_type(least), np.min_scalar_type(most))
    return column.astype(kind)
