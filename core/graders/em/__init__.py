"""The grader `em`: equality with a gold in the form of its type: entity, date or number.

FACT-BENCH, section 3.1. What of a response is its answer is said in `response_scores`.
"""

from core.graders.em.normal_form import AnswerKind, gold_forms
from core.graders.em.response_scores import answer_of
from core.graders.grader_record import GraderRecord
from core.vocabulary import Label

VERSION = "2"


def grade(golds: tuple[str, ...], kind: AnswerKind, response: str) -> Label:
    """CORRECT if the answer in a response equals a gold, else INCORRECT."""
    right, _ = gold_forms(golds, kind).score(answer_of(response))
    return Label.CORRECT if right else Label.INCORRECT


RECORD = GraderRecord(
    "em",
    VERSION,
    lambda question, answer, _: grade(
        question.gold.texts, AnswerKind(question.answer_type, question.unit), answer
    ),
    lambda case: grade(tuple(case.golds), AnswerKind(), case.answer),
    answer_of_arm=lambda response, mode: answer_of(response, str(mode)),
)
