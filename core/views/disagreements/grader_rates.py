"""How often each grader was wrong in what has been decided so far: counts.

Disagreements come by what they would change, then by fact. What is decided first is no sample of
the rest, so no rate of all follows from it; that of an audit stands beside the counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.stats.intervals import ShareEstimate
from core.views.disagreements.disagreement_queue import DisagreementQueue

RECENT = 10 * 60_000
"""Milliseconds before the newest decision over which the pace is taken: pauses end it."""


@dataclass(frozen=True, slots=True)
class GraderRate:
    """One grader: `wrong` of `decided` disagreements.

    A grader is wrong where a person's label is another than the one that it gave. `audited` is the
    share of all answers in which it is wrong, as an audit found it; None without an audit.
    """

    grader: str
    wrong: int
    decided: int
    audited: ShareEstimate | None = None


@dataclass(frozen=True, slots=True)
class GraderRates:
    """Both graders' counts over a queue, and how far it is decided.

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
    """What follows from what is decided; `times` of decisions are in milliseconds."""
    columns, decided = queue.columns, queue.decided
    done = np.flatnonzero(decided)
    seen = np.bincount(columns.group[done], minlength=len(queue.sizes)).tolist()
    own = decided[done].astype(np.intp) - 1
    a, b = (
        GraderRate(
            grader or "",
            int(np.count_nonzero((labels[done] != own) & (labels[done] >= 0))),
            done.size,
        )
        for grader, labels in ((queue.lens.a, columns.a), (queue.lens.b, columns.b))
    )
    return GraderRates(
        a, b, tuple(zip(seen, queue.sizes, strict=True)), pace_of(times), tuple(times)
    )


def add_decision(before: GraderRates, queue: DisagreementQueue, now: int) -> GraderRates:
    """The counts once one more decision, made `now` (milliseconds), stands in the queue."""
    found = rates(queue, (now, *before.times))
    a, b = replace(found.a, audited=before.a.audited), replace(found.b, audited=before.b.audited)
    return replace(found, a=a, b=b)


def pace_of(times: Sequence[int]) -> float | None:
    """Decisions per minute over the ten minutes before the newest; None before two.

    `times` are in milliseconds.
    """
    newest = max(times, default=0)
    recent = [at for at in times if newest - at <= RECENT]
    took = newest - min(recent, default=0)
    return (len(recent) - 1) * 60_000 / took if len(recent) > 1 and took else None
