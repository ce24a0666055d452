"""What each state of a fact adds to each number: (a, b), the number being sum a / sum b.

States are the codes of `CODE_ORDER`, by their places; the numbers are those of semantics 4.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.vocabulary import CODE_ORDER, CODES, PROFILES

Floats = npt.NDArray[np.float64]
States = npt.NDArray[np.uint8]

INCOMPLETE = CODE_ORDER.index("··")

_PROFILED = tuple(CODES[profile] for profile in PROFILES)
_UNMEASURED = ("EK", "E-", "-K", "--")


@dataclass(frozen=True, slots=True)
class StateNumber:
    """One number: the codes whose facts are counted, and those that are its base.

    `within`: what is counted lies in the base; table 2's shares of known facts do not.
    """

    name: str
    hits: frozenset[str]
    base: frozenset[str]

    @property
    def within(self) -> bool:
        """Whether the numerator lies in the denominator."""
        return self.hits <= self.base

    def parts(self, states: States) -> tuple[Floats, Floats]:
        """a and b of each state, in its shape."""
        a, b = (
            np.array([code in codes for code in CODE_ORDER], np.float64)
            for codes in (self.hits, self.base)
        )
        return a[states], b[states]


def _number(name: str, hits: tuple[str, ...], base: tuple[str, ...]) -> StateNumber:
    return StateNumber(name, frozenset(hits), frozenset(base))


SHARES = tuple(_number(str(one), (CODES[one],), _PROFILED) for one in PROFILES)
_ENCODES = _number("encodes", ("RF", "DR", "RT"), _PROFILED)

NUMBERS: Mapping[bool, tuple[StateNumber, ...]] = {
    True: (
        *SHARES,
        _ENCODES,
        _number("knows", ("DR", "DI"), _PROFILED),
        _number("knows_thinking", ("DR", "RT", "IE", "DI"), _PROFILED),
        _number("excluded_share", ("NA", "DI"), (*_PROFILED, "DI", "NA")),
    ),
    False: (
        _number("encodes", ("EK", "E-"), _UNMEASURED),
        _number("knows", ("EK", "-K"), _UNMEASURED),
    ),
}
"""The numbers of a model with thinking, and of one without."""

GAPS = (*SHARES, _ENCODES)
"""The numbers in which models are compared, each those that have it."""


def find_number(name: str, thinking: bool) -> StateNumber | None:
    """The number of this name that such a model has."""
    return next((one for one in NUMBERS[thinking] if one.name == name), None)


def gap_parts(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """(a, b) of a gap from those of the two models: b where both count, a their difference."""
    both = one[1] * other[1]
    return (one[0] - other[0]) * both, both
