"""Files as rows: CSV, TSV, JSONL, JSON and Parquet behind one interface.

A row is a dict, or a `BadRow` where the file is sound but this row cannot be used. Whatever
breaks the file as a whole (a broken quote, a cut-off line, wrong encoding, invalid JSON) raises
`LostkeysError` with file and line.
"""

import csv
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import Any, ClassVar

import orjson

from core.errors import LostkeysError
from core.settings.extras import check_extra
from core.settings.plain_data import LongIntegerError, parse_integer
from core.transfer.fields import quoted

BOM = b"\xef\xbb\xbf"
LONGEST_CELL = 2**31 - 1
ROWS_AT_ONCE = 4_096
BYTES_AT_ONCE = 2**22
CUT_OFF = "mend the file, or write it again if it was cut off"


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be used, and why."""

    reason: str


Row = dict[str, Any] | BadRow


class RowSource(ABC):
    """A file to be read from its start as often as needed.

    `unit` says what numbers the rows; `tabular` whether every row has the same columns;
    `cells` whether values may be text for what they stand for; `size` the file's bytes.
    """

    unit: ClassVar[str] = "line"
    tabular: ClassVar[bool] = False
    cells: ClassVar[bool] = False

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = path.stat().st_size

    def rows(self) -> Iterator[tuple[int, Row]]:
        """Line or row number (from 1) and row, to the end of the file."""
        return self._read()

    def scan(self, tell: Callable[[int], None]) -> int:
        """Read the file to its end, telling now and then how many rows there are; gives it."""
        count = 0
        for count, _ in enumerate(self.rows(), 1):
            if count % ROWS_AT_ONCE == 0:
                tell(count)
        return count

    def keys(self) -> Sequence[str]:
        """The columns, or the keys of the first object; empty where there is none."""
        return next((list(row) for _, row in self.rows() if isinstance(row, dict)), [])

    @property
    def notices(self) -> Sequence[str]:
        """What a person should know of how it is read, in lines."""
        return ()

    @abstractmethod
    def _read(self) -> Iterator[tuple[int, Row]]: ...

    def broken(self, where: str, what: str, remedy: str = CUT_OFF) -> LostkeysError:
        """The error for a file that cannot be read to its end; `where` as in `line 3`, or empty."""
        place = f"{self.path}, {where}" if where else str(self.path)
        return LostkeysError(f"{place}: {what}: {remedy}")


class _Table(RowSource):
    """CSV and TSV: RFC 4180 quoting, a header, UTF-8 with or without a byte order mark."""

    tabular = True
    cells = True
    delimiter: ClassVar[str]

    def keys(self) -> Sequence[str]:
        """The columns."""
        for header, _, _ in self._records():
            return header
        return []

    def _read(self) -> Iterator[tuple[int, Row]]:
        for header, line, cells in self._records():
            if cells:
                yield line, dict(zip(header, cells, strict=True))

    def _records(self) -> Iterator[tuple[list[str], int, list[str]]]:
        """Header, line and cells; the header itself comes first, with no cells."""
        csv.field_size_limit(LONGEST_CELL)
        line = 1
        with self.path.open("rb") as file:
            lines = TextIOWrapper(file, "utf-8-sig", newline="")
            reader = csv.reader(lines, delimiter=self.delimiter, strict=True)
            try:
                header = self._checked(next(reader, []))
                yield header, line, []
                line = reader.line_num + 1
                for cells in reader:
                    if cells and len(cells) != len(header):
                        raise self.broken(
                            f"line {line}",
                            f"{len(cells)} cells under a header of {len(header)} columns",
                        )
                    yield header, line, cells
                    line = reader.line_num + 1
            except csv.Error as error:
                raise self.broken(
                    f"line {line}", f"broken quoting in the row that begins here ({error})"
                ) from None
            except UnicodeDecodeError:
                raise _not_utf8(self) from None

    def _checked(self, header: list[str]) -> list[str]:
        twice = [name for name in header if header.count(name) > 1]
        if twice:
            raise self.broken("line 1", f"two columns are named {quoted(twice[0])}", "rename one")
        return header


class CsvFile(_Table):
    """Cells between commas."""

    delimiter = ","


class TsvFile(_Table):
    """Cells between tabs."""

    delimiter = "\t"


class JsonlFile(RowSource):
    """One JSON object a line; blank lines are skipped."""

    def scan(self, tell: Callable[[int], None]) -> int:
        """Read the file to its end; at full speed unless some line needs a closer look."""
        decode = orjson.loads
        count = 0
        try:
            with self.path.open("rb") as file:
                while lines := file.readlines(BYTES_AT_ONCE):
                    for line in lines:
                        decode(line)
                    count += len(lines)
                    tell(count)
        except orjson.JSONDecodeError:
            return super().scan(lambda seen: tell(max(seen, count)))
        return count

    def _read(self) -> Iterator[tuple[int, Row]]:
        decode = orjson.loads
        with self.path.open("rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    row = decode(line)
                except orjson.JSONDecodeError:
                    text = line.removeprefix(BOM) if number == 1 else line
                    if not text.strip():
                        continue
                    row = self._decode(number, text)
                yield number, row if type(row) is dict else _unfit(row)

    def _decode(self, number: int, line: bytes) -> Any:
        try:
            return _checked_text(_standard_json(line.decode()))
        except UnicodeDecodeError:
            raise _not_utf8(self) from None
        except json.JSONDecodeError as error:
            what = f"not valid JSON ({error.msg}, column {error.colno})"
            raise self.broken(f"line {number}", what) from None
        except LongIntegerError as error:
            raise self.broken(f"line {number}", str(error), "shorten it") from None
        except (ValueError, RecursionError) as error:
            raise self.broken(f"line {number}", f"not valid JSON ({error})") from None


class JsonFile(RowSource):
    """One list of objects; rows are numbered by their place in it."""

    unit = "row"

    def _read(self) -> Iterator[tuple[int, Row]]:
        values, sound = self._load()
        for number, value in enumerate(values, 1):
            row = value if sound else _checked_text(value)
            yield number, row if isinstance(row, dict) else _unfit(row)

    def _load(self) -> tuple[list[Any], bool]:
        """The list, and whether all of its text is known to be Unicode."""
        content = self.path.read_bytes().removeprefix(BOM)
        sound = True
        try:
            values = orjson.loads(content)
        except orjson.JSONDecodeError:
            values, sound = self._standard(content), False
        return self._listed(values), sound

    def _listed(self, content: Any) -> list[Any]:
        """The rows in what the file holds."""
        if not isinstance(content, list):
            raise self.broken("", "not a list of objects", "write [...] or use .jsonl")
        return content

    def _standard(self, content: bytes) -> Any:
        try:
            return _standard_json(content.decode())
        except UnicodeDecodeError:
            raise _not_utf8(self) from None
        except json.JSONDecodeError as error:
            where = f"{error.msg}, line {error.lineno} column {error.colno}"
            raise self.broken("", f"not valid JSON ({where})") from None
        except LongIntegerError as error:
            raise self.broken("", str(error), "shorten it") from None
        except (ValueError, RecursionError) as error:
            raise self.broken("", f"not valid JSON ({error})") from None


class ParquetFile(RowSource):
    """A Parquet file, read a few thousand rows at a time."""

    unit = "row"
    tabular = True
    cells = True

    def keys(self) -> Sequence[str]:
        """The columns."""
        check_extra("arrow")
        import pyarrow as pa
        from pyarrow import parquet

        try:
            with parquet.ParquetFile(self.path) as file:
                names: list[str] = file.schema_arrow.names
        except pa.ArrowException as error:
            raise _unsound(self, error, "") from None
        if len(set(names)) < len(names):
            raise self.broken("", "two columns have one name", "rename one")
        return names

    def _read(self) -> Iterator[tuple[int, Row]]:
        import pyarrow as pa
        from pyarrow import parquet

        self.keys()
        number = 0
        try:
            with parquet.ParquetFile(self.path) as file:
                for batch in file.iter_batches(ROWS_AT_ONCE):
                    for number, row in enumerate(batch.to_pylist(), number + 1):  # noqa: B020
                        yield number, row
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise _unsound(self, error, f"after row {number}") from None


SOURCES: dict[str, type[RowSource]] = {
    ".csv": CsvFile,
    ".tsv": TsvFile,
    ".jsonl": JsonlFile,
    ".ndjson": JsonlFile,
    ".json": JsonFile,
    ".parquet": ParquetFile,
}


def _standard_json(text: str) -> Any:
    """What the standard library makes of text that orjson refuses: it says why, and where."""
    return json.loads(text, parse_constant=_no_constant, parse_int=parse_integer)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _checked_text(value: Any) -> Any:
    """The value, or a `BadRow` if some of its text is no Unicode (half of a surrogate pair)."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return BadRow("its text is not Unicode (half of a surrogate pair)")
    return value


def _unfit(value: object) -> BadRow:
    return value if isinstance(value, BadRow) else BadRow(f"{quoted(value)} is not an object")


def _not_utf8(source: RowSource) -> LostkeysError:
    """The error for a file in another encoding, with the first line that shows it."""
    with source.path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return source.broken(f"line {number}", "not UTF-8 text", "save the file as UTF-8")
    return source.broken("", "not UTF-8 text", "save the file as UTF-8")


def _unsound(source: RowSource, error: Exception, where: str) -> LostkeysError:
    why = str(error).partition("\n")[0]
    return source.broken(where, f"not a sound Parquet file ({why})")
