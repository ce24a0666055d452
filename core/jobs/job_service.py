"""The job service: one job runs, the others wait, each in a thread of its own.

It outlives screens: a screen asks for `views`, whoever wants to be told of changes listens.
"""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import IO

from core.errors import UsageError
from core.jobs import remote_control
from core.jobs.job_progress import JobProgress, State
from core.jobs.job_run import JobContext, JobResult
from core.jobs.job_thread import JobThread
from core.jobs.job_view import JobView, LogLine
from core.providers.model_names import parse
from core.settings import paths
from core.settings.known_addresses import remember_addresses
from core.specs.answer_specs import AnsweringSpec
from core.specs.build_specs import BuildingSpec
from core.specs.job_kinds import Spec, asked_models

# Leaving jobs to a program in the background, which goes on when this one ends.

LOG = "background.log"

PROGRAM = "from tui.cli.main import main; main()"
"""The command line, in this interpreter: where the command itself lies nobody can know."""


def leave(path: Path, jobs: Sequence[int]) -> None:
    """Start a program that goes on with these jobs of a database (their ids), in this order.

    It has a session of its own and no terminal, so that it stays when the terminal goes; keys
    come to it through the environment alone. What it says is added to a log in the state folder.
    """
    words = ["--db", str(path.absolute()), "run", "--yes"]
    for job in jobs:
        words += ["--job", str(job)]
    with _log() as said:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", PROGRAM, *words],
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
    _LEFT.append(process)


_LEFT: list["subprocess.Popen[bytes]"] = []
"""Programs that are not waited for; one that nobody holds would be warned about."""


def _log() -> IO[bytes]:
    """The log, open for adding to it; nowhere if it cannot be written."""
    try:
        log_path().parent.mkdir(parents=True, exist_ok=True)
        return log_path().open("ab")
    except OSError:
        return Path(os.devnull).open("wb")


def log_path() -> Path:
    """Where programs in the background say what they have to say."""
    return paths.state_folder() / LOG


TELL_EVERY = 0.25
"""Seconds between two calls of the listener while a job counts."""

PATIENCE = 3.0
"""Seconds that `close` waits for jobs to stop."""


class Jobs:
    """Runs jobs on one database file, which need not be there yet; those it began are its own.

    A job has a negative id until it is stored, a moment after `start`; both ids are understood
    ever after. `listener` is called without arguments, from a job's thread, when a job begins,
    ends, or has counted (a few times a second at most); it must be quick.
    """

    def __init__(
        self,
        path: Path,
        listener: Callable[[], object] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
        means: JobContext | None = None,
    ) -> None:
        self.path = path
        self.means, self.clock = means or JobContext(), clock
        self._listener = listener
        self._told = clock() - TELL_EVERY
        self._tasks: list[JobThread] = []
        self._changed = threading.Condition()

    # Starting, and what becomes of it

    def start(self, spec: Spec, max_cost: float | None = None) -> int:
        """Put a job at the end of the queue; gives its id. Never waits for the file."""
        return self._start(spec, max_cost, None)

    def start_stored(self, job: int, spec: Spec, max_cost: float | None = None) -> int:
        """Go on with a job of the file (its id and spec) that nobody works on."""
        return self._start(spec, max_cost, job)

    def _start(self, spec: Spec, max_cost: float | None, job: int | None) -> int:
        with self._changed:
            task = JobThread(-len(self._tasks) - 1, self.path, spec, max_cost, job, self)
            task.late = not self.path.exists() or any(
                one.late and not one.over for one in self._tasks
            )
            self._tasks.append(task)
        task.thread = threading.Thread(
            target=self._run, args=(task,), name=f"job {task.ticket}", daemon=True
        )
        task.thread.start()
        return task.id

    @property
    def running(self) -> bool:
        """Whether a job is under way or waits."""
        return any(not task.over for task in self._tasks)

    def views(self) -> list[JobView]:
        """All jobs that this program began, the newest first, each once."""
        newest = {task.id: task for task in self._tasks}
        return [task.view() for task in reversed(self._tasks) if newest[task.id] is task]

    def view(self, job: int) -> JobView:
        """One job that this program began. Raises `UsageError` for any other."""
        return self._task(job).view()

    def log(self, job: int, after: int = 0) -> list[LogLine]:
        """Log lines of a job that this program began, from behind the one with the id `after`."""
        return self._task(job).log(after)

    def result(self, job: int) -> JobResult:
        """What a job came to. Raises what it ended with if that was an error."""
        return self._task(job).outcome()

    def progress(self) -> JobProgress | None:
        """The job whose turn it is, or how the last one ended; None if there was none."""
        task = self._current()
        return None if task is None else task.progress()

    def wait(self, job: int, seconds: float | None = None) -> bool:
        """Wait for a job's end, at most so long; gives whether it has ended."""
        return self._task(job).ended.wait(seconds)

    # Steering

    def pause(self, job: int) -> None:
        """Let a job begin nothing new, one of another program, too.

        For jobs of other programs this and the following wait for the file, a few seconds at the
        most, and raise `LostkeysError` where there is nothing to be done.
        """
        task = self._mine(job)
        if task is None:
            remote_control.pause(self.path, job)
            return
        task.control.pause()
        self.tell(always=True)

    def resume(self, job: int) -> int:
        """Let a paused job go on, or go on here with one that nobody works on; gives its id."""
        task = self._mine(job)
        if task is None:
            spec = remote_control.resume(self.path, job)
            return job if spec is None else self.start_stored(job, spec)
        if task.over:
            return self.start(task.spec, task.max_cost)
        task.control.resume()
        self.tell(always=True)
        return task.id

    def cancel(self, job: int | None = None) -> None:
        """Cancel a job, or the one whose turn it is; what it has done is kept."""
        task = self._current() if job is None else self._mine(job)
        if task is not None and not task.over:
            task.control.stop(State.CANCELLED)
            self._stir()
        elif job is not None:
            remote_control.cancel(self.path, job)

    def retry(self, job: int) -> int:
        """Ask again for what failed in a job; gives the id of the new one.

        Raises `UsageError` where nothing of it can be asked again.
        """
        task = self._mine(job)
        spec = remote_control.spec(self.path, job) if task is None else task.spec
        if not isinstance(spec, AnsweringSpec | BuildingSpec):
            raise UsageError(f"{spec.subject}: only what a model was asked can be asked again")
        if isinstance(spec, BuildingSpec):
            spec = replace(spec, redo=None)
        return self.start(replace(spec, only_failed=True), task.max_cost if task else None)

    def stop(self, end: State = State.STOPPED) -> None:
        """Ask all jobs to stop, in such a way that they can go on."""
        for task in self._tasks:
            task.control.stop(end)
        self._stir()

    def close(self, patience: float = PATIENCE) -> bool:
        """Stop all jobs and wait for them; gives whether they have ended in time."""
        self.stop()
        return self._join(patience)

    def leave(self, patience: float = PATIENCE) -> bool:
        """Stop all jobs and let a program in the background go on with them.

        Gives False, and leaves nothing, where they do not stop in time.
        """
        left = [task for task in self._tasks if not task.over]
        self.stop(State.WAITING)
        if not self._join(patience):
            for task in left:
                task.control.end = State.STOPPED
            return False
        stored = [task.id for task in left if task.id > 0 and task.state is State.WAITING]
        if stored:
            leave(self.path, stored)
        return True

    # Inside

    def _join(self, patience: float) -> bool:
        last = time.monotonic() + patience
        for task in self._tasks:
            if task.thread is not None:
                task.thread.join(max(0.0, last - time.monotonic()))
        return not self.running

    def _run(self, task: JobThread) -> None:
        try:
            _remember_addresses(task.spec)
            task.run()
        finally:
            self._stir()
            self._listener()

    def _stir(self) -> None:
        """Let jobs that wait look whether they are to go on."""
        with self._changed:
            self._changed.notify_all()

    def turn(self, task: JobThread, seconds: float) -> bool:
        """Wait so long at most for a job's turn; gives whether it has come. For `JobThread`."""
        with self._changed:
            return self._changed.wait_for(
                lambda: self._current() is task or task.control.stopping, seconds
            )

    def _current(self) -> JobThread | None:
        """The job whose turn it is: the first that is not over, else the last."""
        tasks = list(self._tasks)
        return next((task for task in tasks if not task.over), tasks[-1] if tasks else None)

    def _mine(self, job: int) -> JobThread | None:
        """The newest job of this program with that id, None for one of another."""
        return next((one for one in reversed(self._tasks) if one.is_called(job)), None)

    def _task(self, job: int) -> JobThread:
        task = self._mine(job)
        if task is None:
            raise UsageError(f"job {job} is not one of this program")
        return task

    def tell(self, always: bool = False) -> None:
        """A job has counted, or begun (`always`): tell if it is time to. For `JobThread`."""
        now = self.clock()
        if always or now - self._told >= TELL_EVERY:
            self._told = now
            self._listener()


def _remember_addresses(spec: Spec) -> None:
    """Whoever starts a job lets questions go to its models, and need not say so again."""
    with suppress(UsageError):  # the job itself tells of a name that is none
        remember_addresses([parse(model).base_url or "" for model in asked_models(spec)])
