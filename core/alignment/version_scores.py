"""How far a grader version agrees with a person on a part of a reference set.

Each answer weighs N / n: N answers of its stratum in the scope, n of them among those compared.
Facts are clusters, as answers to one fact share their gold. Source: Kish (1965), Wilson (1927),
McNemar (1947); kappa's variance after Fleiss, Cohen and Everitt (1969).
"""

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from core.stats.intervals import LEVEL, quantile, wilson
from core.stats.paired_tests import mcnemar
from core.vocabulary import LABELS
from db.label_grids import Cells

Floats = npt.NDArray[np.float64]

_NO_SPREAD = 1e-15
"""Variance below which a number has none but that of its rounding."""


def weigh_answers(strata: Sequence[str], sizes: Mapping[str, int]) -> Floats:
    """What each answer stands for: `sizes` are the answers of each stratum in the scope."""
    counts = {one: strata.count(one) for one in set(strata)}
    return np.array([sizes[one] / counts[one] for one in strata], np.float64)


def score_version(
    person: Cells,
    grader: Cells,
    parent: Cells | None,
    strata: Sequence[str],
    facts: npt.NDArray[np.intp],
    sizes: Mapping[str, int],
    level: float = LEVEL,
) -> dict[str, Any]:
    """The statistics of a part, `STATS` of `align report`.

    `person`, `grader` and `parent` have labels from 1, 0 for none; `facts` says which answers hang
    together. What is 0 / 0 is None.
    """
    both = np.flatnonzero((person > 0) & (grader > 0))
    weights = weigh_answers([strata[place] for place in both.tolist()], sizes)
    rows, columns = person[both] - 1, grader[both] - 1
    table = np.zeros((len(LABELS), len(LABELS)))
    np.add.at(table, (rows, columns), weights)
    clusters = facts[both]
    right = rows == columns
    share, interval = weigh_share(right, weights, clusters, level)
    return {
        "n": int(both.size),
        "unlabelled": int(((person > 0) & (grader == 0)).sum()),
        "accuracy": share,
        "accuracy_interval": interval,
        **_kappa(rows, columns, table, weights, clusters, level),
        "precision": _shares(table, table.sum(axis=0)),
        "recall": _shares(table, table.sum(axis=1)),
        **_discordant(person, grader, parent),
    }


def weigh_share(
    hits: npt.NDArray[np.bool_],
    weights: Floats,
    clusters: npt.NDArray[np.intp],
    level: float = LEVEL,
) -> tuple[float | None, list[float] | None]:
    """A weighted share of hits with its interval, clusters taken together; None of nothing."""
    if not hits.size:
        return None, None
    share = 1.0 if hits.all() else float(weights @ hits / weights.sum())
    variance = _variance(hits - share, weights, clusters)
    n = share * (1 - share) / variance if variance > _NO_SPREAD else float(hits.size)
    limits = wilson(share * n, n, level)
    return share, None if limits is None else list(limits)


def _kappa(
    rows: npt.NDArray[np.uint8],
    columns: npt.NDArray[np.uint8],
    table: Floats,
    weights: Floats,
    clusters: npt.NDArray[np.intp],
    level: float,
) -> dict[str, Any]:
    none = {"kappa": None, "kappa_interval": None}
    if not rows.size:
        return none
    shares = table / weights.sum()
    person, grader = shares.sum(axis=1), shares.sum(axis=0)
    observed, chance = float(np.trace(shares)), float(person @ grader)
    if 1 - chance < _NO_SPREAD:
        return none
    right = rows == columns
    kappa = 1.0 if right.all() else (observed - chance) / (1 - chance)
    moves = (
        (right - observed) * (1 - chance)
        - (grader[rows] + person[columns] - 2 * chance) * (1 - observed)
    ) / (1 - chance) ** 2
    variance = 0.0 if right.all() else _variance(moves, weights, clusters)
    reach = quantile(level) * sqrt(variance)
    return {
        "kappa": kappa,
        "kappa_interval": [max(-1.0, kappa - reach), min(1.0, kappa + reach)],
    }


def _variance(
    errors: npt.NDArray[np.floating], weights: Floats, clusters: npt.NDArray[np.intp]
) -> float:
    """Of a weighted mean: squared sums of the clusters over the square of all weights."""
    _, places = np.unique(clusters, return_inverse=True)
    sums = np.bincount(places, weights * errors)
    return float((sums**2).sum() / weights.sum() ** 2)


def _shares(table: Floats, of: Floats) -> dict[str, float | None]:
    hits = np.diagonal(table)
    return {
        label: float(hits[place] / of[place]) if of[place] else None
        for place, label in enumerate(LABELS)
    }


def _discordant(person: Cells, grader: Cells, parent: Cells | None) -> dict[str, Any]:
    if parent is None:
        return {"discordant": None, "p": None}
    three = (person > 0) & (grader > 0) & (parent > 0)
    here, before = grader[three] == person[three], parent[three] == person[three]
    pair = int((before & ~here).sum()), int((here & ~before).sum())
    return {"discordant": list(pair), "p": mcnemar([pair])[0].p}
