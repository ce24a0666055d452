"""What the Jobs screen has the db worker read: jobs, the log of one, what went wrong in it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.errors import LostkeysError
from core.jobs.job_view import JobView, LogLine
from tui.screens.jobs.state import JobsState
from tui.screens.jobs.widgets import JobsPanes

if TYPE_CHECKING:
    from core.jobs.job_list import JobTrouble
    from core.views.session import Session


@dataclass(frozen=True, slots=True)
class StoredJobs:
    """What the file holds: its jobs, the lines of one job's log behind the one with an id.

    `trouble` is that of the same job, None where that was not asked for.
    """

    jobs: list[JobView]
    job: int | None
    lines: list[LogLine]
    trouble: "JobTrouble | None" = None


def read_jobs(
    session: "Session",
    job: int | None,
    after: int,
    before: JobView | None = None,
    troubled: bool = False,
) -> StoredJobs:
    """Read the jobs, what is new in the log of one of them, and why a build has lost units.

    `before` is the view of that job as it was read last; `troubled`: read what went wrong, too.
    """
    jobs = [
        session.jobs.add_reasons(one, before) if one.id == job else one
        for one in session.jobs.list_jobs()
    ]
    view = next((one for one in jobs if one.id == job), None) if troubled else None
    trouble = None if view is None else session.jobs.trouble(view)
    return StoredJobs(jobs, job, [] if job is None else session.jobs.log(job, after), trouble)


class JobsLoader:
    """Has read what the file holds of jobs, and shows it; `told` is called when that is shown."""

    def __init__(self, state: JobsState, panes: JobsPanes, told: Callable[[], None]) -> None:
        self._state, self._panes, self._told = state, panes, told

    def take(self, fresh: bool = False) -> None:
        """Take in the jobs of this program among those of the file, in a `fresh` order."""
        jobs = self._panes.base.lostkeys.jobs
        if self._state.job is not None and self._state.job < 0:
            self._state.job = jobs.find_present_id(self._state.job)
        self._state.take(jobs.views(), fresh)

    def request_jobs(self) -> None:
        """Read what the file holds."""
        base, state = self._panes.base, self._state
        job, after, troubled = state.job, self._panes.log_view.newest, base.wide
        before = next((one for one in state.stored if one.id == job), None)
        base.lostkeys.ask(
            "jobs",
            lambda session: read_jobs(session, job, after, before, troubled),
            self._take_jobs,
            self._show_read_error,
        )

    def _take_jobs(self, found: StoredJobs) -> None:
        state, log = self._state, self._panes.log_view
        first = not state.complete
        state.complete, state.load_error, state.stored = True, None, found.jobs
        self.take(first)
        if found.trouble is not None and found.job is not None:
            state.trouble = found.job, found.trouble
        if found.job == state.job:
            log.add([one for one in found.lines if one.id > log.newest])
        elif state.job is not None:
            log.clear()
            self.request_jobs()
        self._panes.paint()
        self._told()

    def _show_read_error(self, error: LostkeysError) -> None:
        self._state.load_error = error
        self._panes.paint()
