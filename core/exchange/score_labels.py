"""What a score of any tool says, as one of our four labels, or why it is none."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.errors import UsageError
from core.providers.openai_format import storable
from core.vocabulary import LABELS

UNSCORED = "unscored"
NO_GRADE = "not a grade"
OUTSIDE = "outside 0 to 1"
SEVERAL = "one score for several answers"
NO_VERDICT = "the judge gave no verdict"
LESS_IS_BETTER = "less is better"

WORDS: Mapping[str, str] = {
    **{name.lower(): str(name) for name in LABELS},
    **dict.fromkeys(("c", "yes", "true", "pass"), "CORRECT"),
    **dict.fromkeys(("i", "no", "false", "fail"), "INCORRECT"),
    **dict.fromkeys(("p", "partial"), "PARTIALLY"),
    **dict.fromkeys(("n", "not_attempted", "noanswer"), "OTHER"),
}
"""Words that any scorer may use, in lower case."""

OTHER_SCALE = frozenset("abdey")
"""Letters by which a scorer shows that its letters are another scale than C, I, P, N."""

_OWN_SCALE = frozenset("cipn")
_DIRECTED = frozenset(("yes", "no", "true", "false"))
"""Words that say as little as a number does, where less is better."""

_NUMBER = re.compile(
    r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?inf(?:inity)?|nan"
)
LONGEST_NUMBER = 400
"""Characters of a text that are looked at as a number."""

ScorerWords = Mapping[str, Mapping[str, str]]
"""Labels by a scorer's name and a word in lower case."""


@dataclass(frozen=True, slots=True)
class ScoreLabel:
    """What a score says: its label, or why it has none. `outside` is a number beyond 0 to 1.

    `letter` is the grade, in upper case, where that is one letter of a scale of letters.
    """

    label: str | None
    reason: str = ""
    letter: str = ""

    @property
    def outside(self) -> bool:
        """Whether its scorer counts something, and is no grader."""
        return self.reason == OUTSIDE


@dataclass(frozen=True, slots=True)
class ScoreReader:
    """Reads the scores of a file.

    `correct_at`: a number from it on is CORRECT, another INCORRECT; where less is better, one up
    to it is CORRECT. `words` are labels of further words, by scorer. `scores`: these alone.
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

    def read_score(self, value: Any, names: Sequence[str] = (), less: bool = False) -> ScoreLabel:
        """What a scorer of these names says by a value; `less` is better, in some of them."""
        if self.words and (word := self._word(value, names)):
            letter = str(value).strip().lower()
            return ScoreLabel(word, "", letter.upper() if letter in OTHER_SCALE else "")
        found = self._read_value(value)
        if not (less and found.label and _is_directed(value)):
            return found
        number = None if isinstance(value, bool) else _read_number(value)
        if self.correct_at is None or number is None:
            return _LESS
        return _BOUND["CORRECT" if number <= self.correct_at else "INCORRECT"]

    def _read_value(self, value: Any) -> ScoreLabel:
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
            return _LETTERS[word] if word in _OWN_SCALE else _LABELLED[label]
        if word in OTHER_SCALE:
            return _LETTERS[word]
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
_UNSCORED, _NO_GRADE, _OUTSIDE, _LESS = (
    ScoreLabel(None, why) for why in (UNSCORED, NO_GRADE, OUTSIDE, LESS_IS_BETTER)
)
_BOUND = {label: ScoreLabel(label, LESS_IS_BETTER) for label in ("CORRECT", "INCORRECT")}
_LETTERS = {
    letter: ScoreLabel(WORDS.get(letter), "" if letter in _OWN_SCALE else NO_GRADE, letter.upper())
    for letter in _OWN_SCALE | OTHER_SCALE
}


def _read_number(value: Any) -> float | None:
    """The number that a value is or spells; None where it is none."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _is_directed(value: Any) -> bool:
    """Whether a value says how much, and not which label."""
    if not isinstance(value, str):
        return True
    word = value.strip().lower()
    return word in _DIRECTED or _NUMBER.fullmatch(word) is not None


_LESS_WORDS = frozenset(
    (
        "wer",
        "cer",
        "ter",
        "mer",
        "per",
        "perplexity",
        "ppl",
        "loss",
        "nll",
        "mse",
        "rmse",
        "mae",
        "brier",
        "ece",
        "error",
        "errors",
        "wrong",
        "incorrect",
        "incorrectness",
        "hallucination",
        "hallucinations",
        "hallucinated",
        "hallucinate",
        "toxicity",
        "toxic",
        "distance",
        "latency",
        "cost",
        "refusal",
        "refusals",
        "refused",
        "refuse",
        "failure",
        "failures",
        "failed",
        "mistake",
        "mistakes",
        "harmful",
        "harmfulness",
        "harm",
        "unsafe",
        "violation",
        "violations",
        "divergence",
        "entropy",
        "levenshtein",
        "stereotype",
        "unanswered",
        "abstention",
        "abstentions",
    )
)
_LESS_PHRASES = ("bits_per_byte", "not_attempted", "no_answer", "likelihood_diff")
_MORE_WORDS = frozenset(
    ("no", "non", "not", "free", "without", "reduction", "improvement", "detection", "detected")
)
"""Beside such a word more is better, or nobody knows: `no_error`, `error_free`."""

_WORD_BREAK = re.compile(r"[^a-z0-9]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def is_less_better(name: str) -> bool:
    """Return whether a scorer's name says that less is better, as `wer` and `error_rate` do."""
    words = [one for one in _WORD_BREAK.split(_HUMP.sub("_", name).lower()) if one]
    joined = f"_{'_'.join(words)}_"
    if any(f"_{phrase}_" in joined for phrase in _LESS_PHRASES):
        return True
    return not _LESS_WORDS.isdisjoint(words) and _MORE_WORDS.isdisjoint(words)


def is_no_verdict(rationale: str | None) -> bool:
    """Return whether what stands beside a score says that the judge gave no verdict."""
    return rationale is not None and _NO_VERDICT.match(rationale) is not None


_GRADE = r"(?:grade|score|verdict|rating|judge?ment)"
_NO_VERDICT = re.compile(
    rf"\s*(?:(?:{_GRADE}|no (?:valid )?{_GRADE}(?: was| could be)?) (?:not )?found"
    r"|(?:could not|couldn't|failed to|unable to|cannot|can't) (?:find|parse|extract|get|read) "
    r"(?:an?y? |the )?(?:valid |judge'?s? |grader'?s? |model'?s? |json |structured )*"
    rf"(?:{_GRADE}|response|reply|output)"
    r"|(?:the )?(?:judge|grader|grading model)(?:'s (?:call|request))? (?:failed|timed out|gave no)"
    r"|(?:error: )?(?:the )?(?:judge|grader|grading model|request|api)(?: call| request)? timed out"
    r"|(?:error: )?(?:http |error code: |status(?: code)?:? ?)?(?:429|5\d\d)\b"
    r"|(?:error: )?(?:rate limit|too many requests|service unavailable|internal server error)"
    r"|(?:\w+\.)*(?:RateLimit|APIConnection|APITimeout|APIStatus|InternalServer|API)Error\b)",
    re.IGNORECASE,
)


def explain_scale(grader: str, letters: Iterable[str]) -> str:
    """Return the notice on a scorer whose letters are another scale than C, I, P, N."""
    seen = sorted(letters)
    usual = {"A": "CORRECT", "B": "INCORRECT", "C": "OTHER"}  # as SimpleQA grades
    known = usual if set(seen) <= usual.keys() else {}
    words = ",".join(f"{letter}={known.get(letter, 'LABEL')}" for letter in seen)
    return (
        f"{grader} grades by the letters {', '.join(seen)}, a scale of its own, so none of them is "
        f'a label: --words "{grader}:{words}" reads it'
    )


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
