"""How far a job is: counts, rate and time left, as numbers and as the words for a status line."""

from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise

WINDOW = 60.0
"""Seconds of the past that the rate is taken over."""

STEP = 1.0
"""Seconds between two counts that are remembered for it."""

HALF_MINUTE = 30.0

HALF_MINUTES = 16
"""How many half minutes of the past a job's rates are kept for."""

ENOUGH = 50
"""Counted things before a time left is said: fewer say nothing about the rest."""


class State(StrEnum):
    """Where a job is. One that is STOPPED (interrupted, out of budget) or FAILED can go on.

    What a job asks that is OUT is in files, for engines elsewhere.
    """

    WAITING = "waiting"
    RUNNING = "running"
    PAUSED = "paused"
    STOPPED = "stopped"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"
    OUT = "out"


@dataclass(frozen=True, slots=True)
class JobProgress:
    """One job at one moment.

    `done` and `wanted` count `unit` (`answers`, `rows`); `wanted` is 0 while it is not known.
    `rate` is per second over the last minute; `left` in seconds, None while nobody can tell.
    `reason` is one line: why it failed, or what it came to. `latest`: what came of its last unit,
    where that is told of.
    """

    doing: str
    name: str
    unit: str
    state: State
    done: int = 0
    wanted: int = 0
    failed: int = 0
    rate: float | None = None
    left: float | None = None
    reason: str = ""
    latest: str = ""


@dataclass(frozen=True, slots=True)
class ProgressText:
    """A job in the words of the status line; `share` (0 to 1) is for the bar."""

    title: str
    count: str
    share: float
    rate: str
    left: str


def format_progress(progress: JobProgress) -> ProgressText:
    """What a status line shows of a job; parts that nobody knows yet are empty."""
    from core.stats.number_format import format_duration

    running = progress.state is State.RUNNING
    return ProgressText(
        title=f"{progress.doing} {progress.name}",
        count=_format_count(progress),
        share=min(1.0, progress.done / progress.wanted) if progress.wanted else 0.0,
        rate=_rate(progress) if running else "",
        left=f"{format_duration(progress.left)} left"
        if running and progress.left is not None
        else "",
    )


def _format_count(progress: JobProgress) -> str:
    if not progress.wanted:
        return ""
    return f"{progress.done:,} of {progress.wanted:,}"


def _rate(progress: JobProgress) -> str:
    rate = progress.rate
    if not rate:
        return ""
    if rate < 0.1:
        return f"{rate * 60:.1f}/min"
    return f"{rate:.1f}/s" if rate < 100 else f"{rate:,.0f}/s"


@dataclass(slots=True)
class Meter:
    """Counts with their times, for the rates of a job that runs here.

    `done` counts what was done since it started; things that were done before are no work.
    """

    started: float
    done: int = 0
    _past: deque[tuple[float, int]] = field(default_factory=deque)

    def mark(self, now: float, done: int) -> None:
        """Take in the present count, and remember it unless one of just now is remembered."""
        self.done = done
        if not self._past or now - self._past[-1][0] >= STEP:
            self._past.append((now, done))
        oldest = now - (HALF_MINUTES + 1) * HALF_MINUTE
        while len(self._past) > 1 and self._past[1][0] <= oldest:
            self._past.popleft()

    def rate(self, now: float) -> float | None:
        """Done per second over the last minute, or since the start where that is less."""
        then = max(self.started, now - WINDOW)
        if now - then < STEP or not self.done:
            return None
        return (self.done - self._count_at(then)) / (now - then)

    def rates(self, now: float) -> tuple[float, ...]:
        """Done per second in each of the last half minutes that are over, the oldest first."""
        over = int((now - self.started) // HALF_MINUTE)
        edges = [
            self.started + HALF_MINUTE * number
            for number in range(max(0, over - HALF_MINUTES), over + 1)
        ]
        counts = [self._count_at(edge) for edge in edges]
        return tuple((after - before) / HALF_MINUTE for before, after in pairwise(counts))

    def estimate_left(self, now: float, still: int) -> float | None:
        """Seconds until what is `still` to be done is done, None while nobody can tell."""
        rate = self.rate(now)
        return still / rate if rate and self.done >= ENOUGH else None

    def _count_at(self, time: float) -> int:
        """How much was done at a time: the last count that is remembered from before it."""
        counts = [done for then, done in tuple(self._past) if then <= time]
        return counts[-1] if counts else 0
