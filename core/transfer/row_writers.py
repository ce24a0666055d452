"""Rows as files: CSV, TSV, JSONL, Parquet and Markdown, each whole or not at all.

A row is a dict; a column that is absent or None becomes an empty cell, no key or a null. Lists
and objects are JSON text, except in JSONL and some columns of Parquet. Texts are written to the
letter: CSV and TSV end their rows with CR LF and quote both, so that line breaks inside texts
stay what they are. In Markdown a text stands on one line, and nothing in it is read as a mark.
"""

import csv
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import orjson

from core.errors import UsageError
from core.settings.escapes import make_visible
from core.settings.file_writer import deliver_by
from core.transfer.parquet_writer import as_json_text, write_parquet

Row = Mapping[str, Any]
Columns = Mapping[str, type]
"""Names of columns and what is in them: str, int, float, bool, list or dict."""

RUN_BY_SPREADSHEETS = tuple("=+-@\t\r\n＝＋－＠−﹢﹣﹦﹫")
"""What a cell begins with that a spreadsheet would run, full-width and small signs too."""


def save(path: Path, columns: Columns, rows: Iterable[Row], excel_safe: bool = False) -> None:
    """Write rows to a file of the kind that its extension names.

    The file is put in its place when it is complete. `excel_safe` puts an apostrophe before
    cells of a table that a spreadsheet would run. Raises `UsageError` for another extension,
    `LostkeysError` where the file cannot be written; one that was there is then as it was.
    """
    write = _writer(path, excel_safe)
    deliver_by(path, lambda draft: write(draft, columns, rows))


def _writer(path: Path, excel_safe: bool) -> Callable[[Path, Columns, Iterable[Row]], None]:
    kind = path.suffix.lower()
    if kind not in _WRITERS:
        raise UsageError(f"{path}: the name must end in one of {', '.join(_WRITERS)}")
    if not excel_safe:
        return _WRITERS[kind]
    if kind not in _DELIMITERS:
        raise UsageError(f"{path}: --excel-safe is for .csv and .tsv")
    return lambda draft, columns, rows: _write_table(draft, columns, rows, _DELIMITERS[kind], _safe)


def _write_jsonl(path: Path, columns: Columns, rows: Iterable[Row]) -> None:
    with path.open("wb") as file:
        for row in rows:
            known = {name: row[name] for name in columns if row.get(name) is not None}
            file.write(orjson.dumps(known, option=orjson.OPT_APPEND_NEWLINE))


def _write_csv(path: Path, columns: Columns, rows: Iterable[Row]) -> None:
    _write_table(path, columns, rows, _DELIMITERS[".csv"], _cell)


def _write_tsv(path: Path, columns: Columns, rows: Iterable[Row]) -> None:
    _write_table(path, columns, rows, _DELIMITERS[".tsv"], _cell)


def _write_table(
    path: Path,
    columns: Columns,
    rows: Iterable[Row],
    delimiter: str,
    cell: Callable[[Any], object],
) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(columns)
        writer.writerows([cell(row.get(name)) for name in columns] for row in rows)


_MARKS = re.compile(r"[\\`*_{}\[\]<>|~&#$!]")
"""What Markdown, or HTML in it, would read as something else than text."""


def _write_markdown(path: Path, columns: Columns, rows: Iterable[Row]) -> None:
    numbers = {name for name, kind in columns.items() if kind in (int, float)}
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(_markdown_row(columns))
        rules = ["---:" if name in numbers else "---" for name in columns]
        file.write(f"| {' | '.join(rules)} |\n")
        for row in rows:
            file.write(_markdown_row([row.get(name) for name in columns]))


def _markdown_row(cells: Iterable[Any]) -> str:
    texts = ("" if cell is None else make_visible(str(_cell(cell))) for cell in cells)
    safe = [_MARKS.sub(lambda found: f"\\{found[0]}", text) for text in texts]
    return f"| {' | '.join(safe)} |\n"


def _cell(value: Any) -> object:
    return str(value).lower() if isinstance(value, bool) else as_json_text(value)


def _safe(value: Any) -> object:
    cell = _cell(value)
    runs = isinstance(cell, str) and cell.startswith(RUN_BY_SPREADSHEETS)
    return f"'{cell}" if runs else cell


_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_WRITERS = {
    ".csv": _write_csv,
    ".tsv": _write_tsv,
    ".jsonl": _write_jsonl,
    ".ndjson": _write_jsonl,
    ".parquet": write_parquet,
    ".md": _write_markdown,
}

ENDINGS = tuple(_WRITERS)
"""What names of files can end in."""
