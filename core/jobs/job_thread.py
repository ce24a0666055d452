"""One job of this program: its thread's way from waiting to its end, and how far it is."""

import sqlite3
import threading
from contextlib import suppress
from dataclasses import astuple
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Protocol

import db.sqlite_errors
from core.engine.lease_liveness import BEAT_EVERY
from core.engine.run_counters import LateRequest, RunCounters, Spend, StageCounts
from core.errors import LostkeysError, ProgramError
from core.jobs.job_control import Control, JobStopped
from core.jobs.job_list import to_local
from core.jobs.job_progress import STEP, JobProgress, Meter, State
from core.jobs.job_row import JobRow
from core.jobs.job_run import JobContext, JobResult, JobRun, can_go_on, open_database
from core.jobs.job_view import JobSpend, JobStage, JobView, LogLine, name_work, phase_of, unit_of
from core.project import explain
from core.specs.job_kinds import KINDS, Spec


def perform(work: JobRun, spec: Spec) -> JobResult:
    """Do what a spec says. Raises `JobStopped`, `LostkeysError`, or whatever goes wrong."""
    result: JobResult = import_module(KINDS[spec.kind].module).run(work, spec)
    return result


BEGINS, GOES_ON, FINISHED = "begins", "goes on", "finished"
"""Words of the log."""

ENDS = {
    State.STOPPED: "stopped; what was done is kept",
    State.CANCELLED: "cancelled; what was done is kept",
    State.WAITING: "left to a program in the background",
}


class Host(Protocol):
    """The service, as a task sees it."""

    means: JobContext

    def clock(self) -> float:
        """Seconds that only go forward."""

    def tell(self, always: bool = False) -> None:
        """Something was counted, or (`always`) has begun."""

    def turn(self, task: "JobThread", seconds: float) -> bool:
        """Wait so long at most for a task's turn; gives whether it has come."""


class JobThread:
    """A job, its thread, and what can be told of it at any moment, from any thread."""

    thread: threading.Thread | None = None
    late: bool = False
    """Whether it opens the file when its turn has come: a job before it may make that."""

    def __init__(
        self,
        ticket: int,
        path: Path,
        spec: Spec,
        max_cost: float | None,
        job: int | None,
        host: Host,
    ) -> None:
        """`ticket` is its id until it is stored; `job` the row it is to go on with."""
        self.ticket, self.path, self.spec = ticket, path, spec
        self.control = Control(RunCounters(self._note_count))
        self.state, self.reason = State.WAITING, ""
        self.ended = threading.Event()
        self._max_cost, self._job, self._host = max_cost, job, host
        self._holder: JobRow | None = None
        self._ids = {ticket} if job is None else {ticket, job}
        """Every id that it has gone by: its row goes again where it was no job at all."""
        self._error: Exception | None = None
        self._is_void = False
        self._result: JobResult | None = None
        self._meter: Meter | None = None
        self._marked = host.clock()
        self._metered: list[StageCounts] = []
        self._declared = self._before = 0
        self._created = _now()
        self._started: datetime | None = None
        self._ended: datetime | None = None

    # The way of its thread

    def run(self) -> None:
        """Wait for its turn, do what is to be done, and note how it ended. Raises nothing."""
        try:
            if self.late:
                self._wait(None)
            with open_database(self.path, self.spec) as project:
                self._hold(
                    JobRow(project.connection, self.control, self.spec, self.max_cost, self._job)
                )
                assert self._holder is not None
                with self._holder as holder:
                    state, reason = self._work(JobRun(project, holder, self._host.means))
                    with suppress(sqlite3.Error, LostkeysError):
                        self._write(holder, state, reason)
        except BaseException as error:
            state, reason = self._explain_end(error)
        self._ended = _now()
        self.state, self.reason = state, reason
        self.ended.set()

    def _write(self, holder: JobRow, state: State, reason: str) -> None:
        """Note the end in the file; what could not even begin was no job at all.

        That is what was asked for in wrong words, and a file of which nothing can be used.
        """
        mistakes = KINDS[self.spec.kind].mistakes
        if isinstance(self._error, mistakes) and holder.forget():
            self._holder, self._is_void = None, True
        else:
            holder.finish(state, reason)

    def _hold(self, holder: JobRow) -> None:
        self._max_cost, self._created = holder.max_cost, to_local(holder.created) or self._created
        self._holder = holder
        self._ids.add(holder.job)
        self._host.tell(always=True)

    def _work(self, work: JobRun) -> tuple[State, str]:
        try:
            self._wait(work.holder)
            work.holder.begin()
            self._begin()
            self._result = perform(work, self.spec)
            work.holder.check_file()
            said = _one_line(self._result.said)
            if self._result.in_vain:
                self.control.counters.say("fail", said)
                return State.FAILED, said
            self.control.counters.say("job", f"{FINISHED}: {self._result.said}")
            return self._result.state, said
        except BaseException as error:
            return self._explain_end(error)

    def _wait(self, holder: JobRow | None) -> None:
        """Wait until it is its turn. Raises `JobStopped`."""
        while not self._host.turn(self, BEAT_EVERY):
            if holder is not None:
                holder.beat()
        self.control.check(holder.beat_if_due if holder is not None else lambda: None)

    def _begin(self) -> None:
        self._meter = Meter(self._host.clock())
        self._started, self.state = _now(), State.RUNNING
        is_new = self._holder is None or self._holder.is_new
        self.control.counters.say("job", BEGINS if is_new else GOES_ON)
        self._host.tell(always=True)

    def _explain_end(self, error: BaseException) -> tuple[State, str]:
        """The state and the line in which a job ends that did not get through."""
        if isinstance(error, JobStopped):
            reason = ENDS[self.control.end]
            self.control.counters.say("job", reason)
            return self.control.end, reason
        known = (
            db.sqlite_errors.explain(error, self.path)
            if isinstance(error, db.sqlite_errors.OF_THE_FILE)
            else explain(error)
        )
        fault = ProgramError(error)
        self._error = known or (error if isinstance(error, Exception) else fault)
        reason = _one_line(str(known or fault))
        self.control.counters.say("fail", reason)
        return (State.STOPPED if can_go_on(error) else State.FAILED), reason

    def _note_count(self) -> None:
        """Something was counted: remember it for the rates, and tell if it is time to."""
        now = self._host.clock()
        if now - self._marked >= STEP / 4 or len(self.control.counters.stages) != self._declared:
            self._marked, self._declared = now, len(self.control.counters.stages)
            self._mark(now)
        self._host.tell()

    def _mark(self, now: float) -> None:
        """Remember what is done; a phase of the job has rates of its own."""
        if self._meter is None:
            return
        stages = self._list_worked()
        done = sum(one.done for one in stages)
        if list(map(id, stages)) != list(map(id, self._metered)):
            self._metered, self._before, self._meter = stages, done, Meter(now)
        self._meter.mark(now, done - self._before)

    def _list_worked(self) -> list[StageCounts]:
        """The stages of the present phase."""
        return phase_of(list(self.control.counters.stages.values()))

    # What can be told of it

    def is_called(self, job: int) -> bool:
        """Whether it goes, or has gone, by an id."""
        return job in self._ids

    @property
    def id(self) -> int:
        """The job's id: of its row, or a negative one while it has none."""
        if self._holder is not None:
            return self._holder.job
        return self.ticket if self._job is None else self._job

    @property
    def max_cost(self) -> float | None:
        """US dollars that it may cost."""
        return self._max_cost

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.ended.is_set()

    def outcome(self) -> JobResult:
        """What it came to. Raises what it ended with if that was an error."""
        if self._error is not None:
            raise self._error
        return self._result or JobResult(self.reason)

    def log(self, after: int = 0) -> list[LogLine]:
        """Its log lines since it was begun here, from behind the one with the id `after`."""
        lines = () if self._holder is None else tuple(self._holder.lines)
        return [line for line in lines if line.id > after]

    def progress(self) -> JobProgress:
        """How far it is, for a status line."""
        now, stages = self._host.clock(), self._list_worked()
        doing, name = name_work(self.spec, stages)
        runs = self.state is State.RUNNING and self._meter is not None
        return JobProgress(
            doing=doing,
            name=name,
            unit=unit_of(self.spec, stages),
            state=self._shown_state(),
            done=sum(one.done for one in stages),
            wanted=sum(one.total for one in map(_stage, stages)),
            failed=sum(one.failed for one in stages),
            rate=self._rate(now) if runs else None,
            left=self._estimate_left(now) if runs else None,
            reason=self.reason,
            latest=self.control.counters.latest,
        )

    def view(self) -> JobView:
        """All that there is to show of it."""
        now, counters = self._host.clock(), self.control.counters
        runs = self.state is State.RUNNING and self._meter is not None
        return JobView(
            id=self.id,
            kind=self.spec.kind,
            name=self.spec.subject,
            state=self._shown_state(),
            reason=self.reason,
            here=True,
            void=self._is_void,
            spec=self.spec,
            stages=tuple(map(_stage, list(counters.stages.values()))),
            spends=self._spends(),
            max_cost=self.max_cost,
            rate=self._rate(now) if runs else None,
            rates=self._meter.rates(now) if runs and self._meter else (),
            left=self._estimate_left(now) if runs else None,
            recent=tuple(counters.recent),
            late=_list_late(counters),
            created=self._created,
            started=self._started,
            ended=self._ended,
        )

    def _shown_state(self) -> State:
        return State.PAUSED if self.control.paused and not self.over else self.state

    def _rate(self, now: float) -> float | None:
        self._mark(now)
        return None if self._meter is None else self._meter.rate(now)

    def _estimate_left(self, now: float) -> float | None:
        if self._meter is None or KINDS[self.spec.kind].grows:
            return None
        still = sum(one.waiting + one.running for one in self._list_worked())
        return self._meter.estimate_left(now, still)

    def _spends(self) -> tuple[JobSpend, ...]:
        """What it used, before it was taken up here included."""
        spends = {
            key: _to_job_spend(key, one) for key, one in list(self.control.counters.spends.items())
        }
        for one in self._holder.earlier if self._holder is not None else ():
            key = one.stage, one.model
            spends[key] = one if key not in spends else _sum(one, spends[key])
        return tuple(spends.values())


def _list_late(counters: RunCounters) -> tuple[LateRequest, ...]:
    """Its late requests, the oldest first."""
    stages = list(counters.stages.values())
    found = [one for stage in stages for one in list(stage.late_requests.values())]
    return tuple(sorted(found, key=lambda one: one.sent))


def _stage(one: StageCounts) -> JobStage:
    return JobStage(
        one.name,
        one.waiting,
        one.running,
        one.done,
        one.dropped,
        one.failed,
        dict(one.reasons),
        one.late,
        dict(one.retried),
        one.resumes,
    )


def _to_job_spend(key: tuple[str, str], one: Spend) -> JobSpend:
    return JobSpend(*key, *astuple(one))


def _sum(one: JobSpend, other: JobSpend) -> JobSpend:
    costs = [cost for cost in (one.cost, other.cost) if cost is not None]
    return JobSpend(
        one.stage,
        one.model,
        one.requests + other.requests,
        one.answers + other.answers,
        one.input_tokens + other.input_tokens,
        one.output_tokens + other.output_tokens,
        sum(costs) if costs else None,
        one.seconds + other.seconds,
    )


def _now() -> datetime:
    return datetime.now().astimezone()


def _one_line(text: str) -> str:
    return " ".join(text.split())
