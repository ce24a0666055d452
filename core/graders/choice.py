"""The grader `choice`: multiple-choice answers, read without a model (semantics section 3)."""

import re
from collections.abc import Sequence

from core.names import Label

VERSION = "1"

_LETTERS = "ABCD"
_LEADING = re.compile(r"([A-Da-d])(?:([.):])|(?=\s|$))")


def chosen(answer: str, shown: Sequence[str]) -> int | None:
    """Which of the four options, as shown, an answer names; None if it names none clearly."""
    options = [_plain(option) for option in shown]
    said = _plain(answer)
    if options.count(said) == 1:
        return options.index(said)
    text = answer.strip()
    found = _LEADING.match(text)
    if not found:
        return None
    letter = _LETTERS.index(found[1].upper())
    rest = _plain(text[found.end() :])
    if not rest or options[letter] == rest:
        return letter
    # "A fine city" begins with a letter that names nothing; "A. Because ..." names A.
    return letter if found[2] and rest not in options else None


def grade(answer: str, shown: Sequence[str], gold: str) -> Label:
    """CORRECT or INCORRECT by the option named, OTHER where none is."""
    named = chosen(answer, shown)
    if named is None:
        return Label.OTHER
    return Label.CORRECT if shown[named] == gold else Label.INCORRECT


def _plain(text: str) -> str:
    return text.strip().removesuffix(".").strip().casefold()
