"""One job as it is shown: in the Jobs screen, in `lostkeys jobs`, in the status line."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from core.engine.ledger import Recent
from core.jobs.progress import State

HALF_MINUTES = 16
"""How many half minutes of the past a job's rates are kept for."""


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
    whoever starts it goes on with it.
    """

    id: int
    kind: str
    name: str
    state: State
    reason: str = ""
    here: bool = False
    lost: bool = False
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
    def done(self) -> int:
        """Things done in all stages, failed and dropped ones included."""
        return sum(one.done + one.dropped + one.failed for one in self.stages)

    @property
    def total(self) -> int:
        """Things in all stages."""
        return sum(one.total for one in self.stages)

    @property
    def share(self) -> float:
        """How much of the job is done, 0 to 1."""
        return self.done / self.total if self.total else 0.0

    @property
    def cost(self) -> float | None:
        """US dollars spent so far, None where nothing has a price."""
        known = [one.cost for one in self.spends if one.cost is not None]
        return sum(known) if known else None
