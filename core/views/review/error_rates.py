"""How many questions are faulty, going by the samples that people have looked at.

A question is faulty if it was edited or rejected. Nothing but a sample tells that of the rest:
suspicious questions are looked at because they are likely to be faulty.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.stats.intervals import Interval, SampledGroup, estimate_share, wilson
from core.views.review.review_queue import ReviewQueue, ReviewStatus
from core.vocabulary import TASKS, QueueKind
from db.reviews import ACCEPTED, EDITED, REJECTED

GUESS = 0.1
"""The error rate by which a sample's interval is foretold while nothing is decided."""

SIZES = (50, 100, 200, 400)
"""Sizes of a sample that are offered."""


@dataclass(frozen=True, slots=True)
class ErrorRateRow:
    """Decisions on `chosen` sampled questions, of `size` that there are of the kind.

    `interval` is Wilson's, 95 %, None before anything is decided.
    """

    name: str
    size: int
    chosen: int
    accepted: int
    edited: int
    rejected: int

    @property
    def decided(self) -> int:
        """Questions with a verdict."""
        return self.accepted + self.faulty

    @property
    def faulty(self) -> int:
        """Questions that were edited or rejected."""
        return self.edited + self.rejected

    @property
    def rate(self) -> float | None:
        """The share of decided questions that are faulty."""
        return self.faulty / self.decided if self.decided else None

    @property
    def interval(self) -> Interval | None:
        """How sure the rate is."""
        return wilson(self.faulty, self.decided)


@dataclass(frozen=True, slots=True)
class ErrorRates:
    """The error rate of all questions by a sample, as a whole and by parts.

    `rate` and `interval` are those of `whole` for a random sample; for a stratified one each
    stratum weighs by its size (`core.stats.intervals.estimate_share`). `faulty` are the least and
    the most questions of all that are likely faulty, those known to be among them. `by_stage`,
    `by_task`, `by_category` are of the random sample, `strata` of a stratified one.
    """

    whole: ErrorRateRow
    rate: float | None
    interval: Interval | None
    faulty: tuple[int, int] | None
    by_stage: tuple[ErrorRateRow, ...] = ()
    by_task: tuple[ErrorRateRow, ...] = ()
    by_category: tuple[ErrorRateRow, ...] = ()
    strata: tuple[ErrorRateRow, ...] = ()

    @property
    def left(self) -> int:
        """Questions of the sample that are not decided."""
        return self.whole.chosen - self.whole.decided

    @property
    def width(self) -> float:
        """How wide the interval gets, in all, once the sample is decided, at this rate."""
        rate = GUESS if self.whole.rate is None else self.whole.rate
        low, high = foretell_interval(max(self.whole.chosen, 1), rate)
        return high - low

    def more_for(self, reach: float) -> int:
        """How many more are to be decided for an interval of +- `reach`, at this rate."""
        rate = GUESS if self.whole.rate is None else self.whole.rate
        return max(0, count_needed(reach, rate) - self.whole.decided)


@dataclass(frozen=True, slots=True)
class Quality:
    """Facts with a question that all of `models` fail, and those of them that were rejected."""

    models: tuple[str, ...]
    facts: int
    flagged: int
    reviewed: int
    rejected: int


def foretell_interval(n: int, rate: float = GUESS) -> Interval:
    """The interval that `n` decisions would give at an error rate."""
    found = wilson(round(n * rate), n)
    assert found is not None
    return found


def count_needed(reach: float, rate: float = GUESS) -> int:
    """The fewest decisions whose interval is `reach` to either side on average, at a rate."""
    if not 0 < reach < 1:
        raise ValueError("an interval reaches more than 0 and less than 1 to either side")
    low, high = 1, 1
    while _width(high, rate) > 2 * reach:
        low, high = high, high * 2
    while low < high:
        middle = (low + high) // 2
        if _width(middle, rate) > 2 * reach:
            low = middle + 1
        else:
            high = middle
    return low


def _width(n: int, rate: float) -> float:
    """The width of Wilson's interval for a share that need not be a whole number of `n`."""
    square = 1.959963984540054**2
    within = rate * (1 - rate) / n + square / (4 * n * n)
    return float(2 * (square * within) ** 0.5 / (1 + square / n))


def rates(
    queue: ReviewQueue,
    categories: Sequence[str],
    stages: Callable[[int], str] = lambda question: "",
) -> ErrorRates:
    """The rates of a sampled queue; of any other nothing can be said (a whole of none).

    `categories` are those of the facts by their place, `stages` tells what made a question.
    """
    if queue.sample is None:
        return ErrorRates(ErrorRateRow("", 0, 0, 0, 0, 0), None, None, None)
    sizes: dict[str, int] = queue.sample.spec["of"]
    everything = sum(sizes.values())
    every = range(len(queue))
    whole = _line(queue, "", everything, every)
    if queue.wanted.kind is QueueKind.STRATIFIED:
        strata = _lines(queue, queue.strata, sizes)
        found = estimate_share([SampledGroup(one.size, one.decided, one.faulty) for one in strata])
        rate = found.share if found else None
        reach = (found.low, found.high) if found else None
        return ErrorRates(whole, rate, reach, _estimate_faulty(whole, strata), strata=strata)
    return ErrorRates(
        whole,
        whole.rate,
        whole.interval,
        _estimate_faulty(whole, [whole]),
        _lines(queue, [stages(key) for key in queue.questions], {}),
        _lines(queue, [str(TASKS[task]) for task in queue.tasks], {}),
        _lines(queue, [categories[fact] or "unknown" for fact in queue.facts], {}),
    )


def _estimate_faulty(whole: ErrorRateRow, lines: Sequence[ErrorRateRow]) -> tuple[int, int] | None:
    """How many of all are likely faulty; a sample of all of them leaves nothing open."""
    found = estimate_share([SampledGroup(one.size, one.decided, one.faulty) for one in lines])
    if found is None:
        return None
    low, high = round(found.low * whole.size), round(found.high * whole.size)
    return max(low, whole.faulty), min(high, whole.size - whole.accepted)


def _lines(
    queue: ReviewQueue, names: Sequence[str], sizes: dict[str, int]
) -> tuple[ErrorRateRow, ...]:
    """A line for each name, those without sampled questions included if they have a size."""
    places: dict[str, list[int]] = {name: [] for name in sorted({*names, *sizes})}
    for place, name in enumerate(names):
        places[name].append(place)
    return tuple(_line(queue, name, sizes.get(name, 0), mine) for name, mine in places.items())


def _line(queue: ReviewQueue, name: str, size: int, places: Sequence[int]) -> ErrorRateRow:
    said = [queue.standing.get(queue.questions[place], ReviewStatus()).verdict for place in places]
    return ErrorRateRow(
        name, size, len(places), *(said.count(one) for one in (ACCEPTED, EDITED, REJECTED))
    )
