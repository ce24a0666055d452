"""What an engine says when the money does not reach."""

from collections.abc import Iterable

from core.engine.model_channel import ModelChannel
from core.engine.run_counters import RunCounters
from core.errors import UsageError
from core.pricing import Budget, OverBudgetError
from core.pricing.budget import dollars


def refuse_unknown_prices(budget: Budget | None, lanes: Iterable[ModelChannel]) -> None:
    """Raise `UsageError` where a budget cannot be kept as nobody knows what a model costs."""
    if budget is None or budget.limit is None:
        return
    for lane in lanes:
        if lane.price is None:
            raise UsageError(
                f"nobody knows what {lane.model} costs, so that --max-cost cannot be kept: "
                "put its price into prices.toml, or leave --max-cost out"
            )


def over_budget(budget: Budget, ledger: RunCounters) -> OverBudgetError:
    """The error with which a job stops whose next request may cost more than is left."""
    stages = ledger.stages.values()
    done = sum(one.done + one.dropped for one in stages)
    total = done + sum(one.waiting + one.running + one.failed for one in stages)
    return OverBudgetError(
        f"Stopped at {dollars(budget.spent)} of {dollars(budget.limit or 0)}, the next request may "
        f"cost more than is left. {done:,} of {total:,} done, all kept; a larger --max-cost goes on"
    )
