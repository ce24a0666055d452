"""Shares over facts, and where they would lie for other facts of the kind as graders label them.

An interval carries the doubt of facts, and that of draws with it, since each fact has its own. It
is blind to errors of the graders: an audit carries these. A share whose numerator lies in its
denominator has Wilson's interval, so that 0 and 1 have width. Gaps, and table 2's shares of known
facts, have the normal interval of a ratio, r +- z sqrt(sum (a - r b)^2) / sum b, within what is
possible. Where no fact differs from r it would have no width: a share has Wilson's then, a gap over
the same facts that of pairs that all agree, another gap puts together those of its shares (MOVER).

Source: Wilson (1927); Cochran (1977), chapter 6, for ratios.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

from core.dataset.subsets import Mask
from core.stats.intervals import (
    LEVEL,
    Interval,
    difference_interval,
    join_intervals,
    quantile,
    wilson,
)

RECORDED: dict[str, float | str] = {"level": LEVEL, "scope": "graded"}
"""What a reader needs to know of the intervals: how sure, and which doubts they carry."""


@dataclass(frozen=True, slots=True)
class FactShare:
    """A share over facts: how many are `hits` for each that is in `base`, both (facts,).

    `within`: hits are of the base by what they are; table 2's shares of known facts are not.
    """

    hits: Mask
    base: Mask
    within: bool = True

    @property
    def n(self) -> int:
        """The denominator."""
        return int(np.count_nonzero(self.base))

    @property
    def share(self) -> float | None:
        """The share itself; None for 0 / 0."""
        n = self.n
        return int(np.count_nonzero(self.hits)) / n if n else None

    @property
    def interval(self) -> Interval | None:
        """Its 95 % interval; None where there is none."""
        n, share = self.n, self.share
        if share is None:
            return None
        if self.within:
            return wilson(int(np.count_nonzero(self.hits)), n)
        return ratio_interval(share, _residues(self) * n, n)


@dataclass(frozen=True, slots=True)
class Gap:
    """A difference of two shares with its interval; None where either says nothing."""

    value: float | None
    interval: Interval | None


def ratio_interval(
    share: float, residues: npt.NDArray[np.float64], n: float, level: float = LEVEL
) -> Interval | None:
    """Interval of a share whose hits may lie outside of its `n` facts; `residues` are a - r b.

    It ends at 0 and at 1, or at the share itself where that is above 1.
    """
    if not residues.any():
        return wilson(min(max(share, 0.0), 1.0) * n, n, level)
    reach = quantile(level) * sqrt(float(residues @ residues)) / n
    return max(0.0, share - reach), min(max(1.0, share), share + reach)


def gap(one: FactShare, other: FactShare, level: float = LEVEL) -> Gap:
    """The first share less the second; what belongs to one fact stays together in its interval."""
    if one.share is None or other.share is None:
        return Gap(None, None)
    value = one.share - other.share
    residues = _residues(one) - _residues(other)
    if residues.any():
        return Gap(value, _around(value, residues, level))
    if np.array_equal(one.base, other.base):
        plus = int(np.count_nonzero(one.hits & ~other.hits))
        minus = int(np.count_nonzero(other.hits & ~one.hits))
        return Gap(value, difference_interval(minus, plus, one.n, level))
    first, second = (_limits(rate, level) for rate in (one, other))
    turned = one.share - second[1], one.share - second[0]
    shifted = first[0] - other.share, first[1] - other.share
    low, high = join_intervals(value, shifted, turned)
    return Gap(value, (max(-1.0, low), min(1.0, high)))


def mean_gap(pairs: Sequence[tuple[FactShare, FactShare]]) -> Gap:
    """The mean over pairs of the first share less the second; facts may be in several pairs."""
    shares = [(one.share, other.share) for one, other in pairs]
    known = [one - other for one, other in shares if one is not None and other is not None]
    if not pairs or len(known) < len(pairs):
        return Gap(None, None)
    value = sum(known) / len(known)
    residues = sum(_residues(one) - _residues(other) for one, other in pairs) / len(pairs)
    if np.any(residues):
        return Gap(value, _around(value, np.asarray(residues), LEVEL))
    limits = np.array([gap(one, other).interval for one, other in pairs])
    low, high = limits.mean(axis=0).tolist()
    return Gap(value, (low, high))


def _residues(rate: FactShare) -> npt.NDArray[np.float64]:
    """How each fact moves the share: (a - r b) / sum b, shape (facts,)."""
    n, share = rate.n, rate.share or 0.0
    found: npt.NDArray[np.float64] = (rate.hits - share * rate.base) / n
    return found


def _limits(rate: FactShare, level: float) -> Interval:
    """Wilson's limits of a share that has facts."""
    limits = wilson(int(np.count_nonzero(rate.hits & rate.base)), rate.n, level)
    assert limits is not None
    return limits


def _around(value: float, residues: npt.NDArray[np.float64], level: float) -> Interval:
    """The interval of a gap, within -1 and 1."""
    reach = quantile(level) * sqrt(float(residues @ residues))
    return max(-1.0, value - reach), min(1.0, value + reach)
