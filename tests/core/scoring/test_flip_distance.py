"""Distances from another state, against trying every way in which the labels could stand."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.scoring.flip_distance import flips
from core.scoring.policy import Policy
from core.scoring.question_states import states
from core.vocabulary import Strategy

POLICIES = [
    Policy(tau, strategy, weight)
    for tau, strategy, weight in (
        (0.5, Strategy.PAIR, 0.51),
        (0.0, Strategy.PAIR, 0.51),
        (0.99, Strategy.FACT, 0.51),
        (0.5, Strategy.PARTIAL, 0.51),
        (0.3, Strategy.PARTIAL, 0.3),
        (0.25, Strategy.PARTIAL, 0.0),
        (0.6, Strategy.PARTIAL, 1.0),
    )
]


def every_count(n: int) -> Iterator[tuple[int, int, int, int]]:
    for c, i, p in product(range(n + 1), repeat=3):
        if c + i + p <= n:
            yield c, i, p, n - c - i - p


def by_trying(n: int, policy: Policy, left: int) -> dict[tuple[int, int, int, int], int | None]:
    """The fewest changes from each count of n labels to one with another state."""
    there = list(every_count(n))
    rest = np.full(len(there), left) if left else None
    found = dict(zip(there, states(np.array(there).T, policy, rest).tolist(), strict=True))
    return {
        one: min(
            (
                sum(max(0, a - b) for a, b in zip(one, other, strict=True))
                for other in there
                if found[other] != found[one]
            ),
            default=None,
        )
        for one in there
    }


@pytest.mark.parametrize("policy", POLICIES, ids=str)
@pytest.mark.parametrize("left", [0, 1, 3])
@pytest.mark.parametrize("most", [4, pytest.param(6, marks=pytest.mark.slow)])
def test_fewest_changes_against_trying_all(policy: Policy, left: int, most: int) -> None:
    for n in range(1, most + 1):
        expected = by_trying(n, policy, left)
        counts = np.array(list(expected)).T
        found = flips(counts, policy, np.full(counts.shape[1], left) if left else None)
        # Where no labels lead elsewhere, more changes are asked for than there are labels.
        shown = [one if one <= n else None for one in found.tolist()]
        assert shown == list(expected.values())


def test_by_hand() -> None:
    counts = np.array([[5, 3, 0, 0], [4, 4, 0, 0], [4, 3, 1, 0], [0, 0, 0, 8], [0] * 4]).T
    # 5 of 8 falls with one label, 4 of 8 passes with one; 4 of 7 falls with one; nothing is
    # gradable: any label does; no label: none can change.
    assert flips(counts, Policy()).tolist() == [1, 1, 1, 1, 0]
    assert flips(np.array([[8], [0], [0], [0]]), Policy()).tolist() == [4]
    assert flips(np.array([[0], [8], [0], [0]]), Policy()).tolist() == [5]
    # One wrong answer and seven that are no answers: taking that one away is enough.
    assert flips(np.array([[0], [1], [0], [7]]), Policy()).tolist() == [1]


@given(
    st.lists(st.tuples(*[st.integers(0, 200)] * 4), min_size=1, max_size=5),
    st.sampled_from(["0.123456789012345", "0.5", "0.9999999999"]),
)
@settings(max_examples=30, deadline=None)
def test_thresholds_of_many_decimals(counts: list[tuple[int, int, int, int]], tau: str) -> None:
    policy = Policy(float(tau), Strategy.PARTIAL, 0.123456789012345)
    found = flips(np.array(counts).T, policy)
    for one, fewest in zip(counts, found.tolist(), strict=True):
        assert fewest <= sum(one)
        assert (fewest == 0) == (sum(one) == 0)
