"""Numbers and their units in a text, each as one word that no other number is spelled as.

FACT-BENCH, section 3.1: numbers are compared with their unit. Nothing is converted.
"""

import re
from functools import lru_cache

from core.graders.em.unit_words import KNOWN, spellings_of, word_of

_NUMBER = r"(?<![\w.,])(?P<sign>(?<![^\s(\[])[+\-−])?(?P<digits>\d+(?:,\d+)*(?:\.\d+)?|\.\d+)"
_END = r"(?![\w^²°])(?![.,/\-–−]\d)"
MINUS, POINT = "−", "·"
"""What stands for sign and point in a word: both outlive the loss of punctuation."""

_BARE = re.compile(rf"{_NUMBER}{_END}")


@lru_cache(maxsize=256)
def _measure(unit: str) -> re.Pattern[str]:
    """A number, and perhaps a unit: one that is known, or this one."""
    own = "".join(f"{re.escape(one)}|" for one in spellings_of(unit) if unit)
    return re.compile(rf"{_NUMBER}(?:\s?(?P<unit>{own}{KNOWN}))?{_END}", re.IGNORECASE)


def number_words(text: str, unit: str = "") -> str:
    """A text with each number, and each unit after one, as a word of its own.

    `unit` is one whose spellings count beside those that are known.
    """

    def spell(match: re.Match[str]) -> str:
        named = "" if match["unit"] is None else f" {word_of(match['unit'])}"
        return _word(match["sign"], match["digits"]) + named

    return _measure(unit).sub(spell, text)


def is_number(text: str) -> bool:
    """Whether a text is a number and nothing else."""
    return _BARE.fullmatch(text.strip()) is not None


def number_in(text: str, unit: str) -> str | None:
    """The number of a text that is one with a unit and nothing else; None for any other."""
    match = _measure(unit).fullmatch(text.strip())
    if match is None or match["unit"] is None:
        return None
    return (match["sign"] or "") + match["digits"]


def _word(sign: str | None, digits: str) -> str:
    """A number without thousands commas, a plus and outer zeros; nought has no sign."""
    whole, _, part = digits.replace(",", "").partition(".")
    whole, part = whole.lstrip("0") or "0", part.rstrip("0")
    minus = MINUS if sign in ("-", "−") and (whole != "0" or part) else ""
    return f"{minus}{whole}{POINT}{part}" if part else f"{minus}{whole}"
