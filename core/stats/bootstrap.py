"""How sure shares over facts are: the bootstrap over facts.

A resample takes as many facts as there are, with replacement, and every share is taken of it
again. All shares, of all models, are taken of the same resamples: what belongs to one fact
stays together, so the interval of a gap between two shares is right, too. Which facts a
resample takes follows from the seed and the number of facts alone, so numbers computed apart
from each other are of the same resamples.

Source: Efron (1979); percentile intervals.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.dataset.subsets import Mask
from core.stats.intervals import Interval

RESAMPLES = 1_000
SEED = 1
LEVEL = 0.9
PERCENTILES = (5, 95)
RECORDED: dict[str, int | float] = {"level": LEVEL, "resamples": RESAMPLES, "seed": SEED}
"""What a reader needs to get the same intervals again."""

AT_ONCE = 1 << 22
"""Numbers of an intermediate array, so that many facts need time but no more memory."""

Shares = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FactShare:
    """A share over facts: how many are `hits` for each that is in `base`, both (facts,).

    Hits need not be of the base: table 2's shares of known facts are not.
    """

    hits: Mask
    base: Mask

    @property
    def n(self) -> int:
        """The denominator."""
        return int(np.count_nonzero(self.base))

    @property
    def share(self) -> float | None:
        """The share itself; None for 0 / 0."""
        n = self.n
        return int(np.count_nonzero(self.hits)) / n if n else None


@dataclass(frozen=True, slots=True)
class Gap:
    """A difference of two shares with its interval; None where either says nothing."""

    value: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Resampled:
    """Rates with the shares that resamples have, shape (rates, resamples), NaN for 0 / 0."""

    rates: Sequence[FactShare]
    shares: Shares

    def interval(self, place: int) -> Interval | None:
        """The interval of one rate; None if fewer than two facts stand behind it."""
        return None if self.rates[place].n < 2 else _limits(self.shares[place])

    def gap(self, first: int, second: int) -> Gap:
        """The first share less the second."""
        one, other = self.rates[first], self.rates[second]
        if one.share is None or other.share is None:
            return Gap(None, None)
        few = min(one.n, other.n) < 2
        limits = None if few else _limits(self.shares[first] - self.shares[second])
        return Gap(one.share - other.share, limits)


def resample(
    rates: Sequence[FactShare], facts: Mask, resamples: int = RESAMPLES, seed: int = SEED
) -> Resampled:
    """The rates under resamples of these facts; only what rates have of these facts counts."""
    places = np.flatnonzero(facts)
    clipped = [FactShare(rate.hits & facts, rate.base & facts) for rate in rates]
    # Rates often share their base; it is summed once.
    masks = {id(mask): mask for rate in rates for mask in (rate.hits, rate.base)}
    rows = {key: row for row, key in enumerate(masks)}
    sums = np.zeros((len(masks), resamples))
    if places.size and rates:
        parts = [mask[places] for mask in masks.values()]
        random = np.random.default_rng([seed, places.size])
        step = max(1, AT_ONCE // places.size)
        for start in range(0, resamples, step):
            taken = _taken(random, min(step, resamples - start), places.size)
            sums[:, start : start + len(taken)] = _summed(parts, taken)
    hits = sums[[rows[id(rate.hits)] for rate in rates]]
    bases = sums[[rows[id(rate.base)] for rate in rates]]
    shares = np.full((len(rates), resamples), np.nan)
    np.divide(hits, bases, out=shares, where=bases > 0)
    return Resampled(clipped, shares)


def intervals(
    rates: Sequence[FactShare], facts: Mask, resamples: int = RESAMPLES, seed: int = SEED
) -> list[Interval | None]:
    """The interval of each rate alone."""
    found = resample(rates, facts, resamples, seed)
    return [found.interval(place) for place in range(len(rates))]


def _taken(random: np.random.Generator, resamples: int, size: int) -> npt.NDArray[np.float32]:
    """How often each resample takes each fact, shape (resamples, facts)."""
    drawn = random.integers(0, size, (resamples, size))
    drawn += np.arange(resamples)[:, None] * size
    counts = np.bincount(drawn.ravel(), minlength=resamples * size)
    return counts.reshape(resamples, size).astype(np.float32)


def _summed(parts: Sequence[Mask], taken: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """How many facts of each part are in each resample; whole numbers, exact below 2^24."""
    size = taken.shape[1]
    step = max(1, AT_ONCE // size)
    sums = [
        np.stack(parts[start : start + step]).astype(np.float32) @ taken.T
        for start in range(0, len(parts), step)
    ]
    return np.concatenate(sums)


def _limits(shares: Shares) -> Interval | None:
    """Linear percentiles over the resamples in which there is anything to divide by."""
    there = shares[~np.isnan(shares)]
    if not there.size:
        return None
    low, high = (float(one) for one in np.percentile(there, PERCENTILES))
    return low, high
