"""The policy under which labels become grades and profiles."""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from numbers import Real

from core.errors import UsageError
from core.vocabulary import Strategy

DEFAULT_TAU = 0.5
DEFAULT_WEIGHT = 0.51
"""Weight of a PARTIALLY under the strategy `partial` (Calderon et al., appendix C.1)."""


@dataclass(frozen=True, slots=True)
class Policy:
    """Threshold `tau` (a question passes if g > tau), exclusion strategy, partial weight.

    `graders` is the precedence list as asked for; None asks for the default one. `asked_as` is
    the saved name that it was asked for by; it changes nothing that is computed.
    """

    tau: float = DEFAULT_TAU
    strategy: Strategy = Strategy.PAIR
    weight: float = DEFAULT_WEIGHT
    graders: tuple[str, ...] | None = None
    asked_as: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        strategy: object = self.strategy
        if not isinstance(strategy, Strategy):  # users of the library write `"partial"`
            object.__setattr__(self, "strategy", _strategy(str(strategy)))
        graders: object = self.graders
        if graders is not None:
            object.__setattr__(self, "graders", _to_tuple(graders))
        for name in ("tau", "weight"):
            given: object = getattr(self, name)
            if isinstance(given, bool) or not isinstance(given, Real):
                raise UsageError(f"{name} is {given!r:.60}: give a number such as 0.5")
        if not (math.isfinite(self.tau) and 0 <= self.tau < 1):
            raise UsageError(f"tau {self.tau} is outside [0, 1): give a threshold such as 0.5")
        if not (math.isfinite(self.weight) and 0 <= self.weight <= 1):
            raise UsageError(f"weight {self.weight} is outside [0, 1]: give one such as 0.51")

    @property
    def exact_tau(self) -> Fraction:
        """The threshold as the decimal number that was written."""
        return _exact(self.tau)

    @property
    def exact_weight(self) -> Fraction:
        """The weight of PARTIALLY: 0 unless the strategy weighs it."""
        return _exact(self.weight) if self.strategy is Strategy.PARTIAL else Fraction(0)


def _strategy(word: str) -> Strategy:
    if word not in tuple(Strategy):
        raise UsageError(f"no strategy {word}: choose one of {', '.join(Strategy)}")
    return Strategy(word)


def _to_tuple(graders: object) -> tuple[str, ...]:
    found = (graders,) if isinstance(graders, str) else graders
    if not isinstance(found, list | tuple) or not all(isinstance(one, str) for one in found):
        raise UsageError(f"graders is {graders!r:.60}: give a list of names of graders")
    return tuple(found)


@lru_cache(maxsize=256)
def _exact(number: float) -> Fraction:
    """The decimal number that was written; a view asks for the same one hundreds of times."""
    return Fraction(str(number))
