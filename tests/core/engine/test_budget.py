"""A budget is never overdrawn, and stops a run with all that came kept."""

from collections.abc import Callable

import pytest

from core.errors import UsageError
from core.pricing import Budget, OverBudgetError, Price
from core.providers.base import Request, TransientError
from tests.core.engine.scripted import Scripted, Stage, say
from tests.core.engine.timeless import run

Make = Callable[..., Stage]

PRICE = Price(0.0, 1_000.0)
"""A tenth of a cent a token out; a request of `scripted.request` may cost 20 of them."""


def test_it_stops_before_it_is_overdrawn(stage: Make) -> None:
    made = stage(1000, budget=Budget(0.1), price=PRICE)
    server = Scripted(say(tokens=2))
    with pytest.raises(OverBudgetError, match=r"Stopped at \$0\.08 of \$0\.10") as caught:
        run(lambda: made.run(server))
    done = made.counts[2]
    assert made.budget is not None
    assert made.budget.spent == pytest.approx(0.002 * done)
    assert made.budget.spent + 0.02 > 0.1 >= made.budget.spent
    assert f"{done} of 1,000 done, all kept" in str(caught.value)
    assert made.counts == (1000 - done, 0, done, 0)
    assert len(server.sent) == done


def test_what_fails_costs_nothing(stage: Make) -> None:
    tried: list[str | None] = []

    def script(request: Request) -> object:
        tried.append(request.text)
        if tried.count(request.text) == 1:
            raise TransientError("x: HTTP 500")
        return say(tokens=2)(request)

    made = stage(20, budget=Budget(0.1), price=PRICE)
    run(lambda: made.run(Scripted(script)))  # type: ignore[arg-type]
    assert made.counts == (0, 0, 20, 0)
    assert made.budget is not None
    assert made.budget.spent == pytest.approx(0.04)
    assert made.budget.reserved == 0
    assert made.counters.spends["answer", "model"].cost == pytest.approx(0.04)


def test_a_budget_without_a_price_is_refused_before_anything_is_sent(stage: Make) -> None:
    made, server = stage(10, budget=Budget(1.0)), Scripted()
    with pytest.raises(UsageError, match=r"model costs.*prices\.toml"):
        run(lambda: made.run(server))
    assert not server.sent


def test_no_limit_only_counts(stage: Make) -> None:
    made = stage(10, budget=Budget(None), price=PRICE)
    run(lambda: made.run(Scripted(say(tokens=2))))
    assert made.budget is not None
    assert made.budget.spent == pytest.approx(0.02)
