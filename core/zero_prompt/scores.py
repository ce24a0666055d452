"""What log probabilities of options come to: probabilities, the prediction, the gold's rank.

ZP-LKE, section 3.2 (equation 2), in logarithms.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

MOST = 1e-6
"""A log probability above this is none."""

MOST_MASS = 1.001
"""Options whose probabilities sum above this overlap: what one of them says another says too."""


@dataclass(frozen=True, slots=True)
class OptionScores:
    """Options of one fact with their log probabilities, summed over what follows the input.

    `predicted` is the place of the most probable option, `rank` that of the gold, from 1. `mass`
    is how much of all probability the options have together.
    """

    probabilities: npt.NDArray[np.float64]
    predicted: int
    gold: int
    rank: int
    logprob_gold: float
    mass: float

    @property
    def correct(self) -> bool:
        """Whether the gold is more probable than all others."""
        return self.predicted == self.gold

    @property
    def p_top(self) -> float:
        """The probability of the prediction among the options."""
        return float(self.probabilities[self.predicted])

    @property
    def p_gold(self) -> float:
        """The probability of the gold among the options."""
        return float(self.probabilities[self.gold])


def is_usable(logprobs: Sequence[float | None]) -> bool:
    """Whether every option has a log probability."""
    return bool(logprobs) and all(
        one is not None and np.isfinite(one) and one <= MOST for one in logprobs
    )


def is_overlapping(logprobs: npt.NDArray[np.floating]) -> bool:
    """Whether options hold each other: their probabilities, all usable, sum above 1."""
    kept = logprobs.astype(np.float64)
    return bool(are_usable(kept[None])[0] and np.exp(kept).sum() > MOST_MASS)


def are_usable(logprobs: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Whether each row has a log probability of every option; NaN stands for none."""
    good: npt.NDArray[np.bool_] = np.isfinite(logprobs) & (logprobs <= MOST)
    return np.asarray(good.all(axis=1), np.bool_)


def score(
    options: Sequence[str], logprobs: Sequence[float | None], gold: int
) -> OptionScores | None:
    """What the log probabilities of a fact's options come to; None where one is missing.

    Of options as probable as each other the gold is predicted last, else the first by its text.
    """
    if not is_usable(logprobs):
        return None
    kept = np.asarray(logprobs, np.float32).astype(np.float64)
    best = np.flatnonzero(kept == kept.max())
    predicted = min(map(int, best), key=lambda at: (at == gold, options[at]))
    shifted = np.exp(kept - kept.max())
    rank = 1 + int(np.count_nonzero(np.delete(kept, gold) >= kept[gold]))
    return OptionScores(
        shifted / shifted.sum(),
        predicted,
        gold,
        rank,
        float(kept[gold]),
        float(np.exp(kept).sum()),
    )
