"""What of a triple is written: its answer as shown, and whether that stands in a text.

FACT-BENCH, section 2.1 (specificity) and table 6: dates in words, numbers with their unit.
"""

import re
import unicodedata
from functools import cached_property, lru_cache

from core.dataset.answer_types import DATE, NUMBER
from core.dataset.date_words import date_words
from core.graders.em.normal_form import AnswerKind, normal_form
from core.graders.em.number_words import is_number
from core.graders.em.unit_words import spellings_of
from core.pipeline.text_match import contains, fold, words
from db.prepared_triples import SetTriple

LEAST_ALIAS = 4
"""Characters of an alias that is looked for in questions; shorter ones stand there by chance."""

_LETTERS = re.compile("[a-z]+")
_DAY_OF_MONTH = re.compile(r"(?P<month>\w+) (?P<day>\d+), (?P<year>.+)")


def show_answer(triple: SetTriple) -> str:
    """The answer of a triple as prompts show it."""
    return _show(triple, triple.object)


def recite(triple: SetTriple) -> str:
    """What is known of a triple, said before its answer: as its file has it, or plainly."""
    said = f"The {triple.relation} of {triple.subject} is {show_answer(triple)}."
    return triple.recitation or said


def _show(triple: SetTriple, gold: str) -> str:
    if triple.answer_type == DATE:
        return date_words(gold) or gold
    if triple.answer_type == NUMBER and triple.unit and is_number(gold):
        return f"{gold} {triple.unit}"
    return gold


class WordText:
    """A text that is searched for whole words, as `build` compares them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._folded = fold(text)
        self._numbers: dict[AnswerKind, str] = {}

    @cached_property
    def _words(self) -> str:
        return _joined(words(self.text))

    def has(self, text: str) -> bool:
        """Whether the words of another text stand together in this one."""
        start = _LETTERS.match(fold(text))
        if start is not None and start[0] not in self._folded:
            return False  # most texts end here, and cost little
        found = words(text)
        return _joined(found) in self._words if found else contains(self.text, text)

    def has_number(self, text: str, kind: AnswerKind) -> bool:
        """Whether a number stands here with its unit, in any spelling of it."""
        if kind not in self._numbers:
            self._numbers[kind] = _joined(normal_form(self.text, kind).split())
        found = normal_form(text, kind).split()
        return bool(found) and _joined(found) in self._numbers[kind]


def _joined(found: list[str]) -> str:
    """Words between blanks, so that parts of words are not found."""
    return f" {' '.join(found)} "


def leaks(triple: SetTriple) -> bool:
    """Whether the answer stands in the question."""
    asked = WordText(triple.asked)
    names = [one for one in triple.aliases if len(one) >= LEAST_ALIAS]
    shown = show_answer(triple)
    if shown != triple.object:
        names.append(shown)
    return asked.has(triple.object) or any(map(asked.has, names))


def stands_on(page: WordText, triple: SetTriple) -> bool:
    """Whether the object or an alias stands on a page; dates in either order."""
    return any(_stands_on(page, triple, gold) for gold in (triple.object, *triple.aliases))


def _stands_on(page: WordText, triple: SetTriple, gold: str) -> bool:
    shown = _show(triple, gold)
    if triple.answer_type == NUMBER:
        return page.has_number(shown, AnswerKind(NUMBER, triple.unit))
    if triple.answer_type == DATE:
        turned = _DAY_OF_MONTH.sub(r"\g<day> \g<month> \g<year>", shown)
        return any(map(page.has, (gold, shown, turned)))
    return page.has(gold)


def names_unit(triple: SetTriple) -> bool:
    """Whether the question names the unit of a number, in any spelling of it."""
    return _unit_in(triple.unit).search(unicodedata.normalize("NFC", triple.asked)) is not None


@lru_cache
def _unit_in(unit: str) -> re.Pattern[str]:
    """Finds a unit as a word; a number may stand before it without a blank."""
    spellings = (re.escape(one).replace(r"\ ", r"\s+") for one in spellings_of(unit))
    return re.compile(rf"(?<![^\W\d_])(?:{'|'.join(spellings)})(?!\w)", re.IGNORECASE)
