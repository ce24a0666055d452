"""Estimates from an audit: what the person would say of all facts, and how sure that is.

The graders' sum over all facts, put right by how the person differs on those audited, each with
its weight. Sources: the difference estimator (Särndal, Swensson and Wretman 1992, chapter 6), also
known as prediction-powered inference (Angelopoulos et al. 2023).
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from core.certainty.audit_order import Floats, lure_weights
from core.certainty.confidence_sequence import NumberSpan
from core.stats.fact_shares import ratio_interval
from core.stats.intervals import (
    LEVEL,
    Interval,
    difference_interval,
    join_intervals,
    quantile,
    wilson,
)

Parts = tuple[Floats, Floats]
"""a and b of every fact, in the order of the audit."""


@dataclass(frozen=True, slots=True)
class AuditedNumber:
    """A number by the graders and as the person labels; intervals of the scopes graded, here, kind.

    None where there is nothing to divide by; no number as labelled before a fact is audited.
    """

    graded: float | None
    graded_interval: Interval | None
    audited: float | None
    interval: Interval
    kind_interval: Interval | None

    @property
    def half_width(self) -> float:
        """Half the width of the interval here."""
        return (self.interval[1] - self.interval[0]) / 2


def estimate_ratio(graded: Parts, truth: Parts, weights: Floats) -> float | None:
    """The number as the person labels; `truth` is of the facts audited, the first of all.

    None before a fact is audited, and where there is nothing to divide by.
    """
    audited = len(truth[0])
    if not audited:
        return None
    sums = [float(part.sum()) for part in graded]
    v = lure_weights(weights, audited)
    for place, (person, graders) in enumerate(zip(truth, graded, strict=True)):
        change = person - graders[:audited]
        sums[place] += len(weights) * float((v * change).mean())
    return sums[0] / sums[1] if sums[1] > 0 else None


def sampling_interval(share: float | None, graded: Parts, span: NumberSpan) -> Interval | None:
    """How far the number would lie elsewhere for other facts, by the way of `fact_shares`."""
    a, b = graded
    n = float(b.sum())
    if share is None or not n:
        return None
    if not span.gap and not span.outside:
        return wilson(min(max(share, 0.0), 1.0) * n, n)
    residues = a - float(a.sum()) / n * b
    if not span.gap:
        return ratio_interval(share, residues, n)
    if not residues.any():
        plus, minus = (int(np.count_nonzero(a == sign)) for sign in (1, -1))
        return difference_interval(minus, plus, int(n))
    reach = quantile(LEVEL) * sqrt(float((residues**2).sum())) / n
    return max(-1.0, share - reach), min(1.0, share + reach)


def place_number(
    graded: Parts, truth: Parts, weights: Floats, span: NumberSpan, here: Interval
) -> AuditedNumber:
    """One number with its three intervals, given the one here."""
    b = float(graded[1].sum())
    by_graders = float(graded[0].sum()) / b if b else None
    share = estimate_ratio(graded, truth, weights)
    if share is not None:
        share = min(max(share, here[0]), here[1])
    drawn = sampling_interval(share, graded, span)
    kind = None
    if share is not None and drawn is not None:
        low, high = join_intervals(share, here, drawn)
        kind = max(low, -1.0 if span.gap else 0.0), min(high, max(1.0, share))
    return AuditedNumber(by_graders, sampling_interval(by_graders, graded, span), share, here, kind)


def weighted_wilson(wrong: Floats, weights: Floats) -> tuple[float | None, Interval | None]:
    """A weighted share of ones with Wilson's interval at n = (sum u)^2 / sum u^2."""
    total = float(weights.sum())
    if not total:
        return None, None
    share = min(max(float((weights * wrong).sum()) / total, 0.0), 1.0)
    n = total**2 / float((weights**2).sum())
    return share, wilson(share * n, n)


def rank_ranges(
    models: list[str], surely: dict[tuple[str, str], int]
) -> dict[str, tuple[int, int]]:
    """Least and greatest rank of each model: `surely` is 1 where the first lies above, -1 below."""
    above = dict.fromkeys(models, 0)
    below = dict.fromkeys(models, 0)
    for (one, other), sign in surely.items():
        if sign:
            upper, lower = (one, other) if sign > 0 else (other, one)
            above[lower] += 1
            below[upper] += 1
    return {one: (1 + above[one], len(models) - below[one]) for one in models}
