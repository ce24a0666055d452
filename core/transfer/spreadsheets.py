"""Workbooks as rows: a sheet of xlsx, xls or ods, its cells as a person reads them."""

import datetime
import zipfile
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from core.errors import LostkeysError, UsageError
from core.settings.compression import MOST_FOLD, byte_limit
from core.settings.extras import check_extra
from core.stats.number_format import format_amount
from core.transfer.row_source import Row, RowSource
from core.transfer.row_values import quote, quote_names

EXACT = 10**15
"""Up to it a whole number that a sheet holds is one to the last digit."""

Cells = list[str]
NumberedCells = list[tuple[int, Cells]]


class Spreadsheet(RowSource):
    """The first sheet of a workbook, or the one that the words name.

    The first row with a filled cell has the names of the columns; rows have the numbers that the
    sheet shows. Every cell of merged ones has their value, a formula the value that was saved.
    """

    unit = "row"
    tabular = True
    cells = True

    def keys(self) -> Sequence[str]:
        """The columns."""
        return [name for name in self._header if name]

    @property
    def notices(self) -> Sequence[str]:
        """Which sheet is read where there are several, which cells are merged."""
        self._content  # noqa: B018
        return self._notices

    def _parse_rows(self) -> Iterator[tuple[int, Row]]:
        header = self._header
        for number, cells in self._content[1:]:
            if any(cells):
                yield (
                    number,
                    {name: cell for name, cell in zip(header, cells, strict=True) if name},
                )

    @cached_property
    def _header(self) -> Cells:
        """Names of the columns; empty where a column has none. Raises `LostkeysError`."""
        if not self._content:
            return []
        number, header = self._content[0]
        twice = [name for name in header if name and header.count(name) > 1]
        if twice:
            raise self.read_error(
                f"row {number}", f"two columns are named {quote(twice[0])}", "rename one"
            )
        return header

    @cached_property
    def _content(self) -> NumberedCells:
        """Number and cells of every row from the header on."""
        check_extra("sheets")
        import python_calamine as calamine

        self._notices: list[str] = []
        self._check_size()
        try:
            with calamine.load_workbook(str(self.path)) as book:
                sheet = self._sheet(book)
                rows = [
                    (number, [_cell_text(cell) for cell in row])
                    for number, row in enumerate(sheet.iter_rows(), 1)
                ]
                self._spread(rows, sheet)
        except (calamine.CalamineError, OSError, ValueError) as error:
            raise self._unsound(error) from None
        start = next((at for at, (_, row) in enumerate(rows) if any(row)), len(rows))
        return rows[start:]

    def _check_size(self) -> None:
        """Refuse a packed workbook that holds far more than its size. Raises `LostkeysError`."""
        if not zipfile.is_zipfile(self.path):
            return
        with zipfile.ZipFile(self.path) as parts:
            size = sum(part.file_size for part in parts.infolist())
        if size > byte_limit(self.size):
            raise self.read_error(
                "",
                f"holds more than {MOST_FOLD:,} times its size",
                "save it as CSV if you trust it",
            )

    def _sheet(self, book: Any) -> Any:
        """The sheet that is wanted, else the first."""
        names: list[str] = book.sheet_names
        wanted = self.words.sheet
        if not names:
            raise self.read_error("", "the workbook has no sheet")
        if wanted is None and len(names) > 1:
            self._notices.append(
                f"read is the sheet {quote(names[0])} of {quote_names(names)}: "
                "--sheet names another"
            )
        if wanted is not None and wanted not in names:
            raise UsageError(
                f"{self.path} has no sheet {quote(wanted)}: sheets are {quote_names(names)}"
            )
        return book.get_sheet_by_name(names[0] if wanted is None else wanted)

    def _spread(self, rows: NumberedCells, sheet: Any) -> None:
        """Give every cell of merged ones the value of the first."""
        if sheet.start is None:
            return
        _, left = sheet.start
        spread = 0
        for (top, first), (bottom, last) in sheet.merged_cell_ranges or ():
            if bottom >= len(rows) or last - left >= len(rows[top][1]):
                continue
            value = rows[top][1][first - left]
            for _, cells in rows[top : bottom + 1]:
                for column in range(first - left, last - left + 1):
                    cells[column] = value
            spread += 1
        if spread:
            ranges = format_amount(spread, "range")
            self._notices.append(f"{ranges} of merged cells: each cell has the value of the first")

    def _unsound(self, error: Exception) -> LostkeysError:
        why = str(error).partition("\n")[0] or type(error).__name__
        if type(error).__name__ == "PasswordError":
            return self.read_error("", "the workbook is encrypted", "save it without a password")
        return self.read_error("", f"not a sound workbook ({why})")


def _cell_text(cell: Any) -> str:
    """A cell as text: dates as ISO 8601 has them, whole numbers without a fraction."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float) and cell.is_integer() and abs(cell) <= EXACT:
        return str(int(cell))
    if isinstance(cell, datetime.datetime) and cell.time() == datetime.time():
        return cell.date().isoformat()
    if isinstance(cell, datetime.date | datetime.time):
        return cell.isoformat()
    return str(cell)
