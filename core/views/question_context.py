"""What stands around one question: its fact's text and other questions, answers of all models."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import db.model_rows
import db.question_rows
import db.responses
from core.graders.answer_text import answer_in, same
from core.modes import is_arm
from core.project import Project
from core.views.answer_marks import AnswerMark
from core.views.cell_marks import marks_by_cell, question_of, settings_of
from core.views.entity_spans import SourceText, source
from core.views.snapshot import Snapshot
from core.views.what_if import case_of
from core.vocabulary import TASK_INDEX, TASKS, Label, Task
from db.question_rows import StoredQuestion
from db.slot_ids import unpack


@dataclass(frozen=True, slots=True)
class AnswerGroup:
    """Answers to the question with the same text, of all models and settings.

    `labels` counts the labels that count under the lens, None for answers without one.
    """

    text: str
    slots: frozenset[int]
    labels: tuple[tuple[Label | None, int], ...]
    models: tuple[str, ...]

    @property
    def count(self) -> int:
        """How many answers these are."""
        return len(self.slots)


@dataclass(frozen=True, slots=True)
class ModelMarks:
    """A model's answers to the question as marks, by sample, and its verdict on the fact."""

    model: str
    off: tuple[AnswerMark, ...]
    on: tuple[AnswerMark, ...]
    code: str


@dataclass(frozen=True, slots=True)
class QuestionGrades:
    """Another question of the fact, with the model's grades (None for none)."""

    task: Task
    text: str
    off: float | None
    on: float | None


@dataclass(frozen=True, slots=True)
class QuestionContext:
    """Everything around a question; `model` is the one whose grades the other questions have."""

    fact: int
    task: Task
    model: str
    source: SourceText
    groups: tuple[AnswerGroup, ...]
    """Most frequent first."""
    models: tuple[ModelMarks, ...]
    """All of them, arms of FACT-BENCH only where they have an answer."""
    others: tuple[QuestionGrades, ...]

    def group_of(self, slot: int) -> AnswerGroup | None:
        """The answers that are the same as one."""
        return next((one for one in self.groups if slot in one.slots), None)


def read(
    project: Project, snapshot: Snapshot, fact: int, task: Task, model: str | None = None
) -> QuestionContext | None:
    """What stands around a question of a fact (its id); None if there is no such question.

    Grades are those of the lens's model, unless another is named.
    """
    place, question = snapshot.place(fact), question_of(project, fact, task)
    model = model or snapshot.lens.model
    if place is None or question is None or model not in snapshot.answerers:
        return None
    texts = {one.task: one.text for one in db.question_rows.questions(project.connection, [fact])}
    golds = db.question_rows.golds(project.connection, fact)
    heading = snapshot.headings[place]
    marks = (
        _marks(project, snapshot, place, task, number) for number in range(len(snapshot.answerers))
    )
    models = tuple(one for one in marks if one.off or one.on or not is_arm(one.model))
    return QuestionContext(
        fact,
        task,
        model,
        source(texts, golds, heading.subject, heading.object),
        tuple(_groups(project, question, models)),
        models,
        tuple(_others(snapshot, place, model, texts, task)),
    )


def _marks(project: Project, snapshot: Snapshot, place: int, task: Task, number: int) -> ModelMarks:
    model = snapshot.answerers[number]
    marks = marks_by_cell(project, snapshot, place, [task], model)
    return ModelMarks(model, marks[task, False], marks[task, True], snapshot.code(place, number))


def _groups(
    project: Project, question: StoredQuestion, models: tuple[ModelMarks, ...]
) -> Iterator[AnswerGroup]:
    """Answers put together; options were shown in orders of their own, so a letter is no text."""
    texts: dict[tuple[str, int | None], str] = {}
    found: dict[tuple[str, int | None], list[tuple[int, str, Label | None]]] = {}
    for one in models:
        recipe = db.model_rows.recipe_of(project.connection, one.model)
        for thinking, setting in settings_of(project, one.model).items():
            marks = one.on if thinking else one.off
            for response in db.responses.of_setting(project.connection, question.id, setting):
                answer = answer_in(response, thinking, recipe).strip()
                key = same(answer), response.shown if question.choices else None
                sample = unpack(response.slot)[2]
                label = marks[sample].label if sample < len(marks) else None
                texts.setdefault(key, answer)
                found.setdefault(key, []).append((response.slot, one.model, label))
    for key, answers in sorted(found.items(), key=lambda item: -len(item[1])):
        yield AnswerGroup(
            texts[key],
            frozenset(slot for slot, _, _ in answers),
            tuple(Counter(label for _, _, label in answers).most_common()),
            tuple(dict.fromkeys(model for _, model, _ in answers)),
        )


def _others(
    snapshot: Snapshot, place: int, model: str, texts: dict[Task, str], task: Task
) -> Iterator[QuestionGrades]:
    case = case_of(snapshot, place, snapshot.answerers.index(model))
    for other in TASKS:
        if other is not task and snapshot.index.questions[place, TASK_INDEX[other]]:
            off, on = (case.grade(other, thinking) for thinking in (False, True))
            yield QuestionGrades(
                other,
                texts.get(other, ""),
                None if off is None else float(off),
                None if on is None else float(on),
            )
