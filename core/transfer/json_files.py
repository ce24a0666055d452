"""JSON as rows: an object a line, or a list of objects."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import orjson

from core.settings.plain_data import LongIntegerError, parse_integer
from core.transfer.fields import quoted
from core.transfer.readers import BOM, BadRow, Row, RowSource, not_utf8

BYTES_AT_ONCE = 2**22


class JsonlFile(RowSource):
    """One JSON object a line; blank lines are skipped."""

    def scan(self, tell: Callable[[int], None]) -> int:
        """Read the file to its end; at full speed unless some line needs a closer look."""
        decode = orjson.loads
        count = 0
        try:
            with self.path.open("rb") as file:
                while lines := file.readlines(BYTES_AT_ONCE):
                    for line in lines:
                        decode(line)
                    count += len(lines)
                    tell(count)
        except orjson.JSONDecodeError:
            return super().scan(lambda seen: tell(max(seen, count)))
        return count

    def _read(self) -> Iterator[tuple[int, Row]]:
        decode = orjson.loads
        with self.path.open("rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    row = decode(line)
                except orjson.JSONDecodeError:
                    text = line.removeprefix(BOM) if number == 1 else line
                    if not text.strip():
                        continue
                    row = self._decode(number, text)
                yield number, row if type(row) is dict else _unfit(row)

    def _decode(self, number: int, line: bytes) -> Any:
        try:
            return _checked_text(_standard_json(line.decode()))
        except UnicodeDecodeError:
            raise not_utf8(self) from None
        except json.JSONDecodeError as error:
            what = f"not valid JSON ({error.msg}, column {error.colno})"
            raise self.broken(f"line {number}", what) from None
        except LongIntegerError as error:
            raise self.broken(f"line {number}", str(error), "shorten it") from None
        except (ValueError, RecursionError) as error:
            raise self.broken(f"line {number}", f"not valid JSON ({error})") from None


class JsonFile(RowSource):
    """One list of objects; rows are numbered by their place in it."""

    unit = "row"

    def _read(self) -> Iterator[tuple[int, Row]]:
        values, sound = self._load()
        for number, value in enumerate(values, 1):
            row = value if sound else _checked_text(value)
            yield number, row if isinstance(row, dict) else _unfit(row)

    def _load(self) -> tuple[list[Any], bool]:
        """The list, and whether all of its text is known to be Unicode."""
        content = self.path.read_bytes().removeprefix(BOM)
        sound = True
        try:
            values = orjson.loads(content)
        except orjson.JSONDecodeError:
            values, sound = self._standard(content), False
        return self._listed(values), sound

    def _listed(self, content: Any) -> list[Any]:
        """The rows in what the file holds."""
        if not isinstance(content, list):
            raise self.broken("", "not a list of objects", "write [...] or use .jsonl")
        return content

    def _standard(self, content: bytes) -> Any:
        try:
            return _standard_json(content.decode())
        except UnicodeDecodeError:
            raise not_utf8(self) from None
        except json.JSONDecodeError as error:
            where = f"{error.msg}, line {error.lineno} column {error.colno}"
            raise self.broken("", f"not valid JSON ({where})") from None
        except LongIntegerError as error:
            raise self.broken("", str(error), "shorten it") from None
        except (ValueError, RecursionError) as error:
            raise self.broken("", f"not valid JSON ({error})") from None


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
