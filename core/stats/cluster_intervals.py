"""How sure shares and coefficients are where what is counted hangs together in clusters.

Answers to one fact share their fate: one alias that a grader does not know turns all of them. Not
answers are drawn then but facts, with all that belongs to them. A share has Wilson's interval of
as many independent answers as would say as much (the design effect); kappa and alpha have the
variance of their clusters' sums.

Source: Kish (1965), the design effect; Fleiss, Cohen and Everitt (1969), how kappa moves with
each cell; semantics in `docs/guides/disagreements.md`.
"""

from math import sqrt

import numpy as np
import numpy.typing as npt

from core.stats.intervals import LEVEL, Interval, quantile, wilson

Counts = npt.NDArray[np.integer]
Shares = npt.NDArray[np.float64]


def share_interval(hits: Counts, sizes: Counts, level: float = LEVEL) -> Interval | None:
    """Interval of all hits among all, given those of each cluster, shapes (clusters,).

    Wilson's at n / deff, deff = sum over clusters of (sum e)^2 / sum e^2 with e = hit - share.
    Where the clusters show no spread of their own, each counts as one. None without any.
    """
    n = int(sizes.sum())
    if n == 0:
        return None
    share = int(hits.sum()) / n
    single = n * share * (1 - share)
    together = float(((hits - share * sizes) ** 2).sum())
    spread = single > 0 and together > 1e-12 * single
    effective = n * single / together if spread else int(np.count_nonzero(sizes))
    return wilson(share * effective, effective, level)


def agreement_interval(
    matrix: Counts, clusters: Counts | None = None, level: float = LEVEL
) -> Interval | None:
    """Interval of the share on the diagonal of a square table, (k, k).

    `clusters`, (clusters, k, k), has the tables of which it is the sum; None: each count is alone.
    """
    if clusters is None:
        return wilson(int(np.trace(matrix)), int(matrix.sum()), level)
    return share_interval(np.trace(clusters, axis1=1, axis2=2), clusters.sum(axis=(1, 2)), level)


def kappa_interval(
    matrix: Counts, clusters: Counts | None = None, level: float = LEVEL
) -> Interval | None:
    """Interval of Cohen's kappa of a square table of counts; None where it says nothing."""
    n = int(matrix.sum())
    if n == 0:
        return None
    shares = matrix / n
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    slope = columns[:, None] + rows[None, :]
    return _around(shares, n, clusters, float(rows @ columns), slope, 1.0, level)


def alpha_interval(
    matrix: Counts, clusters: Counts | None = None, level: float = LEVEL
) -> Interval | None:
    """Interval of Krippendorff's alpha (nominal) of two graders; None where it says nothing.

    By the same way as that of kappa: chance follows from the labels of both graders together.
    """
    n = int(matrix.sum())
    if n == 0:
        return None
    shares = matrix / n
    both = (shares.sum(axis=1) + shares.sum(axis=0)) / 2
    small = (2 * n - 1) / (2 * n)
    slope = both[:, None] + both[None, :]
    return _around(shares, n, clusters, float(both @ both), slope, small, level)


def _around(
    shares: Shares,
    n: int,
    clusters: Counts | None,
    chance: float,
    slope: Shares,
    factor: float,
    level: float,
) -> Interval | None:
    """Interval of 1 - factor (1 - observed) / (1 - chance) by the delta method.

    `slope` says how chance agreement moves with each cell of `shares`. None where no variance
    is seen: all agree, or all stands in one cell.
    """
    observed, by_chance = float(np.trace(shares)), 1 - chance
    if by_chance <= 0:
        return None
    moves = np.eye(len(shares)) / by_chance - (1 - observed) * slope / by_chance**2
    moves = moves - float((shares * moves).sum())
    if clusters is None:
        squares = float((shares * moves**2).sum()) / n
    else:
        squares = float(((clusters * moves).sum(axis=(1, 2)) ** 2).sum()) / n**2
    variance = squares * factor**2
    if variance <= 1e-15 / n:
        return None
    value = 1 - factor * (1 - observed) / by_chance
    reach = quantile(level) * sqrt(variance)
    return max(-1.0, value - reach), min(1.0, value + reach)
