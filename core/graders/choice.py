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

_KEPT = 256
"""Questions of which the options are kept: several answers to one follow each other."""

_LETTERS = "ABCD"
_LEADING = re.compile(r"([A-Da-d])(?:([.):])|(?=\s|$))")


@dataclass(frozen=True, slots=True)
class ChoiceReading:
    """Which option an answer names (its place from A), and the words for how it does."""

    place: int
    words: str


def read(answer: str, shown: Sequence[str]) -> ChoiceReading | None:
    """How an answer names one of the four options, as shown; None if it names none clearly."""
    found = _find(answer, list(map(_plain, shown)))
    return None if found is None else ChoiceReading(*found)


def _find(answer: str, options: Sequence[str]) -> tuple[int, str] | None:
    """The place of the option that an answer names, and the words; `options` are plain texts."""
    said = _plain(answer)
    if options.count(said) == 1:
        place = options.index(said)
        return place, f"text of option {_LETTERS[place]}"
    text = answer.strip()
    found = _LEADING.match(text)
    if not found:
        return None
    letter = _LETTERS.index(found[1].upper())
    rest = _plain(text[found.end() :])
    if not rest:
        return letter, f"letter {_LETTERS[letter]} alone"
    # "A fine city" begins with a letter that names nothing; "A. Because ..." names A.
    if options[letter] == rest or (found[2] and rest not in options):
        return letter, f"leading {_LETTERS[letter]}"
    return None


def chosen(answer: str, shown: Sequence[str]) -> int | None:
    """Which of the four options, as shown, an answer names; None if it names none clearly."""
    found = read(answer, shown)
    return None if found is None else found.place


def _plain(text: str) -> str:
    return text.strip().removesuffix(".").strip().casefold()


@lru_cache(_KEPT)
def _read_options(choices: tuple[str, ...], gold: str) -> tuple[tuple[str, ...], tuple[bool, ...]]:
    """Plain texts of options, and which of them are the gold answer."""
    right = choice_options.gold_option(choices, gold)
    return tuple(map(_plain, choices)), tuple(one == right for one in choices)


def _label(question: "StoredQuestion", answer: str, response: "ToGrade") -> Label | None:
    """CORRECT or INCORRECT by the option named, OTHER where none is.

    None where the order of the options, or the gold among them, is not known."""
    if response.shown is None or question.choices is None:
        return None
    try:
        plain, right = _read_options(question.choices, question.gold.text)
    except LostkeysError:
        return None
    shown = choice_options.places(response.shown)
    found = _find(answer, [plain[place] for place in shown])
    if found is None:
        return Label.OTHER
    return Label.CORRECT if right[shown[found[0]]] else Label.INCORRECT


RECORD = GraderRecord(CHOICE, VERSION, _label, lambda case: None, reads_choice=True)
