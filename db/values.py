"""Stored values that SQLite does not check: JSON, and members of an enum.

Whatever Lostkeys never writes raises `StoredValueError` here, where it is read.
"""

import json
from collections.abc import Hashable
from dataclasses import MISSING, fields
from enum import Enum
from functools import lru_cache
from typing import Any, TypeVar, cast, get_type_hints

from db.errors import StoredValueError

E = TypeVar("E", bound=Enum)
R = TypeVar("R")

SHOWN = 40
"""Characters of a value that an error shows."""

OPTIONS = 4
"""Options of a multiple-choice question."""

ALIASES, RECIPE = "aliases of a gold", "a recipe"


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


def read_member(kind: type[E], value: object) -> E:
    """The member of an enum that is stored by its value."""
    try:
        return kind(value)
    except ValueError:
        raise unreadable(f"no {kind.__name__.lower()}", value) from None


def check_list(value: object, kind: type[R], what: str) -> tuple[R, ...]:
    """The members of a list out of JSON, all of one type."""
    if not isinstance(value, list) or not {kind}.issuperset(map(type, value)):
        raise unreadable(what, value)
    return tuple(value)


def unreadable(what: str, value: object) -> StoredValueError:
    """The error for a value, with how it begins."""
    shown = repr(value)
    return StoredValueError(f"{what}: {shown[:SHOWN]}{'…' if len(shown) > SHOWN else ''}")


@lru_cache
def _fields(kind: Hashable) -> tuple[dict[str, Any], set[str]]:
    """The type of each field, and the names of those without a default."""
    hints = get_type_hints(kind)
    mine = fields(cast("Any", kind))
    return {one.name: hints[one.name] for one in mine}, {
        one.name for one in mine if one.default is MISSING and one.default_factory is MISSING
    }
