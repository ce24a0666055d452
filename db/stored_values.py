"""Stored values that SQLite does not check: JSON, members of an enum, times, ids of other rows.

Whatever Lostkeys never writes raises `StoredValueError` here, where it is read.
"""

import json
from collections.abc import Callable, Hashable, Iterable
from dataclasses import MISSING, fields
from datetime import UTC, datetime
from enum import Enum
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar, cast, get_type_hints

from db.sqlite_errors import StoredValueError

E = TypeVar("E", bound=Enum)
R = TypeVar("R")

SHOWN = 40
"""Characters of a value that an error shows."""

LONGEST_COUNT = 19
"""Digits of a count that is stored as text: more do not fit into SQLite's integers."""

OPTIONS = 4
"""Options of a multiple-choice question."""

ALIASES, RECIPE = "aliases of a gold", "a recipe"


class StoredValues(NamedTuple):
    """Columns of a table that hold such values, and what reads one row of them.

    `key` is the column that names a row, `where` a condition on the rows that are read. `texts`
    are further columns, of which any text is well.
    """

    table: str
    columns: str
    read: Callable[..., object]
    key: str = "id"
    where: str = "true"
    texts: str = ""


class RowsById(dict[int, R]):
    """Rows of a table by id; one that another row names must be there."""

    def __init__(self, table: str, rows: Iterable[tuple[int, R]]) -> None:
        super().__init__(rows)
        self._table = table

    def __missing__(self, key: int) -> R:
        raise missing_row(self._table, key)


def read_json(text: str, what: str) -> Any:
    """The value stored as JSON; `what` names it for people."""
    try:
        value = json.loads(text)
        if "\\u" in text:  # half of a surrogate pair can neither be shown nor stored again
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise unreadable(what, text) from None
    return value


def read_texts(text: str, what: str) -> tuple[str, ...]:
    """A stored list of texts."""
    return check_list(read_json(text, what), str, what)


@lru_cache
def read_options(text: str) -> tuple[str, str, str, str]:
    """The stored options of a multiple-choice question."""
    options = read_texts(text, "options of a question")
    if len(options) != OPTIONS:
        raise unreadable("options of a question", text)
    first, second, third, fourth = options
    return first, second, third, fourth


def read_integers(text: str, what: str) -> tuple[int, ...]:
    """A stored list of whole numbers."""
    return check_list(read_json(text, what), int, what)


def read_object(text: str, what: str) -> dict[str, Any]:
    """A stored JSON object."""
    value = read_json(text, what)
    if not isinstance(value, dict):
        raise unreadable(what, text)
    return value


def read_record(kind: type[R], text: str, what: str) -> R:
    """A dataclass stored as a JSON object of its fields, those with defaults optional."""
    value = read_object(text, what)
    types, needed = _fields(cast("Hashable", kind))
    fits = needed <= value.keys() <= types.keys() and all(
        isinstance(one, types[name]) for name, one in value.items()
    )
    if not fits:
        raise unreadable(what, text)
    return kind(**value)


def read_member(kind: type[E], value: object, what: str) -> E:
    """The member of an enum that is stored by its value; `what` names such members for people."""
    try:
        return kind(value)
    except ValueError:
        raise unreadable(f"no {what}", value) from None


def check_list(value: object, kind: type[R], what: str) -> tuple[R, ...]:
    """The members of a list out of JSON, all of one type."""
    if not isinstance(value, list) or not {kind}.issuperset(map(type, value)):
        raise unreadable(what, value)
    return tuple(value)


def read_time(text: str) -> datetime:
    """A time that is stored as UTC text."""
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        raise unreadable("a time", text) from None


def read_count(text: str, what: str) -> int:
    """A whole number from 0 on that is stored as text."""
    if not (text.isascii() and text.isdecimal() and len(text) < LONGEST_COUNT):
        raise unreadable(what, text)
    return int(text)


def unreadable(what: str, value: object) -> StoredValueError:
    """The error for a value, with how it begins."""
    shown = repr(value)
    return StoredValueError(what, f"{shown[:SHOWN]}{'…' if len(shown) > SHOWN else ''}")


def missing_row(table: str, key: int) -> StoredValueError:
    """The error for a row that names one of another table that is not there."""
    return StoredValueError(f"a row names a {table} that is not there", key)


@lru_cache
def _fields(kind: Hashable) -> tuple[dict[str, Any], set[str]]:
    """The type of each field, and the names of those without a default."""
    hints = get_type_hints(kind)
    mine = fields(cast("Any", kind))
    return {one.name: hints[one.name] for one in mine}, {
        one.name for one in mine if one.default is MISSING and one.default_factory is MISSING
    }
