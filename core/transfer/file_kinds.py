"""The kinds of files that can be read: what names end in, and what reads them."""

import csv
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from shutil import copyfileobj
from typing import Any, BinaryIO, ClassVar

from core.errors import LostkeysError
from core.scale.lake import is_lake
from core.settings.compression import (
    COMPRESSIONS,
    DamagedStreamError,
    compression_of,
    open_bytes,
)
from core.settings.extras import check_extra
from core.specs.file_specs import ImportWords
from core.transfer.folders import SUFFIXES, Folder, TextFile
from core.transfer.json_files import JsonFile, JsonlFile
from core.transfer.row_source import ROWS_AT_ONCE, Row, RowSource
from core.transfer.row_values import find_double, quote
from core.transfer.spreadsheets import Spreadsheet
from db.open_files import refuse_open

# Tables as text: cells between commas, semicolons, tabs or bars.

LONGEST_CELL = 2**31 - 1
TAB = "\t"
DELIMITERS = (",", ";", TAB, "|")
"""What may stand between cells; the first of those that make most cells of a header is taken."""


class CsvFile(RowSource):
    """A table with RFC 4180 quoting and a header; rows end in any line end, blank ones are none.

    A column without a name is left out.
    """

    tabular = True
    cells = True

    def keys(self) -> Sequence[str]:
        """The columns."""
        for header, _, _ in self._records():
            return [name for name in header if name]
        return []

    @property
    def notices(self) -> Sequence[str]:
        """Which columns are left out."""
        header = next((header for header, _, _ in self._records()), [])
        unnamed = [str(place) for place, name in enumerate(header, 1) if not name]
        if not unnamed:
            return ()
        return (f"left out, a column without a name: column {', '.join(unnamed)}",)

    def delimiter(self, encoding: str) -> str:
        """What stands between the cells of this file."""
        widths = [self._header_width(encoding, one) for one in DELIMITERS]
        return DELIMITERS[widths.index(max(widths))]

    def _header_width(self, encoding: str, delimiter: str) -> int:
        """How many cells the header has between such delimiters; 0 where it is broken so."""
        try:
            with TextIOWrapper(self.open_bytes(), encoding, newline="") as lines:
                rows = csv.reader(lines, delimiter=delimiter, strict=True)
                return len(next(filter(None, rows), []))
        except (csv.Error, UnicodeDecodeError):
            return 0

    def _parse_rows(self) -> Iterator[tuple[int, Row]]:
        gaps = False
        for header, line, cells in self._records():
            if not cells:
                gaps = "" in header
            elif any(cells):
                row = dict(zip(header, cells, strict=True))
                if gaps:
                    row.pop("")
                yield line, row

    def _records(self) -> Iterator[tuple[list[str], int, list[str]]]:
        """Header, line and cells; the header itself comes first, with no cells."""
        csv.field_size_limit(LONGEST_CELL)
        line, encoding = 1, ""
        try:
            with self.open_bytes() as file:
                encoding = self.encoding_of(file)
                delimiter = self.delimiter(encoding)
                lines = TextIOWrapper(file, encoding, newline="")
                reader = csv.reader(lines, delimiter=delimiter, strict=True)
                header: list[str] = []
                for cells in reader:
                    if header and cells and len(cells) != len(header):
                        raise self.read_error(
                            f"line {line}",
                            f"{len(cells)} cells under a header of {len(header)} columns",
                        )
                    if header:
                        yield header, line, cells
                    elif cells:
                        header = self._check_header(cells, line)
                        yield header, line, []
                    line = reader.line_num + 1
        except csv.Error as error:
            raise self.read_error(
                f"line {line}", f"broken quoting in the row that begins here ({error})"
            ) from None
        except UnicodeDecodeError:
            raise self.encoding_error(encoding) from None
        except DamagedStreamError as error:
            raise self.damage_error(f"line {line}", error) from None

    def _check_header(self, header: list[str], line: int) -> list[str]:
        if twice := find_double(filter(None, header)):
            raise self.read_error(
                f"line {line}", f"two columns are named {quote(twice)}", "rename one"
            )
        if not any(header):
            raise self.read_error(
                f"line {line}", "no column has a name", "name them in the first row"
            )
        return header


class TsvFile(CsvFile):
    """Cells between tabs."""

    def delimiter(self, encoding: str) -> str:
        """A tab, whatever else there is."""
        return TAB


# Arrow and Parquet as rows.


class _Columns(RowSource):
    """A file of columns, read a few thousand rows at a time."""

    unit = "row"
    tabular = True
    cells = True
    kind: ClassVar[str]

    def keys(self) -> Sequence[str]:
        """The columns."""
        check_extra("arrow")
        import pyarrow as pa

        try:
            with self._open_batches() as (names, _):
                columns: list[str] = names
        except (pa.ArrowException, OSError) as error:
            raise self._unsound(error, "") from None
        if len(set(columns)) < len(columns):
            raise self.read_error("", "two columns have one name", "rename one")
        return columns

    def _parse_rows(self) -> Iterator[tuple[int, Row]]:
        self.keys()
        import pyarrow as pa

        number = 0
        try:
            with self._open_batches() as (_, batches):
                for batch in batches:
                    # Lengths that a file makes up would be read from any place in memory.
                    batch.validate(full=True)
                    rows = batch.to_pylist(maps_as_pydicts="lossy")
                    for number, row in enumerate(rows, number + 1):  # noqa: B020
                        yield number, row
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise self._unsound(error, f"after row {number}") from None

    @abstractmethod
    def _open_batches(self) -> Any:
        """A context that gives the names of columns, and batches of rows."""

    def _unsound(self, error: Exception, where: str) -> LostkeysError:
        why = str(error).partition("\n")[0]
        return self.read_error(where, f"not a sound {self.kind} file ({why})")


class ParquetFile(_Columns):
    """A Parquet file."""

    kind = "Parquet"

    @contextmanager
    def _open_batches(self) -> Iterator[tuple[list[str], Iterator[Any]]]:
        from pyarrow import parquet

        with parquet.ParquetFile(self.path) as file:
            yield file.schema_arrow.names, file.iter_batches(ROWS_AT_ONCE)


class ArrowFile(_Columns):
    """Arrow's own file or stream, and Feather."""

    kind = "Arrow"

    @contextmanager
    def _open_batches(self) -> Iterator[tuple[list[str], Iterator[Any]]]:
        import pyarrow as pa

        with pa.OSFile(str(self.path), "rb") as file:
            start = file.read(6)
            file.seek(0)
            if start == b"ARROW1":
                reader = pa.ipc.open_file(file)
                batches = (reader.get_batch(at) for at in range(reader.num_record_batches))
            elif start[:4] == b"FEA1":
                from pyarrow import feather

                table = feather.read_table(file)
                yield table.schema.names, iter(table.to_batches(ROWS_AT_ONCE))
                return
            else:
                reader = pa.ipc.open_stream(file)
                batches = iter(reader)
            yield reader.schema.names, _parts(batches)


def _parts(batches: Iterator[Any]) -> Iterator[Any]:
    """Batches of no more than a few thousand rows."""
    for batch in batches:
        for start in range(0, batch.num_rows, ROWS_AT_ONCE):
            yield batch.slice(start, ROWS_AT_ONCE)


STREAMED: dict[str, type[RowSource]] = {
    ".csv": CsvFile,
    ".tsv": TsvFile,
    ".jsonl": JsonlFile,
    ".ndjson": JsonlFile,
    ".json": JsonFile,
}
"""Text, which may be compressed."""

SOURCES: dict[str, type[RowSource]] = {
    **STREAMED,
    ".parquet": ParquetFile,
    ".arrow": ArrowFile,
    ".feather": ArrowFile,
    ".xlsx": Spreadsheet,
    ".xls": Spreadsheet,
    ".ods": Spreadsheet,
}

KINDS: dict[str, type[RowSource]] = {**SOURCES, **dict.fromkeys(SUFFIXES, TextFile)}
"""What reads a file, by what its name ends in; texts are documents."""

BEGINNING = 2**16
"""Bytes by which it is told what a stream is."""

_MAGIC = (
    (b"PAR1", ".parquet"),
    (b"ARROW1", ".arrow"),
    (b"\x1f\x8b", ".gz"),
    (b"BZh", ".bz2"),
    (b"\xfd7zXZ", ".xz"),
    (b"\x28\xb5\x2f\xfd", ".zst"),
    (b"PK", ".xlsx"),
    (b"\xd0\xcf\x11\xe0", ".xls"),
)


def kind_of(path: Path) -> type[RowSource] | None:
    """What reads a file of this name; None for one that nothing reads."""
    if compression_of(path):
        return STREAMED.get(Path(path.stem).suffix.lower())
    return KINDS.get(path.suffix.lower())


def open_source(path: Path, words: ImportWords | None = None) -> RowSource:
    """The reader for a file, by its extension, or for a folder: of texts, or a lake.

    Raises `LostkeysError`.
    """
    if path.is_dir():
        if not is_lake(path):
            return Folder(path)
        from core.transfer.lake_rows import LakeFolder

        return LakeFolder(path)
    check_file(path)
    kind = kind_of(path)
    if kind is None:
        raise LostkeysError(
            f"{path}: the name must end in one of {', '.join(KINDS)} to say what the file is; "
            f"behind .csv, .tsv and .json* there may be {', '.join(COMPRESSIONS)}"
        )
    return kind(path, words)


def check_file(path: Path) -> None:
    """Raise `LostkeysError` where there is no file that can be read from its start again."""
    if not path.exists():
        raise LostkeysError(f"{path} does not exist: check the name")
    if not path.is_file():
        raise LostkeysError(f"{path} is not a regular file: save what it holds to one first")
    refuse_open(path)


def guess_ending(start: bytes) -> str:
    """What the name of a file that begins so would end in; `.csv` where nothing else fits."""
    for magic, ending in _MAGIC:
        if start.startswith(magic):
            return ending
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"["):
        return ".json"
    if not text.startswith(b"{"):
        return ".csv"
    first, _, rest = text.partition(b"\n")
    ends = first.rstrip().endswith(b"}")
    return ".jsonl" if ends and rest.lstrip()[:1] in (b"{", b"") else ".json"


def save_stream(stream: BinaryIO, folder: Path) -> Path:
    """What a stream holds as a file in a folder, named by what it begins with."""
    draft = folder / "stdin"
    with draft.open("wb") as file:
        copyfileobj(stream, file)
    ending = guess_ending(_start(draft))
    if ending in COMPRESSIONS:
        draft = draft.rename(draft.with_name(f"stdin{ending}"))
        try:
            ending = guess_ending(_start(draft)) + ending
        except DamagedStreamError:
            ending = f".csv{ending}"
    return draft.rename(folder / f"stdin{ending}")


def _start(path: Path) -> bytes:
    with open_bytes(path) as file:
        return file.read(BEGINNING)
