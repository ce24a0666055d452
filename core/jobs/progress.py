"""How far a job is: counts, rate and time left, as numbers and as the words for a status line."""

from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum

WINDOW = 60.0
"""Seconds of the past that the rate is taken over."""

STEP = 1.0
"""Seconds between two counts that are remembered for it."""

ENOUGH = 50
"""Counted things before a time left is said: fewer say nothing about the rest."""

MEGABYTE = 1_000_000


class State(StrEnum):
    """Where a job is. One that is STOPPED (interrupted, out of budget) or FAILED can go on."""

    WAITING = "waiting"
    RUNNING = "running"
    PAUSED = "paused"
    STOPPED = "stopped"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Progress:
    """One job at one moment.

    `done` and `wanted` count `unit` (`answers`, `bytes`); `wanted` is 0 while it is not known.
    `rate` is per second over the last minute; `left` in seconds, None while nobody can tell.
    `reason` is one line: why it failed, or what it came to.
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


@dataclass(frozen=True, slots=True)
class Words:
    """A job in the words of the status line; `share` (0 to 1) is for the bar."""

    title: str
    count: str
    share: float
    rate: str
    left: str


def words(progress: Progress) -> Words:
    """What a status line shows of a job; parts that nobody knows yet are empty."""
    running = progress.state is State.RUNNING
    return Words(
        title=f"{progress.doing} {progress.name}",
        count=_counted(progress),
        share=min(1.0, progress.done / progress.wanted) if progress.wanted else 0.0,
        rate=_rate(progress) if running else "",
        left=f"{lasting(progress.left)} left" if running and progress.left is not None else "",
    )


def lasting(seconds: float) -> str:
    """A time as people say it: `40 s`, `12 min`, `1 h 47`."""
    whole = max(1, round(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes = round(whole / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02}"


def _counted(progress: Progress) -> str:
    if not progress.wanted:
        return ""
    if progress.unit != "bytes":
        return f"{progress.done:,} of {progress.wanted:,}"
    return f"{progress.done / MEGABYTE:,.1f} of {progress.wanted / MEGABYTE:,.1f} MB"


def _rate(progress: Progress) -> str:
    rate = progress.rate
    if not rate:
        return ""
    if progress.unit == "bytes":
        return f"{rate / MEGABYTE:.1f} MB/s"
    if rate < 0.1:
        return f"{rate * 60:.1f}/min"
    return f"{rate:.1f}/s" if rate < 100 else f"{rate:,.0f}/s"


@dataclass(slots=True)
class Meter:
    """Counts with their times, for the rate of the last minute."""

    started: float
    done: int = 0
    wanted: int = 0
    failed: int = 0
    _past: deque[tuple[float, int]] = field(default_factory=deque)

    def mark(self, now: float) -> None:
        """Remember the present count, unless one of just now is remembered."""
        if not self._past or now - self._past[-1][0] >= STEP:
            self._past.append((now, self.done))
        while len(self._past) > 1 and self._past[0][0] < now - WINDOW:
            self._past.popleft()

    def rate(self, now: float) -> float | None:
        """Done per second over the last minute, or since the start where that is less."""
        then, before = self.started, 0
        if self._past and self.started < now - WINDOW:
            then, before = self._past[0]
        return (self.done - before) / (now - then) if now - then >= STEP and self.done else None

    def left(self, now: float) -> float | None:
        """Seconds until all that is wanted is done or has failed."""
        rate = self.rate(now)
        if not rate or self.done < ENOUGH or not self.wanted:
            return None
        return max(0, self.wanted - self.done - self.failed) / rate
