"""The job that asks a model and grades its answers, fact by fact."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from core import grading
from core.jobs.service import Control
from core.preflight import ready
from core.project import Project
from core.providers.base import Provider
from core.providers.registry import open_provider
from core.sampling.engine import Outcomes, Plan, Sampling


@dataclass(frozen=True, slots=True)
class Answering:
    """Fill the missing slots of a plan, and grade each fact when its answers are there.

    `plan_of` is asked for the plan once the project is open, so it may put facts there first.
    """

    path: Path
    name: str
    plan_of: Callable[[Project], Plan]
    graders: tuple[str, ...]
    open_provider: Callable[[str], Provider] = open_provider
    doing: str = "answering"
    unit: str = "answers"

    def run(self, control: Control) -> str:
        """Draw and grade; gives what it came to."""
        with Project(self.path, "create") as project:
            outcomes = control.await_(lambda: self._draw(project, control))
        return summary(outcomes)

    async def _draw(self, project: Project, control: Control) -> Outcomes:
        plan = self.plan_of(project)
        provider = self.open_provider(plan.model)
        try:
            sampling = Sampling(project, await ready(project, provider, plan), plan)
            control.want(sampling.outcomes.wanted)
            outcomes = await sampling.run(control.add, lambda fact: self._grade(project, fact))
            control.fail(outcomes.failed)
            return outcomes
        finally:
            await provider.close()

    def _grade(self, project: Project, fact: int) -> None:
        for grader in self.graders:
            grading.grade(project, grader, [fact])


def summary(outcomes: Outcomes) -> str:
    """What a run came to, in one line."""
    if not outcomes.wanted:
        return "every answer was there already"
    said = f"{outcomes.drawn:,} answers"
    if outcomes.failed:
        reason, count = outcomes.reasons.most_common(1)[0]
        said += f", {outcomes.failed:,} failed ({count:,}: {reason}); start it again to ask again"
    return said
