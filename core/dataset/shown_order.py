"""The order in which the four options of a multiple-choice question are shown."""

from collections.abc import Sequence
from random import Random

from core.dataset.choice_options import OPTIONS


def shown_order(choices: Sequence[str], gold: str, seed: int, sample: int) -> tuple[str, ...]:
    """The options as sample number `sample` sees them, A to D.

    The gold stands at position perm[sample mod 4] of a permutation drawn from the seed, so that
    over 4 k samples each position comes k times; the others are shuffled from the same seed.
    """
    turn = sample % OPTIONS
    positions = Random(seed).sample(range(OPTIONS), OPTIONS)  # noqa: S311 (must repeat)
    others = [choice for choice in choices if choice != gold]
    Random(f"{seed}/{turn}").shuffle(others)  # noqa: S311
    return (*others[: positions[turn]], gold, *others[positions[turn] :])
