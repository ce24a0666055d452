"""The line between a job in its thread and whoever watches, pauses and stops it."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, Protocol, TypeVar

from core.engine.run_counters import RunCounters
from core.jobs.job_progress import State

T = TypeVar("T")

LOOK = 0.2
"""Seconds between two looks of a paused job at whether it goes on."""


class JobStopped(Exception):  # noqa: N818 - nothing is wrong
    """Raised inside a job that is asked to stop."""


class Pausable(Protocol):
    """An engine: while it pauses nothing new is begun."""

    def pause(self) -> object:
        """Begin nothing new."""

    def resume(self) -> object:
        """Go on."""


class Control:
    """Pauses and stops one job, from any thread.

    `end` says what becomes of a job that is stopped: `STOPPED` (it can go on), `WAITING` (another
    program goes on with it) or `CANCELLED`.
    """

    def __init__(self, counters: RunCounters | None = None) -> None:
        self.counters = counters if counters is not None else RunCounters()
        self.end = State.STOPPED
        self.paused = False
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None
        self._engine: Pausable | None = None

    @property
    def stopping(self) -> bool:
        """Whether the job has been asked to stop."""
        return self._stopped.is_set()

    def stop(self, end: State = State.STOPPED) -> None:
        """Ask the job to stop; the first word counts."""
        with self._lock:
            if self._stopped.is_set():
                return
            self.end = end
            self._stopped.set()
            if self._loop is not None and self._task is not None:
                self._loop.call_soon_threadsafe(self._task.cancel)

    def pause(self) -> None:
        """Ask the job to begin nothing new."""
        self._set_paused(True)

    def resume(self) -> None:
        """Let the job go on."""
        self._set_paused(False)

    def wait(self, seconds: float) -> bool:
        """Wait, at most until the job is asked to stop; gives whether it is."""
        return self._stopped.wait(seconds)

    def check(self, beat: Callable[[], object] = lambda: None) -> None:
        """Wait while the job pauses, with a `beat` between looks.

        Raises `JobStopped` if it is to stop.
        """
        while self.paused and not self._stopped.wait(LOOK):
            beat()
        if self._stopped.is_set():
            raise JobStopped

    async def wait_while_paused(self) -> None:
        """Wait while the job pauses. In the event loop of `await_`."""
        while self.paused:
            await asyncio.sleep(LOOK)

    def await_(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run asynchronous work to its end, in an event loop of this thread.

        It is cancelled where it waits when the job is to stop; that raises `JobStopped`.
        """
        try:
            return asyncio.run(self._interruptible(work))
        except asyncio.CancelledError:
            raise JobStopped from None

    def steer(self, engine: Pausable) -> None:
        """Let pausing reach an engine. In the event loop of `await_`."""
        with self._lock:
            self._engine = engine
        if self.paused:
            engine.pause()

    async def _interruptible(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        with self._lock:
            if self._stopped.is_set():
                raise JobStopped
            self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        try:
            return await work()
        finally:
            with self._lock:
                self._loop = self._task = self._engine = None

    def _set_paused(self, paused: bool) -> None:
        with self._lock:
            if paused is not self.paused:
                self.counters.say("job", "paused" if paused else "goes on after the pause")
            self.paused = paused
            if self._loop is not None and self._engine is not None:
                tell = self._engine.pause if paused else self._engine.resume
                self._loop.call_soon_threadsafe(tell)
