"""One job as it is shown: in the Jobs screen, in `lostkeys jobs`, in the status line."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from core.engine.ledger import Recent
from core.jobs.progress import ENOUGH, HALF_MINUTES, State
from core.jobs.specs import Spec

__all__ = ["HALF_MINUTES", "JobView", "LogLine", "SpendView", "StageView"]


@dataclass(frozen=True, slots=True)
class StageView:
    """A stage: how many things wait, run, are done, were dropped, have failed, and why."""

    name: str
    waiting: int = 0
    running: int = 0
    done: int = 0
    dropped: int = 0
    failed: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """All things of the stage."""
        return self.waiting + self.running + self.done + self.dropped + self.failed

    @property
    def left(self) -> int:
        """Things that are still to be done."""
        return self.waiting + self.running


@dataclass(frozen=True, slots=True)
class SpendView:
    """What a stage used of a model; `cost` in US dollars, None where no price is known."""

    stage: str
    model: str
    requests: int
    answers: int
    input_tokens: int
    output_tokens: int
    cost: float | None


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line of a job's log, in local time. `kind`: job, answer, grade, warn or fail."""

    id: int
    job: int
    at: datetime
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class JobView:
    """A job and how far it is. Times are local.

    `here` is whether this program works on it. `rate` is things a second over the last minute,
    `rates` the same for each of the last half minutes (oldest first, at most `HALF_MINUTES`),
    `left` seconds; all three are known only of jobs that run here. `lost`: its owner is gone, and
    whoever starts it goes on with it. `wish`: what its owner has been asked for and has not done
    yet (`pause`, `resume`, `cancel`). `spec` is None where this program cannot read it.
    """

    id: int
    kind: str
    name: str
    state: State
    reason: str = ""
    here: bool = False
    lost: bool = False
    wish: str | None = None
    spec: Spec | None = None
    stages: tuple[StageView, ...] = ()
    spends: tuple[SpendView, ...] = ()
    max_cost: float | None = None
    rate: float | None = None
    rates: tuple[float, ...] = ()
    left: float | None = None
    recent: tuple[Recent, ...] = ()
    created: datetime | None = None
    started: datetime | None = None
    ended: datetime | None = None

    @property
    def measured(self) -> tuple[StageView, ...]:
        """The stages by which it is measured: those of answers where it asks for any, else all."""
        return tuple(one for one in self.stages if one.name.startswith("answer")) or self.stages

    @property
    def done(self) -> int:
        """Things done in the stages by which it is measured, failed and dropped ones included."""
        return sum(one.total - one.left for one in self.measured)

    @property
    def total(self) -> int:
        """Things in the stages by which it is measured."""
        return sum(one.total for one in self.measured)

    @property
    def share(self) -> float:
        """How much of the job is done, 0 to 1."""
        return self.done / self.total if self.total else 0.0

    @property
    def cost(self) -> float | None:
        """US dollars spent so far, None where nothing has a price."""
        known = [one.cost for one in self.spends if one.cost is not None]
        return sum(known) if known else None

    @property
    def cost_at_end(self) -> float | None:
        """US dollars at the end if what is left costs as much each; None while nobody can tell."""
        if self.cost is None:
            return None
        left = {one.name: one.left for one in self.stages}
        each = [
            one.cost / one.answers * left.get(one.stage, 0)
            for one in self.spends
            if one.cost is not None and one.answers >= ENOUGH
        ]
        return self.cost + sum(each) if each else None

    @property
    def cost_is_open(self) -> bool:
        """Whether more may come than `cost_at_end`: a stage is to come that has hardly begun."""
        begun = {one.stage for one in self.spends if one.answers >= ENOUGH}
        return any(one.left and one.done < ENOUGH and one.name not in begun for one in self.stages)
