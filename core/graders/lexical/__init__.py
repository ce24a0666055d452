"""The grader `lexical`: compares an answer with the golds by rules, without a model.

The labels are those of Calderon et al., section 4 and boxes D.18 and D.19, in our own rules:
see `docs/background/graders.md`. The grader is pure and deterministic; rapidfuzz measures likeness
of spelling.
"""

from collections.abc import Sequence

from core.graders.grader_record import make_word_grader
from core.graders.lexical import question_text as questions
from core.graders.lexical.lexical_answer import LexicalAnswer
from core.graders.lexical.rubric import Rubric, rubric_for
from core.vocabulary import Label

__all__ = ["RECORD", "VERSION", "Rubric", "declines", "grade"]

VERSION = "3"


def grade(question: str, golds: Sequence[str], answer: str) -> Label:
    """Label an answer to a question, or the continuation of an unfinished text.

    `golds` are the gold answer and its aliases. Any text is accepted, the empty one included:
    of an answer the first 4,000 characters count, of a question the last 4,000, of a gold the
    first 500, and of the golds the first 200; of the continuation of a text, its first sentence.
    """
    return rubric_for(question, tuple(golds)).label(answer)


def declines(answer: str) -> bool:
    """Whether an answer refuses to answer, and names nothing besides."""
    return LexicalAnswer(answer, questions.read_question("")).declines


RECORD = make_word_grader("lexical", VERSION, grade)
