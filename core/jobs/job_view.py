"""One job as it is shown: in the Jobs screen, in `lostkeys jobs`, in the status line."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from core.engine.run_counters import LateRequest, RecentAnswer, StageCounts
from core.graders.grader_record import JUDGE, LLM, model_of
from core.jobs.job_progress import ENOUGH, HALF_MINUTES, State
from core.specs.answer_specs import alone
from core.specs.file_specs import FilesSpec
from core.specs.job_kinds import ANSWERING, KINDS, Spec
from db.job_rows import JobSpend, JobStage
from db.served_models import StoredServed

__all__ = [
    "HALF_MINUTES",
    "JobSpend",
    "JobStage",
    "JobView",
    "LogLine",
    "StoredServed",
    "phase_of",
    "phases",
]

ANSWER, GRADE = "answer, ", "grade "
"""How the stages begin that count answers, and those that count grades."""

BY_MODEL = (GRADE + LLM, GRADE + JUDGE)

WRITE = "write"
"""The stage of a job that writes request files, which counts facts."""


Counted = TypeVar("Counted", StageCounts, JobStage)


def phases(stages: Sequence[Counted]) -> list[list[Counted]]:
    """Stages by what is worked on together, in order: the answers, then each model as a grader.

    Other graders label answers as they come, so that their stages would count these twice: they
    are left out. All stages are one phase where no answers are drawn, but for the writing of what
    is asked.
    """
    answers = [one for one in stages if one.name.startswith(ANSWER)]
    if not answers:
        asked = [one for one in stages if one.name != WRITE] or list(stages)
        return [asked] if asked else []
    return [answers] + [[one] for one in stages if one.name.startswith(BY_MODEL)]


def phase_of(stages: Sequence[Counted]) -> list[Counted]:
    """The phase that is worked on: the first that is not done, else the last."""
    found = phases(stages)
    begun = (phase for phase in found if any(one.waiting or one.running for one in phase))
    return next(begun, found[-1] if found else [])


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line of a job's log, in local time. `kind`: as with `core.engine.run_counters.Event`."""

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
    `left` seconds; all three are known only of jobs that run here, as is `late`: requests that are
    out for much longer than others took, the oldest first. `lost`: its owner is gone, and
    whoever starts it goes on with it. `void`: it could not even begin, and the file has nothing
    of it. `wish`: what its owner has been asked for and has not done
    yet (`pause`, `resume`, `cancel`). `spec` is None where this program cannot read it.
    """

    id: int
    kind: str
    name: str
    state: State
    reason: str = ""
    here: bool = False
    lost: bool = False
    void: bool = False
    wish: str | None = None
    spec: Spec | None = None
    stages: tuple[JobStage, ...] = ()
    spends: tuple[JobSpend, ...] = ()
    max_cost: float | None = None
    rate: float | None = None
    rates: tuple[float, ...] = ()
    left: float | None = None
    recent: tuple[RecentAnswer, ...] = ()
    late: tuple[LateRequest, ...] = ()
    created: datetime | None = None
    started: datetime | None = None
    ended: datetime | None = None

    @property
    def folder(self) -> str | None:
        """Where the requests are that it has written; None for a job of another kind."""
        return self.spec.folder if isinstance(self.spec, FilesSpec) else None

    @property
    def first(self) -> tuple[JobStage, ...]:
        """The stages whose things it makes: those of answers where it asks for any, else all."""
        return tuple(next(iter(phases(self.stages)), ()))

    @property
    def is_last(self) -> bool:
        """Whether nothing follows what is worked on, so that `left` is the time to its end."""
        found = phases(self.stages)
        return not found or phase_of(self.stages) == found[-1]

    @property
    def unit(self) -> str:
        """What it counts: answers, rows, facts; of labels beside answers see `labels`."""
        return KINDS[self.kind].unit if self.kind in KINDS else "answers"

    @property
    def done(self) -> int:
        """Units done, those included that were there before it began."""
        return sum(one.done for one in self.first)

    @property
    def total(self) -> int:
        """Units that it is about; 0 while nobody knows."""
        return sum(one.total for one in self.first)

    @property
    def share(self) -> float:
        """How much of its units is done, has failed or was dropped, 0 to 1."""
        return 1 - sum(one.left for one in self.first) / self.total if self.total else 0.0

    @property
    def labels(self) -> tuple[int, int] | None:
        """Labels that answers have got and will get; None where it draws none, or grades none."""
        beside = [one for one in self.stages if one.name.startswith(GRADE)]
        if not beside or not self.first[0].name.startswith(ANSWER):
            return None
        return sum(one.done for one in beside), sum(one.total for one in beside)

    def wait(self, now: datetime) -> float:
        """Seconds until something is sent again where servers asked for a pause, else 0."""
        if self.state is not State.RUNNING:
            return 0.0
        ends = [one.resumes for one in self.stages if one.resumes is not None and one.left]
        return max(0.0, (max(ends) - now).total_seconds()) if ends else 0.0

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


def name_work(spec: Spec, stages: Sequence[StageCounts] | Sequence[JobStage]) -> tuple[str, str]:
    """What is done to what in the present phase, in the words of a status line."""
    doing = KINDS[spec.kind].doing
    if doing == ANSWERING and stages and stages[0].name.startswith(BY_MODEL):
        return KINDS["grade"].doing, alone(model_of(stages[0].name.removeprefix(GRADE)))
    return doing, spec.subject


def unit_of(spec: Spec, stages: Sequence[StageCounts] | Sequence[JobStage]) -> str:
    """What the present phase counts: labels where a model grades what was drawn before."""
    _, name = name_work(spec, stages)
    return KINDS[spec.kind].unit if name == spec.subject else "labels"
