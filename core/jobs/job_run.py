"""Running one job: from its spec to what it came to."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from core.engine.poll_schedule import PACE, PollSchedule
from core.jobs.job_control import Control
from core.jobs.job_progress import State
from core.jobs.job_row import JobRow
from core.project import OpenProject, open_or_create
from core.providers.base import Provider
from core.providers.capabilities import Capabilities
from core.providers.registry import open_provider, open_scorer, open_service, open_tuner
from core.specs.answer_specs import ArmsSpec
from core.specs.job_kinds import KINDS, AskingSpec, Spec

if TYPE_CHECKING:
    from core.engine.model_channel import ModelChannel
    from core.pricing import Budget
    from core.providers.logprobs.option_scorer import OptionScorer
    from core.providers.openai_tuner import OpenAITuner

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from core.engine.lease_liveness import BEAT_EVERY

ARM_SEQUENCES = 2
"""Requests of an arm that are with a model which reads each sequence by itself.

They begin with the same exemplars, which every sequence has to read once. Two at a time take half
as long as sixteen (tests/bench/arm_prefix.py).
"""


@dataclass(frozen=True, slots=True)
class JobContext:
    """What a job takes from outside: the ways to a model, and who hears of facts that are through.

    `open_service` opens the model's `BatchService`, for jobs that ask in batches at this `pace`,
    `open_scorer` its `OptionScorer`, `open_tuner` what fine-tunes it.

    `on_fact` is called with a fact's id, from the job's threads, once its answers and grades are
    in the file.
    """

    open_provider: Callable[[str], Provider] = open_provider
    open_service: Callable[[str], Provider] = open_service
    open_scorer: Callable[[str, str | None], "OptionScorer"] = open_scorer
    open_tuner: Callable[[str], "OpenAITuner"] = open_tuner
    pace: PollSchedule = PACE
    on_fact: Callable[[int], object] = lambda fact: None


@dataclass(frozen=True, slots=True)
class JobResult:
    """What a job came to: one line for people, how much failed, what else there is to say.

    `details` is what the job is known to give: the `Report` of an import. `in_vain`: nothing that
    was asked for could be done, and the job has failed. `state`: where it is then.
    """

    said: str
    failed: int = 0
    details: object = None
    in_vain: bool = False
    state: State = State.FINISHED


@dataclass(frozen=True, slots=True)
class JobRun:
    """A job at work: its project, its row, and its means."""

    project: OpenProject
    holder: JobRow
    means: JobContext = field(default_factory=JobContext)

    @property
    def control(self) -> Control:
        """What pauses and stops it."""
        return self.holder.control

    def open_provider(self, name: str, batches: bool = False) -> Provider:
        """The provider of a model, with the deadline that the job's spec sets; to be closed."""
        provider = (self.means.open_service if batches else self.means.open_provider)(name)
        spec = self.holder.spec
        provider.deadline.timeout = spec.timeout if isinstance(spec, AskingSpec) else None
        return provider

    def open_scorer(self, name: str, way: str | None) -> "OptionScorer":
        """A model's log probabilities in that way, with the spec's deadline; to be closed."""
        provider = self.means.open_scorer(name, way)
        spec = self.holder.spec
        provider.deadline.timeout = spec.timeout if isinstance(spec, AskingSpec) else None
        return provider

    def channel(self, provider: Provider, model: str, known: Capabilities) -> "ModelChannel":
        """The channel to a model, in the running event loop, with the limits that the spec sets."""
        from core.engine.model_channel import ModelChannel, limits_for
        from core.pricing import price_of, rates_of

        spec = self.holder.spec
        most = spec.in_flight if isinstance(spec, AskingSpec) else None
        if most is None and isinstance(spec, ArmsSpec) and known.sequences is not None:
            most = ARM_SEQUENCES
        return ModelChannel(
            provider, model, limits_for(known, rates_of(model), most), price_of(model)
        )

    def budget(self) -> "Budget | None":
        """What the job may still spend, with what it has spent so far."""
        from core.pricing import Budget

        holder = self.holder
        if holder.max_cost is None:
            return None
        spends = list(holder.counters.spends.values())
        return Budget(holder.max_cost, holder.cost + sum(one.cost or 0.0 for one in spends))

    def on_trial(self, provider: Provider, model: str) -> Provider:
        """A model as it is asked before the job begins, on the job's bill.

        Raises `UsageError` where the budget cannot be kept.
        """
        from core.engine.model_channel import ModelChannel
        from core.engine.trial_provider import TrialProvider
        from core.pricing import price_of

        channel = ModelChannel(provider, model, price=price_of(model))
        return TrialProvider(channel, self.control.counters, self.budget())

    def scorer_on_trial(self, scorer: "OptionScorer", model: str) -> "OptionScorer":
        """A way to log probabilities as it is tried before its first run. Raises as `on_trial`."""
        from core.engine.model_channel import ModelChannel
        from core.engine.trial_provider import TrialScorer
        from core.pricing import price_of

        channel = ModelChannel(scorer, model, price=price_of(model))
        return TrialScorer(scorer, channel, self.control.counters, self.budget())

    def reach(self, stage: str, done: int, total: int) -> None:
        """Say how far a job without an engine is; between transactions, and often.

        Waits while the job pauses. Raises `JobStopped` if it is to stop.
        """
        self.control.counters.reach(stage, done, total)
        self.holder.beat_if_due()
        self.control.check(self.holder.beat_if_due)


def can_go_on(error: BaseException) -> bool:
    """Whether a job that ended so was stopped by what may pass, such as a budget."""
    from core.engine.retry import OutageError
    from core.pricing import OverBudgetError

    return isinstance(error, OverBudgetError | OutageError)


@contextmanager
def open_database(path: Path, spec: Spec) -> Iterator[OpenProject]:
    """The database that a job works on, made where that is the job's to do."""
    makes = KINDS[spec.kind].makes_file
    way: AbstractContextManager[OpenProject]
    if makes == "as_import":
        way = open_or_create(path)
    else:
        way = OpenProject(path, "create" if makes == "always" else "write")
    with way as project:
        yield project


@asynccontextmanager
async def hold_lease(work: JobRun) -> AsyncIterator[None]:
    """Raise the job's lease until the end of the block. In the job's own thread."""

    async def beat() -> None:
        while True:
            await asyncio.sleep(BEAT_EVERY)
            with suppress(sqlite3.OperationalError):  # locked: the next time, then
                work.holder.beat()

    task = asyncio.create_task(beat())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
