"""The job service: one job at a time, in a thread of its own.

It outlives screens: a screen asks for `progress`, whoever wants to be told of changes listens.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any, Protocol, TypeVar

from core.errors import UsageError
from core.jobs.progress import Meter, Progress, State
from core.project import explain

T = TypeVar("T")

TELL_EVERY = 0.25
"""Seconds between two calls of the listener while a job counts."""

PATIENCE = 3.0
"""Seconds that `close` waits for a job to stop."""


class Stopped(Exception):  # noqa: N818 - nothing is wrong
    """Raised inside a job that is asked to stop."""


class Job(Protocol):
    """Something to run: `doing` and `name` say what, `unit` what is counted."""

    @property
    def doing(self) -> str:
        """What it does, such as `answering`."""

    @property
    def name(self) -> str:
        """What it does that to: a model, a file."""

    @property
    def unit(self) -> str:
        """What is counted: `answers` or `bytes`."""

    def run(self, control: "Control") -> str:
        """Do it, counting by `control`; gives one line that says what it came to.

        What is done is to be kept at every moment; `Stopped` may come out of `control`'s calls.
        """


class Control:
    """The line between a job in its thread and the service."""

    def __init__(self, meter: Meter, told: Callable[[], None]) -> None:
        self._meter, self._told = meter, told
        self._lock = threading.Lock()
        self._stopped = False
        self._interrupt: Callable[[], object] | None = None

    def want(self, count: int) -> None:
        """Say how much there is to do."""
        self._meter.wanted = count
        self._told()

    def add(self, count: int) -> None:
        """Count what was just done. Never raises: the job may be in the middle of something."""
        self._meter.done += count
        self._told()

    def reach(self, done: int, wanted: int) -> None:
        """Say how far it is. Raises `Stopped` if the job is to stop."""
        self.check()
        self._meter.done, self._meter.wanted = done, wanted
        self._told()

    def fail(self, count: int) -> None:
        """Count what could not be done."""
        self._meter.failed += count

    def check(self) -> None:
        """Raise `Stopped` if the job is to stop."""
        if self._stopped:
            raise Stopped

    def stop(self) -> None:
        """Ask the job to stop. For the service; from any thread."""
        with self._lock:
            self._stopped = True
            if self._interrupt is not None:
                self._interrupt()

    def await_(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run asynchronous work to its end, in an event loop of this thread.

        It is cancelled where it waits when the job is to stop; that raises `Stopped`.
        """
        try:
            return asyncio.run(self._interruptible(work))
        except asyncio.CancelledError:
            raise Stopped from None

    async def _interruptible(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        with self._lock:
            self.check()
            self._interrupt = lambda: loop.call_soon_threadsafe(task.cancel)
        try:
            return await work()
        finally:
            with self._lock:
                self._interrupt = None


class Jobs:
    """Runs one job after another.

    `listener` is called without arguments, from the job's thread, when a job begins, ends, or
    has counted (a few times a second at most); it must be quick.
    """

    def __init__(
        self,
        listener: Callable[[], object] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._listener, self._clock = listener, clock
        self._told = 0.0
        self._job: Job | None = None
        self._meter = Meter(0.0)
        self._control: Control | None = None
        self._thread: threading.Thread | None = None
        self._end: tuple[State, str] | None = None

    @property
    def running(self) -> bool:
        """Whether a job is under way."""
        return self._job is not None and self._end is None

    def progress(self) -> Progress | None:
        """The present job, or how the last one ended; None if there was none."""
        if self._job is None:
            return None
        now, meter = self._clock(), self._meter
        state, reason = self._end or (State.RUNNING, "")
        return Progress(
            doing=self._job.doing,
            name=self._job.name,
            unit=self._job.unit,
            state=state,
            done=meter.done,
            wanted=meter.wanted,
            failed=meter.failed,
            rate=meter.rate(now) if self.running else None,
            left=meter.left(now) if self.running else None,
            reason=reason,
        )

    def start(self, job: Job) -> None:
        """Begin a job. Raises `UsageError` while another one runs."""
        if self._job is not None and self.running:
            raise UsageError(
                f"{self._job.doing} {self._job.name} is not through: one job runs at a time"
            )
        self._meter = Meter(self._clock())
        self._control = Control(self._meter, self._count)
        self._job, self._end = job, None
        self._thread = threading.Thread(
            target=self._run, args=(job, self._control), name="job", daemon=True
        )
        self._thread.start()

    def cancel(self) -> None:
        """Ask the running job to stop; what it has done is kept."""
        if self.running and self._control is not None:
            self._control.stop()

    def close(self, patience: float = PATIENCE) -> bool:
        """Stop the running job and wait for it; gives whether it has ended in time."""
        self.cancel()
        if self._thread is not None:
            self._thread.join(patience)
        return not self.running

    def _run(self, job: Job, control: Control) -> None:
        self._listener()
        try:
            self._end = State.FINISHED, _one_line(job.run(control))
        except Stopped:
            self._end = State.CANCELLED, "stopped; what was done is kept"
        except Exception as error:
            known = explain(error)
            fault = f"a fault of the program ({type(error).__name__}: {error})"
            self._end = State.FAILED, _one_line(str(known) if known else fault)
        self._listener()

    def _count(self) -> None:
        """Something was counted: remember it for the rate, and tell if it is time to."""
        now = self._clock()
        self._meter.mark(now)
        if now - self._told >= TELL_EVERY:
            self._told = now
            self._listener()


def _one_line(text: str) -> str:
    return " ".join(text.split())
