"""Measuring a grader that is a model on answers that people have judged: no database is touched.

It is asked as it would be in a project: one request for all different answers to a question, by
the same engine with its limits, tries and budget.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from core.engine.db_writer import DbWriter
from core.engine.engine import Engine
from core.engine.model_channel import ModelChannel, limits_for
from core.engine.retry import RETRY, Retry
from core.engine.run_counters import RunCounters, Spend
from core.engine.token_usage import total
from core.engine.trial_provider import TrialProvider
from core.errors import LostkeysError
from core.graders.answer_text import normalise_answer
from core.graders.grader_evaluation import EvaluationCase
from core.graders.grader_record import model_of
from core.grading.answer_batches import AnswerBatch, BatchLabels, DistinctAnswer, Subject, sheet_of
from core.grading.grader_probe import prepare_grader
from core.grading.label_work import LabelWork
from core.grading.model_grader import GraderRecipe, ModelGrader
from core.grading.prompt_rubric import PromptRubric
from core.pricing import Budget, price_of, rates_of
from core.providers.base import Provider
from core.providers.registry import describe, open_provider
from core.scoring.precedence import LAST_LABEL
from core.specs.answer_specs import ReplyWord
from core.vocabulary import Label, Outcome


@dataclass(frozen=True, slots=True)
class GraderMeasurement:
    """What a model said of each case, with its reasons and what that used.

    `stopped` is why not all was asked, where that is so; `cases` are then those that were.
    """

    cases: tuple[EvaluationCase, ...]
    outcomes: tuple[Outcome, ...]
    whys: tuple[str | None, ...]
    spend: Spend
    recipe: GraderRecipe
    notes: tuple[str, ...] = ()
    stopped: str | None = None

    @property
    def labels(self) -> tuple[Label | None, ...]:
        """The labels, None where none came."""
        return tuple(Label[one.name] if one <= LAST_LABEL else None for one in self.outcomes)


def sample_cases(
    cases: Sequence[EvaluationCase], limit: int | None, seed: int = 0
) -> list[EvaluationCase]:
    """So many of the cases, drawn by a seed, in their order; all without a limit."""
    if limit is None or limit >= len(cases):
        return list(cases)
    places = sorted(Random(seed).sample(range(len(cases)), limit))  # noqa: S311 (must repeat)
    return [cases[place] for place in places]


def measure(
    name: str,
    cases: Sequence[EvaluationCase],
    folder: Path | None = None,
    max_cost: float | None = None,
    open_: Callable[[str], Provider] = open_provider,
    told: Callable[[int, int], object] = lambda done, total: None,
    retry: Retry = RETRY,
    timeout: float | None = None,
    in_flight: int | None = None,
    replies: ReplyWord = "auto",
    rubric: PromptRubric | None = None,
    alone: bool = False,
) -> GraderMeasurement:
    """Have a model grade cases; `told` hears how many are through.

    `timeout` and `in_flight` as in `core.specs.answer_specs.AnsweringSpec`. `replies`: the form of
    labels. `rubric`: what a person adds. `alone`: one answer in a request.

    A budget, an outage or ctrl-c ends it early, with what came until then. Raises `LostkeysError`
    where nothing came.
    """

    def open_with_timeout(model: str) -> Provider:
        provider = open_(model)
        provider.deadline.timeout = timeout
        return provider

    return asyncio.run(
        _measure(
            *(name, cases, folder, max_cost, open_with_timeout, told, retry, in_flight, replies),
            *(rubric, alone),
        )
    )


async def _measure(
    name: str,
    cases: Sequence[EvaluationCase],
    folder: Path | None,
    max_cost: float | None,
    open_: Callable[[str], Provider],
    told: Callable[[int, int], object],
    retry: Retry,
    in_flight: int | None,
    replies: ReplyWord,
    rubric: PromptRubric | None,
    alone: bool,
) -> GraderMeasurement:
    model = model_of(name)
    provider = open_(model)
    try:
        limits = limits_for(describe(model), rates_of(model), in_flight)
        channel = ModelChannel(provider, model, limits, price_of(model))
        budget, counters = None if max_cost is None else Budget(max_cost), RunCounters()
        tried = TrialProvider(channel, counters, budget)
        found = await prepare_grader(tried, name, None, folder, replies=replies, rubric=rubric)
        grader = found.grader
        if alone:
            grader = replace(grader, recipe=replace(grader.recipe, most_answers=1))
        work = _Cases(grader, cases)
        counters.told = lambda: told(len(work.said), len(cases))
        counters.expect(found.grader.stage, len(cases))
        stopped = await _run(work, channel, counters, budget, retry)
    finally:
        await provider.close()
    spend = total(list(counters.spends.values()))
    places = sorted(work.said)
    return GraderMeasurement(
        tuple(cases[place] for place in places),
        tuple(work.said[place].outcome for place in places),
        tuple(work.said[place].why for place in places),
        spend,
        found.grader.recipe,
        (*found.notes, *work.warnings),
        stopped,
    )


async def _run(
    work: "_Cases",
    channel: ModelChannel,
    counters: RunCounters,
    budget: Budget | None,
    retry: Retry,
) -> str | None:
    """Ask for all; gives why it ended early, if it did and something came."""
    memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    with closing(memory):
        async with DbWriter(memory) as db_writer:
            channels = {work.grader.name: channel}
            try:
                await Engine(db_writer, work, channels, counters, budget, retry=retry).run()
            except LostkeysError as error:
                if not work.said:
                    raise
                return str(error)
            except asyncio.CancelledError:  # ctrl-c: what came has been paid for
                if not work.said:
                    raise
                return "stopped by ctrl-c"
    return None


@dataclass(frozen=True, slots=True)
class _CaseOutcome:
    outcome: Outcome
    why: str | None = None


@dataclass(slots=True)
class _OpenQuestion:
    """The places of cases by answer, of one question."""

    subject: Subject
    places: dict[str, list[int]] = field(default_factory=dict)


class _Cases(LabelWork):
    """A `Work` of cases; labels are kept in `said`, by the places of the cases."""

    def __init__(self, grader: ModelGrader, cases: Sequence[EvaluationCase]) -> None:
        self.warnings: list[str] = []
        super().__init__(self.warnings.append)
        self.grader = grader
        self.said: dict[int, _CaseOutcome] = {}
        self._sheets = iter(self._batch_cases(cases))

    def _batch_cases(self, cases: Sequence[EvaluationCase]) -> list[AnswerBatch]:
        """Sheets for all cases, question by question; empty answers are OTHER unasked."""
        found: dict[tuple[bool, str, tuple[str, ...]], _OpenQuestion] = {}
        for place, case in enumerate(cases):
            asked = (case.completion, case.question, case.golds)
            one = found.setdefault(asked, _OpenQuestion(Subject(place, *asked)))
            answer = normalise_answer(case.answer)
            if answer:
                one.places.setdefault(answer, []).append(place)
            else:
                self.said[place] = _CaseOutcome(Outcome.OTHER)
        sheets = []
        for one in found.values():
            answers = [DistinctAnswer(text, tuple(places)) for text, places in one.places.items()]
            sheet = sheet_of(self.grader, one.subject, answers)
            sheets += [] if sheet is None else [sheet]
        return sheets

    def more(self, most: int) -> Sequence[AnswerBatch] | None:
        """The next sheets."""
        sheets = [sheet for _, sheet in zip(range(most), self._sheets, strict=False)]
        return sheets or None

    def write(self, sheet: AnswerBatch, found: BatchLabels) -> BatchLabels:
        """Keep what was said."""
        for one in found.graded:
            for place in one.answer.places:
                self.said[place] = _CaseOutcome(one.outcome, one.why)
        return found
