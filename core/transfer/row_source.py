"""Files as rows, whatever their kind, behind one interface.

A row is a dict, or a `BadRow` where the file is sound but this row cannot be used. Whatever
breaks the file as a whole (a broken quote, a cut-off line, wrong encoding, invalid JSON) raises
`LostkeysError` with file and line.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, TypeVar

from core.errors import LostkeysError
from core.settings.compression import DamagedStreamError, open_bytes
from core.specs.file_specs import ImportWords
from core.transfer.encodings import LIKELY, UTF8, bad_line, encoding_of
from core.transfer.row_values import quote

BOM = b"\xef\xbb\xbf"
ROWS_AT_ONCE = 4_096
ROWS_IN_BLOCK = 200
BYTES_IN_BLOCK = 2**15
"""What is taken apart together stays in the cache of a processor: twice as fast as much at once."""
CUT_OFF = "mend the file, or write it again if it was cut off"


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be used, and why."""

    reason: str


Row = dict[str, Any] | BadRow
NumberedRow = tuple[Any, Row]
_Row = TypeVar("_Row")


def blocks_of(rows: Iterable[_Row]) -> Iterator[list[_Row]]:
    """The rows, some at a time."""
    left = iter(rows)
    while block := list(islice(left, ROWS_IN_BLOCK)):
        yield block


class RowSource(ABC):
    """A file to be read from its start as often as needed.

    `unit` says what numbers the rows; `tabular` whether every row has the same columns;
    `cells` whether values may be text for what they stand for; `size` the file's bytes.
    """

    unit: ClassVar[str] = "line"
    tabular: ClassVar[bool] = False
    cells: ClassVar[bool] = False

    def __init__(self, path: Path, words: ImportWords | None = None) -> None:
        """`words` may name an encoding and a sheet."""
        self.path = path
        self.size = path.stat().st_size
        self.words = words or ImportWords()

    def read_rows(self) -> Iterator[NumberedRow]:
        """Line or row number (from 1) and row, to the end of the file."""
        return self._parse_rows()

    def blocks(self) -> Iterator[Sequence[NumberedRow]]:
        """The same rows, some at a time."""
        return blocks_of(self.read_rows())

    def scan(self, tell: Callable[[int], None]) -> int:
        """Read the file to its end, telling now and then how many rows there are; gives it."""
        count = told = 0
        for block in self.blocks():
            count += len(block)
            if count - told >= ROWS_AT_ONCE:
                tell(count)
                told = count
        return count

    def keys(self) -> Sequence[str]:
        """The columns, or the keys of the first object; empty where there is none."""
        return next((list(row) for _, row in self.read_rows() if isinstance(row, dict)), [])

    def close(self) -> None:  # noqa: B027 (most have nothing to close)
        """Let go of what reading took."""

    @property
    def notices(self) -> Sequence[str]:
        """What a person should know of how it is read, in lines."""
        return ()

    @property
    def mapping(self) -> Sequence[tuple[str, str]]:
        """What is what, as far as it is not plain: our word, and what the file has for it."""
        return ()

    @abstractmethod
    def _parse_rows(self) -> Iterator[tuple[Any, Row]]: ...

    def open_bytes(self) -> BinaryIO:
        """The file, unpacked."""
        return open_bytes(self.path)

    def encoding_of(self, file: BinaryIO) -> str:
        """How the opened file is encoded. Raises `UsageError` for an encoding there is not."""
        return encoding_of(file, self.words.encoding)

    def read_error(self, where: str, what: str, remedy: str = CUT_OFF) -> LostkeysError:
        """The error for a file that cannot be read to its end; `where` as in `line 3`, or empty."""
        place = f"{self.path}, {where}" if where else str(self.path)
        return LostkeysError(f"{place}: {what}: {remedy}")

    def damage_error(self, where: str, error: DamagedStreamError) -> LostkeysError:
        """The error for a compressed file that cannot be unpacked to its end."""
        return self.read_error(where, str(error), error.remedy)

    def encoding_error(self, encoding: str) -> LostkeysError:
        """The error for a file in another encoding, with the first line that shows it."""
        with self.open_bytes() as file:
            number, text = bad_line(file, encoding)
        where = f"line {number}" if number else ""
        name = "UTF-8" if encoding in (UTF8, "utf-8-sig") else encoding
        if not text or encoding == LIKELY:
            return self.read_error(
                where, f"not {name} text", "`lostkeys import --encoding NAME` reads another"
            )
        return self.read_error(
            where,
            f"not {name} text",
            f"`lostkeys import --encoding {LIKELY}` reads it as {quote(text)}",
        )
