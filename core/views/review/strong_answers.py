"""What strong models answer most to one question, and whether they agree on another answer."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import db.model_rows
import db.responses
from core.dataset import choice_options
from core.graders import choice, lexical
from core.graders.answer_text import answer_in, normalise_answer
from core.project import OpenProject
from core.views.answer_marks import AnswerMark
from core.views.cell_marks import marks_by_cell
from core.views.snapshot import Snapshot
from core.vocabulary import Label
from db.question_rows import StoredQuestion
from db.responses import StoredResponse
from db.slot_ids import unpack


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What one model answers most, in one setting.

    `text` was answered `times` times of as many as there are `marks` that are drawn; `label` is
    the one that most of these answers have, None without any. For multiple choice `text` is that
    of the option named. Without answers `text` is empty and `times` 0.
    """

    model: str
    thinking: bool
    marks: tuple[AnswerMark, ...]
    text: str
    times: int
    label: Label | None


@dataclass(frozen=True, slots=True)
class AgreedAnswer:
    """What `models` of `of` models that answered answer most, though it is not the gold."""

    text: str
    models: int
    of: int


def read_answers(
    project: OpenProject,
    snapshot: Snapshot,
    place: int,
    question: StoredQuestion,
    models: Sequence[str],
) -> tuple[ModelAnswer, ...]:
    """What these models answer to a question of the fact at a place of the snapshot.

    With thinking off; of a model that was asked only with it, on.
    """
    settings = {named: key for key, named in db.model_rows.settings(project.connection).items()}
    recipes = db.model_rows.recipes(project.connection)
    found = []
    for model in models:
        marks = marks_by_cell(project, snapshot, place, [question.task], model)
        off, on = (marks[question.task, thinking] for thinking in (False, True))
        thinking = not any(mark.drawn for mark in off) and any(mark.drawn for mark in on)
        setting = settings.get((model, thinking))
        answered: list[StoredResponse] = []
        if setting is not None:
            answered = db.responses.read_in_setting(project.connection, question.id, setting)
        texts = {
            unpack(one.slot)[2]: _text(
                question, one, answer_in(one, thinking, recipes.get(setting or 0))
            )
            for one in answered
        }
        found.append(_find_most_frequent(model, thinking, on if thinking else off, texts))
    return tuple(found)


def find_agreed(question: StoredQuestion, answers: Sequence[ModelAnswer]) -> AgreedAnswer | None:
    """The answer that most models agree on though it is not the gold; None if no two do.

    Answers agree where one is right when the other is taken for the gold.
    """
    asked = [one for one in answers if one.times]
    others = [one for one in asked if one.label is not Label.CORRECT and one.text]
    best: AgreedAnswer | None = None
    for one in others:
        count = sum(_agree(question, one.text, other.text) for other in others)
        if count > 1 and (best is None or count > best.models):
            best = AgreedAnswer(one.text, count, len(asked))
    return best


def _agree(question: StoredQuestion, one: str, other: str) -> bool:
    if one.casefold() == other.casefold():
        return True
    if question.task.is_choice:
        return False
    return lexical.grade(question.text, [one], other) is Label.CORRECT


def _text(question: StoredQuestion, answered: StoredResponse, answer: str) -> str:
    """An answer as it is compared: of multiple choice the option that it names."""
    if question.task.is_choice and answered.shown is not None and question.choices:
        options = choice_options.decode(answered.shown, question.choices)
        named = choice.find_option(answer, options)
        return normalise_answer(answer) if named is None else options[named]
    return normalise_answer(answer)


def _find_most_frequent(
    model: str, thinking: bool, marks: tuple[AnswerMark, ...], texts: dict[int, str]
) -> ModelAnswer:
    samples = defaultdict(list)
    for sample, text in sorted(texts.items()):
        samples[text.casefold()].append(sample)
    if not samples:
        return ModelAnswer(model, thinking, marks, "", 0, None)
    mine = max(samples.values(), key=len)
    labels = Counter(
        marks[sample].label
        for sample in mine
        if sample < len(marks) and marks[sample].label is not None
    )
    label = labels.most_common(1)[0][0] if labels else None
    return ModelAnswer(model, thinking, marks, texts[mine[0]], len(mine), label)
