"""Exact tests of paired yes-or-no outcomes.

Source: McNemar (1947), in its exact form a binomial test of the pairs that differ; Benjamini and
Yekutieli (2001) for several tests at once, whatever their dependence.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Q = 0.05
"""False discovery rate that is accepted."""

COUNTED = 2_000
"""Pairs up to which all falls are counted, in less than a millisecond."""


@dataclass(frozen=True, slots=True)
class PairedTest:
    """The chance of so uneven a split or worse, alone and adjusted for all tests made together."""

    p: float
    p_adjusted: float

    @property
    def significant(self) -> bool:
        """Whether it holds at the rate that is accepted."""
        return self.p_adjusted <= Q


def mcnemar(pairs: Sequence[tuple[int, int]]) -> list[PairedTest]:
    """Exact two-sided tests of how many pairs differ one way and the other; p = 1 without any."""
    values = np.array([_binomial_test(*pair) for pair in pairs])
    return [PairedTest(*found) for found in zip(values.tolist(), _adjust(values), strict=True)]


def interval_level(tests: Sequence[PairedTest | None]) -> float:
    """The level at which intervals of tested differences say what their adjusted tests say.

    The interval of a difference that is significant leaves out 0, that of another does not: each
    is as sure as the step of the procedure at which it stopped, 1 - R q / (m sum 1/k), with R of m
    tests significant, at least one. One test alone has 1 - q.

    Source: Benjamini and Yekutieli (2005), confidence intervals adjusted for several parameters.
    """
    made = [one for one in tests if one is not None]
    if not made:
        return 1 - Q
    hits = max(1, sum(one.significant for one in made))
    return 1 - hits * Q / (len(made) * sum(1 / rank for rank in range(1, len(made) + 1)))


def _binomial_test(one: int, other: int) -> float:
    """The chance that fair coins fall as unevenly as `one` to `other`, or more so."""
    if one == other:
        return 1.0
    share = _exact_tail if one + other <= COUNTED else _summed_tail
    return min(1.0, 2 * share(one + other, min(one, other)))


def _exact_tail(coins: int, most: int) -> float:
    """The share of all falls with at most so many heads, by counting them."""
    ways = falls = 1
    for heads in range(most):
        ways = ways * (coins - heads) // (heads + 1)
        falls += ways
    return falls / (1 << coins)


def _summed_tail(coins: int, most: int) -> float:
    """The same to 13 digits: each number of heads against the middle one, from there down."""
    middle, odd = divmod(coins, 2)
    heads = np.arange(middle, 0, -1.0)
    weights = np.cumprod(np.concatenate([[1.0], heads / (coins - heads + 1)]))
    whole = 2 * weights.sum() - (1 - odd)
    return float(weights[middle - most :].sum() / whole)


def _adjust(values: npt.NDArray[np.float64]) -> list[float]:
    """Chances adjusted for all tests made together, as Benjamini and Yekutieli do."""
    order = np.argsort(values)
    ranks = np.arange(1, values.size + 1)
    raised = values[order] * (values.size / ranks) * np.sum(1 / ranks)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum.accumulate(raised[::-1])[::-1]
    return np.clip(adjusted, 0, 1).tolist()  # type: ignore[no-any-return]
