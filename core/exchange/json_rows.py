"""The rows of a log that is a list: an object a line, or one list of objects.

Their JSON is as tools write it: with NaN and Infinity, and whatever numbers they have.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from core.exchange.log_reader import LogPart, LogReader
from core.exchange.log_samples import BadSample
from core.settings.compression import DamagedStreamError, open_bytes, read_lines
from core.settings.plain_data import parse_integer

BOM = b"\xef\xbb\xbf"

LINES = (".jsonl", ".ndjson")
LONGEST_HEAD = 2**26
"""Bytes of a first line that are looked at, to tell what a file is."""

BYTES_IN_BLOCK = 2**16
"""Bytes of lines that are parsed together: what they hold stays in the cache of a processor."""

ROWS_IN_BLOCK = 64
"""Rows of a list that are taken together."""

Row = dict[str, Any] | BadSample
Numbered = Iterator[tuple[int, Row]]
RowBlock = tuple[Sequence[int], list[Row]]
"""Lines or places (from 1), and the row of each."""


class UnlikeRowsError(Exception):
    """Rows are not all of one kind, and are to be read one by one."""


class AlikeRows:
    """Objects (at least one) with the same `keys` in the same order; else `UnlikeRowsError`."""

    def __init__(self, rows: list[Any]) -> None:
        kinds = set(map(tuple, rows)) if set(map(type, rows)) == {dict} else ()
        if len(kinds) != 1:
            raise UnlikeRowsError
        (self.keys,) = kinds
        self._rows = rows

    def column(self, key: str) -> list[Any]:
        """What each has under a key; None where there is no such key."""
        if key not in self.keys:
            return [None] * len(self._rows)
        return list(map(itemgetter(key), self._rows))


def numbered_rows(log: LogReader) -> Numbered:
    """Line or place (from 1) and row. Raises `LostkeysError` where the file is broken."""
    for numbers, rows in row_blocks(log):
        yield from zip(numbers, rows, strict=True)


def row_blocks(log: LogReader) -> Iterator[RowBlock]:
    """The same, some rows at a time."""
    if log.plain.suffix.lower() in LINES:
        return _line_blocks(log)
    rows = load_whole(log)
    if not isinstance(rows, list):
        raise log.read_error("not a list of objects", remedy="write [...] or use .jsonl")
    return _list_blocks(rows)


def listed_rows(rows: list[Any]) -> Numbered:
    """Place (from 1) and row of a list."""
    for numbers, some in _list_blocks(rows):
        yield from zip(numbers, some, strict=True)


def _list_blocks(rows: list[Any]) -> Iterator[RowBlock]:
    for start in range(0, len(rows), ROWS_IN_BLOCK):
        some = rows[start : start + ROWS_IN_BLOCK]
        yield _mark_bad(range(start + 1, start + 1 + len(some)), some)


def _mark_bad(numbers: Sequence[int], values: list[Any]) -> RowBlock:
    """The values as rows: one that is no object is bad."""
    if set(map(type, values)) == {dict}:
        return numbers, values
    return numbers, [
        one if isinstance(one, dict) else BadSample(number, "is not an object")
        for number, one in zip(numbers, values, strict=True)
    ]


def parse_file(path: Path) -> Any:
    """What a JSON file holds. Raises `ValueError`, `RecursionError` or `DamagedStreamError`."""
    with open_bytes(path) as file:
        return parse_json(file.read())


def load_whole(log: LogReader) -> Any:
    """What a JSON file holds."""
    try:
        return parse_file(log.path)
    except DamagedStreamError as error:
        raise log.read_error(str(error), remedy=error.remedy) from None
    except UnicodeDecodeError:
        raise log.read_error("not UTF-8 text", remedy="save the file as UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise log.read_error(f"not valid JSON ({error})") from None


def _line_blocks(log: LogReader) -> Iterator[RowBlock]:
    log.last_line = log.part.lines
    try:
        with open_bytes(log.path) as file:
            for lines in _read_lines(file, log.part):
                first = log.last_line + 1
                log.last_line += len(lines)
                try:
                    block = _mark_bad(
                        range(first, first + len(lines)), list(map(orjson.loads, lines))
                    )
                except orjson.JSONDecodeError:
                    block = _mark_bad(*_parse_lines(log, first, lines))
                yield block
    except DamagedStreamError as error:
        place = f"after line {log.last_line}" if log.last_line else ""
        raise log.read_error(str(error), place, error.remedy) from None


def _read_lines(file: BinaryIO, part: LogPart) -> Iterator[list[bytes]]:
    """The lines of a part, some at a time; also those before the place where it is damaged."""
    lines: list[bytes] = []
    size, left = 0, sys.maxsize if part.end is None else part.end - part.start
    if part.start:
        file.seek(part.start)
    try:
        while some := read_lines(file, 1):
            (line,) = some
            lines.append(line)
            size += len(line)
            if size >= BYTES_IN_BLOCK or size >= left:
                yield lines
                lines, size, left = [], 0, left - size
                if left <= 0:
                    return
    except DamagedStreamError:
        yield lines
        raise
    yield lines


def _parse_lines(log: LogReader, first: int, lines: Sequence[bytes]) -> tuple[list[int], list[Any]]:
    """Number and value of each line that is not blank, whatever numbers stand in it."""
    filled = [
        (number, line) for number, line in enumerate(lines, first) if line.removeprefix(BOM).strip()
    ]
    return [number for number, _ in filled], [_parse_line(log, *one) for one in filled]


def _parse_line(log: LogReader, number: int, line: bytes) -> Any:
    try:
        return parse_json(line)
    except UnicodeDecodeError:
        raise log.read_error("not UTF-8 text", f"line {number}", "save the file as UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise log.read_error(f"not valid JSON ({error})", f"line {number}") from None


def first_row(path: Path) -> Any:
    """About the first value of a file of lines; None where there is none, or it cannot be read."""
    try:
        with open_bytes(path) as file:
            while line := file.readline(LONGEST_HEAD):
                if line.removeprefix(BOM).strip():
                    return parse_roughly(line)
    except (ValueError, RecursionError, DamagedStreamError):
        pass
    return None


def parse_roughly(content: bytes) -> Any:
    """The value that stands there, also where its text is not UTF-8: what a file is shows still.

    Raises `ValueError` or `RecursionError`.
    """
    try:
        return parse_json(content)
    except UnicodeDecodeError:
        return json.loads(content.decode(errors="replace"))


def parse_json(content: bytes | memoryview) -> Any:
    """The value that stands there. Raises `ValueError` or `RecursionError`, with why."""
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        return parse_lean(content)


def parse_lean(content: bytes | memoryview) -> Any:
    """The same, slower, in a quarter of the memory: orjson takes twelve times the text besides."""
    text = bytes(content).removeprefix(BOM).decode()
    try:
        return json.loads(text)
    except ValueError:  # a number of thousands of digits among them, which this says in words
        return json.loads(text, parse_int=parse_integer)


def write_compact(value: object) -> str:
    """A value as JSON with sorted keys and without blanks, as identities are made of it."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def write_answer(value: object) -> str:
    """An answer that is no text, as JSON."""
    return json.dumps(value, ensure_ascii=False)
