"""The work that grades stored answers with a model, question by question.

What is to be graded is asked of the database, so stopping at any moment loses no label, and
starting again goes on. Answers to a question that are equal are graded once by a grader version,
over all samples, settings and models (semantics section 7).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

import db.grades
import db.label_grids
import db.question_rows
from core.dataset.subsets import Mask
from core.engine.lease_holder import LeaseHolder
from core.engine.run_counters import RunCounters
from core.grading.answer_batches import AnswerBatch, BatchLabels, sheet_of
from core.grading.label_work import LabelWork
from core.grading.model_grader import ModelGrader, register_grader
from core.grading.question_answers import AnswerReader, Row, subject_of
from core.project import OpenProject
from core.vocabulary import TASK_INDEX, TASKS, Outcome
from db.connection import write_transaction
from db.question_rows import StoredQuestion
from db.slot_ids import QUESTION_SHIFT, Slots

BLOCK = 32
"""Questions that are read and claimed in one transaction."""

FOLD_EVERY = 50
"""Calls for more after which the label grids are folded if it is time to."""


@dataclass(frozen=True, slots=True)
class _QuestionWork:
    """What of a question is to be written at once, and what a model has to be asked for."""

    known: list[Row]
    sheet: AnswerBatch | None


class GradingWork(LabelWork):
    """A `Work` of one grader version. All of it runs in the thread that owns the connection."""

    def __init__(
        self,
        project: OpenProject,
        grader: ModelGrader,
        lease_holder: LeaseHolder,
        counters: RunCounters,
        facts: Mask | None = None,
        settings: Collection[int] | None = None,
        rest_of: int | None = None,
        slots: Slots | None = None,
    ) -> None:
        """Register the grader's version.

        `facts`, `settings` (ids) and `slots` narrow what is graded; facts that are rejected are
        left out.
        `rest_of`: only what this grader version is unsure of.
        The stage of the grader has to be declared in the counters.
        """
        super().__init__(lambda line: counters.say("warn", line))
        self._connection, self._grader = project.connection, grader
        self._lease_holder, self._counters = lease_holder, counters
        connection = self._connection
        with write_transaction(connection):
            self.version = register_grader(connection, grader)
        self._questions = _questions(project, facts, slots)
        self._claimed = f"grade {self.version}"
        self._answers = AnswerReader(connection, self.version, settings, rest_of, slots)
        self._place = self._calls = self.copied = 0
        self._again: dict[int, None] = {}

    def more(self, most: int) -> Sequence[AnswerBatch] | None:
        """Up to about `most` sheets, claimed; empty while others hold the rest; None at the end."""
        self._calls += 1
        if not self._calls % FOLD_EVERY:
            db.label_grids.fold_if_due(self._connection)
        sheets: list[AnswerBatch] = []
        while len(sheets) < most and self._place < len(self._questions):
            block = self._questions[self._place : self._place + BLOCK]
            sheets += self._visit(block)
            self._place += len(block)
        if not sheets and self._again:
            sheets += self._visit(list(self._again)[:BLOCK])
        return sheets or ([] if self._again else None)

    def write(self, sheet: AnswerBatch, found: BatchLabels) -> BatchLabels:
        """Write labels and states; a question that was changed meanwhile is looked at anew."""
        now = db.question_rows.read_current(self._connection, [sheet.subject.key]).get(
            sheet.subject.key
        )
        if now is None or subject_of(now) != sheet.subject:
            known, following = [], None if now is None else self._read_question(now).sheet
            found = BatchLabels((), following, sheet.things)
        else:
            known = [
                (place, int(one.outcome), one.why)
                for one in found.graded
                for place in one.answer.places
            ]
        db.grades.settle(self._connection, self.version, known)
        if found.next is None:
            self._lease_holder.release(self._claimed, [sheet.subject.key])
        return found

    def _visit(self, questions: Sequence[int]) -> list[AnswerBatch]:
        """Claim those of these questions that lack labels; write those that are known."""
        sheets: list[AnswerBatch] = []
        known: list[Row] = []
        with write_transaction(self._connection):
            lacking: dict[int, _QuestionWork] = {}
            for key, question in db.question_rows.read_current(self._connection, questions).items():
                waiting = self._read_question(question)
                known += waiting.known
                if waiting.sheet is not None:
                    lacking[key] = waiting
            db.grades.settle(self._connection, self.version, known)
            got = set(self._lease_holder.claim(self._claimed, list(lacking)))
        for key in questions:
            self._again.pop(key, None)
        for key, waiting in lacking.items():
            if key not in got:
                self._again[key] = None
            elif waiting.sheet is not None:
                sheets.append(waiting.sheet)
        self._count(known)
        return sheets

    def _count(self, known: Sequence[Row]) -> None:
        """Count labels that needed no request."""
        self.copied += len(known)
        self._counted.update(Outcome(outcome) for _, outcome, _ in known)
        self._counters.begin(self._grader.stage, len(known))
        self._counters.finish(self._grader.stage, len(known))

    def _read_question(self, question: StoredQuestion) -> _QuestionWork:
        """What a question lacks: labels that equal answers have already, empty ones, the rest."""
        found = self._answers.read_answers(question.id)
        sheet = sheet_of(self._grader, subject_of(question), found.unlabelled)
        return _QuestionWork(found.known, sheet)


def _questions(project: OpenProject, facts: Mask | None, slots: Slots | None) -> list[int]:
    """The questions in words of these facts, or of these slots, fact by fact."""
    index = project.index
    wanted = ~index.rejected if facts is None else facts & ~index.rejected
    columns = [TASK_INDEX[task] for task in TASKS if not task.is_choice]
    found = index.questions[wanted][:, columns].ravel()
    if slots is not None:
        found = found[np.isin(found, np.unique(slots >> QUESTION_SHIFT))]
    questions: list[int] = found[found > 0].tolist()
    return questions
