"""Rows of responses as columns, and where they wait while a file is read to its end."""

from collections.abc import Iterator
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
    """Rows that can land by themselves. Names are places in what the lander has seen so far.

    Row i has `counts[i]` of the `marks`, which stand one after another; `places` hold question
    and sample, `shown` the number of an order or -1.
    """

    texts: list[str]
    lines: Ints
    places: Ints
    settings: Ints
    shown: Ints
    counts: Ints
    marks: Ints


class ResponseSpool:
    """Batches in the order of their coming."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(HELD_BYTES)  # noqa: SIM115 (until `close`)

    def keep(self, batch: ResponseColumns) -> None:
        """Add a batch."""
        columns = [getattr(batch, name) for name in _NUMBERS]
        head = [[column.size for column in columns], batch.texts]
        self._file.write(orjson.dumps(head, option=orjson.OPT_APPEND_NEWLINE))
        for column in columns:
            self._file.write(column.tobytes())

    def __iter__(self) -> Iterator[ResponseColumns]:
        self._file.seek(0)
        while head := self._file.readline():
            sizes, texts = orjson.loads(head)
            columns: dict[str, Any] = {
                name: np.frombuffer(self._file.read(8 * size), np.int64)
                for name, size in zip(_NUMBERS, sizes, strict=True)
            }
            yield ResponseColumns(texts, **columns)

    def close(self) -> None:
        """Forget the batches."""
        self._file.close()


_NUMBERS = tuple(one.name for one in fields(ResponseColumns) if one.name != "texts")
