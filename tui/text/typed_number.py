"""Numbers as a person types them: `1,000`, `20k`, `1.5M`, `.5`."""

import re
from collections.abc import Iterable
from fractions import Fraction

LONGEST = 24
"""Characters of a number; what is longer is none, and is not looked at."""

LETTERS = {"": 1, "k": 1_000, "m": 1_000_000}
"""What a letter behind a number stands for, small or capital."""

_NUMBER = re.compile(r"((?:\d{1,3}(?:,\d{3})+|\d*)(?:\.\d*)?)([km]?)", re.ASCII | re.IGNORECASE)
_BEGUN = re.compile(r"\d[\d,]*(?:\.\d*)?[km]?|\.\d*[km]?", re.ASCII | re.IGNORECASE)


def parse_number(text: str) -> float:
    """The number that was typed. Raises `ValueError` where it is none."""
    return float(_parse_exact(text))


def parse_count(text: str) -> int:
    """The whole number that was typed. Raises `ValueError` where it is none."""
    number = _parse_exact(text)
    if number.denominator != 1:
        raise ValueError("no whole number")
    return int(number)


def _parse_exact(text: str) -> Fraction:
    found = _NUMBER.fullmatch(text.strip()) if len(text) <= LONGEST else None
    digits = found[1].replace(",", "") if found else ""
    if found is None or digits in ("", "."):
        raise ValueError("no number")
    return Fraction(digits) * LETTERS[found[2].lower()]


def parse_counts(names: Iterable[str], least: int = 0) -> tuple[int, ...]:
    """Whole numbers, each once; a sign may stand before. Raises `ValueError`, which says why."""
    found = []
    for name in names:
        digits = name.removeprefix("-")
        if not (digits.isascii() and digits.isdecimal() and len(digits) < 19):
            raise ValueError(f"{name[:40]} is no whole number")
        if int(name) < least:
            raise ValueError(f"{name} is below {least}")
        found.append(int(name))
    return tuple(dict.fromkeys(found))


def is_begun(text: str) -> bool:
    """Whether a text may be the beginning of a number, or is empty."""
    return not text or (len(text) <= LONGEST and _BEGUN.fullmatch(text) is not None)


def shown_number(text: str) -> str:
    """A typed number as it is shown: bare digits in groups, all else as it was typed."""
    return f"{int(text):,}" if text.isascii() and text.isdecimal() else text
