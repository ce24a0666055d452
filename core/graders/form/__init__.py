"""The grader `form`: `lexical`'s reading and about 70 numbers, weighed by what people said.

It knows how sure it is, so that it may leave an answer to a model or a person
(`docs/background/graders.md`).
"""

from collections.abc import Sequence
from dataclasses import replace

from core.graders.form.weighed_label import WeighedLabel, weigh
from core.graders.grader_record import make_word_grader
from core.vocabulary import Label

__all__ = ["RECORD", "VERSION", "WeighedLabel", "grade", "weigh"]

VERSION = "3"


def grade(question: str, golds: Sequence[str], answer: str) -> Label:
    """Label an answer; texts are read as `lexical` reads them."""
    return weigh(question, golds, answer).label


RECORD = replace(make_word_grader("form", VERSION, grade), weigh=weigh)
