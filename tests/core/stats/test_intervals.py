"""Intervals: by printed numbers, and by how often they hold the truth in simulations."""

import numpy as np
import pytest

from core.stats.intervals import (
    SampledGroup,
    difference_interval,
    estimate_share,
    mean_interval,
    wilson,
)


def test_wilson_by_hand() -> None:
    # 10 of 20 with z = 1.96: (0.5 +- 1.96 sqrt(0.25 / 20 + 0.9604 / 400)) / (1 + 3.8416 / 20).
    assert wilson(10, 20) == pytest.approx((0.2993, 0.7007), abs=1e-4)
    # The limits solve (p - 0.1)^2 = z^2 p (1 - p) / 50.
    for limit in wilson(5, 50) or ():
        assert (limit - 0.1) ** 2 == pytest.approx(1.959964**2 * limit * (1 - limit) / 50, rel=1e-5)
    assert wilson(0, 0) is None
    low, high = wilson(0, 10) or (1, 1)
    assert low == 0.0
    assert high == pytest.approx(1.959964**2 / (10 + 1.959964**2), rel=1e-6)
    assert (wilson(10, 10) or (0, 0))[1] == 1.0


def test_wider_with_more_confidence() -> None:
    (low, high), (lower, higher) = wilson(3, 9) or (0, 0), wilson(3, 9, 0.99) or (0, 0)
    assert lower < low < high < higher


def test_groups_seen_in_full_are_known() -> None:
    found = estimate_share([SampledGroup(10, 10, 3), SampledGroup(30, 30, 6)])
    assert found is not None
    assert (found.share, found.low, found.high) == pytest.approx((9 / 40,) * 3)


def test_a_group_that_nobody_saw_may_be_anything() -> None:
    found = estimate_share([SampledGroup(10, 10, 5), SampledGroup(90, 0, 0)])
    assert found is not None
    assert found.share == 0.5
    assert (found.low, found.high) == pytest.approx((0.05, 0.95))
    assert estimate_share([SampledGroup(10, 0, 0)]) is None
    assert estimate_share([]) is None
    assert estimate_share([SampledGroup(0, 0, 0)]) is None


def test_one_large_group_is_wilson() -> None:
    found = estimate_share([SampledGroup(10**9, 40, 7)])
    assert found is not None
    assert (found.low, found.high) == pytest.approx(wilson(7, 40), abs=1e-6)


@pytest.mark.parametrize(
    ("sizes", "seen", "rates"),
    [
        ((60, 200, 4_000), (60, 120, 20), (0.7, 0.5, 0.3)),
        ((60, 200, 4_000), (30, 30, 30), (0.9, 0.4, 0.1)),
        ((500, 500, 500), (50, 40, 30), (0.2, 0.5, 0.6)),
    ],
)
def test_how_often_the_limits_hold_the_truth(
    sizes: tuple[int, ...], seen: tuple[int, ...], rates: tuple[float, ...]
) -> None:
    random = np.random.default_rng(5)
    hits = [round(size * rate) for size, rate in zip(sizes, rates, strict=True)]
    truth, tries = sum(hits) / sum(sizes), 2_000
    drawn = [
        random.hypergeometric(hit, size - hit, count, tries).tolist()
        for hit, size, count in zip(hits, sizes, seen, strict=True)
    ]
    held, total = 0, 0.0
    for found in zip(*drawn, strict=True):
        groups = [SampledGroup(*one) for one in zip(sizes, seen, found, strict=True)]
        estimate = estimate_share(groups)
        assert estimate is not None
        total += estimate.share
        held += estimate.low <= truth <= estimate.high
    assert 0.93 < held / tries < 0.985
    # Weighed by size the estimate is right on average, however unevenly the groups were seen.
    assert total / tries == pytest.approx(truth, abs=0.006)


def test_difference_of_paired_shares_by_simulated_tables() -> None:
    shares, truth = np.array([0.5, 0.14, 0.06, 0.3]), 0.06 - 0.14
    tables = np.random.default_rng(5).multinomial(80, shares, 2_000)
    limits = np.array([difference_interval(a, b, 80) for _, a, b, _ in tables.tolist()])
    holds = (limits[:, 0] <= truth) & (truth <= limits[:, 1])
    assert 0.93 < holds.mean() < 0.97
    assert difference_interval(0, 0, 0) is None
    low, high = difference_interval(3, 3, 9) or (0, 0)
    assert low == pytest.approx(-high)


def test_mean_by_hand() -> None:
    low, high = mean_interval(np.array([0.0, 1.0, 0.0, 1.0])) or (0, 0)
    assert (low, high) == pytest.approx((0.5 - 0.565794, 0.5 + 0.565794), abs=1e-5)
    assert mean_interval(np.array([1.0])) is None
