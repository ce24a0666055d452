"""Writing down what a model answered, with the labels of graders that need no model."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

import db.failures
import db.grades
import db.model_rows
import db.project_values
import db.question_rows
import db.question_versions
import db.sampling_runs
import db.served_models
from core.graders import grader_table
from core.graders.answer_text import CUT_OFF, answer_of
from core.graders.choice import label_answers
from core.graders.grader_record import GraderRecord
from core.modes import find_arm
from core.project import OpenProject
from core.providers.base import Draw
from core.providers.openai_format import storable
from core.sampling.recipe import Recipe, differences, template_for
from core.sampling.sample_plan import Plan
from core.sampling.sample_requests import SampleRequest
from core.scoring.curtailed_runs import list_asked
from core.scoring.precedence import CHOICE
from core.vocabulary import Label, Outcome, Task
from db.drawn_responses import DrawnColumns, NewResponse, insert_drawn
from db.foreign_key_checks import check_answers
from db.grades import GradeColumns
from db.question_rows import StoredQuestion
from db.responses import ToGrade
from db.slot_ids import MAX_SETTING, QUESTION_SHIFT, SAMPLE_BITS, SETTING_BITS

Answered = tuple[SampleRequest, Sequence[Draw]]
"""An ask with the draws that came for it: for its first samples, as many as there are draws."""

_OUTCOMES = {label: int(Outcome.from_label(label)) for label in Label}


@dataclass(frozen=True, slots=True)
class StoreResult:
    """What came, by slot, with its labels by grader and slot; and asks that came too late.

    `stale` asks were for a question or a setting that is not in use any more. `fresh`: how many
    slots were free.
    """

    rows: Mapping[int, NewResponse]
    labels: Mapping[str, Mapping[int, Label]]
    stale: Sequence[SampleRequest]
    fresh: int = 0


@dataclass(frozen=True, slots=True)
class ReadQuestions:
    """Questions of multiple choice as they were read, by id; `edits`: the count of edits then."""

    edits: int
    choices: Mapping[int, StoredQuestion]


@dataclass(frozen=True, slots=True)
class _Grader:
    """A local grader and the id of its version."""

    version: int
    builtin: GraderRecord


class ResponseStore:
    """Keeps the answers of one plan. All methods are called inside a transaction."""

    def __init__(
        self,
        project: OpenProject,
        plan: Plan,
        recipe: Recipe,
        graders: Iterable[str] = (),
        job: int | None = None,
        curtailed: str | None = None,
        goes_on: bool = False,
    ) -> None:
        """Register the plan's settings, runs and graders; `choice` grades in any case.

        `goes_on`: with the runs that the job has begun, where it has.
        Raises `UsageError` for a grader that is none of the built-in ones.
        """
        self._connection, self._plan, self._recipe = project.connection, plan, recipe
        self._job, self._curtailed = job, curtailed
        self._begun = (
            db.sampling_runs.find_job_runs(project.connection, job) if goes_on and job else {}
        )
        self._arm = find_arm(plan.label)
        self._index = project.index
        self._steps: dict[tuple[Task, bool], bool] = {}
        """Whether tasks with thinking off or on are asked step by step."""
        self.settings: dict[bool, int] = {}
        self.runs: dict[int, int] = {}
        self._graders = {
            name: self._grader(name, grader_table.builtin(name))
            for name in dict.fromkeys([*graders, CHOICE])
        }
        self._register()

    def _grader(self, name: str, builtin: GraderRecord) -> _Grader:
        version = db.grades.ensure_grader(self._connection, name, builtin.version)
        return _Grader(version, builtin)

    def _register(self) -> None:
        plan = self._plan
        self.settings = {
            on: db.model_rows.ensure_setting(self._connection, plan.label, on)
            for on in plan.thinking
        }
        stored = db.model_rows.recipe_of(self._connection, plan.label)
        if stored is None or differences(stored, self._recipe):
            db.model_rows.set_recipe(self._connection, plan.label, self._recipe.as_json())
        self.runs = {
            setting: self._begun.get(setting)
            or db.sampling_runs.start(
                self._connection,
                setting,
                list_asked(self._index, plan.facts, plan.tasks_of(on)),
                plan.samples,
                self._job,
                self._curtailed,
            )
            for on, setting in self.settings.items()
        }

    @property
    def graders(self) -> dict[str, int]:
        """The graders' names with the ids of their versions."""
        return {name: grader.version for name, grader in self._graders.items()}

    def store(self, taken: Sequence[Answered]) -> StoreResult:
        """Write answers into those of their slots that are still free, and grade them.

        What is not asked any more, because a person changed the question meanwhile, is dropped.
        """
        questions = db.question_rows.read_current(
            self._connection, {ask.question.id for ask, _ in taken}
        )
        self._check_settings()
        known = set(self.settings.items())
        drawn: dict[int, NewResponse] = {}
        stale = []
        for ask, draws in taken:
            if ask.question.id not in questions or (ask.thinking, ask.setting) not in known:
                stale.append(ask)
                continue
            rows = read_draws(ask.slots, ask.shown, draws)
            drawn.update((row.slot, row) for row in rows)
        fresh = self._insert(DrawnColumns.from_rows(list(drawn.values())))
        return StoreResult(drawn, self._grade(fresh, questions), stale, fresh.slots.size)

    def store_columns(self, drawn: DrawnColumns, read: ReadQuestions) -> int:
        """The same for answers to many questions, each slot once.

        `read` has those of the questions that the graders read: of `choice` alone, those of
        multiple choice. Gives how many slots were free. Answers to questions or settings that are
        not in use any more are dropped.
        """
        self._check_settings()
        questions = read.choices
        if db.project_values.edit_count(self._connection) != read.edits:
            asked = np.unique(drawn.slots >> QUESTION_SHIFT)
            questions = db.question_rows.read_current(self._connection, asked.tolist())
            used = np.isin(drawn.slots >> QUESTION_SHIFT, list(questions))
            drawn = drawn.select(np.flatnonzero(used))
        settings = drawn.slots >> SAMPLE_BITS & MAX_SETTING
        used = np.isin(settings, list(self.settings.values()))
        if not used.all():
            drawn = drawn.select(np.flatnonzero(used))
        check_answers(self._connection, drawn.slots, self.graders.values(), self.runs.values())
        fresh = self._insert(drawn)
        self._grade(fresh, questions)
        return fresh.slots.size

    def fail(self, slots: Sequence[int], reason: str) -> None:
        """Note that slots of one question could not be filled."""
        if db.question_versions.are_in_use(self._connection, [slots[0] >> QUESTION_SHIFT]):
            db.failures.record_failure(self._connection, slots, reason)

    def finish(self) -> None:
        """Mark the runs as finished."""
        for run in self.runs.values():
            db.sampling_runs.finish(self._connection, run)

    def _check_settings(self) -> None:
        """Register anew where a setting is not what it was: somebody put the database in order."""
        settings = db.model_rows.settings(self._connection)
        for on, setting in self.settings.items():
            if settings.get(setting) != (self._plan.label, on):
                self._register()
                return

    def _insert(self, drawn: DrawnColumns) -> DrawnColumns:
        """Insert what is new; gives it."""
        by = {one for one in drawn.served if one}
        served = db.served_models.ensure(self._connection, self._plan.label, by)
        return insert_drawn(self._connection, drawn, self.runs, served)

    def _grade(
        self, drawn: DrawnColumns, questions: Mapping[int, StoredQuestion]
    ) -> dict[str, dict[int, Label]]:
        """Labels by grader and slot, written down; answers to other questions have none."""
        found: dict[str, dict[int, Label]] = {}
        for name, grader in self._graders.items():
            if grader.builtin.reads_choice:
                labels = self._label_choices(drawn, questions)
            else:
                labels = self._label_words(grader.builtin, drawn, questions)
            grades = GradeColumns(
                np.fromiter(labels, np.int64, len(labels)),
                np.full(len(labels), grader.version),
                np.fromiter(map(_OUTCOMES.__getitem__, labels.values()), np.uint8, len(labels)),
                [None] * len(labels),
            )
            db.grades.insert_columns(self._connection, grades)
            found[name] = labels
        return found

    def _label_choices(
        self, drawn: DrawnColumns, questions: Mapping[int, StoredQuestion]
    ) -> dict[int, Label]:
        """Labels of answers to multiple choice. Written for millions."""
        rows, slots = list[tuple[StoredQuestion, str, int | None]](), list[int]()
        columns = drawn.slots.tolist(), drawn.texts, drawn.shown, drawn.finishes
        last, question, steps = -1, None, False
        for slot, text, shown, finish in zip(*columns, strict=True):
            if shown is None:
                continue
            if slot >> SAMPLE_BITS != last:
                last = slot >> SAMPLE_BITS
                question = questions.get(last >> SETTING_BITS)
                steps = question is not None and self._has_steps(question.task, self._is_on(slot))
            if question is None:
                continue
            answer = answer_of(text, True, finish == CUT_OFF) if steps else text
            rows.append((question, answer, shown))
            slots.append(slot)
        labels = zip(slots, label_answers(rows), strict=True)
        return {slot: label for slot, label in labels if label is not None}

    def _label_words(
        self, grader: GraderRecord, drawn: DrawnColumns, questions: Mapping[int, StoredQuestion]
    ) -> dict[int, Label]:
        """Labels of answers in words; equal ones to a question are read once."""
        seen: dict[tuple[int, str], Label | None] = {}
        labels: dict[int, Label] = {}
        columns = drawn.slots.tolist(), drawn.texts, drawn.shown, drawn.finishes
        for slot, text, shown, finish in zip(*columns, strict=True):
            question = questions.get(slot >> QUESTION_SHIFT)
            if question is None or question.task.is_choice:
                continue
            answer = self._answer_for(grader, question.task, self._is_on(slot), text, finish)
            key = slot >> SAMPLE_BITS, answer
            if key not in seen:
                setting = slot >> SAMPLE_BITS & MAX_SETTING
                given = ToGrade(slot, setting, text, shown, finish)
                seen[key] = grader.label(question, answer, given)
            if (label := seen[key]) is not None:
                labels[slot] = label
        return labels

    def _is_on(self, slot: int) -> bool:
        """Whether thinking is on in the setting of a slot."""
        return slot >> SAMPLE_BITS & MAX_SETTING == self.settings.get(True)

    def _answer_for(
        self, grader: GraderRecord, task: Task, thinking: bool, text: str, finish: str | None
    ) -> str:
        """What a grader reads of a response."""
        if self._arm is not None and grader.answer_of_arm is not None:
            return grader.answer_of_arm(text, self._arm.mode)
        return self.answer(task, thinking, text, finish)

    def answer(self, task: Task, thinking: bool, text: str, finish: str | None) -> str:
        """What a response (its text, how it ended) answers, found in step by step text."""
        return answer_of(text, self._has_steps(task, thinking), finish == CUT_OFF)

    def _has_steps(self, task: Task, thinking: bool) -> bool:
        """Whether a task is asked step by step."""
        steps = self._steps.get((task, thinking))
        if steps is None:
            template = template_for(task, thinking, self._recipe)
            steps = self._steps[task, thinking] = template.endswith("_steps")
        return steps


def read_draws(slots: Iterable[int], shown: int | None, draws: Iterable[Draw]) -> list[NewResponse]:
    """What is kept of draws for slots, as text that can be stored. Written for millions."""
    return [
        NewResponse(
            key,
            text if text.isascii() else storable(text),
            shown,
            finish,
            thought and storable(thought),
            tokens,
            served,
        )
        for key, (text, finish, thought, tokens, _, served) in zip(slots, draws, strict=False)
    ]
