"""Other programs at work, seen by growing numbers of answers."""

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.jobs.job_progress import JobProgress, Meter

QUIET = 10.0
"""Seconds without a new answer after which nobody is said to be at work."""

ECHO = 3.0
"""Seconds after a job here in which what it wrote last may still come to light."""


class ExternalActivity:
    """Told the numbers of answers again and again, it says who else brings some."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._before: Mapping[str, int] | None = None
        self._here = -ECHO
        self._last = 0.0
        self._model = ""
        self._meter: Meter | None = None

    def take(self, answers: Mapping[str, int], here: bool) -> None:
        """Take in how many answers each model has now; `here` is whether a job here runs."""
        now, before, self._before = self._clock(), self._before, answers
        self._here = now if here else self._here
        if here or before is None or now - self._here < ECHO:
            return
        grown = {model: count - before.get(model, 0) for model, count in answers.items()}
        model = max(grown, key=lambda name: grown[name], default="")
        if not model or grown[model] <= 0:
            return
        if self.progress() is None or model != self._model:
            from core.jobs.job_progress import Meter

            self._meter, self._model = Meter(now), model
        assert self._meter is not None
        self._meter.mark(now, self._meter.done + grown[model])
        self._last = now

    def end_here(self) -> None:
        """A job here is over, perhaps before it was seen to run."""
        self._here = self._clock()

    def pass_over(self, answers: Mapping[str, int]) -> None:
        """Take in numbers after something was written here: what grew by that is one's own."""
        self._before = answers

    def progress(self) -> "JobProgress | None":
        """What another program does, None where nothing has come for a while."""
        now = self._clock()
        if self._meter is None or now - self._last > QUIET:
            return None
        from core.jobs.job_progress import JobProgress, State

        rate = self._meter.rate(now)
        return JobProgress(
            "another program answers", self._model, "answers", State.RUNNING, rate=rate
        )
