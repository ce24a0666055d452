"""The figures of an arm: what its answers score, over all triples of a table or by groups.

FACT-BENCH, section 3.1 (metrics) and table 13.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt

from core.dataset.subsets import Mask
from core.stats.intervals import wilson

EM, F1, JUDGE = "em", "f1", "judge"

METRICS: Mapping[str, str] = {
    EM: "exact match",
    F1: "F1",
    JUDGE: "judged right",
}
"""What arms are compared by, and how it is called."""


@dataclass(frozen=True, slots=True)
class ArmScores:
    """The answers of one arm, shape (triples,) each; scores are 0 where there is no answer.

    `exemplars` are triples that were sent with the questions: no figure is over them.
    """

    answered: Mask
    em: Mask
    em_raw: Mask
    f1: npt.NDArray[np.float64]
    f1_raw: npt.NDArray[np.float64]
    judged: Mask
    judged_right: Mask
    exemplars: Mask


@dataclass(frozen=True, slots=True)
class ArmFigures:
    """The figures of a row: fractions, None where nothing is counted.

    `n` triples have an answer, `missing` have none; `judge_n` answers have a label of the judge.
    """

    n: int
    missing: int
    em: float | None = None
    em_raw: float | None = None
    f1: float | None = None
    f1_raw: float | None = None
    judge: float | None = None
    judge_n: int = 0
    em_low: float | None = None
    em_high: float | None = None

    def as_json(self) -> dict[str, object]:
        """The figures by their names."""
        return asdict(self)


def count_figures(scores: ArmScores, wanted: Mask) -> ArmFigures:
    """The figures over these triples."""
    return count_by_group(scores, wanted, np.zeros(wanted.size, np.intp), 1)[0]


def count_by_group(
    scores: ArmScores, wanted: Mask, groups: npt.NDArray[np.intp], count: int
) -> list[ArmFigures]:
    """The figures of each of `count` groups; `groups` has the group of each triple."""
    counted = wanted & ~scores.exemplars
    answered = counted & scores.answered
    of = groups[answered]

    def add(values: npt.NDArray[np.generic]) -> list[float]:
        sums: list[float] = np.bincount(of, values[answered], count).tolist()
        return sums

    there = np.bincount(groups[counted], minlength=count).tolist()
    n = np.bincount(of, minlength=count).tolist()
    columns = [add(one) for one in (scores.em, scores.em_raw, scores.f1, scores.f1_raw)]
    judged, right = add(scores.judged), add(scores.judged_right)
    return [
        _figures(n[at], there[at] - n[at], [one[at] for one in columns], judged[at], right[at])
        for at in range(count)
    ]


def _figures(
    n: int, missing: int, sums: Sequence[float], judged: float, right: float
) -> ArmFigures:
    if not n:
        return ArmFigures(0, missing)
    low, high = wilson(int(sums[0]), n) or (None, None)
    judge = right / judged if judged else None
    em, em_raw, f1, f1_raw = (one / n for one in sums)
    return ArmFigures(n, missing, em, em_raw, f1, f1_raw, judge, int(judged), low, high)
