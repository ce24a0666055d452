"""One question as a person judges it: all its answers, every grader's label, what was asked."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import db.grades
import db.model_rows
import db.response_sources
import db.responses
import db.tags_and_notes
from core.curation.question_edits import NO_REACH, EditReach, measure_edit
from core.dataset import choice_options
from core.errors import LostkeysError
from core.graders import choice
from core.graders.answer_text import answer_in, is_step_by_step, place_of
from core.modes import Arm, find_arm
from core.project import OpenProject
from core.scoring.precedence import HUMAN_PREFIX, LAST_LABEL
from core.views import fact_view
from core.views.answer_marks import AnswerMark, rank_graders
from core.views.cell_marks import question_of, settings_of
from core.views.entity_spans import Span
from core.views.fact_view import FactView
from core.views.grader_labels import UnlistedLabels, find_unlisted
from core.views.label_effects import Consequence
from core.views.sent_prompts import Call, calls_of
from core.views.snapshot import Snapshot
from core.vocabulary import LABELS, TASK_INDEX, Label, Outcome, Task
from db.question_rows import StoredQuestion
from db.response_sources import ResponseSource
from db.responses import StoredResponse
from db.slot_ids import unpack
from db.stored_values import read_member
from db.tags_and_notes import ANSWER

if TYPE_CHECKING:
    from core.views.arm_answer import ScoredAnswer

__all__ = [
    "AnswerView",
    "Call",
    "Consequence",
    "Judgement",
    "ResponseSource",
    "TaskView",
    "read_task",
]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one grader version said of an answer; `at` in milliseconds for people's labels.

    `outdated`: it was said before an alias was accepted, which may make it another label.
    """

    grader: str
    version: str
    outcome: Outcome
    rationale: str | None
    at: int | None
    outdated: bool = False


@dataclass(frozen=True, slots=True)
class AnswerView:
    """One response. `answer` is where the answer stands in `text` (None if nowhere).

    `shown` are the options from A to D as they were shown; `chosen` the place of the option
    that was read out of the text, `gold_place` that of the right one. `judgements` has every
    grader version that looked at it, newest version of each first. `scored` is what FACT-BENCH
    says of an arm's answer. `source` is where an imported answer came from.
    """

    slot: int
    thinking: bool
    sample: int
    text: str
    answer: Span | None
    step_by_step: bool
    mark: AnswerMark
    own: Label | None
    note: str | None
    judgements: tuple[Judgement, ...]
    shown: tuple[str, ...] | None = None
    chosen: int | None = None
    gold_place: int | None = None
    read_as: str = ""
    finish: str | None = None
    reasoning: str | None = None
    reasoning_tokens: int | None = None
    scored: "ScoredAnswer | None" = None
    source: ResponseSource | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskView:
    """Everything the Task screen shows of one question under a lens.

    `unlisted` says whose labels, which do not count, answers without a label have.
    """

    fact: FactView
    task: Task
    question: int
    text: str
    gold: str
    aliases: tuple[str, ...]
    choices: tuple[str, ...] | None
    answers: tuple[AnswerView, ...]
    calls: tuple[Call, ...]
    differing: int
    unlisted: UnlistedLabels | None = None
    reach: EditReach = NO_REACH


def read_task(
    project: OpenProject, snapshot: Snapshot, fact: int, task: Task, name: str | None = None
) -> TaskView | None:
    """The view of one question of a fact (its id); None if the fact does not have it.

    `name` is that of the person who looks: `own` and `note` are what `human:<name>` said.
    """
    view = fact_view.read_fact(project, snapshot, fact)
    question = question_of(project, fact, task)
    if view is None or question is None:
        return None
    model = snapshot.lens.model
    row = view.tasks[TASK_INDEX[task]]
    recipe = None if model is None else db.model_rows.recipe_of(project.connection, model)
    arm = None if model is None or task is not Task.DIRECT else find_arm(model)
    reader = _Reader(project, snapshot, question, recipe, name, arm)
    answers: list[AnswerView] = []
    calls: list[Call] = []
    for thinking, setting in settings_of(project, model).items():
        marks = (row.on if thinking else row.off).marks
        responses = db.responses.read_in_setting(project.connection, question.id, setting)
        answers += reader.answers(responses, setting, thinking, marks)
        shown = {unpack(one.slot)[2]: one.shown for one in responses}
        asked = calls_of(question, setting, thinking, shown, recipe)
        calls += asked if arm is None else _calls_of_arm(project, question, arm, asked)
    bare = any(answer.mark.label is None for answer in answers)
    return TaskView(
        fact=view,
        task=task,
        question=question.id,
        text=question.text,
        gold=question.gold.text,
        aliases=question.gold.aliases,
        choices=question.choices,
        answers=tuple(answers),
        calls=tuple(calls),
        differing=sum(answer.mark.differs for answer in answers),
        unlisted=find_unlisted(project, snapshot.lens, [question.id]) if bare else None,
        reach=measure_edit(project, question.id),
    )


def _calls_of_arm(
    project: OpenProject, question: StoredQuestion, arm: Arm, asked: Iterable[Call]
) -> list[Call]:
    """Calls with the prompt of their arm."""
    from core.views.arm_answer import with_exemplars

    return [with_exemplars(project, question, arm, one) for one in asked]


class _Reader:
    """Reads the answers to one question."""

    def __init__(
        self,
        project: OpenProject,
        snapshot: Snapshot,
        question: StoredQuestion,
        recipe: Mapping[str, object] | None,
        name: str | None,
        arm: Arm | None,
    ) -> None:
        self._project = project
        self._arm = arm
        self._question = question
        self._recipe = recipe
        self._own = None if name is None else f"{HUMAN_PREFIX}{name}"
        self._graders = {one.plane: one for one in project.graders()}
        ranks = rank_graders(project, snapshot.lens)
        self._first = [rank.planes if rank else () for rank in ranks.compared]

    def answers(
        self,
        responses: Sequence[StoredResponse],
        setting: int,
        thinking: bool,
        marks: Sequence[AnswerMark],
    ) -> list[AnswerView]:
        """All answers in one setting, by sample."""
        judged = self._judgements(setting)
        slots = [one.slot for one in responses]
        sources = db.response_sources.read_sources(self._project.connection, slots)
        tags = db.tags_and_notes.tags_of(self._project.connection, ANSWER, slots)
        found = [self._answer(one, thinking, marks, judged[one.slot]) for one in responses]
        return [
            replace(one, source=sources.get(one.slot), tags=tags.get(one.slot, ())) for one in found
        ]

    def _answer(
        self,
        response: StoredResponse,
        thinking: bool,
        marks: Sequence[AnswerMark],
        judgements: Sequence[Judgement],
    ) -> AnswerView:
        sample = unpack(response.slot)[2]
        steps = is_step_by_step(response.text, thinking, self._recipe)
        said = answer_in(response, thinking, self._recipe)
        own = next((one for one in judgements if one.grader == self._own), None)
        answer = AnswerView(
            slot=response.slot,
            thinking=thinking,
            sample=sample,
            text=response.text,
            answer=place_of(said, response.text, steps),
            step_by_step=steps,
            mark=marks[sample] if sample < len(marks) else AnswerMark(True),
            own=_label(own),
            note=own.rationale if own else None,
            judgements=tuple(judgements),
            finish=response.finish,
            reasoning=response.reasoning,
            reasoning_tokens=response.reasoning_tokens,
        )
        if self._arm is not None:
            return self._with_scores(answer, self._arm)
        return self._with_options(answer, response.shown, said)

    def _with_scores(self, answer: AnswerView, arm: Arm) -> AnswerView:
        """The answer as FACT-BENCH finds it in a response, with its scores."""
        from core.graders.em.response_scores import answer_span
        from core.views.arm_answer import score_answer

        span = answer_span(answer.text, str(arm.mode))
        return replace(answer, answer=span, scored=score_answer(self._question, answer.text, arm))

    def _with_options(self, answer: AnswerView, order: int | None, said: str) -> AnswerView:
        """The answer with its options and how it was read; as it is without the order shown."""
        options = self._question.choices
        if options is None or order is None:
            return answer
        shown = choice_options.decode(order, options)
        found = choice.read_choice(said, shown)
        try:
            gold = shown.index(choice_options.gold_option(options, self._question.gold.text))
        except LostkeysError:
            gold = None
        return replace(
            answer,
            shown=shown,
            chosen=found.place if found else None,
            gold_place=gold,
            read_as=found.words if found else choice.NO_OPTION,
        )

    def _judgements(self, setting: int) -> dict[int, list[Judgement]]:
        """What grader versions said of each answer: those compared, other programs, people."""
        rows = db.grades.read_in_setting(self._project.connection, self._question.id, setting)
        known = [row for row in rows if row[1] in self._graders]
        outdated = db.grades.find_outdated(self._project.connection, self._question.id)
        found: dict[int, list[Judgement]] = defaultdict(list)
        for slot, plane, outcome, at, rationale in sorted(
            known, key=lambda row: self._rank(row[1])
        ):
            grader = self._graders[plane]
            said = Judgement(
                grader.name,
                grader.version,
                read_member(Outcome, outcome, "outcome"),
                rationale,
                at,
                (slot, plane) in outdated,
            )
            found[slot].append(said)
        return found

    def _rank(self, plane: int) -> tuple[int, str, int]:
        """Where a grader version stands among the others, newest version of each first."""
        grader = self._graders[plane]
        groups = [*(plane in planes for planes in self._first), not grader.is_person, True]
        return groups.index(True), grader.name, -plane


def _label(judgement: Judgement | None) -> Label | None:
    if judgement is None or judgement.outcome > LAST_LABEL:
        return None
    return LABELS[judgement.outcome - 1]
