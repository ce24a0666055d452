"""Questions, golds and options out of what logs hold."""

import ast
import json
import math
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
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

CHOICE_NAMES = ("choices", "options")
INDEX_NAMES = ("answer_index", "answer_idx", "label", "answerKey", "correct_answer_index")
"""What says which of the options is right, where no gold does."""

LONGEST_LIST = 65_536
"""Characters of a text that are looked at as a list."""

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
                if text[0] in "[({" and (listed := parse_list(text)) is not None:
                    _gather((listed,), found)
                else:
                    found[text] = None
        elif kind is list:
            _gather(value, found)
        elif kind is dict:
            _gather(map(value.get, OBJECT_NAMES), found)
        elif kind is not bool and is_answer(value):
            found[str(value)] = None


def is_answer(value: Any) -> bool:
    """Whether a value can be an answer or an option: a text, or a number that is finite."""
    return isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))


def parse_list(text: str) -> list[Any] | dict[str, Any] | None:
    """Return the list (or object with answers) that is written as JSON or Python; None for others.

    Several numbers in brackets are no list: an interval or a point is an answer itself.
    """
    if len(text) > LONGEST_LIST or text[-1] not in "])}":
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = _parse_literal(text)
    if isinstance(value, tuple):
        value = list(value)
    if isinstance(value, dict):
        return value if not value.keys().isdisjoint(OBJECT_NAMES) else None
    if not isinstance(value, list):
        return None
    return value if len(value) < 2 or any(isinstance(one, str) for one in value) else None


_GAP = re.compile(r"""(?<=['"])\s+(?=['"])""")
_ENDS = re.compile(r"""['"]\s+['"]""")


def _parse_literal(text: str) -> Any:
    """A Python literal, of which nothing is run; NumPy writes lists without commas."""
    if "," not in text and _ENDS.search(text):
        text = _GAP.sub(", ", text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


Options = tuple[list[str], list[str]]
"""The texts of options, and their labels, where the row has any."""


def find_row_options(row: Mapping[str, Any]) -> Options | None:
    """Return the options in a row of a data set, also of a list as text; None without any."""
    for name in CHOICE_NAMES:
        value: Any = row.get(name)
        labels: Any = None
        if isinstance(value, str):
            value = parse_list(value.strip()) if value.strip() else None
        if isinstance(value, dict):  # as ARC has them
            value, labels = value.get("text"), value.get("label")
        if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
            value, labels = [[one.get(key) for one in value] for key in ("text", "label")]
        if not isinstance(value, list) or len(value) < 2:
            continue
        if all(map(is_answer, value)):
            named = isinstance(labels, list) and len(labels) == len(value)
            return list(map(str, value)), list(map(str, labels or ())) if named else []
    return None


def ask_row(
    question: str, row: Mapping[str, Any], targets: Sequence[Any] = (), indices: bool = False
) -> GoldQuestion | str:
    """Return what a row of a data set asks; `targets` are golds that stand beside it.

    An index or a letter beside options names one of them. Options that are all right are
    references. `indices`: digits that are an option and the index of another are an index. A
    reason where nothing can be asked.
    """
    told = [*targets, *find_golds(row)]
    golds = gold_texts(*told)
    found = find_row_options(row)
    if found is None or {one.strip() for one in found[0]} <= set(golds):
        return GoldQuestion(question, golds)
    options, _ = found
    told += [row[name] for name in INDEX_NAMES if name in row]
    places = [find_option(one, found) for value in told for one in _scalars(value)]
    sure = [one for one in places if len(one) == 1]
    if sure:
        return ask_choices(question, options, sure[0])
    if doubtful := next(filter(None, places), None):
        by_index = max(doubtful, key=lambda place: options[place].strip() not in golds)
        if indices:
            return ask_choices(question, options, {by_index})
        return f"{golds[0]!r} is an option and the index of another"
    return GoldQuestion(question, golds) if golds else "not one right option"


def _scalars(value: Any) -> Iterable[str | int]:
    return (value,) if type(value) is int else gold_texts(value)


_LETTER = re.compile(r"[(\[]?([A-Za-z])[)\].:]?")


def find_option(gold: str | int, found: Options) -> set[int]:
    """Return the places of the options that a gold may name: by its text, label, letter or index.

    Two where it is the text of one and the letter or index of another.
    """
    texts, labels = [one.strip() for one in found[0]], found[1]
    every = set(range(len(texts)))
    if type(gold) is int:
        return {gold} & every
    gold = str(gold)
    if gold in labels:
        return {labels.index(gold)}
    by_text = {texts.index(gold)} if gold in texts else set()
    if gold.isdecimal() and gold.isascii() and len(gold) < 4:
        return by_text | ({int(gold)} & every)
    letter = _LETTER.fullmatch(gold)
    if letter is None or (by_text and gold != letter[1]):
        return by_text
    return by_text | ({ascii_uppercase.index(letter[1].upper())} & every)


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
