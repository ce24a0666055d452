"""The question, or the unfinished text, that an answer answers."""

import re
from dataclasses import dataclass

from core.graders.lexical.dates import years
from core.graders.lexical.folded_text import MAX_CHARACTERS, passage

_ASKS = re.compile(r"\b(?:who|whose|whom|what|which|when|where|why|how)\b")
_OPENING = re.compile(
    rf"{_ASKS.pattern}|(?:name|give|in which|in what|on which|is|are|was|were|do|does|did|can|has|"
    r"have|had|will)\b"
)
_PERSON = ("who", "whose", "whom")
_ROUNDLY = re.compile(r"\b(?:about|approximately|roughly|around) how\b")
_ROMAN = re.compile(r"\broman (?:numerals?|numbers?|figures?)\b")
_NEAR = 40
"""Words of an unfinished text that its continuation may be said to repeat: about a sentence."""


@dataclass(frozen=True, slots=True)
class QuestionText:
    """What the rules need to know of a question.

    `lower` is the text, folded; `stems` and `years` are those it gives away. `unfinished`: it is a
    text to be continued. `person`: it may ask for a person. `loose`: it asks for no more than a
    round number. `roman`: it is about how a number is written, in roman figures or out of them.
    """

    lower: str
    stems: frozenset[str]
    years: frozenset[int]
    unfinished: bool
    person: bool
    loose: bool
    roman: bool


def read_question(text: str) -> QuestionText:
    """Read a question or a left context, of which the end tells."""
    asked = passage(text[-MAX_CHARACTERS:])
    lower = asked.text.lower().rstrip()
    first = _ASKS.search(lower)
    unfinished = asked.text[:1].isupper() and not lower.endswith("?") and not _opens(lower)
    near = slice(-_NEAR if unfinished else 0, None)
    return QuestionText(
        lower,
        frozenset(asked.stems[near]),
        years(" ".join(asked.words[near])),
        unfinished,
        unfinished or (first is not None and first.group() in _PERSON),
        _ROUNDLY.search(lower) is not None,
        _ROMAN.search(lower) is not None,
    )


def _opens(lower: str) -> bool:
    """Whether a text begins as a question or a request does, so that it only lacks its mark."""
    return _OPENING.match(lower) is not None
