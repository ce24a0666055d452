"""A fact is settled exactly where every way to label the rest leads to one state."""

from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from core.certainty.settlement import settle_states
from core.scoring.policy import Policy
from core.scoring.question_states import states
from core.scoring.verdicts import code_places, judge_states
from core.vocabulary import CODE_ORDER, Strategy

POLICIES = [
    Policy(),
    Policy(tau=0.0),
    Policy(tau=0.75, strategy=Strategy.FACT),
    Policy(strategy=Strategy.PARTIAL),
]


def ways(counts: tuple[int, ...], left: int, policy: Policy) -> set[int]:
    """States that a cell can come to, by trying every way to label what is left."""
    found = set()
    for labels in combinations_with_replacement(range(4), left):
        filled = np.array(counts)
        np.add.at(filled, list(labels), 1)
        found.add(int(states(filled[:, None], policy)[0]))
    return found


def reached(cells: list[set[int]], thinking: bool, policy: Policy) -> set[str]:
    codes = set()
    for one in product(*cells):
        verdicts = judge_states(
            np.array(one, np.uint8)[:, None, None], np.array([thinking]), policy.strategy
        )
        place = code_places(verdicts.verdict, verdicts.encodes, verdicts.knows)[0, 0]
        codes.add(CODE_ORDER[place])
    return codes


@pytest.mark.parametrize("policy", POLICIES, ids=str)
@pytest.mark.parametrize("thinking", [True, False])
def test_settled_is_what_brute_force_calls_settled(policy: Policy, thinking: bool) -> None:
    rng = np.random.default_rng(7)
    settled = 0
    for _ in range(60):
        n = 3
        left = np.where(rng.random(10) < 0.75, 0, rng.integers(0, n + 1, 10))
        labels = np.stack([rng.multinomial(n - one, [0.45, 0.35, 0.05, 0.15]) for one in left], 1)
        if not thinking:
            left[6:], labels[:, 6:] = 0, 0
        ways_of = [
            ways(tuple(labels[:, cell]), int(left[cell]), policy) if cell < 6 or thinking else {0}
            for cell in range(10)
        ]
        codes = reached(ways_of, thinking, policy)
        state = settle_states(
            labels[:, :, None, None], left[:, None, None], np.array([thinking]), policy
        )[0, 0]
        assert CODE_ORDER[state] == (codes.pop() if len(codes) == 1 else "··")
        settled += CODE_ORDER[state] != "··"
    assert 5 < settled < 60
