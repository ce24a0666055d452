"""Running a plan to its end, as a job does."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from core.engine.db_writer import DbWriter
from core.engine.engine import Engine
from core.engine.lease_holder import LeaseHolder
from core.engine.lease_liveness import BEAT_EVERY
from core.engine.model_channel import ModelChannel, limits_for
from core.engine.retry import Retry
from core.engine.run_counters import RunCounters, StageCounts
from core.project import OpenProject
from core.providers.base import Provider
from core.providers.registry import describe
from core.sampling.sample_plan import Plan
from core.sampling.sample_work import SampleWork

HASTY = Retry(first_wait=0.0, longest_wait=0.0)


@dataclass(frozen=True)
class Outcome:
    """What a run came to."""

    counters: RunCounters
    answering: SampleWork

    @property
    def answers(self) -> list[StageCounts]:
        """The stages that count answers."""
        return [one for one in self.counters.stages.values() if one.name.startswith("answer")]

    @property
    def done(self) -> int:
        """Answers that are there, drawn now or before."""
        return sum(stage.done for stage in self.answers)

    @property
    def failed(self) -> int:
        """Answers that did not come."""
        return sum(stage.failed for stage in self.answers)

    @property
    def waiting(self) -> int:
        """Answers that are still to be drawn."""
        return sum(stage.waiting for stage in self.answers)

    @property
    def reasons(self) -> Counter[str]:
        """Why answers did not come."""
        return sum((stage.reasons for stage in self.answers), Counter())


@dataclass(frozen=True)
class Running:
    """How a plan is run: as hastily as a test likes it."""

    graders: Iterable[str] = ()
    on_fact: Callable[[int], object] = lambda fact: None
    retry: Retry = HASTY
    lease_holder: LeaseHolder | None = None
    beat_every: float = BEAT_EVERY
    told: Callable[[RunCounters], object] = lambda counters: None

    async def fill(self, project: OpenProject, provider: Provider, plan: Plan) -> Outcome:
        """Fill the missing slots of a plan."""
        counters = RunCounters(lambda: self.told(counters))
        lease_holder = self.lease_holder or LeaseHolder(project.connection)
        answering = SampleWork(project, plan, lease_holder, counters, self.graders, self.on_fact)
        async with DbWriter(project.connection, project.path) as db_writer:
            db_writer.every(self.beat_every, lease_holder.beat)
            channel = ModelChannel(provider, plan.model, limits_for(describe(plan.model)))
            engine = Engine(db_writer, answering, {plan.model: channel}, counters, retry=self.retry)
            try:
                await engine.run()
            finally:
                await db_writer.run_read(answering.close)
                await db_writer.run_read(lease_holder.close)
        return Outcome(counters, answering)


def fill(
    project: OpenProject,
    provider: Provider,
    plan: Plan,
    graders: Iterable[str] = (),
    on_fact: Callable[[int], object] = lambda fact: None,
    retry: Retry = HASTY,
) -> Outcome:
    """Fill the missing slots of a plan."""
    running = Running(graders, on_fact, retry)
    return asyncio.run(running.fill(project, provider, plan))


def run(project: OpenProject, provider: Provider, plan: Plan) -> Outcome:
    """The same, with the project brought up to date."""
    outcome = fill(project, provider, plan)
    project.refresh()
    return outcome


def slots(project: OpenProject) -> list[int]:
    """Slots that have a response."""
    return [key for (key,) in project.connection.execute("SELECT id FROM response ORDER BY id")]
