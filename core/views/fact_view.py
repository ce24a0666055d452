"""One fact as a person sees it: text, verdict with reasons, ten tasks, distinct answers."""

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import db.model_rows
import db.option_scores
import db.question_rows
import db.responses
from core.graders.answer_text import answer_in, normalise_answer
from core.modes import is_arm
from core.project import OpenProject
from core.scoring.latent_verdicts import select_latent, series_key
from core.scoring.verdicts import CELLS, INCOMPLETE
from core.views.answer_marks import AnswerMark
from core.views.cell_marks import Marks, marks_by_cell, question_of, settings_of
from core.views.entity_spans import Span, source
from core.views.fact_case import FactCase, case_of
from core.views.grader_labels import UnlistedLabels, find_unlisted
from core.views.lens import Lens
from core.views.snapshot import Snapshot
from core.views.verdict_reasons import Reason, explain_verdict
from core.vocabulary import CODE_ORDER, LABELS, TASK_INDEX, TASKS, Label, Task
from db.connection import read_transaction
from db.question_rows import Gold
from db.slot_ids import unpack

if TYPE_CHECKING:
    from core.views.arm_verdict import ArmVerdict

__all__ = [
    "AnswerMark",
    "FactView",
    "Grade",
    "MarkedAnswer",
    "Reason",
    "Span",
    "Stake",
    "TaskRow",
    "UnfoldedQuestion",
    "read_fact",
    "unfold",
]


@dataclass(frozen=True, slots=True)
class Grade:
    """One question in one setting: `g` None if not gradable or without labels.

    `passes` compares g with the threshold (None where there is no g); `used` is false where
    the setting decides no profile for this task and has no answers; `measured` is false where
    the model has no answers with thinking so at all. `marks` are by sample.
    """

    thinking: bool
    g: float | None
    passes: bool | None
    correct: int
    gradable: int
    marks: tuple[AnswerMark, ...]
    used: bool = True
    measured: bool = True


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One of the ten tasks; `question` is 0 where the fact does not have it."""

    task: Task
    question: int
    text: str
    gold: str
    off: Grade
    on: Grade


@dataclass(frozen=True, slots=True)
class Stake:
    """What grader B would change if it were right on one answer alone.

    `answers` counts those of which each alone would make the verdict `code` (of several verdicts
    the one that most would make).
    """

    answers: int
    code: str


@dataclass(frozen=True, slots=True)
class LatentVerdict:
    """What scores say of the fact: the rank of its object among the options, and its part.

    `contradicts`: the verdict by questions says the opposite.
    """

    known: bool
    rank: int
    p_gold: float
    contradicts: bool


@dataclass(frozen=True, slots=True)
class MarkedAnswer:
    """Answers of one setting with the same text (as an answer) and the same labels, counted."""

    thinking: bool
    count: int
    text: str
    mark: AnswerMark
    changes_profile: bool
    samples: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FactView:
    """Everything the fact pane shows of one fact under a lens.

    `text` is the source text (left context) with the spans of the subject and of the object in
    it; `codes` are the verdicts of all models of the snapshot in their order. `profile` is the
    verdict's name, None where thinking was not measured; `tasks` are all ten. `unlisted` says
    whose labels, which do not count, an incomplete fact has. `latent` is what scores say of it for
    the lens's model; `has_scores`: they say something of some fact. `arms` is what FACT-BENCH
    says of it; `has_arms`: any model has been asked in any of its modes.
    """

    lens: Lens
    fact: int
    fact_id: str
    title: str
    subject: str
    object: str
    category: str
    object_type: str
    views: int | None
    text: str
    subject_spans: tuple[Span, ...]
    object_spans: tuple[Span, ...]
    code: str
    profile: str | None
    provisional: bool
    reasons: tuple[Reason, ...]
    stake: Stake | None
    models: tuple[str, ...]
    codes: tuple[str, ...]
    tasks: tuple[TaskRow, ...]
    unlisted: UnlistedLabels | None = None
    has_scores: bool = False
    latent: LatentVerdict | None = None
    has_arms: bool = False
    arms: "ArmVerdict | None" = None


@dataclass(frozen=True, slots=True)
class UnfoldedQuestion:
    """One question of a fact with its distinct answers, most frequent first, off then on."""

    fact: int
    task: Task
    question: int
    text: str
    gold: str
    aliases: tuple[str, ...]
    choices: tuple[str, ...] | None
    distinct: tuple[MarkedAnswer, ...]
    counted: tuple[int, int] = (0, 0)
    """Answers that lie in a lake and are counted here, off and on."""


def read_fact(project: OpenProject, snapshot: Snapshot, fact: int) -> FactView | None:
    """The view of a fact (its id) under the snapshot's lens; None if there is no such fact."""
    place = snapshot.place(fact)
    if place is None:
        return None
    index, heading = snapshot.index, snapshot.headings[place]
    golds = db.question_rows.golds(project.connection, fact)
    texts = {one.task: one.text for one in db.question_rows.questions(project.connection, [fact])}
    text = source(texts, golds, heading.subject, heading.object)
    case = case_of(snapshot, place, snapshot.row)
    verdict = case.verdict()
    marks = marks_by_cell(project, snapshot, place)
    has_arms = any(is_arm(label) for label, _ in project.setting_ids())
    return FactView(
        lens=snapshot.lens,
        fact=fact,
        fact_id=index.fact_ids[place],
        title=heading.title,
        subject=heading.subject,
        object=heading.object,
        category=index.categories[place],
        object_type=index.object_types[place],
        views=None if index.views[place] < 0 else int(index.views[place]),
        text=text.text,
        subject_spans=text.subject,
        object_spans=text.object,
        code=verdict.code,
        profile=verdict.name,
        provisional=bool(snapshot.provisional[place]),
        reasons=explain_verdict(case, verdict),
        stake=_stake(snapshot, place),
        models=snapshot.models,
        codes=tuple(snapshot.code(place, model) for model in range(len(snapshot.models))),
        tasks=tuple(
            TaskRow(
                task,
                int(index.questions[place, TASK_INDEX[task]]),
                texts.get(task, ""),
                golds.get(task.side, Gold("")).text,
                _grade(case, task, False, marks),
                _grade(case, task, True, marks),
            )
            for task in TASKS
        ),
        unlisted=_find_unlisted(project, snapshot, place) if verdict.number == INCOMPLETE else None,
        has_scores=bool(snapshot.latent.any()),
        latent=_latent(project, snapshot, place, verdict.code),
        has_arms=has_arms,
        arms=_read_arms(project, fact, snapshot.lens.model) if has_arms else None,
    )


def _read_arms(project: OpenProject, fact: int, model: str | None) -> "ArmVerdict | None":
    question = question_of(project, fact, Task.DIRECT)
    if question is None or model is None:
        return None
    from core.views.arm_verdict import read_arm_verdict

    return read_arm_verdict(project, question, model)


def _latent(
    project: OpenProject, snapshot: Snapshot, place: int, code: str
) -> LatentVerdict | None:
    model, marks = snapshot.lens.model, snapshot.latent[place : place + 1]
    if model is None or not marks.any():
        return None
    from core.zero_prompt.scores import score

    fact, connection, wanted = int(snapshot.index.ids[place]), project.connection, series_key(model)
    with read_transaction(connection):
        of_model = [one.id for one in db.option_scores.read_series(connection) if one.key == wanted]
        there = [db.option_scores.scores_at(connection, one, [fact]) for one in of_model]
    stored = next((found[fact] for found in there if fact in found), None)
    if stored is None or stored.logprobs is None:
        return None
    texts = [""] * len(stored.logprobs)  # only they say which of equal others is predicted
    found = score(texts, stored.logprobs.tolist(), gold=0)
    if found is None:
        return None
    codes = np.array([CODE_ORDER.index(code)])
    contradicts = bool(select_latent("contradicts", marks, codes)[0])
    return LatentVerdict(found.correct, found.rank, found.p_gold, contradicts)


def _find_unlisted(project: OpenProject, snapshot: Snapshot, place: int) -> UnlistedLabels | None:
    questions = snapshot.index.questions[place]
    return find_unlisted(project, snapshot.lens, questions[questions > 0].tolist())


def _grade(case: FactCase, task: Task, thinking: bool, marks: Marks) -> Grade:
    g = case.grade(task, thinking)
    mine = marks[task, thinking]
    return Grade(
        thinking,
        None if g is None else float(g),
        case.question_passes(task, thinking),
        case.cell(task, thinking)[LABELS.index(Label.CORRECT)],
        case.count_gradable(task, thinking),
        mine,
        used=(task, thinking) in CELLS or bool(mine),
        measured=case.asked[thinking],
    )


def _stake(snapshot: Snapshot, place: int) -> Stake | None:
    codes = Counter(snapshot.stakes.select_fact(place).code.tolist())
    if not codes:
        return None
    ((code, answers),) = codes.most_common(1)
    return Stake(answers, CODE_ORDER[code])


def unfold(
    project: OpenProject, snapshot: Snapshot, fact: int, task: Task
) -> UnfoldedQuestion | None:
    """One question of a fact with its distinct answers; None if the fact does not have it."""
    place, question = snapshot.place(fact), question_of(project, fact, task)
    if place is None or question is None:
        return None
    model = snapshot.lens.model
    marks = marks_by_cell(project, snapshot, place, [task])
    recipe = None if model is None else db.model_rows.recipe_of(project.connection, model)
    distinct: list[MarkedAnswer] = []
    for thinking, setting in settings_of(project, model).items():
        answers = [
            (unpack(one.slot)[2], answer_in(one, thinking, recipe))
            for one in db.responses.read_in_setting(project.connection, question.id, setting)
        ]
        at_stake = _samples_at_stake(snapshot, place, task, thinking)
        distinct += _distinct(thinking, answers, marks[task, thinking], at_stake)
    gold = question.gold
    return UnfoldedQuestion(
        fact,
        task,
        question.id,
        question.text,
        gold.text,
        gold.aliases,
        question.choices,
        tuple(distinct),
        (_count_away(marks[task, False]), _count_away(marks[task, True])),
    )


def _count_away(marks: Sequence[AnswerMark]) -> int:
    return sum(mark.counted for mark in marks)


def _samples_at_stake(snapshot: Snapshot, place: int, task: Task, thinking: bool) -> set[int]:
    """Samples of a question and setting on which B's label alone would change the verdict."""
    stakes = snapshot.stakes.select_fact(place)
    here = (stakes.task == TASK_INDEX[task]) & (stakes.thinking == thinking)
    return set(stakes.sample[here].tolist())


def _distinct(
    thinking: bool,
    answers: Sequence[tuple[int, str]],
    marks: Sequence[AnswerMark],
    at_stake: Container[int],
) -> list[MarkedAnswer]:
    """Answers of one setting (by sample) put together where text and labels are the same."""
    alike: dict[tuple[str, AnswerMark], list[int]] = {}
    texts: dict[str, str] = {}
    for sample, answer in answers:
        mark = marks[sample] if sample < len(marks) else AnswerMark(True)
        alike.setdefault((normalise_answer(answer), mark), []).append(sample)
        texts.setdefault(normalise_answer(answer), answer.strip())
    found = [
        MarkedAnswer(
            thinking, len(samples), texts[key], mark, samples[0] in at_stake, tuple(samples)
        )
        for (key, mark), samples in alike.items()
    ]
    return sorted(found, key=lambda one: (-one.count, one.samples))
