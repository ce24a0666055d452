"""Single values of a row: what they may be, and how a bad one is named."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

SHOWN_CHARACTERS = 60
NAMES_SHOWN = 8


NO_MODEL = "names no model: --as NAME names one"
"""Why an answer of a log or a table cannot be used that nobody is said to have given."""


class RowError(ValueError):
    """A row that cannot land; the message is the reason, for people."""


def quote(value: object) -> str:
    """A value out of a file as it may be shown: short, on one line, nothing unprintable."""
    text = repr(value[: SHOWN_CHARACTERS + 1] if isinstance(value, str) else value)
    return text if len(text) <= SHOWN_CHARACTERS + 2 else text[:SHOWN_CHARACTERS] + "..."


def quote_names(names: Iterable[str]) -> str:
    """Names out of a file, quoted; the first few and how many more."""
    every = list(names)
    shown = ", ".join(quote(name) for name in every[:NAMES_SHOWN])
    more = len(every) - NAMES_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def find_double(names: Iterable[str]) -> str | None:
    """The first name that stands twice."""
    return next((name for name, count in Counter(names).items() if count > 1), None)


def text(row: Mapping[str, Any], key: str) -> str:
    """A text to the letter (a whole number counts as its digits), `""` where there is none."""
    value = row.get(key)
    if type(value) is str:
        return value if value.strip() else ""
    if value is None:
        return ""
    if type(value) is int:
        value = str(value)
    if not isinstance(value, str):
        raise RowError(f"{key} is {quote(value)}, not a text")
    return value if value.strip() else ""


def read_json(value: object, key: str) -> Any:
    """A list or object, which files of plain text hold as JSON. Raises `RowError`."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        raise RowError(f"{key} is {quote(value)}, not JSON") from None


_YEAR = re.compile(r"\s*(\d{4})(?:-\d\d?(?:-\d\d?(?:[T ].*)?)?)?\s*")


def page_created(value: object) -> str:
    """When a page was made: a year, or a date that begins with one; `""` for none.

    Raises `RowError` for anything else.
    """
    found = str(value).strip() if isinstance(value, str | int) else value
    if found in (None, ""):
        return ""
    if not isinstance(found, str) or not _YEAR.fullmatch(found):
        raise RowError(f"page_created is {quote(value)}, not a year such as 2004 or a date")
    return found


MOST = 2**63 - 1
"""The largest number that a database holds."""

UNKNOWN = ("", "nan")


def views(value: object, key: str) -> int | None:
    """Page views: a whole number from 0, None where the number is unknown. Raises `RowError`."""
    if type(value) is int and 0 <= value <= MOST:
        return value
    if value is None or (isinstance(value, str) and value.strip().lower() in UNKNOWN):
        return None
    if isinstance(value, float) and value != value:
        return None
    found = _to_whole(value)
    if found is None or not 0 <= found <= MOST:
        raise RowError(f"{key} is {quote(value)}, not a whole number of page views")
    return found


def _to_whole(value: object) -> int | None:
    if isinstance(value, str):
        digits = value.strip().removesuffix(".0")
        short = len(digits) <= len(str(MOST))
        return int(digits) if short and digits.isascii() and digits.isdigit() else None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if type(value) is int else None


def whole_number(row: Mapping[str, Any], key: str, usual: int | None, least: int = 0) -> int:
    """A whole number of a row, `usual` where it has none. Raises `RowError`."""
    value = row.get(key)
    if value is None or value == "":
        if usual is None:
            raise RowError(f"missing: {key}")
        return usual
    if isinstance(value, str) and value.strip().lstrip("-").isdecimal() and len(value) < 20:
        value = int(value)
    if type(value) is not int or not least <= value <= MOST:
        raise RowError(f"{key} is {quote(value)}, not a whole number from {least}")
    return value
