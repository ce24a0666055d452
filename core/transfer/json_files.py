"""JSON as rows: an object a line, a list of objects, or columns."""

import json
from collections.abc import Iterable, Iterator, Sequence
from io import TextIOWrapper
from itertools import chain
from typing import Any, BinaryIO

import orjson

from core.settings.compression import DamagedStreamError, read_lines
from core.settings.plain_data import LongIntegerError, parse_integer
from core.transfer.encodings import UTF8
from core.transfer.row_source import (
    BOM,
    BYTES_IN_BLOCK,
    BadRow,
    NumberedRow,
    Row,
    RowSource,
)
from core.transfer.row_values import quote


class JsonlFile(RowSource):
    """One JSON object a line; blank lines are skipped."""

    def blocks(self) -> Iterator[Sequence[NumberedRow]]:
        """Rows as near together in the file as a cache holds."""
        decode = orjson.loads
        first = 1
        for lines in self._lines():
            try:
                yield _check_rows(enumerate(map(decode, lines), first))
            except orjson.JSONDecodeError:
                yield _check_rows(self._decode_each(lines, first))
            first += len(lines)

    def _parse_rows(self) -> Iterator[NumberedRow]:
        return chain.from_iterable(self.blocks())

    def _lines(self) -> Iterator[list[bytes]]:
        """The lines of the file, as UTF-8, some at a time."""
        read = 0
        try:
            with self.open_bytes() as file:
                encoding = self.encoding_of(file)
                if encoding not in (UTF8, "utf-8-sig"):
                    yield from self._recoded_lines(file, encoding)
                    return
                while lines := read_lines(file, BYTES_IN_BLOCK):
                    yield lines
                    read += len(lines)
        except DamagedStreamError as error:
            raise self.damage_error(f"after line {read}" if read else "", error) from None

    def _recoded_lines(self, file: BinaryIO, encoding: str) -> Iterator[list[bytes]]:
        try:
            with TextIOWrapper(file, encoding, newline="\n") as text:
                while lines := text.readlines(BYTES_IN_BLOCK):
                    yield [line.encode() for line in lines]
        except UnicodeDecodeError:
            raise self.encoding_error(encoding) from None

    def _decode_each(self, lines: Sequence[bytes], first: int) -> Iterator[tuple[int, Any]]:
        """The same of lines one of which is blank, broken, or JSON that orjson does not take."""
        for number, line in enumerate(lines, first):
            text = line.removeprefix(BOM) if number == 1 else line
            if text.strip():
                yield number, self._decode(number, text)

    def _decode(self, number: int, line: bytes) -> Any:
        try:
            return orjson.loads(line)
        except orjson.JSONDecodeError:
            pass
        try:
            return _check_text(_standard_json(line.decode()))
        except UnicodeDecodeError:
            raise self.encoding_error(UTF8) from None
        except json.JSONDecodeError as error:
            what = f"not valid JSON ({error.msg}, column {error.colno})"
            raise self.read_error(f"line {number}", what) from None
        except LongIntegerError as error:
            raise self.read_error(f"line {number}", str(error), "shorten it") from None
        except (ValueError, RecursionError) as error:
            raise self.read_error(f"line {number}", f"not valid JSON ({error})") from None


class JsonFile(RowSource):
    """One list of objects, bare or under `data` or `rows`, or columns; rows are numbered."""

    unit = "row"

    def _parse_rows(self) -> Iterator[tuple[int, Row]]:
        values, sound = self._load()
        for number, value in enumerate(values, 1):
            row = value if sound else _check_text(value)
            yield number, row if isinstance(row, dict) else _unfit(row)

    def _load(self) -> tuple[list[Any], bool]:
        """The list, and whether all of its text is known to be Unicode."""
        content = self._content()
        sound = True
        try:
            values = orjson.loads(content)
        except orjson.JSONDecodeError:
            values, sound = self._parse_standard(content), False
        return self._list_rows(values), sound

    def _content(self) -> bytes:
        """All of the file, as UTF-8 without a mark."""
        try:
            with self.open_bytes() as file:
                encoding = self.encoding_of(file)
                content = file.read()
        except DamagedStreamError as error:
            raise self.damage_error("", error) from None
        if encoding in (UTF8, "utf-8-sig"):
            return content.removeprefix(BOM)
        try:
            return content.decode(encoding).encode()
        except UnicodeDecodeError:
            raise self.encoding_error(encoding) from None

    def _list_rows(self, content: Any) -> list[Any]:
        """The rows in what the file holds."""
        found = rows_in(content)
        if found is None:
            raise self.read_error("", "not a list of objects", "write [...] or use .jsonl")
        return found

    def _parse_standard(self, content: bytes) -> Any:
        try:
            return _standard_json(content.decode())
        except UnicodeDecodeError:
            raise self.encoding_error(UTF8) from None
        except json.JSONDecodeError as error:
            where = f"{error.msg}, line {error.lineno} column {error.colno}"
            raise self.read_error("", f"not valid JSON ({where})") from None
        except LongIntegerError as error:
            raise self.read_error("", str(error), "shorten it") from None
        except (ValueError, RecursionError) as error:
            raise self.read_error("", f"not valid JSON ({error})") from None


def rows_in(content: Any) -> list[Any] | None:
    """The rows of JSON in any of the shapes that tables have; None where it is none of them.

    A list of objects, bare or under `data`; rows of the Hugging Face viewer, under `rows`;
    columns, as lists of one length or as objects by row, as pandas writes them.
    """
    if isinstance(content, list):
        return content
    if not isinstance(content, dict):
        return None
    data, names = content.get("data"), content.get("columns")
    if isinstance(data, list) and all(isinstance(row, dict) for row in data):
        return data
    if isinstance(data, list) and isinstance(names, list):
        return [_split_row(names, row) for row in data]
    if isinstance(content.get("rows"), list) and _is_viewed(content["rows"]):
        return [_viewed_row(one) for one in content["rows"]]
    return _columns(content)


def _split_row(names: list[Any], row: Any) -> Any:
    if not isinstance(row, list) or len(row) != len(names):
        return BadRow(f"is not a list of {len(names)} values")
    return dict(zip(map(str, names), row, strict=True))


def _is_viewed(rows: list[Any]) -> bool:
    return all(isinstance(one, dict) and isinstance(one.get("row"), dict) for one in rows)


def _viewed_row(one: dict[str, Any]) -> Any:
    cut = one.get("truncated_cells")
    return BadRow(f"the viewer cut off {quote(cut)}") if cut else one["row"]


def _columns(content: dict[str, Any]) -> list[Any] | None:
    values = list(content.values())
    if values and all(isinstance(one, list) for one in values):
        if len({len(one) for one in values}) > 1:
            return None
        return [dict(zip(content, row, strict=True)) for row in zip(*values, strict=True)]
    if values and all(isinstance(one, dict) for one in values):
        keys = values[0].keys()
        if all(one.keys() == keys for one in values):
            return [{name: content[name][key] for name in content} for key in keys]
    return None


def _standard_json(text: str) -> Any:
    """What the standard library makes of text that orjson refuses: it says why, and where."""
    return json.loads(text, parse_constant=_refuse_constant, parse_int=parse_integer)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _check_text(value: Any) -> Any:
    """The value, or a `BadRow` if some of its text is no Unicode (half of a surrogate pair)."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return BadRow("its text is not Unicode (half of a surrogate pair)")
    return value


def _check_rows(values: Iterable[tuple[int, Any]]) -> list[NumberedRow]:
    """The rows among values; what is none is a bad row."""
    return [(line, row if type(row) is dict else _unfit(row)) for line, row in values]


def _unfit(value: object) -> BadRow:
    return value if isinstance(value, BadRow) else BadRow(f"{quote(value)} is not an object")
