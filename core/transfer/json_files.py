"""JSON as rows: an object a line, a list of objects, or columns."""

import json
from collections.abc import Callable, Iterator
from io import TextIOWrapper
from typing import Any

import orjson

from core.settings.compression import DamagedStreamError
from core.settings.plain_data import LongIntegerError, parse_integer
from core.transfer.encodings import UTF8
from core.transfer.fields import quoted
from core.transfer.readers import BOM, BadRow, Row, RowSource

BYTES_AT_ONCE = 2**22


class JsonlFile(RowSource):
    """One JSON object a line; blank lines are skipped."""

    def scan(self, tell: Callable[[int], None]) -> int:
        """Read the file to its end; at full speed unless some line needs a closer look."""
        decode = orjson.loads
        count = 0
        try:
            with self.open_bytes() as file:
                while lines := file.readlines(BYTES_AT_ONCE):
                    for line in lines:
                        decode(line)
                    count += len(lines)
                    tell(count)
        except (orjson.JSONDecodeError, DamagedStreamError):
            return super().scan(lambda seen: tell(max(seen, count)))
        return count

    def _read(self) -> Iterator[tuple[int, Row]]:
        decode = orjson.loads
        number = 0
        try:
            for number, line in enumerate(self._lines(), 1):
                try:
                    row = decode(line)
                except orjson.JSONDecodeError:
                    text = line.removeprefix(BOM) if number == 1 else line
                    if not text.strip():
                        continue
                    row = self._decode(number, text)
                yield number, row if type(row) is dict else _unfit(row)
        except DamagedStreamError as error:
            raise self.damaged(f"after line {number}", error) from None

    def _lines(self) -> Iterator[bytes]:
        """The lines of the file, as UTF-8."""
        with self.open_bytes() as file:
            encoding = self.encoding_of(file)
            if encoding in (UTF8, "utf-8-sig"):
                yield from file
                return
            try:
                with TextIOWrapper(file, encoding, newline="\n") as lines:
                    for line in lines:
                        yield line.encode()
            except UnicodeDecodeError:
                raise self.misread(encoding) from None

    def _decode(self, number: int, line: bytes) -> Any:
        try:
            return _checked_text(_standard_json(line.decode()))
        except UnicodeDecodeError:
            raise self.misread(UTF8) from None
        except json.JSONDecodeError as error:
            what = f"not valid JSON ({error.msg}, column {error.colno})"
            raise self.broken(f"line {number}", what) from None
        except LongIntegerError as error:
            raise self.broken(f"line {number}", str(error), "shorten it") from None
        except (ValueError, RecursionError) as error:
            raise self.broken(f"line {number}", f"not valid JSON ({error})") from None


class JsonFile(RowSource):
    """One list of objects, bare or under `data` or `rows`, or columns; rows are numbered."""

    unit = "row"

    def _read(self) -> Iterator[tuple[int, Row]]:
        values, sound = self._load()
        for number, value in enumerate(values, 1):
            row = value if sound else _checked_text(value)
            yield number, row if isinstance(row, dict) else _unfit(row)

    def _load(self) -> tuple[list[Any], bool]:
        """The list, and whether all of its text is known to be Unicode."""
        content = self._content()
        sound = True
        try:
            values = orjson.loads(content)
        except orjson.JSONDecodeError:
            values, sound = self._standard(content), False
        return self._listed(values), sound

    def _content(self) -> bytes:
        """All of the file, as UTF-8 without a mark."""
        try:
            with self.open_bytes() as file:
                encoding = self.encoding_of(file)
                content = file.read()
        except DamagedStreamError as error:
            raise self.damaged("", error) from None
        if encoding in (UTF8, "utf-8-sig"):
            return content.removeprefix(BOM)
        try:
            return content.decode(encoding).encode()
        except UnicodeDecodeError:
            raise self.misread(encoding) from None

    def _listed(self, content: Any) -> list[Any]:
        """The rows in what the file holds."""
        found = rows_in(content)
        if found is None:
            raise self.broken("", "not a list of objects", "write [...] or use .jsonl")
        return found

    def _standard(self, content: bytes) -> Any:
        try:
            return _standard_json(content.decode())
        except UnicodeDecodeError:
            raise self.misread(UTF8) from None
        except json.JSONDecodeError as error:
            where = f"{error.msg}, line {error.lineno} column {error.colno}"
            raise self.broken("", f"not valid JSON ({where})") from None
        except LongIntegerError as error:
            raise self.broken("", str(error), "shorten it") from None
        except (ValueError, RecursionError) as error:
            raise self.broken("", f"not valid JSON ({error})") from None


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
    return BadRow(f"the viewer cut off {quoted(cut)}") if cut else one["row"]


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
    return json.loads(text, parse_constant=_no_constant, parse_int=parse_integer)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _checked_text(value: Any) -> Any:
    """The value, or a `BadRow` if some of its text is no Unicode (half of a surrogate pair)."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return BadRow("its text is not Unicode (half of a surrogate pair)")
    return value


def _unfit(value: object) -> BadRow:
    return value if isinstance(value, BadRow) else BadRow(f"{quoted(value)} is not an object")
