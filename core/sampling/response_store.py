"""Writing down what a model answered, with the labels of graders that need no model."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import db.facts
import db.grades
import db.model_rows
import db.responses
import db.runs
import db.served_models
from core.graders import grader_table
from core.graders.answer_text import CUT_OFF, answer_of
from core.graders.grader_record import GraderRecord
from core.modes import find_arm
from core.project import Project
from core.providers.base import Draw
from core.providers.openai_format import storable
from core.sampling.plan import Plan
from core.sampling.recipe import Recipe, differences, template_for
from core.sampling.requests import SampleRequest
from core.scoring.precedence import CHOICE
from core.vocabulary import Label, Outcome, Task
from db.facts import StoredQuestion
from db.responses import NewResponse, ToGrade

Answered = tuple[SampleRequest, Sequence[Draw]]
"""An ask with the draws that came for it: for its first samples, as many as there are draws."""


@dataclass(frozen=True, slots=True)
class Stored:
    """What came, by slot, with its labels by grader and slot; and asks that came too late.

    `stale` asks were for a question or a setting that is not in use any more. `fresh`: how many
    slots were free.
    """

    rows: Mapping[int, NewResponse]
    labels: Mapping[str, Mapping[int, Label]]
    stale: Sequence[SampleRequest]
    fresh: int = 0


@dataclass(frozen=True, slots=True)
class _Grader:
    """A local grader and the id of its version."""

    version: int
    builtin: GraderRecord


class ResponseStore:
    """Keeps the answers of one plan. All methods are called inside a transaction."""

    def __init__(
        self,
        project: Project,
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
        self._begun = db.runs.of_job(project.connection, job) if goes_on and job else {}
        self._arm = find_arm(plan.label)
        self._facts = None if plan.facts.all() else project.index.ids[plan.facts].tolist()
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
        version = db.model_rows.ensure_grader(self._connection, name, builtin.version)
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
            or db.runs.start(
                self._connection,
                setting,
                plan.tasks_of(on),
                self._facts,
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

    def store(self, taken: Sequence[Answered]) -> Stored:
        """Write answers into those of their slots that are still free, and grade them.

        What is not asked any more, because a person changed the question meanwhile, is dropped.
        """
        questions = db.facts.current(self._connection, {ask.question.id for ask, _ in taken})
        self._check_settings()
        known = set(self.settings.items())
        drawn: dict[int, NewResponse] = {}
        asked: dict[int, SampleRequest] = {}
        stale = []
        for ask, draws in taken:
            if ask.question.id not in questions or (ask.thinking, ask.setting) not in known:
                stale.append(ask)
                continue
            for key, draw in zip(ask.slots, draws, strict=False):
                drawn[key] = read_draw(key, ask, draw)
                asked[key] = ask
        fresh = self._insert(drawn, asked)
        return Stored(drawn, self._grade(fresh, asked, questions), stale, len(fresh))

    def fail(self, ask: SampleRequest, reason: str) -> None:
        """Note that the slots of an ask could not be filled."""
        if db.facts.current(self._connection, [ask.question.id]):
            db.responses.record_failure(self._connection, ask.slots, reason)

    def finish(self) -> None:
        """Mark the runs as finished."""
        for run in self.runs.values():
            db.runs.finish(self._connection, run)

    def _check_settings(self) -> None:
        """Register anew where a setting is not what it was: somebody put the database in order."""
        settings = db.model_rows.settings(self._connection)
        for on, setting in self.settings.items():
            if settings.get(setting) != (self._plan.label, on):
                self._register()
                return

    def _insert(
        self, drawn: Mapping[int, NewResponse], asked: Mapping[int, SampleRequest]
    ) -> list[NewResponse]:
        """Insert what is new, setting by setting; gives it."""
        by = {one.served for one in drawn.values() if one.served}
        served = db.served_models.ensure(self._connection, self._plan.label, by)
        by_run = defaultdict(list)
        for key, row in drawn.items():
            by_run[self.runs[asked[key].setting]].append(row)
        return [
            drawn[key]
            for run, rows in by_run.items()
            for key in db.responses.insert_drawn(self._connection, rows, run, served)
        ]

    def _grade(
        self,
        rows: Sequence[NewResponse],
        asked: Mapping[int, SampleRequest],
        questions: Mapping[int, StoredQuestion],
    ) -> dict[str, dict[int, Label]]:
        found: dict[str, dict[int, Label]] = {}
        for name, grader in self._graders.items():
            labels: dict[int, Label] = {}
            seen: dict[tuple[int, str, int | None], Label | None] = {}
            for row in rows:
                ask = asked[row.slot]
                if ask.question.task.is_choice == grader.builtin.reads_choice:
                    answer = self._answer_for(grader.builtin, ask, row)
                    key = (ask.question.id, answer, row.shown)
                    if key not in seen:
                        seen[key] = grader.builtin.label(
                            questions[ask.question.id], answer, _to_grade(row, ask)
                        )
                    if (label := seen[key]) is not None:
                        labels[row.slot] = label
            found[name] = labels
            db.grades.insert(
                self._connection,
                grader.version,
                [(key, int(Outcome.of(label)), None) for key, label in labels.items()],
            )
        return found

    def _answer_for(self, grader: GraderRecord, ask: SampleRequest, row: NewResponse) -> str:
        """What a grader reads of a response."""
        if self._arm is not None and grader.answer_of_arm is not None:
            return grader.answer_of_arm(row.text, self._arm.mode)
        return self.answer(ask, row)

    def answer(self, ask: SampleRequest, row: NewResponse) -> str:
        """What a response answers, found in step by step text."""
        cell = ask.question.task, ask.thinking
        steps = self._steps.get(cell)
        if steps is None:
            steps = self._steps[cell] = template_for(*cell, self._recipe).endswith("_steps")
        return answer_of(row.text, steps, row.finish == CUT_OFF)


def read_draw(key: int, ask: SampleRequest, draw: Draw) -> NewResponse:
    """What is kept of a draw for the slot `key`, as text that can be stored."""
    return NewResponse(
        key,
        storable(draw.text),
        ask.shown,
        draw.finish,
        draw.reasoning and storable(draw.reasoning),
        draw.reasoning_tokens,
        (draw.served.name, draw.served.fingerprint) if draw.served else None,
    )


def _to_grade(row: NewResponse, ask: SampleRequest) -> ToGrade:
    return ToGrade(row.slot, ask.setting, row.text, row.shown, row.finish)
