"""The distinct answers to a question: which of them a grader version has labelled, and which not.

Answers that are equal are graded once, over all samples, settings and models (semantics
section 7).
"""

import sqlite3
from collections.abc import Collection
from dataclasses import dataclass, field

import db.grades
import db.model_rows
import db.responses
from core.graders.answer_text import answer_in, normalise_answer
from core.grading.answer_batches import DistinctAnswer, Subject
from core.scoring.precedence import LAST_LABEL
from core.vocabulary import Outcome, Task
from db.question_rows import StoredQuestion
from db.responses import ToGrade
from db.slot_ids import Slots, slots_of_question

Row = tuple[int, int, str | None]
"""Slot, outcome, reason."""


@dataclass(frozen=True, slots=True)
class QuestionAnswers:
    """Answers by their texts: outcomes with reasons of the labelled, slots that lack a label.

    A text may be in both: then all of its slots get the label that it has. `states` has what the
    grading of texts came to where that is no label.
    """

    labels: dict[str, tuple[int, str | None]]
    places: dict[str, list[int]] = field(default_factory=dict)
    states: dict[str, Outcome] = field(default_factory=dict)

    @property
    def known(self) -> list[Row]:
        """What can be written without asking."""
        return [
            (key, *self.labels[text])
            for text, keys in self.places.items()
            if text in self.labels
            for key in keys
        ]

    @property
    def unlabelled(self) -> list[DistinctAnswer]:
        """What a grader has to be asked about."""
        return [
            DistinctAnswer(text, tuple(keys))
            for text, keys in self.places.items()
            if text not in self.labels
        ]


class AnswerReader:
    """Reads answers for one grader version. In the thread that owns the connection.

    `settings` (ids) and `slots` narrow what is to be graded. `rest_of`: only what this version is
    unsure of.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        version: int,
        settings: Collection[int] | None = None,
        rest_of: int | None = None,
        slots: Slots | None = None,
    ) -> None:
        self._connection, self._version, self._slots = connection, version, slots
        self._settings, self._rest_of = settings, rest_of
        self._learn_settings()

    def read_answers(self, question: int) -> QuestionAnswers:
        """The answers to a question as they are now; empty ones need no grader.

        A label that is out of date since an alias is none.
        """
        found = QuestionAnswers({"": (int(Outcome.OTHER), None)})
        chosen = self._find_chosen(question)
        outdated = db.grades.find_outdated(self._connection, question, self._version)
        for response, outcome, why in db.responses.read_with_outcomes(
            self._connection, question, self._version
        ):
            text = self._answer(response)
            is_old = (response.slot, self._version) in outdated
            if outcome is not None and outcome <= LAST_LABEL and not is_old:
                found.labels.setdefault(text, (outcome, why))
            elif (self._settings is None or response.setting in self._settings) and (
                chosen is None or response.slot in chosen
            ):
                found.places.setdefault(text, []).append(response.slot)
                if outcome is not None and not is_old:
                    found.states[text] = Outcome(outcome)
        return found

    def _answer(self, response: ToGrade) -> str:
        """What is graded of a response, in the form in which equal ones are equal."""
        if response.setting not in self._thinking:  # drawn since by another program
            self._learn_settings()
        setting = response.setting
        return normalise_answer(
            answer_in(response, self._thinking[setting], self._recipes.get(setting))
        )

    def _learn_settings(self) -> None:
        self._recipes = db.model_rows.recipes(self._connection)
        self._thinking = {
            key: on for key, (_, on) in db.model_rows.settings(self._connection).items()
        }

    def _find_chosen(self, question: int) -> set[int] | None:
        """The slots that are to be graded, or that another grader left; None where all count."""
        chosen = None if self._slots is None else slots_of_question(self._slots, question)
        if self._rest_of is None:
            return chosen
        unsure = db.responses.find_in_state(
            self._connection, question, self._rest_of, Outcome.UNSURE
        )
        return unsure if chosen is None else unsure & chosen


def subject_of(question: StoredQuestion) -> Subject:
    """What answers to a question are judged by."""
    completion = question.task is Task.COMPLETION
    return Subject(question.id, completion, question.text, question.gold.texts)
