"""Dataclasses as plain data (what JSON can hold), and back: what does not fit falls back."""

import math
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from core.errors import LostkeysError

T = TypeVar("T")


def to_plain(value: Any, put: Callable[[Any], Any] | None = None) -> Any:
    """A value as mappings, lists, text, numbers, truth values and None.

    Dataclasses become mappings by field, sets sorted lists, enums their values. `put` gives what
    stands for a value, most often that itself.
    """
    if put is not None:
        value = put(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: to_plain(getattr(value, one.name), put) for one in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(to_plain(key)): to_plain(one, put) for key, one in value.items()}
    if isinstance(value, AbstractSet):
        return sorted(to_plain(one, put) for one in value)
    if isinstance(value, tuple | list):
        return [to_plain(one, put) for one in value]
    return value


def from_plain(kind: type[T], plain: Any) -> T:
    """A dataclass from plain data. Fields that are absent or do not fit have their defaults.

    Raises `ValueError` where a field without a default does not fit.
    """
    return cast("T", _read_value(kind, plain))


def _read_value(kind: Any, plain: Any) -> Any:
    origin = get_origin(kind)
    if kind is Any or kind is object:
        return plain
    if origin in (Union, UnionType):
        return _read_any(get_args(kind), plain)
    if is_dataclass(kind):
        return _read_dataclass(cast("type[Any]", kind), plain)
    if kind is NoneType:
        return _check(plain is None, None)
    if origin is not None:
        return _read_many(kind, origin, plain)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(plain)
    if isinstance(kind, type) and issubclass(kind, tuple):
        return _read_named(kind, plain)
    return _read_atom(kind, plain)


def _read_any(kinds: tuple[Any, ...], plain: Any) -> Any:
    for kind in sorted(kinds, key=lambda one: one is not NoneType):
        try:
            return _read_value(kind, plain)
        except ValueError:
            continue
    raise ValueError(f"{plain!r} fits none")


def _read_atom(kind: Any, plain: Any) -> Any:
    if kind is float:
        number = isinstance(plain, int | float) and not isinstance(plain, bool)
        return float(_check(number and math.isfinite(plain), plain))
    exact = isinstance(plain, kind) and (kind is bool or not isinstance(plain, bool))
    return _check(exact, plain)


def _read_many(kind: Any, origin: Any, plain: Any) -> Any:
    """A tuple, a set, a mapping."""
    args = get_args(kind)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        found = _check(isinstance(plain, Mapping), plain)
        return {_read_value(args[0], key): _read_value(args[1], one) for key, one in found.items()}
    items = _check(isinstance(plain, list | tuple), plain)
    if origin is frozenset:
        return frozenset(_read_value(args[0], one) for one in items)
    if len(args) == 2 and args[1] is Ellipsis:
        return tuple(_read_value(args[0], one) for one in items)
    _check(len(items) == len(args), items)
    return tuple(_read_value(one, item) for one, item in zip(args, items, strict=True))


def _read_named(kind: Any, plain: Any) -> Any:
    kinds = list(_hints(kind).values())
    _check(isinstance(plain, list | tuple) and len(plain) == len(kinds), plain)
    return kind(*(_read_value(one, item) for one, item in zip(kinds, plain, strict=True)))


def _read_dataclass(kind: type[Any], plain: Any) -> Any:
    if isinstance(plain, kind):
        return plain
    given = _check(isinstance(plain, Mapping), plain)
    found, hints = {}, _hints(cast("Any", kind))
    for one in fields(kind):
        try:
            found[one.name] = _read_value(hints[one.name], given[one.name])
        except (ValueError, KeyError) as error:
            if one.default is MISSING and one.default_factory is MISSING:
                raise ValueError(f"{kind.__name__}: {one.name} does not fit") from error
    try:
        return kind(**found)
    except LostkeysError as error:
        raise ValueError(str(error)) from error


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _check(fits: bool, value: Any) -> Any:
    if not fits:
        raise ValueError(f"{value!r} does not fit")
    return value


MOST_TOKENS = 2**30
"""Tokens beyond which a count is none: no request has so many, and two of them are stored still."""


def read_token_count(value: object) -> int | None:
    """A count of tokens as a server or a file gives it; None for what cannot be one."""
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None


class LongIntegerError(ValueError):
    """An integer of more digits than Python reads. The message is for people."""


def parse_integer(digits: str) -> int:
    """The integer that stands there in decimal digits. Raises `LongIntegerError`."""
    try:
        return int(digits)
    except ValueError:
        raise LongIntegerError(f"a number of {len(digits):,} digits is too long") from None
