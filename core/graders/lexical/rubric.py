"""The rules, in their order, that give an answer one of the four labels."""

import re
from collections.abc import Sequence
from functools import lru_cache

from core.graders.lexical import dates, gold_comparison, quantities, question_text
from core.graders.lexical.folded_text import passage
from core.graders.lexical.letter_names import chosen_letter, find_letter, offered_letters
from core.graders.lexical.lexical_answer import SHORT, LexicalAnswer, conclusion, first_sentence
from core.graders.lexical.lexical_gold import LexicalGold, prepare
from core.graders.lexical.numerals import is_figure
from core.graders.lexical.stance import describes, is_filler
from core.vocabulary import Label

_LITTLE = 3
"""New words up to which a sentence may say nothing."""

_GUESSES = 4
"""Alternatives from which an answer is a list of guesses that commits itself to none."""

_TOKEN = re.compile(r"\w+")
_BETWEEN_GUESSES = re.compile(r", (?:or )?| or |/")


class Rubric:
    """A question and its golds, made ready to label any number of answers."""

    def __init__(self, asked: str, golds: Sequence[str]) -> None:
        self.question = question_text.read_question(asked)
        self.golds = prepare(golds, self.question.stems)
        self._verbatim = frozenset(gold.strip() for gold in golds) - {""}
        self._wordings = [gold for gold in self.golds if gold.is_words]
        self._first_only = self.question.unfinished and all(
            first_sentence(gold.passage.text) == gold.passage.text for gold in self.golds
        )
        self._polar = any(gold.polarity is not None for gold in self.golds)
        self._offered = offered_letters(self.question.lower)
        self._right = self._offered & {gold.letter for gold in self.golds}
        self._names = all(gold.is_name for gold in self.golds)
        figures = {gold.passage.text.strip() for gold in self.golds if is_figure(gold.passage.text)}
        self._figures = frozenset(figures if self.question.roman else ())

    def label(self, text: str) -> Label:
        """The label of an answer; any text has one."""
        return self.label_read(text, self.read_answer(text))

    def read_answer(self, text: str) -> LexicalAnswer:
        """An answer as the rules look at it: the part of it that counts."""
        part = first_sentence if self._first_only else conclusion
        return LexicalAnswer(part(text), self.question)

    def is_verbatim(self, text: str) -> bool:
        """Whether an answer is a gold, letter for letter."""
        return text.strip() in self._verbatim

    def lacks_figures(self, answer: LexicalAnswer) -> bool:
        """Whether the question is about roman figures, and the gold's own are not in the answer."""
        said = _TOKEN.findall(answer.passage.text.upper())
        return bool(self._figures) and self._figures.isdisjoint(said)

    def is_sure(self, answer: LexicalAnswer, label: Label) -> bool:
        """Whether a number, a date, a letter, or a yes or no decides a label of an answer.

        A right one is enough; none is right where the golds are nothing else, and the answer has
        something of the kind.
        """
        if self._label_chosen(answer) is label:
            return True
        told = [gold for gold in self.golds if not gold.is_words]
        if label == Label.CORRECT:
            return any(self._verdict(gold, answer) == label for gold in told)
        return label == Label.INCORRECT and bool(told) and len(told) == len(self.golds)

    def label_read(self, text: str, answer: LexicalAnswer) -> Label:
        """The label of an answer that `read_answer` has given."""
        if self.is_verbatim(text):
            return Label.CORRECT
        if not answer.passage.words:
            return Label.OTHER
        verdict = self._best(answer)
        if self.lacks_figures(answer):
            return Label.OTHER if answer.declines else Label.INCORRECT
        if verdict == Label.CORRECT:
            if answer.only_refuses:
                return Label.OTHER
            return Label.PARTIALLY if self._guesses(answer) else verdict
        if answer.refuses:
            return Label.OTHER if answer.declines else verdict or Label.INCORRECT
        return verdict or self._label_unmatched(answer)

    def _best(self, answer: LexicalAnswer) -> Label | None:
        """The best that any of the golds has to say."""
        if chosen := self._label_chosen(answer):
            return chosen
        if any(gold_comparison.contains_gold(gold, answer) for gold in self._wordings):
            return Label.CORRECT
        best: Label | None = None
        for gold in self.golds:
            verdict = self._verdict(gold, answer)
            if verdict == Label.CORRECT:
                return verdict
            best = Label.PARTIALLY if verdict == Label.PARTIALLY else best or verdict
        return best

    def _label_chosen(self, answer: LexicalAnswer) -> Label | None:
        """The label by the letter that an answer settles on, where the question has options."""
        chosen = chosen_letter(answer.passage.text) if self._right else ""
        if chosen not in self._offered:
            return None
        return Label.CORRECT if chosen in self._right else Label.INCORRECT

    def _verdict(self, gold: LexicalGold, answer: LexicalAnswer) -> Label | None:
        if gold.letter:
            return Label.CORRECT if self._has_letter(gold, answer) else None
        if gold.polarity is not None:
            return Label.CORRECT if answer.polarity == gold.polarity else None
        if gold.dates:
            others = [other.dates for other in self.golds]
            fits = dates.verdict(gold.dates, others, answer.dates, self.question.years)
            return fits or (Label.CORRECT if _same_figure(gold, answer) else None)
        if gold.amounts:
            found = quantities.quantities(answer.affirmed, gold.amounts[0].unit)
            if gold.range and quantities.lies_within(gold.range, found):
                return Label.CORRECT
            return quantities.verdict(gold.amounts, found, self.question.loose)
        return gold_comparison.compare(gold, answer, self.question.person)

    def _has_letter(self, gold: LexicalGold, answer: LexicalAnswer) -> bool:
        text = answer.passage.text
        at = find_letter(text, gold.letter, self.question.lower)
        last = len(answer.passage.words) - 1
        return at >= 0 and not answer.denies(min(last, len(passage(text[:at]).words)))

    def _guesses(self, answer: LexicalAnswer) -> bool:
        """Whether an answer that has the gold is a long list of alternatives."""
        if " or " not in answer.lower or any(" or " in gold.line for gold in self.golds):
            return False
        parts = _BETWEEN_GUESSES.split(answer.lower)
        return len(parts) >= _GUESSES and all(len(part.split()) <= SHORT + 2 for part in parts)

    def _label_unmatched(self, answer: LexicalAnswer) -> Label:
        """OTHER if the answer says nothing to the point, else it contradicts the gold."""
        words, unfinished = answer.passage.words, self.question.unfinished
        if self._polar and answer.polarity is not None:
            return Label.INCORRECT
        if is_filler(words) or describes(answer.lower, unfinished):
            return Label.OTHER
        if len(words) <= SHORT:
            return Label.INCORRECT
        nameless = self._names and len(answer.news) <= _LITTLE and answer.is_nameless
        return Label.OTHER if nameless or not answer.news else Label.INCORRECT


def _same_figure(gold: LexicalGold, answer: LexicalAnswer) -> bool:
    """Whether a gold that may be a year is a number that the answer has with a comma (1,500)."""
    figure = gold.passage.text.strip()
    return figure.isdigit() and f"{int(figure):,}" in answer.passage.text.split()


@lru_cache(maxsize=1024)
def rubric_for(asked: str, golds: tuple[str, ...]) -> Rubric:
    """The rubric of a question, kept for the answers that follow."""
    return Rubric(asked, golds)
