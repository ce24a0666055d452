"""The grader `exact`: equality with a gold after SQuAD's normalisation.

Source of the normalisation: Rajpurkar et al. 2016, evaluation of exact match.
"""

import re
import string
from collections.abc import Sequence

from core.graders.grader_record import make_word_grader
from core.graders.lexical import declines
from core.graders.lexical.letter_names import BEFORE_LETTERS
from core.vocabulary import Label

VERSION = "2"

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_SIGNED = re.compile(
    r"(?<![^\W_])(?:[A-Za-z]|[A-Z][A-Za-z]{1,2})"
    r"(?:\+{1,2}|#|(?<![*\w][A-Za-z])\*|-(?=[.,;)]|$))(?![\w*+#])"
)
_KIND = "|".join(sorted(BEFORE_LETTERS))
_LETTER = re.compile(rf"(?:(?<=[^\W_] )A|(?:(?<=^)|(?<= ))(?i:{_KIND}) a)(?=[\s.!?)\"']*$)")
_SIGNS = frozenset("+#*-")
_KEPT = str.maketrans("+#*-", "＋＃＊－")


def normalise(text: str) -> str:
    """A text in lower case without ASCII punctuation and English articles, single-spaced.

    The sign of a name of letters (C++, AB-) and an A at the end (Vitamin A) stay: they are part
    of a name.
    """
    text = _keep_names(text).lower().translate(_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", text).split())


def lower_words(text: str) -> str:
    """The same with its articles."""
    return " ".join(_keep_names(text).lower().translate(_PUNCTUATION).split())


def _keep_names(text: str) -> str:
    """A text with what belongs to names in characters that normalising keeps."""
    if not _SIGNS.isdisjoint(text):
        text = _SIGNED.sub(
            lambda match: match.group()[0] + match.group()[1:].translate(_KEPT), text
        )
    if text.rstrip("\"')!?. ").endswith((" A", " a")):
        text = _LETTER.sub(lambda match: match.group()[:-1] + "ａ", text)
    return text


def _read_form(text: str) -> str:
    return normalise(text) or lower_words(text)


def grade(question: str, golds: Sequence[str], answer: str) -> Label:
    """CORRECT if the answer equals a gold, OTHER if it is empty or refuses, else INCORRECT.

    What the question asks makes no difference.
    """
    if answer.strip() and answer.strip() in {gold.strip() for gold in golds}:
        return Label.CORRECT
    said = _read_form(answer)
    if not said:
        return Label.OTHER
    if any(said == _read_form(gold) for gold in golds):
        return Label.CORRECT
    return Label.OTHER if declines(answer) else Label.INCORRECT


RECORD = make_word_grader("exact", VERSION, grade)
