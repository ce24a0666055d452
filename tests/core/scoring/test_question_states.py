"""Question states and grades against exact fractions."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import UsageError
from core.scoring.policy import Policy
from core.scoring.question_states import (
    ABSENT,
    FAIL,
    NOT_GRADABLE,
    PASS,
    UNLABELLED,
    code_counts,
    grades,
    states,
)
from core.vocabulary import Strategy
from tests.core import reference
from tests.core.reference import Counts, Rule

NAMED = {PASS: "pass", FAIL: "fail", NOT_GRADABLE: "not gradable", UNLABELLED: "unlabelled"}

decimals = st.one_of(
    st.sampled_from(["0", "0.25", "0.3333333333333333", "0.5", "0.51", "0.9", "1e-09"]),
    st.integers(0, 999).map(lambda number: f"0.{number:03}"),
    st.floats(0, 1, exclude_max=True).map(str),
)
amounts = st.one_of(st.just(0), st.integers(0, 3), st.integers(0, 1024))
counts = st.tuples(amounts, amounts, amounts, amounts)


def policy(rule: Rule) -> Policy:
    return Policy(float(rule.tau), Strategy(rule.strategy), float(rule.weight))


def column(values: list[Counts]) -> "np.ndarray[tuple[int, int], np.dtype[np.uint16]]":
    return np.array(values, np.uint16).reshape(-1, 4).T


@pytest.mark.slow
@given(st.lists(counts, max_size=12), decimals, st.sampled_from(list(Strategy)), decimals)
@settings(max_examples=200, deadline=None)
def test_states_and_grades_are_those_of_exact_fractions(
    values: list[Counts], tau: str, strategy: Strategy, weight: str
) -> None:
    rule = Rule(tau, strategy.value, weight)
    found = states(column(values), policy(rule)).tolist()
    assert [NAMED[one] for one in found] == [reference.state(one, rule) for one in values]
    for one, g in zip(values, grades(column(values), policy(rule)).tolist(), strict=True):
        exact = reference.grade(one, rule)
        assert np.isnan(g) if exact is None else g == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("weight", ["0.51", "0.5", "0.07"])
def test_a_grade_equal_to_tau_never_passes(weight: str) -> None:
    few = [one for one in product(range(7), repeat=3) if 0 < sum(one) <= 10]
    values: list[Counts] = [(c, i, p, 0) for c, i, p in few]
    equal = 0
    for hundredth in range(100):
        rule = Rule(f"0.{hundredth:02}", "partial", weight)
        found = states(column(values), policy(rule))
        for one, here in zip(values, found.tolist(), strict=True):
            g = reference.grade(one, rule)
            assert g is not None
            equal += g == Fraction(rule.tau)
            assert (here == PASS) == (g > Fraction(rule.tau))
    assert equal > 40


def test_only_partially_at_the_weight_itself() -> None:
    only = column([(0, 0, 8, 0), (0, 0, 1, 7), (1, 0, 8, 0)])
    assert states(only, Policy(0.51, Strategy.PARTIAL)).tolist() == [FAIL, FAIL, PASS]
    assert states(only, Policy(0.50, Strategy.PARTIAL)).tolist() == [PASS, PASS, PASS]
    assert states(only, Policy(0.51, Strategy.PAIR)).tolist() == [NOT_GRADABLE, NOT_GRADABLE, PASS]


@pytest.mark.slow
@given(st.lists(st.tuples(counts, st.booleans()), max_size=12), decimals, st.sampled_from(Strategy))
@settings(max_examples=100, deadline=None)
def test_codes_stand_for_the_same_states(
    values: list[tuple[Counts, bool]], tau: str, strategy: Strategy
) -> None:
    rule = Rule(tau, strategy.value)
    exists = np.array([there for _, there in values], np.bool_)
    codes = code_counts(column([one for one, _ in values]), exists)
    direct = states(column([one for one, _ in values]), policy(rule))
    expected = np.where(exists, direct, ABSENT)
    assert codes.states(policy(rule)).tolist() == expected.tolist()


def test_codes_of_every_small_count() -> None:
    some: list[Counts] = [(c, i, p, o) for c, i, p, o in product(range(3), repeat=4)]
    codes = code_counts(column(some), np.ones(len(some), np.bool_))
    for strategy in Strategy:
        for tau in (0.0, 0.5, 0.51, 0.9):
            one = Policy(tau, strategy)
            assert codes.states(one).tolist() == states(column(some), one).tolist()


@pytest.mark.parametrize("count", [254, 255, 256, 257, 729])
def test_kinds_of_counts_about_as_many_as_fit_in_a_byte(count: int) -> None:
    many: list[Counts] = [(c, i, p, 0) for c, i, p in product(range(9), repeat=3)][-count:]
    codes = code_counts(column(many), np.ones(len(many), np.bool_))
    assert codes.codes.dtype == (np.uint8 if count < 256 else np.uint32)
    assert codes.kinds[:, codes.codes].tolist() == column(many).tolist()
    assert codes.states(Policy()).tolist() == states(column(many), Policy()).tolist()


def test_counts_too_great_for_a_table_are_sorted() -> None:
    many: list[Counts] = [(1024, 0, 3, 0), (0, 700, 0, 0), (1024, 0, 3, 0), (0, 0, 0, 9)]
    found = code_counts(column(many), np.array([True, True, True, True]))
    assert len(set(found.codes.tolist())) == 3
    assert found.kinds[:3, found.codes].tolist() == column(many)[:3].tolist()
    assert found.states(Policy()).tolist() == [PASS, FAIL, PASS, NOT_GRADABLE]


@pytest.mark.parametrize(
    ("tau", "weight"), [(1.0, 0.5), (-0.1, 0.5), (float("nan"), 0.5), (0.5, 1.1), (0.5, -1.0)]
)
def test_a_policy_outside_its_range_is_refused(tau: float, weight: float) -> None:
    with pytest.raises(UsageError):
        Policy(tau, Strategy.PARTIAL, weight)


def test_a_policy_may_have_the_ends_of_its_ranges() -> None:
    for weight in (0.0, 1.0):
        found = Policy(0.0, Strategy.PARTIAL, weight)
        assert (found.exact_tau, found.exact_weight) == (Fraction(0), Fraction(weight))
    assert Policy(strategy=Strategy.PAIR, weight=1.0).exact_weight == 0


def test_the_name_that_a_policy_is_asked_by_makes_it_no_other() -> None:
    assert Policy(asked_as="strict") == Policy()
    assert len({Policy(asked_as="strict"), Policy()}) == 1


def test_states_and_grades_by_hand() -> None:
    some = column([(5, 3, 0, 0), (4, 4, 0, 0), (0, 0, 8, 0), (0, 0, 0, 0), (3, 3, 2, 0)])
    plain, weighed = Policy(), Policy(0.5, Strategy.PARTIAL, 0.75)
    assert states(some, plain).tolist() == [PASS, FAIL, NOT_GRADABLE, UNLABELLED, FAIL]
    assert states(some, weighed).tolist() == [PASS, FAIL, PASS, UNLABELLED, PASS]
    assert grades(column([(1, 0, 0, 0), (0, 1, 0, 0)]), plain).tolist() == [1.0, 0.0]
    none = float("nan")
    assert np.array_equal(grades(some, plain), [0.625, 0.5, none, none, 0.5], equal_nan=True)
    assert np.array_equal(grades(some, weighed), [0.625, 0.5, 0.75, none, 0.5625], equal_nan=True)


def test_sums_that_no_machine_word_holds() -> None:
    """Twelve labels in parts of 10**18 are more than 2**63, and less than 2**64."""
    policy = Policy(0.999999999, Strategy.PARTIAL, 0.333333333)
    assert states(column([(0, 12, 0, 0), (12, 0, 0, 0)]), policy).tolist() == [FAIL, PASS]
    rest = np.array([11, 0])
    assert states(column([(0, 1, 0, 0), (1, 0, 0, 0)]), policy, rest).tolist() == [FAIL, PASS]


@pytest.mark.parametrize("most", range(3))
def test_counts_come_back_whichever_label_is_the_most_frequent(most: int) -> None:
    counts = np.zeros((4, 3), np.int64)
    counts[most] = [7, 1, 0]
    counts[(most + 1) % 3] = [0, 1, 2]
    found = code_counts(counts, np.ones(3, np.bool_))
    assert found.kinds[:, found.codes].tolist() == counts.tolist()
