"""Answers in the form in which they are compared, by the type of the answer.

FACT-BENCH, section 3.1; SQuAD's normalisation is that of Rajpurkar et al. 2016.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from core.dataset.answer_types import DATE, NUMBER
from core.dataset.date_words import date_words
from core.graders.em.number_words import is_number, number_in, number_words
from core.graders.exact import lower_words, normalise


@dataclass(frozen=True, slots=True)
class AnswerKind:
    """What an answer is compared as: entity, date or number, a number with its unit."""

    type: str = "entity"
    unit: str = ""


LONGEST_DATE = 100
"""Characters of a text that may be a date."""

DIGIT = re.compile(r"\d")


def normal_form(text: str, kind: AnswerKind) -> str:
    """The form of an answer; empty for a blank one alone.

    What has no words but articles keeps these; what is punctuation alone stays as it stands.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    if kind.type == DATE and len(text) <= LONGEST_DATE:
        text = date_words(text) or text
    elif kind.type == NUMBER and DIGIT.search(text):
        text = number_words(text, kind.unit)
    return normalise(text) or lower_words(text) or " ".join(text.split()).casefold()


@dataclass(frozen=True)
class GoldForms:
    """The golds of a question in their forms."""

    kind: AnswerKind
    forms: frozenset[str]

    @cached_property
    def words(self) -> tuple[Counter[str], ...]:
        """The words of each."""
        return tuple(Counter(form.split()) for form in self.forms)

    def score(self, answer: str) -> tuple[int, float]:
        """Exact match (1 or 0) and F1 of the words of an answer, that of the best gold."""
        form = normal_form(answer, self.kind)
        if not form:
            return 0, 0.0
        if form in self.forms:
            return 1, 1.0
        words = form.split()
        said = Counter(words)
        return 0, max((_f1(said, len(words), gold) for gold in self.words), default=0.0)

    def shared_words(self, answer: str) -> tuple[str, ...]:
        """The words that F1 counts as shared by an answer and the best gold, as in the answer."""
        words = normal_form(answer, self.kind).split()
        said = Counter(words)
        best = max(self.words, key=lambda gold: _f1(said, len(words), gold), default=Counter[str]())
        left, shared = best & said, []
        for word in words:
            if left[word]:
                left[word] -= 1
                shared.append(word)
        return tuple(shared)


@lru_cache(maxsize=4096)
def gold_forms(golds: Sequence[str], kind: AnswerKind) -> GoldForms:
    """The forms of golds. A number whose unit the question has counts with and without it."""
    texts = list(golds)
    if kind.type == NUMBER and kind.unit:
        texts += [f"{gold} {kind.unit}" for gold in golds if is_number(gold)]
        texts += [bare for gold in golds if (bare := number_in(gold, kind.unit)) is not None]
    forms = (normal_form(text, kind) for text in texts)
    return GoldForms(kind, frozenset(form for form in forms if form))


def _f1(said: Mapping[str, int], length: int, gold: Mapping[str, int]) -> float:
    """F1 of the words of an answer, which has `length`, and of a gold."""
    if gold.keys().isdisjoint(said):
        return 0.0
    shared = sum(min(count, said.get(word, 0)) for word, count in gold.items())
    return 2 * shared / (length + sum(gold.values()))
