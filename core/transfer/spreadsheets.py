"""Workbooks as rows: a sheet of xlsx, xls or ods, its cells as a person reads them."""

import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from core.errors import LostkeysError, UsageError
from core.settings.extras import check_extra
from core.stats.number_format import format_amount
from core.transfer.row_source import Row, RowSource
from core.transfer.row_values import find_double, quote, quote_names

FAR = "delete cells that lie far outside the table, or save it as CSV if you trust it"
"""What helps where a sheet takes too much to read."""

CHILD = Path(__file__).with_name("sheet_child.py")

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
        if twice := find_double(filter(None, header)):
            raise self.read_error(
                f"row {number}", f"two columns are named {quote(twice)}", "rename one"
            )
        return header

    @cached_property
    def _content(self) -> NumberedCells:
        """Number and cells of every row from the header on."""
        check_extra("sheets")
        self._notices: list[str] = []
        rows: NumberedCells = []
        child = subprocess.Popen(
            [sys.executable, "-P", str(CHILD), str(self.path.absolute()), *self._wanted],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        with child:
            try:
                assert child.stdout is not None
                for line in child.stdout:
                    said = orjson.loads(line)
                    if isinstance(said, list):
                        rows += [(number, cells) for number, cells in said]
                    else:
                        self._take_word(said)
            finally:
                child.kill()
        if child.returncode:
            raise self._unsound(child.returncode)
        return rows

    @property
    def _wanted(self) -> list[str]:
        """The name of the sheet, where one is named."""
        return [] if self.words.sheet is None else [self.words.sheet]

    def _take_word(self, said: dict[str, Any]) -> None:
        """Take in what the child says beside rows. Raises `LostkeysError`."""
        if "fault" in said:
            remedy = FAR if said.get("far") else "save it again, without a password, or as CSV"
            raise self.read_error("", said["fault"], remedy)
        if "merged" in said:
            ranges = format_amount(said["merged"], "range")
            self._notices.append(f"{ranges} of merged cells: each cell has the value of the first")
        if "sheets" in said:
            self._check_sheet(said["sheets"])

    def _check_sheet(self, names: Sequence[str]) -> None:
        """Say which sheet is read, the one that is wanted, else the first."""
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

    def _unsound(self, code: int) -> LostkeysError:
        """The error for a child that was ended."""
        if -code == signal.SIGXCPU:
            return self.read_error("", "takes too long to read", FAR)
        return self.read_error("", "takes too much memory to read, or is no sound workbook", FAR)
