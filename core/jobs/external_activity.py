"""Other programs at work: that one answers, seen by growing numbers, and a job that is followed."""

import time
from collections.abc import Callable, Mapping

from core.jobs.job_list import HELD
from core.jobs.job_progress import JobProgress, Meter, State
from core.jobs.job_view import JobView, naming, phase_of, unit_of
from core.scoring.label_counts import LabelCounts

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
            self._meter, self._model = Meter(now), model
        assert self._meter is not None
        self._meter.mark(now, self._meter.done + grown[model])
        self._last = now

    def pass_over(self, answers: Mapping[str, int]) -> None:
        """Take in numbers after something was written here: what grew by that is one's own."""
        self._before = answers

    def progress(self) -> JobProgress | None:
        """What another program does, None where nothing has come for a while."""
        now = self._clock()
        if self._meter is None or now - self._last > QUIET:
            return None
        rate = self._meter.rate(now)
        return JobProgress(
            "another program answers", self._model, "answers", State.RUNNING, rate=rate
        )


class Followed:
    """A job that another program works on, told again and again how it stands."""

    def __init__(
        self, job: int, clock: Callable[[], float] = time.monotonic, whose: str = ""
    ) -> None:
        """`whose` stands before what the job does, where nobody would think of another program."""
        self.job = job
        self._clock, self._whose = clock, whose
        self._meter: Meter | None = None
        self._before = 0
        self._view: JobView | None = None

    def take(self, view: JobView) -> None:
        """Take in how it stands now."""
        now = self._clock()
        if self._view is None or view.total != self._view.total or self._meter is None:
            self._meter, self._before = Meter(now), view.done
        self._meter.mark(now, view.done - self._before)
        self._view = view

    def progress(self) -> JobProgress | None:
        """How far it is, for a status line; None while nobody knows, and at its end."""
        view, meter, now = self._view, self._meter, self._clock()
        if view is None or view.spec is None or meter is None or view.state not in HELD:
            return None
        doing, name = naming(view.spec, phase_of(view.stages))
        return JobProgress(
            self._whose + doing,
            name,
            unit_of(view.spec),
            view.state,
            view.done,
            view.total,
            rate=meter.rate(now),
            left=meter.left(now, view.total - view.done),
        )


def answers(tally: LabelCounts) -> dict[str, int]:
    """How many answers each model of a tally has."""
    return {
        model: sum(int(tally.drawn[row].sum()) for row in tally.rows[place] if row >= 0)
        for place, model in enumerate(tally.models)
    }
