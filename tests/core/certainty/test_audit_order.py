"""Facts come by a seed and their weights, and an audit grows unchanged."""

import math
from hashlib import blake2b

import numpy as np
import pytest

from core.certainty.audit_order import draw_chances, first_answer, lure_weights, order_facts

FACTS = [f"Q{number}é" for number in range(40)]
WEIGHTS = [3 if number % 4 == 0 else 1 for number in range(40)]


def test_the_order_is_that_of_the_formula() -> None:
    def rank(place: int) -> tuple[float, str]:
        digest = blake2b(f"5\n{FACTS[place]}".encode(), digest_size=8).hexdigest()
        return -math.log((int(digest, 16) + 0.5) / 2**64) / WEIGHTS[place], FACTS[place]

    assert order_facts(FACTS, WEIGHTS, 5) == sorted(range(40), key=rank)
    assert order_facts(FACTS, WEIGHTS, 6) != order_facts(FACTS, WEIGHTS, 5)


def test_without_some_facts_the_rest_keeps_its_order() -> None:
    whole = [FACTS[place] for place in order_facts(FACTS, WEIGHTS, 5)]
    fewer = FACTS[::2]
    part = [fewer[place] for place in order_facts(fewer, WEIGHTS[::2], 5)]
    assert part == [fact for fact in whole if fact in fewer]


def test_facts_of_weight_three_come_first_three_times_as_often() -> None:
    first = [order_facts(FACTS[:8], WEIGHTS[:8], seed)[0] for seed in range(3000)]
    share = np.mean([WEIGHTS[place] == 3 for place in first])
    assert share == pytest.approx(6 / 12, abs=0.03)


def test_weights_are_those_of_lure() -> None:
    weights = np.array([3.0, 1, 1, 3, 1])
    assert draw_chances(weights).tolist() == [3 / 9, 1 / 6, 1 / 5, 3 / 4, 1]
    expected = [
        1 + (5 - 2) / (5 - m) * (1 / ((5 - m + 1) * q) - 1) for m, q in ((1, 3 / 9), (2, 1 / 6))
    ]
    assert lure_weights(weights, 2) == pytest.approx(expected)
    assert lure_weights(weights, 5).tolist() == [1] * 5


def test_the_first_answer_follows_the_seed() -> None:
    answers = [("direct", "m", False, sample) for sample in range(8)]

    def rank(answer: tuple[str, str, bool, int]) -> str:
        text = f"3\nQ1\ndirect\nm\n0\n{answer[3]}"
        return blake2b(text.encode(), digest_size=8).hexdigest()

    assert first_answer(3, "Q1", answers) == min(answers, key=rank)
