"""The job that scores facts of relations: options, responses, places of long inputs."""

from collections import Counter
from dataclasses import replace

from core.engine.db_writer import DbWriter
from core.engine.engine import Engine
from core.engine.lease_liveness import BEAT_EVERY
from core.engine.model_channel import ModelChannel
from core.errors import UsageError
from core.jobs.job_run import JobResult, JobRun, hold_lease
from core.project import OpenProject
from core.providers.base import FatalError, Provider
from core.providers.capabilities import Capabilities
from core.providers.logprobs.option_scorer import OptionScorer
from core.providers.logprobs.self_test import SelfTest, check_scorer
from core.providers.registry import describe
from core.specs.answer_specs import ScoringSpec
from core.zero_prompt.example_room import room_of
from core.zero_prompt.score_plan import CHOICE, RESPONSE, ScorePlan, plan_scores
from core.zero_prompt.score_recipe import (
    ScoreRecipe,
    check_label,
    find_known_way,
    keep_recipe,
    score_recipe,
)
from core.zero_prompt.score_work import ScoreWork
from db import option_score_arrays
from db.connection import write_transaction


def run(work: JobRun, spec: ScoringSpec) -> JobResult:
    """Score what is missing. Raises `JobStopped` and what the engine raises."""
    recipe = score_recipe(spec.model)
    check_label(work.project, spec.label, recipe)
    plan = plan_scores(work.project, spec)
    for line in plan.left_out:
        work.control.counters.say("warn", f"left out: {line}")
    if not plan.parts:
        raise UsageError(f"nothing can be asked: {nothing_to_ask(work.project, plan)}")
    left = sum(plan.count(test)[0] for test in plan.tests)
    if not left:
        for test in plan.tests:
            work.control.counters.expect(test, *plan.count(test))
        return JobResult("everything was there already")
    work.control.await_(lambda: _score(work, spec, plan, recipe))
    return _result(work, plan)


def nothing_to_ask(project: OpenProject, plan: ScorePlan) -> str:
    """Why a plan is empty, in a line."""
    return "; ".join(plan.left_out) or "import triples with `lostkeys import --format triples`"


async def _test_scorer(
    work: JobRun, spec: ScoringSpec, scorer: OptionScorer | None
) -> SelfTest | None:
    """The test that a way to log probabilities has passed before its first run, if it is asked.

    Raises `FatalError` where it has not.
    """
    if scorer is None or spec.unchecked or find_known_way(work.project, spec.label) is not None:
        return None
    async with hold_lease(work):
        found = await check_scorer(work.scorer_on_trial(scorer, spec.model))
    if not found.passed:
        raise FatalError(f"{spec.model}: {found.refusal}")
    said = f"{spec.model}: log probabilities by {found.way}, {found.exactness}"
    work.control.counters.say("job", said)
    return found


async def _score(work: JobRun, spec: ScoringSpec, plan: ScorePlan, recipe: ScoreRecipe) -> None:
    project, control = work.project, work.control
    known = describe(spec.model)
    providers: dict[str, Provider] = {}
    try:
        scorer = None
        if any(test != RESPONSE for test in plan.tests):
            providers[CHOICE] = scorer = work.open_scorer(
                spec.model, find_known_way(project, spec.label)
            )
        if RESPONSE in plan.tests:
            providers[RESPONSE] = work.open_provider(spec.model)
        tested = await _test_scorer(work, spec, scorer)
        with write_transaction(project.connection):
            keep_recipe(project, spec.label, recipe, tested)

        def warn(line: str) -> None:
            control.counters.say("warn", line)

        async with DbWriter(project.connection, project.path, warn) as db_writer:
            db_writer.every(BEAT_EVERY, work.holder.beat)
            scoring = await db_writer.run_read(
                lambda: ScoreWork(project, plan, known, work.holder.lease_holder, control.counters)
            )
            channels: dict[str, ModelChannel] = {
                key: work.channel(provider, spec.model, _limit_requests(provider, known))
                for key, provider in providers.items()
            }
            engine = Engine(db_writer, scoring, channels, control.counters, work.budget())
            control.steer(engine)
            try:
                await engine.run()
            finally:
                await db_writer.run_read(
                    lambda: option_score_arrays.fold_if_due(project.connection)
                )
        if scorer is not None and scoring.refused:
            tried = work.scorer_on_trial(scorer, spec.model)
            for line in await room_of(project, plan, scoring.refused, tried, known):
                warn(line)
    finally:
        for provider in providers.values():
            await provider.close()


def _limit_requests(provider: Provider, known: Capabilities) -> Capabilities:
    """What is known of a model, with what a way to its log probabilities takes at once."""
    if not isinstance(provider, OptionScorer):
        return known
    return replace(known, requests=provider.at_once, sequences=provider.at_once)


def _result(work: JobRun, plan: ScorePlan) -> JobResult:
    """What a run came to, in one line."""
    stages = work.control.counters.stages.values()
    failed = sum(one.failed for one in stages)
    new = [f"{one.name}: {one.done - plan.count(one.name)[1]:,} scored" for one in stages]
    said = "; ".join(new)
    if failed:
        reasons = sum((one.reasons for one in stages), Counter[str]())
        reason, count = reasons.most_common(1)[0]
        said += f"; {failed:,} failed ({count:,}: {reason}); start it again to ask again"
    return JobResult(said, failed)
