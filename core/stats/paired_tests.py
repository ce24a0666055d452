"""Exact tests of paired yes-or-no outcomes.

Source: McNemar (1947), in its exact form a binomial test of the pairs that differ; Benjamini and
Yekutieli (2001) for several tests at once, whatever their dependence.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module

Q = 0.05
"""False discovery rate that is accepted."""


@dataclass(frozen=True, slots=True)
class Tested:
    """The chance of so uneven a split or worse, alone and adjusted for all tests made together."""

    p: float
    p_adjusted: float

    @property
    def significant(self) -> bool:
        """Whether it holds at the rate that is accepted."""
        return self.p_adjusted <= Q


def prepare() -> None:
    """Load what the tests need, ahead of them: it takes longer than all analyses."""
    import_module("scipy.stats")


def mcnemar(pairs: Sequence[tuple[int, int]]) -> list[Tested]:
    """Exact two-sided tests of how many pairs differ one way and the other; p = 1 without any."""
    # Loading scipy.stats takes longer than all analyses.
    from scipy.stats import binomtest, false_discovery_control  # type: ignore[import-untyped]

    values = [
        float(binomtest(one, one + other, 0.5).pvalue) if one + other else 1.0
        for one, other in pairs
    ]
    adjusted = false_discovery_control(values, method="by") if values else []
    return [Tested(p, float(q)) for p, q in zip(values, adjusted, strict=True)]
