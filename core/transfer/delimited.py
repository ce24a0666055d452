"""CSV and TSV as rows."""

import csv
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from typing import ClassVar

from core.transfer.fields import quoted
from core.transfer.readers import Row, RowSource, not_utf8

LONGEST_CELL = 2**31 - 1


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
                raise not_utf8(self) from None

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
