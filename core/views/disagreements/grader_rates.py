"""How often each grader is wrong, going by what has been decided so far."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.results.disagreements import Ints
from core.stats import intervals
from core.stats.intervals import Interval
from core.views.disagreements.disagreement_queue import DisagreementQueue

RECENT = 10 * 60_000
"""Milliseconds before the newest decision over which the pace is taken: pauses end it."""


@dataclass(frozen=True, slots=True)
class GraderRate:
    """One grader: `wrong` of `decided` disagreements.

    A grader is wrong where a person's label is another. `interval` is Wilson's, 95 %. `weighted`
    estimates the rate among all disagreements of the queue, each group by its own size
    (`core.stats.intervals.stratified`), since those that matter are shown first. All are None
    before anything is decided.
    """

    grader: str
    wrong: int
    decided: int
    interval: Interval | None
    weighted: float | None
    weighted_interval: Interval | None

    @property
    def rate(self) -> float | None:
        """The share of decided disagreements in which the grader was wrong."""
        return self.wrong / self.decided if self.decided else None


@dataclass(frozen=True, slots=True)
class GraderRates:
    """Both graders' rates over a queue, and how far it is decided.

    `groups` are (decided, all) of each `Group` in order. `per_minute` are decisions per minute
    over the ten minutes before the newest, one that covers several answers counted once; None
    before two. `times` are those of the newest decisions, in milliseconds.
    """

    a: GraderRate
    b: GraderRate
    groups: tuple[tuple[int, int], ...]
    per_minute: float | None
    times: tuple[int, ...] = ()

    @property
    def counted(self) -> tuple[GraderRate, GraderRate, tuple[tuple[int, int], ...]]:
        """What follows from the decisions alone, whenever they were made."""
        return self.a, self.b, self.groups

    @property
    def decided(self) -> int:
        """Rows decided."""
        return sum(done for done, _ in self.groups)

    @property
    def total(self) -> int:
        """Rows of the queue."""
        return sum(size for _, size in self.groups)


def rates(queue: DisagreementQueue, times: Sequence[int]) -> GraderRates:
    """The rates that follow from what is decided; `times` of decisions are in milliseconds."""
    columns, decided = queue.columns, queue.decided
    done = np.flatnonzero(decided)
    seen = np.bincount(columns.group[done], minlength=len(queue.sizes)).tolist()
    groups = tuple(zip(seen, queue.sizes, strict=True))
    own = decided[done].astype(np.intp) - 1
    a, b = (
        _rate(grader or "", columns.group[done[labels[done] != own]].astype(np.intp), groups)
        for grader, labels in ((queue.lens.a, columns.a), (queue.lens.b, columns.b))
    )
    return GraderRates(a, b, groups, _pace(times), tuple(times))


def one_more(before: GraderRates, queue: DisagreementQueue, now: int) -> GraderRates:
    """The rates once one more decision, made `now` (milliseconds), stands in the queue."""
    return rates(queue, (now, *before.times))


def _rate(grader: str, wrong: Ints, groups: Sequence[tuple[int, int]]) -> GraderRate:
    """The rate of one grader; `wrong` has the group of each disagreement it was wrong in."""
    hits = np.bincount(wrong, minlength=len(groups)).tolist()
    decided = sum(seen for seen, _ in groups)
    found = intervals.stratified(
        [
            intervals.SampledGroup(size, seen, hit)
            for (seen, size), hit in zip(groups, hits, strict=True)
        ]
    )
    return GraderRate(
        grader,
        wrong.size,
        decided,
        intervals.wilson(wrong.size, decided),
        found.share if found else None,
        (found.low, found.high) if found else None,
    )


def _pace(times: Sequence[int]) -> float | None:
    newest = max(times, default=0)
    recent = [at for at in times if newest - at <= RECENT]
    took = newest - min(recent, default=0)
    return (len(recent) - 1) * 60_000 / took if len(recent) > 1 and took else None
