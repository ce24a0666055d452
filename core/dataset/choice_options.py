"""The four options of a multiple-choice question, and the order in which they were shown.

An order is stored as the number of its permutation: its index in
`itertools.permutations(range(4))`, whose entry j is the place in the question's list of the
option shown at position j (0 is A).
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations
from random import Random

from core.errors import LostkeysError

OPTIONS = 4
_ORDERS = tuple(permutations(range(OPTIONS)))
_KEPT = 256
"""Questions of which the orders are kept: one is asked in several settings, one after another."""

_NUMBER = {order: number for number, order in enumerate(_ORDERS)}


def encode(shown: Sequence[str], choices: Sequence[str]) -> int:
    """The number (0 to 23) of the order in which the options were shown.

    Raises `ValueError` if `shown` is not a reordering of `choices`, text for text.
    """
    number = _NUMBER.get(tuple(choices.index(text) for text in shown))
    if number is None:
        raise ValueError("not an order of these options")
    return number


def places(number: int) -> Sequence[int]:
    """The places among the choices of the options shown from A to D under an order's number."""
    return _ORDERS[number]


def decode(number: int, choices: Sequence[str]) -> tuple[str, ...]:
    """The options from A to D as shown under an order's number."""
    return tuple(choices[place] for place in _ORDERS[number])


def gold_option(choices: Sequence[str], gold: str) -> str:
    """The option that is the gold answer, by its text: exactly, else in any letter case.

    Outer white space does not matter. Raises `LostkeysError` where no option is the gold.
    """
    for form in (str.strip, _fold):
        for option in choices:
            if form(option) == form(gold):
                return option
    raise LostkeysError(f"none of the options {list(choices)!r} is the gold answer {gold!r}")


def _fold(text: str) -> str:
    return text.strip().casefold()


def shown_order(choices: Sequence[str], gold: str, seed: int, sample: int) -> tuple[str, ...]:
    """The options as sample number `sample` sees them, A to D.

    The gold stands at position perm[sample mod 4] of a permutation drawn from the seed, so that
    over 4 k samples each position comes k times; the others are shuffled from the same seed.
    """
    return shown_orders(tuple(choices), gold, seed)[sample % OPTIONS]


@lru_cache(_KEPT)
def shown_orders(choices: tuple[str, ...], gold: str, seed: int) -> tuple[tuple[str, ...], ...]:
    """The options as the samples of each turn see them."""
    chance = Random(seed)  # noqa: S311 (must repeat)
    positions = chance.sample(range(OPTIONS), OPTIONS)
    found = []
    for turn, place in enumerate(positions):
        others = [choice for choice in choices if choice != gold]
        chance.seed(f"{seed}/{turn}")
        chance.shuffle(others)
        found.append((*others[:place], gold, *others[place:]))
    return tuple(found)
