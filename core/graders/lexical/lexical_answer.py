"""An answer as the rules look at it."""

import re
from functools import cached_property

from core.graders.lexical.dates import Date, dates
from core.graders.lexical.english import FUNCTION_WORDS
from core.graders.lexical.folded_text import Passage, fold, passage
from core.graders.lexical.question_text import QuestionText
from core.graders.lexical.stance import (
    denies,
    drop_denied_figures,
    drop_refusals,
    polarity,
    refuses,
)

SHORT = 4
"""Words up to which an answer is a bare name or term, not a sentence."""

_CONCLUSION = re.compile(
    r"\b(?:Therefore|Thus|Hence|In conclusion|In summary|To conclude|[Ff]inal answer"
    r"|[Tt]he (?:final |correct )?answer is)\b"
)
_REASONED = 400
"""Characters from which an answer may be reasoning that ends in a conclusion."""

_SENTENCE = re.compile(r"[^\W_]{3}[)\"']?[.!?]+\s+(?=[A-Z\"'])|\n")


def first_sentence(text: str) -> str:
    """A text, folded, up to the end of its first sentence or line that has a word."""
    text = fold(text)
    for end in _SENTENCE.finditer(text):
        if any(char.isalnum() for char in text[: end.end()]):
            return text[: end.end()]
    return text


def conclusion(text: str) -> str:
    """Of a long text the part from where it last announces a conclusion; else all of it."""
    text = fold(text)
    if len(text) < _REASONED:
        return text
    found = list(_CONCLUSION.finditer(text))
    return text[found[-1].start() :] if found else text


class LexicalAnswer:
    """An answer to a question; what takes time is worked out when a rule first asks for it."""

    def __init__(self, text: str, question: QuestionText) -> None:
        self.passage: Passage = passage(text)
        self._question = question

    @cached_property
    def lower(self) -> str:
        """The folded text in lower case."""
        return self.passage.text.lower()

    @cached_property
    def line(self) -> str:
        """The words, each between two single spaces."""
        return f" {' '.join(self.passage.words)} "

    @cached_property
    def joined(self) -> str:
        """The words without spaces."""
        return "".join(self.passage.words)

    @cached_property
    def index(self) -> dict[str, int]:
        """The first position of each stem."""
        stems = self.passage.stems
        return dict(zip(reversed(stems), range(len(stems) - 1, -1, -1), strict=True))

    @cached_property
    def telling(self) -> frozenset[int]:
        """Positions of all words but function words."""
        words = self.passage.words
        return frozenset(i for i, word in enumerate(words) if word not in FUNCTION_WORDS)

    @cached_property
    def news(self) -> frozenset[int]:
        """Positions of the telling words that do not repeat the question."""
        stems, asked = self.passage.stems, self._question.stems
        return frozenset(i for i in self.telling if stems[i] not in asked)

    @cached_property
    def dates(self) -> list[Date]:
        """The dates it names and does not deny."""
        return dates(self.affirmed)

    @cached_property
    def affirmed(self) -> str:
        """The folded text in lower case without numbers and dates that it denies."""
        return drop_denied_figures(self.lower)

    @cached_property
    def polarity(self) -> bool | None:
        """Whether it says yes (True) or no (False); None if it does neither."""
        return polarity(self.passage.words, self.lower, self.news < self.telling)

    @property
    def cut(self) -> int:
        """Position of its last word where a limit may have cut that off, else -1."""
        may_be = self._question.unfinished and self.passage.text[-1:].isalpha()
        return len(self.passage.words) - 1 if may_be else -1

    @cached_property
    def refuses(self) -> bool:
        """Whether it says that it gives no answer."""
        return refuses(self.lower)

    @cached_property
    def declines(self) -> bool:
        """Whether it refuses and does not go on to name anything, as a hedge does."""
        if not self.refuses:
            return False
        rest = LexicalAnswer(drop_refusals(self.passage.text), self._question)
        words, clause = rest.passage.words, rest.passage.clause
        named = any(
            words[i].isdigit() or (rest.passage.capital[i] and i > 0 and clause[i] == clause[i - 1])
            for i in rest.news
        )
        return not named and not (rest.news and len(words) <= SHORT)

    @property
    def only_refuses(self) -> bool:
        """Whether every sentence of it says that it gives no answer."""
        return self.refuses and not drop_refusals(self.passage.text).strip()

    @property
    def is_nameless(self) -> bool:
        """Whether it is written with capitals, but its news have none, and no number."""
        capital = self.passage.capital
        return capital[0] and not any(capital[i] for i in self.news)

    def denies(self, at: int) -> bool:
        """Whether it denies what stands at a position."""
        return denies(self.passage.words, self.passage.clause, at)
