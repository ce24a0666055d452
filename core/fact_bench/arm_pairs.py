"""Two arms over the triples that both have: differences, their intervals, exact tests.

Source: McNemar (1947) and Benjamini and Yekutieli (2001) for the tests, Agresti and Min (2005) for
intervals of a difference of paired shares.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.analyses.analysis_record import Column, ColumnKind
from core.dataset.subsets import Mask
from core.errors import UsageError
from core.fact_bench.arm_results import F1, JUDGE, METRICS, ArmScores
from core.fact_bench.bench_evidence import BenchEvidence
from core.stats.intervals import Interval, difference_interval, mean_interval
from core.stats.paired_tests import PairedTest, mcnemar


@dataclass(frozen=True, slots=True)
class ArmPair:
    """Two arms by one metric, over `n` triples that have it in both.

    `only_a` and `only_b` count triples that one of them alone has right; None for F1.
    """

    n: int
    a_rate: float | None
    b_rate: float | None
    difference: float | None
    interval: Interval | None
    only_a: int | None
    only_b: int | None


@dataclass(frozen=True, slots=True)
class ArmComparison:
    """An arm (its label) beside another by one metric, as tested."""

    arm: str
    metric: str
    pair: ArmPair
    tested: PairedTest | None


def pair_arms(a: ArmScores, b: ArmScores, wanted: Mask, metric: str) -> ArmPair:
    """Two arms over the triples of a table that were exemplars of neither."""
    counted = wanted & ~a.exemplars & ~b.exemplars
    both = counted & _has(a, metric) & _has(b, metric)
    n = int(np.count_nonzero(both))
    if not n:
        none = None if metric == F1 else 0
        return ArmPair(0, None, None, None, None, none, none)
    if metric == F1:
        gap = b.f1[both] - a.f1[both]
        means = float(a.f1[both].mean()), float(b.f1[both].mean())
        return ArmPair(n, *means, float(gap.mean()), mean_interval(gap), None, None)
    left, right = _is_right(a, metric)[both], _is_right(b, metric)[both]
    only_a, only_b = int(np.count_nonzero(left & ~right)), int(np.count_nonzero(right & ~left))
    rates = int(np.count_nonzero(left)) / n, int(np.count_nonzero(right)) / n
    interval = difference_interval(only_a, only_b, n)
    return ArmPair(n, *rates, (only_b - only_a) / n, interval, only_a, only_b)


def _has(scores: ArmScores, metric: str) -> Mask:
    return scores.answered & scores.judged if metric == JUDGE else scores.answered


def _is_right(scores: ArmScores, metric: str) -> npt.NDArray[np.bool_]:
    return scores.judged_right if metric == JUDGE else scores.em


def adjust_pairs(pairs: Sequence[ArmPair]) -> list[PairedTest | None]:
    """The tests of pairs, adjusted over all that can be tested; None for the others."""
    places = [at for at, one in enumerate(pairs) if one.n and one.only_a is not None]
    counts = [(pairs[at].only_a or 0, pairs[at].only_b or 0) for at in places]
    found = dict(zip(places, mcnemar(counts), strict=True))
    return [found.get(at) for at in range(len(pairs))]


def check_pairs(pairs: Sequence[ArmPair]) -> list[dict[str, object]]:
    """The same as rows have it."""
    return [_test_cells(tested) for tested in adjust_pairs(pairs)]


def _test_cells(tested: PairedTest | None) -> dict[str, object]:
    return {
        "p": tested and tested.p,
        "p_adjusted": tested and tested.p_adjusted,
        "significant": tested and tested.significant,
    }


def pair_with(
    evidence: BenchEvidence, a: str, others: Sequence[str], metrics: Sequence[str] = tuple(METRICS)
) -> list[ArmComparison]:
    """Arms (by label) against one, by each metric; raises `UsageError` for one not there."""
    keys = [(label, name) for label in others for name in metrics]
    first = evidence.scores(evidence.arm(a))
    pairs = [
        pair_arms(first, evidence.scores(evidence.arm(b)), evidence.wanted, name)
        for b, name in keys
    ]
    found = zip(keys, pairs, adjust_pairs(pairs), strict=True)
    return [ArmComparison(*key, pair, tested) for key, pair, tested in found]


def compare_arms(
    evidence: BenchEvidence, a: str, others: Sequence[str], metrics: Iterable[str] = tuple(METRICS)
) -> list[dict[str, object]]:
    """Arms (by label) against one, a row each and metric: what they are better by.

    Raises `UsageError` for an arm or a metric that there is not.
    """
    names = list(dict.fromkeys(metrics))
    for name in names:
        if name not in METRICS:
            raise UsageError(f"no metric {name}: choose of {', '.join(METRICS)}")
    return [
        {
            "a": a,
            "b": found.arm,
            "metric": found.metric,
            "n": pair.n,
            "a_rate": pair.a_rate,
            "b_rate": pair.b_rate,
            "difference": pair.difference,
            "low": pair.interval and pair.interval[0],
            "high": pair.interval and pair.interval[1],
            "only_a": pair.only_a,
            "only_b": pair.only_b,
            **_test_cells(found.tested),
        }
        for found in pair_with(evidence, a, others, names)
        for pair in (found.pair,)
    ]


TEST_COLUMNS = (
    Column("p", ColumnKind.CHANCE),
    Column("p_adjusted", ColumnKind.CHANCE, "adjusted"),
    Column("significant", ColumnKind.YES),
)

COMPARISON_COLUMNS = (
    Column("a"),
    Column("b"),
    Column("metric"),
    Column("n", ColumnKind.COUNT),
    Column("a_rate", ColumnKind.SHARE, "a %"),
    Column("b_rate", ColumnKind.SHARE, "b %"),
    Column("difference", ColumnKind.SHARE, "b - a"),
    Column("low", ColumnKind.SHARE, "from"),
    Column("high", ColumnKind.SHARE, "to"),
    Column("only_a", ColumnKind.COUNT, "only a"),
    Column("only_b", ColumnKind.COUNT, "only b"),
    *TEST_COLUMNS,
)

COMPARISON_NOTE = (
    "over triples with both; from, to: 95 % (Agresti and Min; F1: normal); p: exact McNemar, "
    "adjusted by Benjamini-Yekutieli over all rows"
)
