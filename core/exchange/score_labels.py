"""What a score of any tool says, as one of our four labels, or why it is none."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.errors import UsageError
from core.providers.openai_format import storable
from core.vocabulary import LABELS

UNSCORED = "unscored"
NO_GRADE = "not a grade"
OUTSIDE = "outside 0 to 1"
SEVERAL = "one score for several answers"

WORDS: Mapping[str, str] = {
    **{name.lower(): str(name) for name in LABELS},
    **dict.fromkeys(("c", "yes", "true", "pass"), "CORRECT"),
    **dict.fromkeys(("i", "no", "false", "fail"), "INCORRECT"),
    **dict.fromkeys(("p", "partial"), "PARTIALLY"),
    **dict.fromkeys(("n", "not_attempted", "noanswer"), "OTHER"),
}
"""Words that any scorer may use, in lower case."""

_NUMBER = re.compile(
    r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?inf(?:inity)?|nan"
)
LONGEST_NUMBER = 400
"""Characters of a text that are looked at as a number."""

ScorerWords = Mapping[str, Mapping[str, str]]
"""Labels by a scorer's name and a word in lower case."""


@dataclass(frozen=True, slots=True)
class ScoreLabel:
    """What a score says: its label, or why it has none. `outside` is a number beyond 0 to 1."""

    label: str | None
    reason: str = ""

    @property
    def outside(self) -> bool:
        """Whether its scorer counts something, and is no grader."""
        return self.reason == OUTSIDE


@dataclass(frozen=True, slots=True)
class ScoreReader:
    """Reads the scores of a file.

    `correct_at`: a number from it on is CORRECT, another INCORRECT. `words` are labels of further
    words, by scorer. `scores`: these scorers alone.
    """

    correct_at: float | None = None
    words: ScorerWords = field(default_factory=dict)
    scores: frozenset[str] = frozenset()

    @property
    def asks_names(self) -> bool:
        """Whether it matters by which names a scorer goes."""
        return bool(self.scores or self.words)

    def wants(self, names: Sequence[str]) -> bool:
        """Whether a scorer of these names (in the log, and as a grader) is to be read."""
        return not self.scores or not self.scores.isdisjoint(names)

    def read_score(self, value: Any, names: Sequence[str] = ()) -> ScoreLabel:
        """What a scorer of these names says by a value."""
        if self.words and (word := self._word(value, names)):
            return _LABELLED[word]
        if isinstance(value, str):
            return self._read_text(value)
        if value is True or value is False:
            return _LABELLED["CORRECT" if value else "INCORRECT"]
        if value is None:
            return _UNSCORED
        if isinstance(value, (int, float)):
            return self._read_number(value)
        return _NO_GRADE

    def _read_text(self, text: str) -> ScoreLabel:
        word = text.strip().lower()
        if label := WORDS.get(word):
            return _LABELLED[label]
        if len(word) <= LONGEST_NUMBER and _NUMBER.fullmatch(word):
            return self._read_number(float(word))
        return _NO_GRADE

    def _read_number(self, number: float) -> ScoreLabel:
        if number != number:
            return _UNSCORED
        if not 0 <= number <= 1:
            return _OUTSIDE
        if self.correct_at is not None:
            return _LABELLED["CORRECT" if number >= self.correct_at else "INCORRECT"]
        if number in (0, 1):
            return _LABELLED["CORRECT" if number else "INCORRECT"]
        return _LABELLED["PARTIALLY"]

    def _word(self, value: Any, names: Sequence[str]) -> str | None:
        """The label that was given to this value as a word of this scorer."""
        known = next((self.words[name] for name in names if name in self.words), None)
        if known is None or isinstance(value, dict | list) or value is None:
            return None
        if isinstance(value, float) and value.is_integer():
            return known.get(str(int(value))) or known.get(str(value))
        return known.get(str(value).strip().lower())


_LABELLED = {str(label): ScoreLabel(str(label)) for label in LABELS}
_UNSCORED, _NO_GRADE, _OUTSIDE = (ScoreLabel(None, why) for why in (UNSCORED, NO_GRADE, OUTSIDE))


def parse_words(text: str) -> dict[str, dict[str, str]]:
    """The words of `SCORER:WORD=LABEL,...`; an item without a scorer is of the one before.

    Raises `UsageError`.
    """
    found: dict[str, dict[str, str]] = {}
    scorer = ""
    for item in filter(None, (part.strip() for part in text.split(","))):
        left, equals, label = item.rpartition("=")
        named, colon, word = left.rpartition(":")
        scorer = named.strip() if colon else scorer
        if not equals or not scorer or not word.strip():
            raise UsageError(f"--words: {item!r} is not SCORER:WORD=LABEL")
        label = label.strip().upper()
        if label not in LABELS:
            raise UsageError(f"--words: no label {label!r}: labels are {', '.join(LABELS)}")
        found.setdefault(scorer, {})[word.strip().lower()] = label
    return found


def name_grader(prefix: str, name: str) -> str:
    """A scorer as a grader; a comma parts graders in a list, so that a name has none."""
    return storable(f"{prefix}:{' '.join(name.replace(',', ';').split())}")
