"""Lanes: the models that a job asks, each with what it takes and what it costs."""

import asyncio
import math
from dataclasses import dataclass, field

from core.engine.run_counters import Spend
from core.engine.served_names import ServedNames
from core.pricing import AccountLimits, Price
from core.providers.base import Provider
from core.providers.capabilities import Capabilities

# How much may be under way with one model: at once, and a minute.
#
# Times are seconds of one monotonic clock, given by the caller.

MOST_AT_ONCE = 64
"""Requests in flight where nobody knows what a server takes."""

BURST = 10.0
"""Seconds of a rate per minute that may be used up at once."""

INSTANT = 0.001
"""Seconds that are not worth waiting for."""


@dataclass(slots=True)
class Concurrency:
    """How much may be in flight at once: `size` grows while the server takes it, up to `most`.

    It doubles within a round of requests until there is the first trouble, then grows by one a
    round; trouble halves it (additive increase, multiplicative decrease: Chiu and Jain 1989).
    """

    size: float
    most: float
    _searching: bool = True
    _halved: float = -math.inf

    def grow(self, in_flight: int) -> None:
        """A request came home well while this much, itself included, was in flight."""
        if self.size < self.most and in_flight >= math.floor(self.size):
            self.size = min(self.most, self.size + (1.0 if self._searching else 1.0 / self.size))

    def halve(self, sent: float, now: float) -> None:
        """The server had too much to do with a request that was sent then.

        What was sent before the last halving says nothing of the size since.
        """
        if sent >= self._halved:
            self.size = max(1.0, self.size / 2)
            self._searching, self._halved = False, now


class Bucket:
    """A rate per minute that may be used unevenly: a token bucket."""

    def __init__(self, per_minute: float, now: float) -> None:
        self._rate = per_minute / 60
        self._size = max(1.0, self._rate * BURST)
        self._level, self._at = self._size, now

    def wait(self, amount: float, now: float) -> float:
        """Seconds until so much may be used; more than there can ever be needs a full bucket."""
        self._level = min(self._size, self._level + (now - self._at) * self._rate)
        self._at = now
        wait = (min(amount, self._size) - self._level) / self._rate
        return wait if wait > INSTANT else 0.0

    def use(self, amount: float) -> None:
        """Use so much, or give back where it is less than nothing."""
        self._level -= amount


@dataclass(slots=True)
class Limits:
    """What may be under way in one channel.

    `by_answers`: answers count against `concurrency`, not requests. `requests` and `tokens` are
    rates per minute, `most_out` the most requests in flight, None where there is no such limit.
    `in_flight` counts what `concurrency` does, `out` requests.
    """

    concurrency: Concurrency = field(default_factory=lambda: Concurrency(8, MOST_AT_ONCE))
    by_answers: bool = False
    requests: Bucket | None = None
    tokens: Bucket | None = None
    most_out: int | None = None
    in_flight: int = 0
    out: int = 0

    def wait(self, answers: int, tokens: int, now: float) -> float:
        """Seconds until a request may be sent; infinite until another has come home.

        One may always be in flight, however many answers it asks for.
        """
        if self.in_flight and self.in_flight + self._weight(answers) > self.concurrency.size:
            return math.inf
        if self.most_out is not None and self.out >= self.most_out:
            return math.inf
        wait = 0.0
        if self.requests is not None:
            wait = self.requests.wait(1, now)
        if self.tokens is not None:
            wait = max(wait, self.tokens.wait(tokens, now))
        return wait

    def begin(self, answers: int, tokens: int) -> None:
        """A request is sent."""
        self.in_flight += self._weight(answers)
        self.out += 1
        if self.requests is not None:
            self.requests.use(1)
        if self.tokens is not None:
            self.tokens.use(tokens)

    def end(self, answers: int, tokens: int, used: int) -> None:
        """A request is home: `tokens` were thought of, `used` it was."""
        self.in_flight -= self._weight(answers)
        self.out -= 1
        if self.tokens is not None:
            self.tokens.use(used - tokens)

    def grow(self) -> None:
        """A request is coming home well. Called before `end`."""
        self.concurrency.grow(self.in_flight)

    def _weight(self, answers: int) -> int:
        return answers if self.by_answers else 1


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
