"""The grader `choice`: multiple-choice answers, read without a model (semantics section 3)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from core.dataset import choice_options
from core.errors import LostkeysError
from core.graders.grader_record import GraderRecord
from core.scoring.precedence import CHOICE
from core.vocabulary import Label

if TYPE_CHECKING:
    from db.facts import StoredQuestion
    from db.responses import ToGrade

VERSION = "1"

NO_OPTION = "names no option"
"""The words for an answer that is read as none of the four."""

_KEPT = 1024
"""Orders of options that are kept: several answers to one follow each other."""

_LETTERS = "ABCD"
_LEADING = re.compile(r"([A-Da-d])(?:([.):])|(?=\s|$))")


@dataclass(frozen=True, slots=True)
class ChoiceReading:
    """Which option an answer names (its place from A), and the words for how it does."""

    place: int
    words: str


def read(answer: str, shown: Sequence[str]) -> ChoiceReading | None:
    """How an answer names one of the four options, as shown; None if it names none clearly."""
    options = _plain_options(tuple(shown))
    said = _plain(answer)
    if options.count(said) == 1:
        place = options.index(said)
        return ChoiceReading(place, f"text of option {_LETTERS[place]}")
    text = answer.strip()
    found = _LEADING.match(text)
    if not found:
        return None
    letter = _LETTERS.index(found[1].upper())
    rest = _plain(text[found.end() :])
    if not rest:
        return ChoiceReading(letter, f"letter {_LETTERS[letter]} alone")
    # "A fine city" begins with a letter that names nothing; "A. Because ..." names A.
    if options[letter] == rest or (found[2] and rest not in options):
        return ChoiceReading(letter, f"leading {_LETTERS[letter]}")
    return None


def chosen(answer: str, shown: Sequence[str]) -> int | None:
    """Which of the four options, as shown, an answer names; None if it names none clearly."""
    found = read(answer, shown)
    return None if found is None else found.place


def grade(answer: str, shown: Sequence[str], gold: str) -> Label:
    """CORRECT or INCORRECT by the option named, OTHER where none is."""
    named = chosen(answer, shown)
    if named is None:
        return Label.OTHER
    return Label.CORRECT if shown[named] == gold else Label.INCORRECT


def _plain(text: str) -> str:
    return text.strip().removesuffix(".").strip().casefold()


@lru_cache(_KEPT)
def _plain_options(shown: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(_plain, shown))


@lru_cache(_KEPT)
def _read_shown(number: int, choices: tuple[str, ...], gold: str) -> tuple[tuple[str, ...], str]:
    """The options as shown under an order's number, and the one that is the gold answer."""
    return choice_options.decode(number, choices), choice_options.gold_option(choices, gold)


def _label(question: "StoredQuestion", answer: str, response: "ToGrade") -> Label | None:
    """None where the order of the options, or the gold among them, is not known."""
    if response.shown is None or question.choices is None:
        return None
    try:
        shown, gold = _read_shown(response.shown, question.choices, question.gold.text)
    except LostkeysError:
        return None
    return grade(answer, shown, gold)


RECORD = GraderRecord(CHOICE, VERSION, _label, lambda case: None, reads_choice=True)
