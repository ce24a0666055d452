"""A program that reads one sheet of a workbook for `Spreadsheet`, under limits of its own.

What reads workbooks makes room for all cells between the first and the last filled one, so that a
file of a kilobyte may ask for more memory than any machine has, which ends the program that reads.
Run by its file, with the path and the name of a sheet; it prints a line of JSON for each of
`{"sheets": [...]}`, `[[number, [cell, ...]], ...]`, `{"merged": ranges}` or `{"fault": why}`.
"""

import datetime
import sys
import zipfile
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

import orjson

from core.exchange.cell_formats import Place, read_formats, read_shown, show_cell, show_duration
from core.settings.compression import MOST_FOLD, byte_limit
from core.settings.process_limits import limit_process

MEMORY = 2**29
MEMORY_A_BYTE = 200
"""Bytes that reading may take, and for each byte of the file."""

SECONDS = 5
SECONDS_A_MEGABYTE = 20
"""Seconds of a processor that reading may take, and for each megabyte of the file."""

CELLS_A_BYTE = 4
"""Cells of a sheet, empty ones too, for each byte that a file of its size may hold."""

CELL_BYTES = 8
"""Bytes that a filled cell takes in a file at the least, beside its text."""

ROWS_AT_ONCE = 1_000

EXACT = 10**15
"""Up to it a whole number that a sheet holds is one to the last digit."""

Cells = list[str]


class SheetError(Exception):
    """Why a sheet is not read, in words that a person understands."""


def main(path: Path, wanted: str | None) -> None:
    """Print what the sheet named so holds, or the first one."""
    size = path.stat().st_size
    limit_process(MEMORY + MEMORY_A_BYTE * size, SECONDS + SECONDS_A_MEGABYTE * (size >> 20))
    import python_calamine as calamine

    try:
        _check_size(path, byte_limit(size))
        with calamine.load_workbook(str(path)) as book:
            names: list[str] = book.sheet_names
            _say({"sheets": names})
            if names and (wanted is None or wanted in names):
                name = wanted or names[0]
                shown = read_formats(path, name), read_shown(path, name)
                _say_sheet(book.get_sheet_by_name(name), byte_limit(size), *shown)
    except SheetError as error:
        _say({"fault": str(error), "far": True})
    except (calamine.CalamineError, zipfile.BadZipFile, OSError, ValueError, ParseError) as error:
        why = str(error).partition("\n")[0] or type(error).__name__
        encrypted = type(error).__name__ == "PasswordError"
        _say(
            {"fault": "the workbook is encrypted" if encrypted else f"not a sound workbook ({why})"}
        )


def _check_size(path: Path, most: int) -> None:
    """Refuse a packed workbook that says it holds more bytes."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as parts:
            if sum(part.file_size for part in parts.infolist()) > most:
                raise SheetError(f"holds more than {MOST_FOLD:,} times its size")


def _say_sheet(
    sheet: Any, most: int, formats: Mapping[Place, str], texts: Mapping[Place, str]
) -> None:
    """Print the rows of a sheet that may hold so many bytes of text.

    `formats` are those of cells that show a share, a time or a duration; `texts` what they show,
    where the workbook says it.
    """
    if sheet.height * sheet.width > CELLS_A_BYTE * most:
        raise SheetError(
            f"its cells reach over {sheet.height:,} rows and {sheet.width:,} columns, "
            "more than a file of this size can fill"
        )
    merged = list(sheet.merged_cell_ranges or ()) if sheet.start is not None else []
    numbered = enumerate(sheet.iter_rows(), 1)
    start = sheet.start[1] if sheet.start else 0
    rows: Iterator[tuple[int, Cells]] = (
        (
            number,
            [
                texts.get((number - 1, column))
                or _cell_text(cell, formats.get((number - 1, column)))
                for column, cell in enumerate(row, start)
            ],
        )
        for number, row in numbered
    )
    if merged:
        every = list(rows)
        if spread := _spread(every, merged, sheet.start[1]):
            _say({"merged": spread})
        rows = iter(every)
    left = most
    while some := list(islice(rows, ROWS_AT_ONCE)):
        left -= sum(CELL_BYTES + len(cell) for _, cells in some for cell in cells if cell)
        if left < 0:
            raise SheetError(f"holds more than {MOST_FOLD:,} times its size")
        _say([row for row in some if any(row[1])])


def _spread(rows: list[tuple[int, Cells]], merged: list[Any], left: int) -> int:
    """Give every cell of merged ones the value of the first; gives how many ranges there are."""
    spread = 0
    for (top, first), (bottom, last) in merged:
        if bottom >= len(rows) or last - left >= len(rows[top][1]):
            continue
        value = rows[top][1][first - left]
        for _, cells in rows[top : bottom + 1]:
            for column in range(first - left, last - left + 1):
                cells[column] = value
        spread += 1
    return spread


def _cell_text(cell: Any, code: str | None) -> str:
    """A cell as text: dates as ISO 8601 has them, whole numbers without a fraction.

    Shares, times and durations as their format `code` shows them.
    """
    if isinstance(cell, str):
        return cell
    if code is not None and (shown := show_cell(cell, code)) is not None:
        return shown
    if isinstance(cell, datetime.timedelta):
        return show_duration(cell)
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float) and cell.is_integer() and abs(cell) <= EXACT:
        return str(int(cell))
    if isinstance(cell, datetime.datetime) and cell.time() == datetime.time():
        return cell.date().isoformat()
    if isinstance(cell, datetime.date | datetime.time):
        return cell.isoformat()
    return str(cell)


def _say(value: object) -> None:
    sys.stdout.buffer.write(orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None)
