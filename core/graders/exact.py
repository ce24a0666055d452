"""The grader `exact`: equality with a gold after SQuAD's normalisation.

Source of the normalisation: Rajpurkar et al. 2016, evaluation of exact match.
"""

import re
import string
from collections.abc import Sequence

from core.graders.grader_record import make_word_grader
from core.graders.lexical import declines
from core.vocabulary import Label

VERSION = "1"

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalise(text: str) -> str:
    """A text in lower case without ASCII punctuation and English articles, single-spaced."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def lower_words(text: str) -> str:
    """The same with its articles."""
    return " ".join(text.lower().translate(_PUNCTUATION).split())


def grade(question: str, golds: Sequence[str], answer: str) -> Label:
    """CORRECT if the answer equals a gold, OTHER if it is empty or refuses, else INCORRECT.

    What the question asks makes no difference.
    """
    if answer.strip() and answer.strip() in {gold.strip() for gold in golds}:
        return Label.CORRECT
    said = normalise(answer)
    if not said:
        return Label.OTHER
    if any(said == normalise(gold) for gold in golds):
        return Label.CORRECT
    return Label.OTHER if declines(answer) else Label.INCORRECT


RECORD = make_word_grader("exact", VERSION, grade)
