"""How sure a share is: intervals for counts, and for samples taken by groups.

What is counted is taken as independent; `cluster_intervals` does without.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

Interval = tuple[float, float]
"""Lower and upper limit."""

LEVEL = 0.95


def wilson(hits: float, n: float, level: float = LEVEL) -> Interval | None:
    """Interval of the share of `hits` in `n`, effective ones where they are no whole numbers.

    None without any. Source: Wilson (1927), the score interval.
    """
    if n == 0:
        return None
    square = quantile(level) ** 2
    share = hits / n
    middle = (share + square / (2 * n)) / (1 + square / n)
    reach = sqrt(square * (share * (1 - share) / n + square / (4 * n * n))) / (1 + square / n)
    low = 0.0 if hits == 0 else max(0.0, middle - reach)
    high = 1.0 if hits == n else min(1.0, middle + reach)
    return low, high


def difference_interval(only_a: int, only_b: int, n: int, level: float = LEVEL) -> Interval | None:
    """Interval of the share of b less that of a over `n` pairs; None without any.

    `only_a` and `only_b` count the pairs in which one of them alone hits.

    Source: Agresti and Min (2005), half a pair added to each of the four cells, then Wald.
    """
    if n == 0:
        return None
    a, b, pairs = only_a + 0.5, only_b + 0.5, n + 2
    middle = (b - a) / pairs
    reach = quantile(level) * sqrt((a + b - (b - a) ** 2 / pairs) / pairs**2)
    return max(-1.0, middle - reach), min(1.0, middle + reach)


def mean_interval(values: npt.NDArray[np.floating], level: float = LEVEL) -> Interval | None:
    """Interval of a mean by the normal distribution; None of fewer than two values.

    Where all values are equal it reaches as far as that of `difference_interval` does of pairs
    that all agree: so few values that are alike do not make it sure.
    """
    if values.size < 2:
        return None
    middle = float(values.mean())
    error = float(values.std(ddof=1)) / sqrt(values.size)
    reach = quantile(level) * (error if np.ptp(values) else 1 / (values.size + 2))
    return middle - reach, middle + reach


def join_intervals(value: float, one: Interval, other: Interval) -> Interval:
    """The interval that carries the doubts of both, their distances from the value squared.

    Source: Zou and Donner (2008), limits of a sum out of those of its parts (MOVER).
    """
    low = sqrt(max(value - one[0], 0) ** 2 + max(value - other[0], 0) ** 2)
    high = sqrt(max(one[1] - value, 0) ** 2 + max(other[1] - value, 0) ** 2)
    return value - low, value + high


@dataclass(frozen=True, slots=True)
class SampledGroup:
    """A part of what is judged: how many there are, how many were seen, how many of them hit."""

    size: int
    seen: int
    hits: int


@dataclass(frozen=True, slots=True)
class ShareEstimate:
    """A share of all, with its interval."""

    share: float
    low: float
    high: float


def estimate_share(groups: Sequence[SampledGroup], level: float = LEVEL) -> ShareEstimate | None:
    """The share of hits in all groups together, each weighed by its size; None if none was seen.

    For what is seen group after group, so that the first groups are seen in full and the last
    hardly. The share is sum(W p) with W = size / all. Its limits put the groups' Wilson limits
    l and u together: share - sqrt(sum(W^2 (p - l)^2)) and share + sqrt(sum(W^2 (u - p)^2)), in
    which a group's distances shrink by sqrt(1 - (seen - 1) / (size - 1)), to nothing where it
    was seen in full. A group of which nothing was seen counts as the others, between 0 and 1.
    Within a group what was seen is taken for a fair sample.

    Source: Zou, Huang and Zhang (2009), limits of a sum of shares out of those of each; Cochran
    (1977), chapters 2 and 5, for groups and for samples of few.
    """
    there = [group for group in groups if group.size > 0]
    seen = [group for group in there if group.seen > 0]
    if not seen:
        return None
    middle = sum(one.size * one.hits / one.seen for one in seen) / sum(one.size for one in seen)
    everything = sum(group.size for group in there)
    share = below = above = 0.0
    for group in there:
        weight = group.size / everything
        own, low, high = _limits(group, middle, level)
        share += weight * own
        below += (weight * (own - low)) ** 2
        above += (weight * (high - own)) ** 2
    return ShareEstimate(share, max(0.0, share - sqrt(below)), min(1.0, share + sqrt(above)))


def _limits(group: SampledGroup, middle: float, level: float) -> tuple[float, float, float]:
    """Share of a group with its limits, `middle` standing in where nothing was seen."""
    limits = wilson(group.hits, group.seen, level)
    if limits is None:
        return middle, 0.0, 1.0
    own = group.hits / group.seen
    rest = sqrt((group.size - group.seen) / (group.size - 1)) if group.size > 1 else 0.0
    return own, own - rest * (own - limits[0]), own + rest * (limits[1] - own)


def quantile(level: float) -> float:
    """How many standard errors an interval of a level reaches to either side."""
    return NormalDist().inv_cdf((1 + level) / 2)
