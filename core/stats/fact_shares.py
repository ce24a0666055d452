"""Shares over facts, and where they would lie for other facts of the kind as graders label them.

An interval carries the doubt of facts, and that of draws with it, since each fact has its own. It
is blind to errors of the graders: an audit carries these. A share whose numerator lies in its
denominator has Wilson's interval, so that 0 and 1 have width. Gaps, and table 2's shares of known
facts, have the normal interval of a ratio: r +- z sqrt(sum (a - r b)^2) / sum b.

Source: Wilson (1927); Cochran (1977), chapter 6, for ratios.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

from core.dataset.subsets import Mask
from core.stats.intervals import LEVEL, Interval, quantile, wilson

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
        return _around(share, _residues(self)) if n > 1 else None


@dataclass(frozen=True, slots=True)
class Gap:
    """A difference of two shares with its interval; None where either says nothing."""

    value: float | None
    interval: Interval | None


def gap(one: FactShare, other: FactShare) -> Gap:
    """The first share less the second; what belongs to one fact stays together in its interval."""
    if one.share is None or other.share is None:
        return Gap(None, None)
    value = one.share - other.share
    if min(one.n, other.n) < 2:
        return Gap(value, None)
    return Gap(value, _around(value, _residues(one) - _residues(other)))


def mean_gap(pairs: Sequence[tuple[FactShare, FactShare]]) -> Gap:
    """The mean over pairs of the first share less the second; facts may be in several pairs."""
    gaps = [gap(one, other).value for one, other in pairs]
    known = [value for value in gaps if value is not None]
    if not pairs or len(known) < len(pairs):
        return Gap(None, None)
    value = sum(known) / len(known)
    if min(rate.n for pair in pairs for rate in pair) < 2:
        return Gap(value, None)
    residues = sum(_residues(one) - _residues(other) for one, other in pairs) / len(pairs)
    return Gap(value, _around(value, np.asarray(residues)))


def _residues(rate: FactShare) -> npt.NDArray[np.float64]:
    """How each fact moves the share: (a - r b) / sum b, shape (facts,)."""
    n, share = rate.n, rate.share or 0.0
    found: npt.NDArray[np.float64] = (rate.hits - share * rate.base) / n
    return found


def _around(value: float, residues: npt.NDArray[np.float64]) -> Interval:
    reach = quantile(LEVEL) * sqrt(float(residues @ residues))
    return value - reach, value + reach
