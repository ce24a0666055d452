"""The sampling engine: fills the missing slots of a plan, fact by fact.

A run is a query for missing slots, so stopping at any moment loses nothing that was answered
and starting again goes on. A response is committed before its slot counts as done. Retrying and
concurrency live here, once for all providers.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

import db.facts
import db.grades
import db.grids
import db.models
import db.responses
import db.runs
from core import choices
from core.answers import CUT_OFF, answer_of
from core.errors import UsageError
from core.graders import choice
from core.groups import Mask
from core.names import TASK_INDEX, Outcome, Task
from core.precedence import CHOICE
from core.project import Project
from core.providers.base import Draw, FatalError, Provider, TransientError, UnanswerableError
from core.providers.capabilities import describe
from core.sampling.asks import Ask, asks_for
from core.sampling.recipe import (
    Recipe,
    check_same,
    default_tasks,
    recipe_for,
    template_for,
)
from db.connection import writing
from db.responses import Drawn
from db.slots import slot

TRIES = 6
"""Requests in a row that bring nothing before the slots of an ask are recorded as failed."""

HOPELESS = 24
"""Asks in a row that used up their tries before the run stops: the server is gone."""

FIRST_WAIT = 0.5
LONGEST_WAIT = 30.0
"""Seconds between tries: doubled each time up to this, and shortened at random."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be drawn: these facts' tasks in these settings, `samples` times each.

    `tasks` None means the default ones of each setting.
    """

    model: str
    label: str
    samples: int
    facts: Mask
    thinking: tuple[bool, ...] = (False, True)
    tasks: tuple[Task, ...] | None = None
    prompts: Path | None = None

    def tasks_of(self, thinking: bool) -> tuple[Task, ...]:
        """Tasks drawn in one setting; encoding with thinking on only if asked for alone."""
        if self.tasks is None:
            return default_tasks(thinking)
        if thinking and self.thinking == (True,):
            return self.tasks
        return tuple(task for task in self.tasks if task in default_tasks(thinking))


@dataclass(slots=True)
class Outcomes:
    """What a run came to, in slots."""

    wanted: int = 0
    drawn: int = 0
    failed: int = 0
    reasoned: int = 0
    """Responses that show reasoning though thinking was off."""
    reasons: Counter[str] = field(default_factory=Counter)


def check_plan(project: Project, plan: Plan) -> Recipe:
    """The recipe of a plan, if its label may be used for it. Raises `UsageError` if not."""
    if not 1 <= plan.samples <= 1024:
        raise UsageError(f"{plan.samples} samples: draw 1 to 1024 of each question")
    recipe = recipe_for(plan.model, plan.prompts)
    if plan.label in project.models():
        check_same(db.models.recipe_of(project.connection, plan.label), recipe, plan.label)
    return recipe


def count_missing(project: Project, plan: Plan) -> int:
    """How many slots of a plan have no response yet."""
    settings = project.setting_ids()
    total = 0
    for thinking in plan.thinking:
        setting = settings.get((plan.label, thinking))
        cells = None if setting is None else project.grids.cells(db.grids.DRAWN, setting)
        for task in plan.tasks_of(thinking):
            questions = project.index.questions[plan.facts, TASK_INDEX[task]]
            questions = questions[questions > 0]
            total += plan.samples * questions.size
            if cells is not None:
                known = questions[questions < cells.shape[1]]
                total -= int(np.count_nonzero(cells[: plan.samples, known]))
    return total


class Sampling:
    """One run of a plan. Construct it, then `run` it in an event loop."""

    def __init__(self, project: Project, provider: Provider, plan: Plan) -> None:
        self.project, self.provider, self.plan = project, provider, plan
        self.recipe = check_plan(project, plan)
        self.outcomes = Outcomes(wanted=count_missing(project, plan))
        self._limits = describe(plan.model)
        self._open: Counter[int] = Counter()
        self._vain = 0  # asks in a row that nothing came of
        self._settings, self._runs, self._choice = self._register()

    async def run(
        self,
        on_drawn: Callable[[int], None] = lambda count: None,
        on_fact: Callable[[int], None] = lambda fact: None,
    ) -> Outcomes:
        """Fill all missing slots; those that keep failing are recorded with their reason.

        `on_drawn(slots)` and `on_fact(fact)` (the fact's id; all its slots are filled or
        failed) are called from the event loop and must be quick.
        Raises `FatalError` where no further request can succeed.
        """
        self._on_drawn, self._on_fact = on_drawn, on_fact
        capacity = _Capacity(self._limits.sequences or self._limits.requests * self._limits.draws)
        try:
            async with asyncio.TaskGroup() as group:
                for ask in self._asks():
                    self._open[ask.question.fact] += 1
                    await capacity.take(len(ask.samples))
                    group.create_task(self._fill(ask, capacity))
        except ExceptionGroup as failures:
            raise _first(failures) from failures
        if not self.outcomes.failed:
            self._finish()
        return self.outcomes

    def _register(self) -> tuple[dict[bool, int], dict[int, int], int]:
        connection, plan = self.project.connection, self.plan
        facts = None if plan.facts.all() else self.project.index.ids[plan.facts].tolist()
        with writing(connection):
            settings = {
                thinking: db.models.ensure_setting(connection, plan.label, thinking)
                for thinking in plan.thinking
            }
            db.models.set_recipe(connection, plan.label, self.recipe.as_json())
            runs = {
                setting: db.runs.start(
                    connection, setting, plan.tasks_of(thinking), facts, plan.samples
                )
                for thinking, setting in settings.items()
            }
            grader = db.models.ensure_grader(connection, CHOICE, choice.VERSION)
        return settings, runs, grader

    def _asks(self) -> Iterator[Ask]:
        """Requests for the missing slots, one fact after another; read as they are needed."""
        for fact in self.project.index.ids[self.plan.facts].tolist():
            self._open[fact] += 1
            questions = db.facts.questions(self.project.connection, [fact])
            for thinking, setting in self._settings.items():
                tasks = self.plan.tasks_of(thinking)
                for question in questions:
                    if question.task in tasks:
                        yield from self._missing(question, setting, thinking)
            self._close(fact)

    def _missing(
        self, question: db.facts.StoredQuestion, setting: int, thinking: bool
    ) -> Iterator[Ask]:
        samples = db.responses.missing(
            self.project.connection, question.id, setting, self.plan.samples
        )
        yield from asks_for(
            question, setting, thinking, samples, self.recipe, self._limits.draws, self.plan.prompts
        )

    def _close(self, fact: int) -> None:
        self._open[fact] -= 1
        if not self._open[fact]:
            del self._open[fact]
            self._on_fact(fact)

    async def _fill(self, ask: Ask, capacity: "_Capacity") -> None:
        """Ask until every sample has an answer, or the tries are used up."""
        try:
            left, reason, tries = ask.samples, "", 0
            while left and tries < TRIES:
                try:
                    reply = await self.provider.draw(replace(ask.request, n=len(left)))
                except TransientError as error:
                    reason, tries = str(error), tries + 1
                    if tries < TRIES:
                        await asyncio.sleep(_wait(tries - 1, error.retry_after))
                    continue
                except UnanswerableError as error:
                    reason = str(error)
                    self._vain = 0  # the server is there
                    break
                draws = reply.draws[: len(left)]
                self._store(ask, dict(zip(left, draws, strict=False)))
                left = left[len(draws) :]
                tries = 0 if draws else tries + 1  # some servers send one at a time
                reason = "the server sent fewer answers than asked for"
            if left:
                self._fail(ask, left, reason)
                self._stop_if_hopeless(reason)
        finally:
            await capacity.give(len(ask.samples))
        self._close(ask.question.fact)

    def _store(self, ask: Ask, draws: Mapping[int, Draw]) -> None:
        """Commit responses, with their `choice` labels where the task is multiple choice."""
        rows = [
            Drawn(
                slot(ask.question.id, ask.setting, sample),
                _storable(draw.text),
                ask.shown,
                draw.finish,
                draw.reasoning and _storable(draw.reasoning),
                draw.reasoning_tokens,
            )
            for sample, draw in draws.items()
        ]
        thinking = ask.setting == self._settings.get(True)
        with writing(self.project.connection):
            new = db.responses.insert_drawn(self.project.connection, rows, self._runs[ask.setting])
            if ask.shown is not None:
                fresh = set(new)
                self._grade_choice(ask, [row for row in rows if row.slot in fresh], thinking)
        self._vain = 0 if rows else self._vain
        self.outcomes.drawn += len(rows)
        self.outcomes.reasoned += 0 if thinking else sum(map(_reasoned, rows))
        self._on_drawn(len(rows))

    def _grade_choice(self, ask: Ask, rows: Sequence[Drawn], thinking: bool) -> None:
        options = ask.question.choices or ()
        gold = choices.gold_option(options, ask.question.gold.text)
        steps = template_for(ask.question.task, thinking, self.recipe).endswith("_steps")
        labelled = []
        for row in rows:
            answer = answer_of(row.text, steps, row.finish == CUT_OFF)
            label = choice.grade(answer, choices.decode(row.shown or 0, options), gold)
            labelled.append((row.slot, int(Outcome.of(label)), None))
        db.grades.insert(self.project.connection, self._choice, labelled)

    def _fail(self, ask: Ask, samples: Sequence[int], reason: str) -> None:
        slots = [slot(ask.question.id, ask.setting, sample) for sample in samples]
        with writing(self.project.connection):
            db.responses.record_failure(self.project.connection, slots, reason)
        self.outcomes.failed += len(slots)
        self.outcomes.reasons[reason] += len(slots)

    def _stop_if_hopeless(self, reason: str) -> None:
        self._vain += 1
        if self._vain >= HOPELESS:
            raise FatalError(
                f"{reason}; stopped after {HOPELESS} requests in a row without an answer: "
                "check the server, the same command goes on"
            )

    def _finish(self) -> None:
        with writing(self.project.connection):
            for run in self._runs.values():
                db.runs.finish(self.project.connection, run)
        db.grids.fold_if_due(self.project.connection)


class _Capacity:
    """How many answers may be in flight at once; an ask takes as many as it has samples."""

    def __init__(self, size: int) -> None:
        self._size = self._free = size
        self._changed = asyncio.Condition()

    async def take(self, count: int) -> None:
        count = min(count, self._size)
        async with self._changed:
            await self._changed.wait_for(lambda: self._free >= count)
            self._free -= count

    async def give(self, count: int) -> None:
        async with self._changed:
            self._free += min(count, self._size)
            self._changed.notify_all()


def _reasoned(row: Drawn) -> bool:
    return bool(row.reasoning or row.reasoning_tokens)


def _wait(attempt: int, asked: float | None) -> float:
    if asked is not None:
        return min(asked, LONGEST_WAIT)
    longest: float = min(FIRST_WAIT * 2**attempt, LONGEST_WAIT)
    return longest * random.uniform(0.5, 1.0)  # noqa: S311 (no secret)


def _first(failures: ExceptionGroup[Exception]) -> Exception:
    """The one error to show: several tasks usually fail for the same reason."""
    error: Exception = failures
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error


def _storable(text: str) -> str:
    """The text with half surrogates, which no UTF-8 file can hold, made visible."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
