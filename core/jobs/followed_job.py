"""A job that another program works on, followed from here."""

import time
from collections.abc import Callable

from core.jobs.job_list import HELD
from core.jobs.job_progress import JobProgress, Meter
from core.jobs.job_view import JobView, name_work, phase_of, unit_of


class FollowedJob:
    """A job that another program works on, told again and again how it stands."""

    def __init__(
        self, job: int, clock: Callable[[], float] = time.monotonic, whose: str = ""
    ) -> None:
        """`whose` stands before what the job does, where nobody would think of another program."""
        self.job = job
        self._clock, self._whose = clock, whose
        self._meter: Meter | None = None
        self._metered: list[str] = []
        self._before = 0
        self._view: JobView | None = None

    def take(self, view: JobView) -> None:
        """Take in how it stands now."""
        now = self._clock()
        stages = phase_of(view.stages)
        names, done = [one.name for one in stages], sum(one.done for one in stages)
        if names != self._metered or self._meter is None:
            self._meter, self._metered, self._before = Meter(now), names, done
        self._meter.mark(now, done - self._before)
        self._view = view

    def progress(self) -> JobProgress | None:
        """How far it is, for a status line; None while nobody knows, and at its end."""
        view, meter, now = self._view, self._meter, self._clock()
        if view is None or view.spec is None or meter is None or view.state not in HELD:
            return None
        stages = phase_of(view.stages)
        doing, name = name_work(view.spec, stages)
        return JobProgress(
            self._whose + doing,
            name,
            unit_of(view.spec, stages),
            view.state,
            sum(one.done for one in stages),
            sum(one.total for one in stages),
            rate=meter.rate(now),
            left=meter.estimate_left(now, sum(one.left for one in stages)),
        )
