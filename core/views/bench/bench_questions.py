"""The questions of a group with an arm's answers, and the exemplars that were sent before them."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

import db.arms
import db.responses
from core.fact_bench.arm_list import BenchArm
from core.fact_bench.bench_evidence import BenchEvidence
from core.graders.em.response_scores import answer_of
from core.pipeline.triple_text import show_answer
from core.vocabulary import Outcome
from db.slots import slot, unpack

AT_ONCE = 5_000
"""Responses that are read at a time."""


class QuestionOrder(StrEnum):
    """What questions are sorted by; equal ones stand as imported."""

    WRONG = "wrong"
    PARTED = "parted"
    SUBJECT = "subject"
    IMPORTED = "imported"


@dataclass(frozen=True, slots=True)
class BenchQuestion:
    """A triple with an arm's answer to it; `answer` is None where there is none.

    `judge` is None without a label. `fact` is the fact's id.
    """

    fact: int
    fact_id: str
    subject: str
    gold: str
    answer: str | None
    em: bool
    f1: float
    judge: Outcome | None

    @property
    def is_parted(self) -> bool:
        """Whether exact match and the judge say the opposite."""
        return self.judge is not None and self.em != (self.judge is Outcome.CORRECT)


@dataclass(frozen=True, slots=True)
class ExemplarRow:
    """An exemplar as it was sent; `known` is None where nobody found out."""

    subject: str
    answer: str
    gold: str
    known: bool | None
    is_true: bool


def read_questions(
    evidence: BenchEvidence, arm: BenchArm, by: str, group: str, order: QuestionOrder
) -> list[BenchQuestion]:
    """The triples of a group, those sent as exemplars apart, in an order."""
    triples, scores = evidence.triples, evidence.scores(arm)
    groups = triples.grouped(by)
    wanted = evidence.wanted & ~scores.exemplars & (groups.of == groups.names.index(group))
    places = np.flatnonzero(wanted).tolist()
    labels = evidence.labels(arm, evidence.judge)
    answers = _read_answers(evidence, arm, [at for at in places if scores.answered[at]])
    found = [
        BenchQuestion(
            triples.rows[at].fact,
            triples.rows[at].fact_id,
            triples.rows[at].subject.strip(),
            show_answer(triples.rows[at]),
            answers.get(triples.rows[at].question),
            bool(scores.em[at]),
            float(scores.f1[at]),
            Outcome(int(labels[at])) if labels[at] else None,
        )
        for at in places
    ]
    if order is QuestionOrder.SUBJECT:
        found.sort(key=lambda one: one.subject.casefold())
    elif order is QuestionOrder.WRONG:
        found.sort(key=lambda one: (one.answer is None, one.em, one.f1))
    elif order is QuestionOrder.PARTED:
        found.sort(key=lambda one: (not one.is_parted, one.answer is None))
    return found


def _read_answers(evidence: BenchEvidence, arm: BenchArm, places: list[int]) -> dict[int, str]:
    """The answers in responses, by the ids of their questions."""
    found: dict[int, str] = {}
    questions = evidence.triples.questions[places].tolist()
    for start in range(0, len(questions), AT_ONCE):
        slots = [slot(one, arm.setting, 0) for one in questions[start : start + AT_ONCE]]
        for response in db.responses.some(evidence.project.connection, slots):
            found[unpack(response.slot)[0]] = answer_of(response.text, str(arm.mode))
    return found


def read_exemplars(evidence: BenchEvidence, arm: BenchArm) -> list[ExemplarRow]:
    """The exemplars of an arm as they were sent; none of one that was imported."""
    stored = db.arms.of_set(evidence.project.connection, evidence.set_name).get(arm.label)
    if stored is None:
        return []
    places, rows = evidence.triples.place_of_fact, evidence.triples.rows
    return [
        ExemplarRow(
            rows[places[one.fact]].subject.strip(),
            one.answer,
            one.gold,
            one.known,
            one.fact == one.answer_of,
        )
        for one in stored.exemplars
    ]
