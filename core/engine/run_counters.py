"""The counters of a job: what its stages have done, what that cost, and what happened."""

from collections import Counter, deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from datetime import datetime

from core.vocabulary import Label

RECENT = 12
"""Answers that are remembered as just come."""

KINDS_KEPT, OTHER_KINDS = 100, "other errors"
"""Reasons of retries that are told apart at most, and what the others are counted as."""

CHECK = "check"
"""The stage under which a job's spending has what was asked before it began."""

SERVED = "served"
"""Kind of the lines about another model than asked for, and about one that changes."""


@dataclass(frozen=True, slots=True)
class LateRequest:
    """A request that is out for much longer than others took, and is given up at its deadline."""

    stage: str
    sent: datetime
    """When it was sent, in local time."""

    deadline: float
    """Seconds that it is given from then on."""


@dataclass(slots=True)
class StageCounts:
    """How many things of a stage wait, run, are done, were dropped, have failed for good."""

    name: str
    waiting: int = 0
    running: int = 0
    done: int = 0
    dropped: int = 0
    failed: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    """Why things failed or were dropped, in lines for people."""

    retried: Counter[str] = field(default_factory=Counter)
    """Why requests, not things, were in vain and are made again."""

    resumes: datetime | None = None
    """When something may be sent again, in local time, once a pause has been made."""

    late_requests: dict[Hashable, LateRequest] = field(default_factory=dict)
    """Requests, not things, that are late, each by whatever it is known as to the engine."""

    @property
    def late(self) -> int:
        """How many requests are late."""
        return len(self.late_requests)


@dataclass(slots=True)
class Spend:
    """What a stage used of a model; `cost` in US dollars, None where no price is known."""

    requests: int = 0
    answers: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class RecentAnswer:
    """An answer that has just come: its slot, its text, what it is about, its label if any."""

    slot: int
    text: str
    about: str
    label: Label | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """A line of the log. `kind`: `job`, `answer`, `grade`, `warn`, `served` or `fail`."""

    kind: str
    text: str


class RunCounters:
    """Counted by the engine in its own thread; whoever reads it sees whole numbers."""

    def __init__(self, told: Callable[[], object] = lambda: None) -> None:
        """`told` is called after each change and must be quick."""
        self.told = told
        self.stages: dict[str, StageCounts] = {}
        self.spends: dict[tuple[str, str], Spend] = {}
        self.latest = ""
        self.recent: deque[RecentAnswer] = deque(maxlen=RECENT)
        self.unsaved: deque[Event] = deque()

    def expect(self, stage: str, waiting: int, done: int = 0, failed: int = 0) -> None:
        """Declare a stage, in the order in which stages are to be listed."""
        self.stages[stage] = StageCounts(stage, waiting=waiting, done=done, failed=failed)
        self.told()

    def begin(self, stage: str, count: int) -> None:
        """Things that waited are being asked."""
        one = self.stages[stage]
        one.waiting = max(0, one.waiting - count)
        one.running += count
        self.told()

    def back(self, stage: str, count: int) -> None:
        """Things that were being asked wait again."""
        one = self.stages[stage]
        one.running = max(0, one.running - count)
        one.waiting += count
        self.told()

    def retry(self, stage: str, reason: str) -> None:
        """A request was in vain and is to be made again."""
        retried = self.stages[stage].retried
        known = reason in retried or len(retried) < KINDS_KEPT
        retried[reason if known else OTHER_KINDS] += 1
        self.told()

    def pause(self, stage: str, resumes: datetime) -> None:
        """Nothing more of a stage is sent before a time."""
        self.stages[stage].resumes = resumes
        self.told()

    def mark_late(self, request: Hashable, late: LateRequest) -> None:
        """A request is late; told again where its deadline changes."""
        self.stages[late.stage].late_requests[request] = late
        self.told()

    def clear_late(self, request: Hashable, stage: str) -> None:
        """A request that was late is out no more."""
        self.stages[stage].late_requests.pop(request, None)
        self.told()

    def finish(self, stage: str, count: int) -> None:
        """Things are done and committed."""
        one = self.stages[stage]
        one.running = max(0, one.running - count)
        one.done += count
        self.told()

    def settle(
        self,
        stage: str,
        count: int,
        done: int,
        failed: int = 0,
        reason: str = "",
        dropped: int = 0,
    ) -> None:
        """Of things that were being asked so many are done and committed, failed or dropped.

        `reason` is why they failed or were dropped. The rest of them waits again.
        """
        one = self.stages[stage]
        one.running = max(0, one.running - count)
        one.done += done
        one.failed += failed
        one.dropped += dropped
        one.waiting += max(0, count - done - failed - dropped)
        if failed or dropped:
            one.reasons[reason] += failed + dropped
        self.told()

    def add(self, stage: str, waiting: int = 0, done: int = 0) -> None:
        """So many more things wait (or fewer), or are done without having waited."""
        one = self.stages[stage]
        one.waiting = max(0, one.waiting + waiting)
        one.done += done
        self.told()

    def restate(
        self, stage: str, left: int, done: int, dropped: int, failed: int, reasons: Counter[str]
    ) -> None:
        """Say anew all that is known of a stage; of what is left so much waits as does not run.

        A stage that was not declared is now.
        """
        one = self.stages.setdefault(stage, StageCounts(stage))
        one.waiting, one.done = max(0, left - one.running), done
        one.dropped, one.failed, one.reasons = dropped, failed, reasons
        self.told()

    def reach(self, stage: str, done: int, total: int) -> None:
        """Say how far a stage is that no engine counts, such as the rows of a file."""
        one = self.stages[stage]
        one.done, one.waiting = done, max(0, total - done)
        self.told()

    def recount(self, stage: str, done: int, left: int) -> None:
        """Say anew how much of a stage is done and left, as others have worked on it as well.

        What has failed or was dropped is part of what is left.
        """
        one = self.stages[stage]
        one.done, one.waiting = done, max(0, left - one.running - one.failed - one.dropped)
        self.told()

    def drop(self, stage: str, count: int, reason: str) -> None:
        """Things that waited need not be done, and why."""
        one = self.stages[stage]
        one.waiting = max(0, one.waiting - count)
        one.dropped += count
        one.reasons[reason] += count
        self.told()

    def fail(self, stage: str, count: int, reason: str) -> None:
        """Things have failed for good, and why."""
        one = self.stages[stage]
        one.running = max(0, one.running - count)
        one.failed += count
        one.reasons[reason] += count
        self.told()

    def spend(self, stage: str, model: str, used: Spend) -> None:
        """Add what was used."""
        spent = self.spends.setdefault((stage, model), Spend())
        spent.requests += used.requests
        spent.answers += used.answers
        spent.input_tokens += used.input_tokens
        spent.output_tokens += used.output_tokens
        spent.seconds += used.seconds
        if used.cost is not None:
            spent.cost = (spent.cost or 0.0) + used.cost
        self.told()

    def remember_answer(self, recent: RecentAnswer) -> None:
        """Remember an answer that has just come."""
        self.recent.append(recent)

    def note_latest(self, text: str) -> None:
        """Say what came of the last thing, until the next one has come; no line of the log."""
        self.latest = text
        self.told()

    def say(self, kind: str, text: str) -> None:
        """Add a line to the log."""
        self.unsaved.append(Event(kind, text))
        self.told()
