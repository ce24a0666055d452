"""A budget is never overdrawn."""

from random import Random

import pytest

from core.pricing.budget import Budget, dollars


def test_without_a_limit_everything_can_be_paid() -> None:
    budget = Budget(None)
    assert budget.reserve(1e9)
    budget.settle(1e9, 1e8)
    assert (budget.spent, budget.reserved) == (1e8, 0)
    assert budget.reserve(1e12)


def test_what_is_set_aside_cannot_be_promised_twice() -> None:
    budget = Budget(1.0)
    assert budget.reserve(0.75)
    assert not budget.reserve(0.5)
    assert (budget.spent, budget.reserved) == (0, 0.75)
    budget.settle(0.75, 0.125)
    assert budget.reserve(0.5)
    assert not budget.reserve(0.5)
    budget.settle(0.5, 0.5)
    assert (budget.spent, budget.reserved) == (0.625, 0)
    assert not budget.reserve(0.5)
    assert budget.reserve(0.375)


def test_a_smaller_request_may_still_fit() -> None:
    budget = Budget(1.0, spent=0.75)
    assert not budget.reserve(0.5)
    assert budget.reserve(0.25)


def test_what_is_free_is_never_refused() -> None:
    budget = Budget(0.0)
    assert budget.reserve(0.0)
    assert not budget.reserve(0.01)
    assert budget.reserve(0.0)


def test_what_was_spent_before_counts() -> None:
    assert not Budget(1.0, spent=1.0).reserve(0.001)


@pytest.mark.parametrize("seed", range(20))
def test_a_budget_is_never_overdrawn(seed: int) -> None:
    random = Random(seed)
    budget, held = Budget(10.0), list[float]()
    for _ in range(2_000):
        if held and random.random() < 0.5:
            most = held.pop(random.randrange(len(held)))
            budget.settle(most, most * random.random())
        elif budget.reserve(most := random.random()):
            held.append(most)
        assert budget.spent <= 10.0
    while held:
        budget.settle(held[0], held.pop(0))
    assert budget.spent <= 10.0
    assert budget.reserved == 0
    assert not budget.reserve(10.01 - budget.spent)


def test_amounts_as_people_write_them() -> None:
    amounts = (0, 0.00001, 0.00042, 0.0042, 0.01, 3.1, 1234.5)
    written = ["$0", "$0.000010", "$0.00042", "$0.0042", "$0.01", "$3.10", "$1,234.50"]
    assert [dollars(amount) for amount in amounts] == written
