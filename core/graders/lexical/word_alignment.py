"""Which words of a gold answer an answer contains, spelling variants included."""

import re
from dataclasses import dataclass

from rapidfuzz import fuzz, process

from core.graders.lexical.lexical_answer import LexicalAnswer
from core.graders.lexical.lexical_gold import LexicalGold

SPELLING = 80
"""Least likeness (rapidfuzz ratio, percent) of two spellings of one word: one letter of five."""

_SHARED_START = 5
"""Letters that two forms of one word have in common at least."""

_SHARED_PART = 0.55
"""The part of the longer form that these have to be at least."""

_CUT_WORD = 3
"""Letters of a broken-off word from which it tells."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """Where each telling word of a gold stands in the answer (-1: nowhere), in its order.

    `coverage`: weight of the words found / weight of all; `share`: the same unweighted.
    `evidence`: whether a word was found that the question does not give.
    """

    at: tuple[int, ...]
    coverage: float
    share: float
    evidence: bool

    @property
    def head(self) -> bool:
        """Whether the last telling word was found: a phrase's head, a person's surname."""
        return self.at[-1] >= 0


def align(gold: LexicalGold, answer: LexicalAnswer) -> Alignment:
    """Align the telling words of a gold with those of an answer."""
    others = None
    at = []
    for i in gold.content:
        word = gold.passage.stems[i]
        position = answer.index.get(word, -1)
        if position < 0 and len(word) > 3 and not word.isdigit():
            if others is None:
                others = {
                    first: stem for stem, first in answer.index.items() if first in answer.news
                }
            position = _variant(word, others)
            if position < 0 and _is_start(answer, word):
                position = answer.cut
        at.append(position)
    weights = gold.weights
    found = sum(weight for weight, position in zip(weights, at, strict=True) if position >= 0)
    return Alignment(
        tuple(at),
        found / sum(weights),
        sum(position >= 0 for position in at) / len(at),
        any(position in answer.news for position in at),
    )


def _is_start(answer: LexicalAnswer, word: str) -> bool:
    """Whether an answer breaks off in the middle of a word."""
    last = answer.passage.words[answer.cut] if answer.cut >= 0 else ""
    return len(last) >= _CUT_WORD and word.startswith(last)


def _variant(word: str, others: dict[int, str]) -> int:
    """The position of another spelling or form of a word among others, or -1."""
    near = process.extractOne(word, others, scorer=fuzz.ratio, score_cutoff=SPELLING)
    if near is not None and not near[0].isdigit() and not are_opposites(word, near[0]):
        return int(near[2])
    return next((i for i, other in others.items() if _akin(word, other)), -1)


_OPPOSITE = re.compile(r"(?:in|im|il|ir|un|non|dis|anti|a|ab|de|mis)(.{5,})")


def are_opposites(one: str, other: str) -> bool:
    """Whether two words differ by a denying prefix alone (direct, indirect)."""
    shorter, longer = sorted((one, other), key=len)
    denied = _OPPOSITE.fullmatch(longer)
    return denied is not None and denied[1] == shorter


def _akin(one: str, other: str) -> bool:
    """Whether two stems are forms of one word by their common start (dentist, dentistry)."""
    if one[:_SHARED_START] != other[:_SHARED_START]:
        return False
    pairs = zip(one, other, strict=False)
    shared = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
    return shared >= _SHARED_PART * max(len(one), len(other))
