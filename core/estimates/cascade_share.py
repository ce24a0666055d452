"""How much a grader leaves to the models after it, measured on a sample of the answers here."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import db.model_rows
import db.question_rows
import db.responses
from core.graders.answer_text import answer_in
from core.graders.grader_table import weigher
from core.project import Project
from core.vocabulary import TASK_INDEX, TASKS

QUESTIONS = 200
"""Questions whose answers are looked at: about a second."""

_NOBODY = 0
"""The id of no grader: every answer is looked at."""


@dataclass(frozen=True, slots=True)
class CascadeShare:
    """The shares of answers, and of questions by any of their answers, that are left."""

    answers: float
    questions: float


def measure_rest(project: Project, grader: str, sure: float) -> CascadeShare:
    """What a grader would be less sure of than `sure`; all where there is nothing to look at."""
    answers, questions = [0, 0], [0, 0]
    for unsure in _look(project, grader, sure):
        answers[0] += sum(unsure)
        answers[1] += len(unsure)
        questions[0] += any(unsure)
        questions[1] += 1
    if not answers[1]:
        return CascadeShare(1.0, 1.0)
    return CascadeShare(answers[0] / answers[1], questions[0] / questions[1])


def _look(project: Project, grader: str, sure: float) -> Iterator[list[bool]]:
    """Of each question in a sample that has answers: which of them are left."""
    weigh, connection, index = weigher(grader), project.connection, project.index
    columns = [TASK_INDEX[task] for task in TASKS if not task.is_choice]
    there = index.questions[~index.rejected][:, columns].ravel()
    there = there[there > 0]
    chosen = np.random.default_rng(1).permutation(there)[:QUESTIONS].tolist()
    recipes = db.model_rows.recipes(connection)
    thinking = {key: on for key, (_, on) in db.model_rows.settings(connection).items()}
    for key, question in db.question_rows.read_current(connection, chosen).items():
        texts = [
            answer_in(one, thinking[one.setting], recipes.get(one.setting))
            for one in db.responses.find_ungraded(connection, key, _NOBODY)
        ]
        seen = {
            text: weigh(question.text, question.gold.texts, text).surety < sure
            for text in dict.fromkeys(texts)
        }
        if texts:
            yield [seen[text] for text in texts]
