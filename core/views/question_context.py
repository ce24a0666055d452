"""What stands around one question: its fact's text and other questions, answers of all models."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import db.model_rows
import db.question_rows
import db.responses
from core.graders.answer_text import answer_in, normalise_answer
from core.modes import is_arm
from core.project import OpenProject
from core.views.answer_marks import AnswerMark
from core.views.cell_marks import marks_by_cell, question_of, settings_of
from core.views.entity_spans import SourceText, source
from core.views.fact_case import LabelChange, case_of
from core.views.snapshot import Snapshot
from core.vocabulary import TASK_INDEX, TASKS, Label, Task
from db.question_rows import StoredQuestion
from db.slot_ids import unpack


@dataclass(frozen=True, slots=True)
class AnswerGroup:
    """Answers to the question with the same text, of all models and settings.

    `labels` counts the labels that count under the lens, None for answers without one. `moved`
    counts the models whose verdict on the fact would be another if all of them were CORRECT.
    """

    text: str
    slots: frozenset[int]
    labels: tuple[tuple[Label | None, int], ...]
    models: tuple[str, ...]
    moved: int = 0

    @property
    def count(self) -> int:
        """How many answers these are."""
        return len(self.slots)

    @property
    def not_correct(self) -> int:
        """How many of them have another label than CORRECT."""
        return sum(count for label, count in self.labels if label not in (None, Label.CORRECT))


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


def read_context(
    project: OpenProject, snapshot: Snapshot, fact: int, task: Task, model: str | None = None
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
        tuple(_groups(project, snapshot, place, question, models)),
        models,
        tuple(_list_others(snapshot, place, model, texts, task)),
    )


def _marks(
    project: OpenProject, snapshot: Snapshot, place: int, task: Task, number: int
) -> ModelMarks:
    model = snapshot.answerers[number]
    marks = marks_by_cell(project, snapshot, place, [task], model)
    return ModelMarks(model, marks[task, False], marks[task, True], snapshot.code(place, number))


@dataclass(frozen=True, slots=True)
class _LabelledAnswer:
    slot: int
    model: str
    thinking: bool
    label: Label | None


def _groups(
    project: OpenProject,
    snapshot: Snapshot,
    place: int,
    question: StoredQuestion,
    models: tuple[ModelMarks, ...],
) -> Iterator[AnswerGroup]:
    """Answers put together; options were shown in orders of their own, so a letter is no text."""
    texts: dict[tuple[str, int | None], str] = {}
    found: dict[tuple[str, int | None], list[_LabelledAnswer]] = {}
    for one in models:
        recipe = db.model_rows.recipe_of(project.connection, one.model)
        for thinking, setting in settings_of(project, one.model).items():
            marks = one.on if thinking else one.off
            for response in db.responses.read_in_setting(project.connection, question.id, setting):
                answer = answer_in(response, thinking, recipe).strip()
                key = normalise_answer(answer), response.shown if question.choices else None
                sample = unpack(response.slot)[2]
                label = marks[sample].label if sample < len(marks) else None
                texts.setdefault(key, answer)
                answers = found.setdefault(key, [])
                answers.append(_LabelledAnswer(response.slot, one.model, thinking, label))
    ordered = sorted(found.items(), key=lambda item: -len(item[1]))
    moved = _count_moved(snapshot, place, question.task, [answers for _, answers in ordered])
    for (key, answers), models_moved in zip(ordered, moved, strict=True):
        yield AnswerGroup(
            texts[key],
            frozenset(one.slot for one in answers),
            tuple(Counter(one.label for one in answers).most_common()),
            tuple(dict.fromkeys(one.model for one in answers)),
            models_moved,
        )


def _count_moved(
    snapshot: Snapshot, place: int, task: Task, groups: Sequence[Sequence[_LabelledAnswer]]
) -> list[int]:
    """For each group the models whose verdict would be another with all of it CORRECT."""
    moved = [0] * len(groups)
    for model in {one.model for group in groups for one in group}:
        changes = [
            [
                LabelChange(task, one.thinking, one.label, Label.CORRECT)
                for one in group
                if one.model == model and one.label not in (None, Label.CORRECT)
            ]
            for group in groups
        ]
        case = case_of(snapshot, place, snapshot.answerers.index(model))
        before, *after = case.verdicts([(), *changes])
        for number, verdict in enumerate(after):
            moved[number] += verdict.code != before.code
    return moved


def _list_others(
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
