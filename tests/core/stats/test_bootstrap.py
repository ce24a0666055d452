"""The bootstrap over facts, against plain resampling and against formulas."""

from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.stats import bootstrap
from core.stats.bootstrap import PERCENTILES, FactShare, intervals, resample


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


def test_two_facts_by_hand() -> None:
    """Of two facts, one a hit, a resample has 0, 1 or 2 hits with chances 1/4, 1/2, 1/4."""
    hits, base = masks("x-", "xx")
    found = resample([FactShare(hits, base)], everyone(2), resamples=4_000)
    counted = {share: float((found.shares[0] == share).mean()) for share in (0.0, 0.5, 1.0)}
    # Four standard errors.
    assert counted == pytest.approx({0.0: 0.25, 0.5: 0.5, 1.0: 0.25}, abs=4 * 0.5 / 4_000**0.5)
    assert found.interval(0) == (0.0, 1.0)


def test_nothing_and_one_fact_say_nothing() -> None:
    nobody, one, two = masks("----", "x---", "xx--")
    rates = [FactShare(nobody, nobody), FactShare(one, one), FactShare(one, two)]
    found = resample(rates, everyone(4))
    assert [found.interval(place) for place in range(3)] == [None, None, (0.0, 1.0)]
    assert found.gap(0, 2) == bootstrap.Gap(None, None)
    assert found.gap(1, 2) == bootstrap.Gap(0.5, None)
    assert intervals([], everyone(4)) == []
    empty = np.zeros(0, np.bool_)
    assert intervals([FactShare(empty, empty)], empty) == [None]


def test_a_sure_thing_is_sure() -> None:
    none, everything = masks("-" * 30, "x" * 30)
    rates = [FactShare(everything, everything), FactShare(none, everything)]
    assert intervals(rates, everyone(30)) == [(1.0, 1.0), (0.0, 0.0)]


def test_facts_stay_together() -> None:
    """Two shares that differ by one fact in every resample in which it is, and never else."""
    first, second, base = masks("xx" + "-x" * 20, "-x" + "-x" * 20, "x" * 42)
    found = resample([FactShare(first, base), FactShare(second, base)], everyone(42))
    low, high = found.gap(0, 1).interval or (-1, -1)
    assert found.gap(0, 1).value == pytest.approx(1 / 42)
    # The fact comes 0, 1, 2 or 3 times, 0 with chance 0.36, more than 3 with 0.02.
    assert low == 0
    assert round(high * 42, 9) in (2, 3)
    apart = found.shares[0] - found.shares[1]
    assert apart.std() < found.shares[0].std() / 2


def test_the_same_facts_are_taken_whatever_is_asked() -> None:
    random = np.random.default_rng(3)
    rates = [FactShare(random.random(50) < 0.4, everyone(50)) for _ in range(5)]
    together = resample(rates, everyone(50)).shares
    for place, rate in enumerate(rates):
        assert np.array_equal(resample([rate], everyone(50)).shares[0], together[place])
    other = resample(rates, everyone(50), seed=2).shares
    assert not np.array_equal(other, together)


def test_many_facts_need_no_more_memory_than_few(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(4)
    rates = [FactShare(random.random(33) < 0.4, random.random(33) < 0.9) for _ in range(4)]
    whole = resample(rates, everyone(33)).shares
    monkeypatch.setattr(bootstrap, "AT_ONCE", 40)
    assert np.array_equal(resample(rates, everyone(33)).shares, whole, equal_nan=True)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(*[st.booleans()] * 3), min_size=1, max_size=12))
def test_only_the_chosen_facts_count(rows: list[tuple[bool, bool, bool]]) -> None:
    hits, base, facts = (np.array(column, np.bool_) for column in zip(*rows, strict=True))
    among = resample([FactShare(hits, base)], facts, resamples=50)
    alone = resample(
        [FactShare(hits[facts], base[facts])], everyone(int(facts.sum())), resamples=50
    )
    assert np.array_equal(among.shares, alone.shares, equal_nan=True)
    there = among.shares[~np.isnan(among.shares)]
    assert bool((there >= 0).all())
    limits = among.interval(0)
    if limits is not None:
        assert limits == tuple(np.percentile(there, PERCENTILES))


@pytest.mark.parametrize(("share", "size"), list(product((0.1, 0.5), (400, 2_000))))
def test_width_is_that_of_the_normal_approximation(share: float, size: int) -> None:
    hits = np.arange(size) < share * size
    low, high = intervals([FactShare(hits, everyone(size))], everyone(size))[0] or (0, 0)
    reach = 1.6449 * (share * (1 - share) / size) ** 0.5
    assert (high - low) / 2 == pytest.approx(reach, rel=0.12)
    assert low < share < high
