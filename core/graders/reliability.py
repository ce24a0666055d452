"""Whether a grader's chances are what they say, and how right it is where it is surest.

Source: Brier (1950); Naeini, Cooper and Hauskrecht (2015), the expected calibration error over ten
bins of equal width; Geifman and El-Yaniv (2017), accuracy by coverage.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

BINS = 10
COVERAGES = tuple(part / 10 for part in range(10, 0, -1))


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Answers whose chances lie between two tenths: how many, their mean chance, those right."""

    n: int
    chance: float
    right: float


@dataclass(frozen=True, slots=True)
class Reliability:
    """Chances beside what people said.

    `brier`: mean squared error of a chance. `ece`: how far chances and shares are apart on
    average. `coverage`: accuracy by chance of the surest part of the answers, all first. `bins`
    leave out empty ones.
    """

    brier: float
    ece: float
    coverage: tuple[tuple[float, float], ...]
    bins: tuple[ReliabilityBin, ...]

    def as_json(self) -> dict[str, object]:
        """The keys that `graders evaluate --json` adds."""
        return {
            "brier": self.brier,
            "ece": self.ece,
            "coverage": [
                {"coverage": part, "accuracy": accuracy} for part, accuracy in self.coverage
            ],
            "reliability": [
                {"n": one.n, "chance": one.chance, "right": one.right} for one in self.bins
            ],
        }


def measure_reliability(chances: Sequence[float], right: Sequence[bool]) -> Reliability:
    """How chances of being right compare with what was right; there has to be at least one.

    Of the surest part the number of answers is rounded; equally sure ones stand in their order.
    """
    p, hit = np.array(chances, np.float64), np.array(right, np.bool_)
    n = p.size
    place = np.minimum((p * BINS).astype(np.intp), BINS - 1)
    bins = tuple(
        ReliabilityBin(int(of.sum()), float(p[of].mean()), float(hit[of].mean()))
        for of in (place == at for at in range(BINS))
        if of.any()
    )
    surest = np.argsort(-np.maximum(p, 1 - p), kind="stable")
    agrees = ((p >= 0.5) == hit)[surest]
    return Reliability(
        float(np.mean((p - hit) ** 2)),
        sum(one.n * abs(one.chance - one.right) for one in bins) / n,
        tuple((part, float(agrees[: max(1, round(part * n))].mean())) for part in COVERAGES),
        bins,
    )
