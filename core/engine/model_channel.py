"""Lanes: the models that a job asks, each with what it takes and what it costs."""

import asyncio
from dataclasses import dataclass, field

from core.engine.rate_limits import MOST_AT_ONCE, Bucket, Concurrency, Limits
from core.engine.run_counters import Spend
from core.engine.served_names import ServedNames
from core.pricing import AccountLimits, Price
from core.providers.base import Provider
from core.providers.capabilities import Capabilities


@dataclass(slots=True)
class ModelChannel:
    """One model as a job asks it. `price` None: nobody knows it."""

    provider: Provider
    model: str
    limits: Limits = field(default_factory=Limits)
    price: Price | None = None
    served: ServedNames = field(default_factory=ServedNames)

    def set_cost(self, used: Spend, batch: bool = False) -> None:
        """Enter what the tokens of a spend cost, where that is known."""
        if self.price is not None:
            used.cost = self.price.cost(used.input_tokens, used.output_tokens, batch)


def limits_for(
    known: Capabilities, rates: AccountLimits | None = None, most: int | None = None
) -> Limits:
    """What may be under way with a model of these capabilities, in the running event loop.

    `most`: requests in flight, where a person has set it.

    Where the answers that it can work on are known, that many are in flight from the start; else
    there are as many requests as it is said to take well, and more while it takes them.
    """
    now = asyncio.get_running_loop().time()
    rpm, tpm = (rates.rpm, rates.tpm) if rates is not None else (None, None)
    if known.sequences is not None:
        concurrency = Concurrency(known.sequences, known.sequences)
    else:
        concurrency = Concurrency(known.requests, max(known.requests, MOST_AT_ONCE))
    return Limits(
        concurrency,
        by_answers=known.sequences is not None,
        requests=None if rpm is None else Bucket(rpm, now),
        tokens=None if tpm is None else Bucket(tpm, now),
        most_out=most,
    )
