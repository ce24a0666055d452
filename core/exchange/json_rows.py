"""The rows of a log that is a list: an object a line, or one list of objects.

Their JSON is as tools write it: with NaN and Infinity, and whatever numbers they have.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from core.exchange.log_reader import LogReader
from core.exchange.log_samples import BadSample
from core.settings.compression import DamagedStreamError, open_bytes
from core.settings.plain_data import parse_integer

BOM = b"\xef\xbb\xbf"

LINES = (".jsonl", ".ndjson")
LONGEST_HEAD = 2**26
"""Bytes of a first line that are looked at, to tell what a file is."""

Numbered = Iterator[tuple[int, dict[str, Any] | BadSample]]


def numbered_rows(log: LogReader) -> Numbered:
    """Line or place (from 1) and row. Raises `LostkeysError` where the file is broken."""
    if log.plain.suffix.lower() in LINES:
        return _lines(log)
    return _list_rows(log, load_whole(log))


def listed_rows(rows: list[Any]) -> Numbered:
    """Place (from 1) and row of a list."""
    for place, row in enumerate(rows, 1):
        yield place, row if isinstance(row, dict) else BadSample(place, "is not an object")


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


def _list_rows(log: LogReader, content: Any) -> Numbered:
    if not isinstance(content, list):
        raise log.read_error("not a list of objects", remedy="write [...] or use .jsonl")
    return listed_rows(content)


def _lines(log: LogReader) -> Numbered:
    decode = orjson.loads
    number = 0
    try:
        with open_bytes(log.path) as file:
            for number, line in enumerate(file, 1):
                try:
                    row = decode(line)
                except orjson.JSONDecodeError:
                    if not line.removeprefix(BOM).strip():
                        continue
                    row = _parse_line(log, number, line)
                yield number, row if type(row) is dict else BadSample(number, "is not an object")
    except DamagedStreamError as error:
        raise log.read_error(
            str(error), f"after line {number}" if number else "", error.remedy
        ) from None


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
