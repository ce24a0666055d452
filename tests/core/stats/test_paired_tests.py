"""Exact tests of pairs: against whole numbers, and against SciPy, which users need not install."""

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]

from core.stats.paired_tests import mcnemar

LARGER = [(1_100, 1_000), (1_049, 1_050), (2_000, 100), (1, 2_100)]
"""Pairs of which there are more than are counted."""


def exact(one: int, other: int) -> float:
    """Twice the share of the 2^n falls of n coins that are as uneven, at most 1."""
    n, ways, tail = one + other, 1, 1
    for k in range(min(one, other)):
        ways = ways * (n - k) // (k + 1)
        tail += ways
    return float(min(Fraction(1), Fraction(2 * tail, 2**n)))


@given(st.integers(0, 400), st.integers(0, 400))
def test_a_single_test_is_that_of_whole_numbers(one: int, other: int) -> None:
    (found,) = mcnemar([(one, other)])
    assert found.p == exact(one, other)
    assert found.p_adjusted == found.p


@pytest.mark.parametrize(
    ("one", "other"), [(1_100, 1_000), (1_049, 1_050), (2_000, 100), (1, 2_100)]
)
def test_more_pairs_agree_to_13_digits(one: int, other: int) -> None:
    (found,) = mcnemar([(one, other)])
    assert found.p == pytest.approx(exact(one, other), rel=1e-13, abs=1e-300)


@pytest.mark.parametrize(
    ("one", "other"),
    [(900, 1_050), (10_600, 10_900), (500_800, 499_200), (0, 1_000), (1, 0)],
)
def test_many_pairs_are_as_scipy_has_them(one: int, other: int) -> None:
    (found,) = mcnemar([(one, other)])
    wanted = stats.binomtest(one, one + other, 0.5).pvalue
    assert found.p == pytest.approx(wanted, rel=1e-11)


def test_so_uneven_a_split_has_no_chance() -> None:
    (found,) = mcnemar([(0, 100_000)])
    assert found.p == 0
    assert found.significant


@pytest.mark.parametrize("count", [1, 2, 7, 40])
def test_several_tests_are_adjusted_as_scipy_does(count: int) -> None:
    """Also where some have the same chance, or no pairs at all."""
    random = Random(count)
    pairs = [(random.randrange(30), random.randrange(30)) for _ in range(count)]
    pairs += [*pairs[: count // 2], (0, 0)]
    found = mcnemar(pairs)
    wanted = stats.false_discovery_control([one.p for one in found], method="by")
    assert [one.p_adjusted for one in found] == wanted.tolist()
