"""Questions, golds and options out of what logs hold."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

QUESTION_NAMES = ("question", "problem", "query", "input", "prompt", "text")
"""What a question is called in a row of a data set, the first that is there."""

GOLD_NAMES = (
    "best_answer",
    "answer",
    "answers",
    "possible_answers",
    "correct_answers",
    "expected",
    "target",
    "gold",
)
OBJECT_NAMES = ("value", "aliases", "text")
"""What of an object is an answer."""

OPTIONS = 4


@dataclass(slots=True)
class GoldQuestion:
    """A question with its golds; `choices` are four options where it is multiple choice."""

    question: str
    golds: tuple[str, ...]
    choices: tuple[str, ...] | None = None


def find_question(row: Mapping[str, Any]) -> str:
    """The question in a row of a data set; empty where it has none."""
    for name in QUESTION_NAMES:
        value = row.get(name)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def find_golds(row: Mapping[str, Any]) -> list[Any]:
    """Whatever a row of a data set gives as its answer."""
    return [row[name] for name in GOLD_NAMES if name in row]


def gold_texts(*values: Any) -> tuple[str, ...]:
    """The texts in these values, trimmed, without blanks and doubles, in order."""
    found: dict[str, None] = {}
    _gather(values, found)
    return tuple(found)


def _gather(values: Iterable[Any], found: dict[str, None]) -> None:
    for value in values:
        kind = type(value)
        if kind is str:
            if text := value.strip():
                found[text] = None
        elif kind is list:
            _gather(value, found)
        elif kind is dict:
            _gather(map(value.get, OBJECT_NAMES), found)
        elif kind is int or kind is float:
            found[str(value)] = None


def ask_choices(question: str, options: Iterable[Any], right: set[int]) -> GoldQuestion | str:
    """A question with options of which some (by place) are right; a reason where it cannot be.

    Four that differ are multiple choice. Else each is a line of the question, and the letter of
    the right one is as good as its text.
    """
    texts = [one if isinstance(one, str) else str(one) for one in options]
    if len(right) != 1:
        return "not one right option"
    (place,) = right
    gold = texts[place].strip()
    if not gold:
        return "the right option is empty"
    if len(texts) == OPTIONS and len({text.strip() for text in texts} - {""}) == OPTIONS:
        return GoldQuestion(question, (gold,), tuple(texts))
    if len(texts) > len(ascii_uppercase):
        return f"has {len(texts)} options, more than letters"
    lines = [f"{letter}) {text}" for letter, text in zip(ascii_uppercase, texts, strict=False)]
    return GoldQuestion("\n".join([question, *lines]), (gold, ascii_uppercase[place]))


def letters_of(golds: Iterable[str], options: int) -> set[int]:
    """The places that golds name by a letter."""
    letters = ascii_uppercase[:options]
    return {letters.index(one) for one in (gold.upper() for gold in golds) if one in set(letters)}
