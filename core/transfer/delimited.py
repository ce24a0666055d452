"""Tables as text: cells between commas, semicolons, tabs or bars."""

import csv
from collections.abc import Iterator, Sequence
from io import TextIOWrapper

from core.settings.compression import DamagedStreamError
from core.transfer.row_source import Row, RowSource
from core.transfer.row_values import find_double, quote

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
