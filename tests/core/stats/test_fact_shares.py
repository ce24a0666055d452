"""Shares over facts and their intervals: by hand, by resampling, by how often they hold."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.stats.fact_shares import FactShare, Gap, gap
from core.stats.intervals import wilson


def masks(*columns: str) -> list[npt.NDArray[np.bool_]]:
    """Masks written as `x` for true."""
    return [np.array([letter == "x" for letter in column], np.bool_) for column in columns]


def everyone(size: int) -> npt.NDArray[np.bool_]:
    return np.ones(size, np.bool_)


def test_a_share_and_its_denominator() -> None:
    hits, base = masks("x-x-", "xxx-")
    assert (FactShare(hits, base).share, FactShare(hits, base).n) == (2 / 3, 3)
    (nobody,) = masks("----")
    assert (FactShare(nobody, nobody).share, FactShare(nobody, nobody).n) == (None, 0)


def test_a_share_has_wilsons_interval() -> None:
    hits, base = masks("x-x-xxx---", "xxxxxxxxx-")
    assert FactShare(hits, base).interval == wilson(5, 9)


@pytest.mark.parametrize("hit", [False, True])
def test_a_sure_thing_has_width(hit: bool) -> None:
    low, high = FactShare(np.full(20, hit), everyone(20)).interval or (0, 0)
    assert (low, high) == wilson(20 * hit, 20)
    assert high - low > 0.15


def test_known_facts_may_lie_outside_the_denominator() -> None:
    hits, base = masks("xxx--x", "xxxxx-")
    # r = 4 / 5; residues (a - r b) are .2, .2, .2, -.8, -.8, 1.
    reach = 1.959964 * (3 * 0.04 + 2 * 0.64 + 1) ** 0.5 / 5
    found = FactShare(hits, base, within=False)
    assert found.share == 0.8
    assert 0.8 + reach > 1
    assert found.interval == pytest.approx((0.8 - reach, 1), abs=1e-6)


def test_limits_are_possible_and_hold_the_share() -> None:
    """One fact in the denominator, three known outside of it: the share is 300 %."""
    hits, base = masks("-xxx", "x---")
    found = FactShare(hits, base, within=False)
    assert found.share == 3
    assert found.interval == (0, 3)


@pytest.mark.parametrize("hit", [False, True])
def test_no_share_and_no_gap_of_few_facts_is_sure(hit: bool) -> None:
    """All alike, in a share whose numerator might lie outside, and in gaps."""
    every, none = np.full(3, hit), np.full(3, not hit)
    assert FactShare(every, everyone(3), within=False).interval == wilson(3 * hit, 3)
    for other in (every, none):
        found = gap(FactShare(every, everyone(3)), FactShare(other, everyone(3)))
        low, high = found.interval or (0, 0)
        assert -1 <= low <= (found.value or 0) <= high <= 1
        assert high - low > 0.5
    left, right = masks("xxx---", "---xxx")
    apart = gap(FactShare(left, left), FactShare(right & False, right))
    assert apart.value == 1
    low, high = apart.interval or (0, 0)
    assert 0 < low < 0.5 < high == 1


def test_nothing_says_nothing() -> None:
    nobody, one, two = masks("----", "x---", "xx--")
    assert FactShare(nobody, nobody).interval is None
    assert FactShare(one, one, within=False).interval == wilson(1, 1)
    assert gap(FactShare(nobody, nobody), FactShare(one, two)) == Gap(None, None)
    found = gap(FactShare(one, one), FactShare(one, two))
    assert found.value == 0.5
    low, high = found.interval or (0, 0)
    assert low < 0 < 0.5 < high


def test_a_gap_by_hand() -> None:
    first, second, base = masks("xxx--", "xx-x-", "xxxxx")
    # Per fact the difference is 0, 0, 1, -1, 0 around 0.
    reach = 1.959964 * 2**0.5 / 5
    found = gap(FactShare(first, base), FactShare(second, base))
    assert found.value == 0
    assert found.interval == pytest.approx((-reach, reach), abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(*[st.booleans()] * 4), min_size=4, max_size=20))
def test_a_gap_to_itself_is_nothing_and_turns_round(
    rows: list[tuple[bool, bool, bool, bool]],
) -> None:
    a, b, base, other = (np.array(column, np.bool_) for column in zip(*rows, strict=True))
    one, two = FactShare(a & base, base), FactShare(b & other, other)
    same = gap(one, one)
    assert same.value in (0, None)
    low, high = same.interval or (0, 0)
    assert low <= 0 <= high
    there, back = gap(one, two), gap(two, one)
    if there.interval is not None and back.interval is not None:
        assert there.interval == pytest.approx((-back.interval[1], -back.interval[0]))


def test_a_gap_of_unlike_facts_is_that_of_resampling() -> None:
    random = np.random.default_rng(4)
    hits, base, other = (random.random(400) < share for share in (0.4, 0.5, 0.7))
    hits = hits | (base & (random.random(400) < 0.2))
    one, two = FactShare(hits & base, base), FactShare(hits & other, other)
    taken = random.integers(0, 400, (4_000, 400))
    shares = [(r.hits[taken].sum(axis=1) / r.base[taken].sum(axis=1)) for r in (one, two)]
    expected = tuple(np.percentile(shares[0] - shares[1], [2.5, 97.5]))
    assert gap(one, two).interval == pytest.approx(expected, abs=0.006)


@pytest.mark.parametrize("share", [0.02, 0.1, 0.5])
def test_how_often_intervals_of_few_facts_hold_the_truth(share: float) -> None:
    random = np.random.default_rng(7)
    held = 0
    for _ in range(2_000):
        low, high = FactShare(random.random(20) < share, everyone(20)).interval or (1, 0)
        held += low <= share <= high
    assert held / 2_000 > 0.91
