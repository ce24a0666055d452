"""The questions of a group with an arm's answers, and the exemplars that were sent before them."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

import db.arms
import db.responses
from core.fact_bench.arm_list import BenchArm
from core.fact_bench.bench_evidence import BenchEvidence
from core.graders.em.response_scores import answer_of
from core.pipeline.triple_text import show_answer
from core.vocabulary import Outcome
from db.prepared_triples import SetTriple
from db.slot_ids import slot

Places = npt.NDArray[np.intp]
"""Where triples stand in their set."""

AT_ONCE = 5_000
"""Responses that are read at a time."""


class QuestionOrder(StrEnum):
    """What questions are sorted by; equal ones stand as imported."""

    WRONG = "wrong"
    PARTED = "parted"
    SUBJECT = "subject"
    IMPORTED = "imported"


@dataclass(slots=True)
class BenchQuestion:
    """A triple with an arm's response to it in a mode; None where there is none.

    `judge` is None without a label. A list may have ten thousand of these, of which a screen shows
    a few: what can be worked out of one is worked out where it is seen.
    """

    triple: SetTriple
    mode: str
    response: str | None
    em: bool
    f1: float
    judge: Outcome | None

    @property
    def fact(self) -> int:
        """The fact's id."""
        return self.triple.fact

    @property
    def fact_id(self) -> str:
        """The fact's own id."""
        return self.triple.fact_id

    @property
    def subject(self) -> str:
        """The subject."""
        return self.triple.subject.strip()

    @property
    def gold(self) -> str:
        """The object, as prompts show it."""
        return show_answer(self.triple)

    @property
    def answer(self) -> str | None:
        """The answer in the response."""
        return None if self.response is None else answer_of(self.response, self.mode)

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
    groups = triples.group_by(by)
    wanted = evidence.wanted & ~scores.exemplars & (groups.of == groups.names.index(group))
    places = np.flatnonzero(wanted).tolist()
    labels = evidence.labels(arm, evidence.judge)
    responses = _read_responses(evidence, arm, np.flatnonzero(wanted & scores.answered))
    mode, label_of = str(arm.mode), {0: None, **{int(one): one for one in Outcome}}
    columns = (scores.em[wanted], scores.f1[wanted], labels[wanted])
    found = [
        BenchQuestion(row, mode, responses.get(row.question), em, f1, label_of[label])
        for row, em, f1, label in zip(
            [triples.rows[at] for at in places], *(one.tolist() for one in columns), strict=True
        )
    ]
    if order is QuestionOrder.SUBJECT:
        found.sort(key=lambda one: one.subject.casefold())
    elif order is QuestionOrder.WRONG:
        found.sort(key=lambda one: (one.response is None, one.em, one.f1))
    elif order is QuestionOrder.PARTED:
        found.sort(key=lambda one: (not one.is_parted, one.response is None))
    return found


def _read_responses(evidence: BenchEvidence, arm: BenchArm, places: Places) -> dict[int, str]:
    """The texts of responses, by the ids of their questions."""
    found: dict[int, str] = {}
    questions = evidence.triples.questions[places].tolist()
    for start in range(0, len(questions), AT_ONCE):
        slots = {slot(one, arm.setting, 0): one for one in questions[start : start + AT_ONCE]}
        for key, text in db.responses.texts_in(evidence.project.connection, list(slots)):
            found[slots[key]] = text
    return found


def read_exemplars(evidence: BenchEvidence, arm: BenchArm) -> list[ExemplarRow]:
    """The exemplars of an arm as they were sent; none of one that was imported."""
    stored = db.arms.read_set_arms(evidence.project.connection, evidence.set_name).get(arm.label)
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
