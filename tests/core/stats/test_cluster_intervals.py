"""Intervals by cluster: by hand, and by how often they hold the truth in simulations."""

import numpy as np
import pytest

from core.stats.cluster_intervals import (
    agreement_interval,
    alpha_interval,
    kappa_interval,
    share_interval,
)
from core.stats.intervals import Interval, wilson


def test_share_by_hand() -> None:
    # Three facts with 8 answers each, 8, 8 and 2 of them hits: share 18 / 24 = 0.75, e^2 sums to
    # 24 * 0.75 * 0.25 = 4.5, and by fact to 2^2 + 2^2 + 4^2 = 24: deff = 24 / 4.5.
    effective = 24 * 4.5 / 24
    expected = wilson(0.75 * effective, effective)
    assert share_interval(np.array([8, 8, 2]), np.array([8, 8, 8])) == pytest.approx(expected)


def test_alone_each_is_wilsons() -> None:
    hits = np.array([1, 0, 1, 1, 0])
    assert share_interval(hits, np.ones(5, np.int64)) == pytest.approx(wilson(3, 5))


@pytest.mark.parametrize(
    ("hits", "sizes", "as_if"),
    [([8, 8], [8, 8], (2, 2)), ([0, 0, 0], [8, 8, 4], (0, 3)), ([3], [8], (3 / 8, 1))],
)
def test_clusters_that_show_no_spread_count_as_one_each(
    hits: list[int], sizes: list[int], as_if: tuple[float, float]
) -> None:
    assert share_interval(np.array(hits), np.array(sizes)) == pytest.approx(wilson(*as_if))


def test_nothing_has_no_interval() -> None:
    assert share_interval(np.zeros(0, np.int64), np.zeros(0, np.int64)) is None
    assert agreement_interval(np.zeros((4, 4), np.int64), np.zeros((0, 4, 4), np.int64)) is None
    assert kappa_interval(np.zeros((4, 4), np.int64), np.zeros((0, 4, 4), np.int64)) is None


FACTS, ANSWERS, TRIES = 120, 8, 1_000


def draw_clusters(random: np.random.Generator) -> np.ndarray:
    """Tables of facts, shape (FACTS, 2, 2): in a fact all answers fare much the same."""
    kinds = np.array([[[0.62, 0.0], [0.0, 0.38]], [[0.0, 0.9], [0.1, 0.0]]])
    kind = (random.random(FACTS) < 0.12).astype(np.intp)
    right = random.random(FACTS) < 0.6
    shares = kinds[kind].reshape(FACTS, 4)
    tilt = np.where(right[:, None], [4.0, 4.0, 0.25, 0.25], [0.25, 0.25, 4.0, 4.0])
    shares = shares * tilt
    return random.multinomial(ANSWERS, shares / shares.sum(axis=1, keepdims=True)).reshape(-1, 2, 2)


def test_how_often_intervals_of_answers_that_hang_together_hold_the_truth() -> None:
    random = np.random.default_rng(11)
    many = np.concatenate([draw_clusters(random) for _ in range(2_000)]).sum(axis=0)
    shares = many / many.sum()
    observed = float(np.trace(shares))
    chance = float(shares.sum(axis=1) @ shares.sum(axis=0))
    both = (shares.sum(axis=1) + shares.sum(axis=0)) / 2
    truths = {
        agreement_interval: observed,
        kappa_interval: 1 - (1 - observed) / (1 - chance),
        alpha_interval: 1 - (1 - observed) / (1 - float(both @ both)),
    }
    held = dict.fromkeys(truths, 0)
    alone = dict.fromkeys(truths, 0)
    for _ in range(TRIES):
        clusters = draw_clusters(random)
        matrix = clusters.sum(axis=0)
        for interval, truth in truths.items():
            held[interval] += holds(interval(matrix, clusters), truth)
            alone[interval] += holds(interval(matrix), truth)
    for interval in truths:
        assert 0.92 < held[interval] / TRIES < 0.975
        assert alone[interval] / TRIES < 0.8


def holds(interval: Interval | None, truth: float) -> bool:
    assert interval is not None
    return interval[0] <= truth <= interval[1]


def test_kappa_error_by_simulated_tables() -> None:
    shares = np.array([[0.45, 0.06, 0.02], [0.04, 0.28, 0.03], [0.01, 0.02, 0.09]])
    chance = float(shares.sum(axis=1) @ shares.sum(axis=0))
    kappa = (np.trace(shares) - chance) / (1 - chance)
    both = (shares.sum(axis=1) + shares.sum(axis=0)) / 2
    alpha = 1 - (1 - np.trace(shares)) / (1 - both @ both)
    tables = np.random.default_rng(3).multinomial(300, shares.ravel(), 2_000).reshape(-1, 3, 3)
    for truth, interval in ((kappa, kappa_interval), (alpha, alpha_interval)):
        limits = np.array([interval(table) for table in tables])
        holds = (limits[:, 0] <= truth) & (truth <= limits[:, 1])
        assert 0.93 < holds.mean() < 0.97


@pytest.mark.parametrize("interval", [kappa_interval, alpha_interval])
@pytest.mark.parametrize("table", [np.zeros((4, 4)), np.diag([5, 0, 0, 0]), np.diag([5, 3, 0, 0])])
def test_tables_that_say_nothing_of_their_error(interval: object, table: object) -> None:
    assert callable(interval)
    assert interval(np.asarray(table, np.int64)) is None
