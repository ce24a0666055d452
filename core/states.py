"""From label counts to the state of a question: passes, fails, or cannot be graded.

g = c / (c + i); with a partial weight w, g = (c + w p) / (c + i + p). A question passes if
g > tau. Comparisons are made in whole numbers, so a g that equals tau never passes by rounding.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.names import Strategy
from core.policy import Policy

States = npt.NDArray[np.uint8]

ABSENT, PASS, FAIL, NOT_GRADABLE, UNLABELLED = 0, 1, 2, 4, 8
"""States are bits, so the states of several questions can be joined with `|`."""

DENSE_LIMIT = 1 << 24
"""Up to this many possible counts, used ones are found in a table instead of by sorting."""


def states(counts: npt.NDArray[np.integer], policy: Policy) -> States:
    """The state of each question.

    `counts` has shape (4, ...): CORRECT, INCORRECT, PARTIALLY, OTHER. Result of shape (...).
    """
    over, under = policy.exact_tau.as_integer_ratio()
    times, parts = policy.exact_weight.as_integer_ratio()
    largest = int(counts.sum(axis=0, dtype=np.int64).max(initial=1)) * parts * under
    # A threshold with many decimals needs whole numbers that no machine word holds.
    correct, incorrect, partially, other = counts.astype(np.int64 if largest < 2**63 else object)
    weighs = policy.strategy is Strategy.PARTIAL
    gradable = correct + incorrect + (partially if weighs else 0)
    passes = (correct * parts + partially * times) * under > over * gradable * parts
    result = np.where(passes, np.uint8(PASS), np.uint8(FAIL))
    result[gradable == 0] = NOT_GRADABLE
    result[correct + incorrect + partially + other == 0] = UNLABELLED
    return result


def grades(counts: npt.NDArray[np.integer], policy: Policy) -> npt.NDArray[np.float64]:
    """Question grades g, NaN where not gradable. Shapes as in `states`."""
    correct, incorrect, partially, _ = counts.astype(np.float64)
    if policy.strategy is Strategy.PARTIAL:
        above, below = correct + policy.weight * partially, correct + incorrect + partially
    else:
        above, below = correct, correct + incorrect
    found = np.full(above.shape, np.nan)
    np.divide(above, below, out=found, where=below > 0)
    return found


@dataclass(frozen=True, slots=True)
class Coded:
    """Counts replaced by small codes, so that a new policy is one look-up a question.

    `kinds` (4, n) are the different counts that occur, `codes` the number of its kind for each
    question; code 0 stands for a question that the fact does not have.
    """

    kinds: npt.NDArray[np.int64]
    codes: npt.NDArray[np.unsignedinteger]

    def states(self, policy: Policy) -> States:
        """The state of each question under a policy, in the shape of `codes`."""
        table = states(self.kinds, policy)
        table[0] = ABSENT
        found: States = table[self.codes]
        return found


def coded(counts: npt.NDArray[np.integer], exists: npt.NDArray[np.bool_]) -> Coded:
    """Code counts of shape (4, ...); `exists` must broadcast to (...)."""
    correct, incorrect, partially, other = counts.astype(np.int64)
    base = int(max(correct.max(initial=0), incorrect.max(initial=0), partially.max(initial=0))) + 1
    some_other = (other > 0) & (correct + incorrect + partially == 0)
    key = 2 + ((correct * base + incorrect) * base + partially) + some_other * base**3
    key = np.where(exists, key, 0)
    used, codes = _compressed(key, 2 + base**3 + 1)
    rest = used[1:] - 2
    alone = rest >= base**3
    rest = np.where(alone, 0, rest)
    kinds = np.stack([rest // base**2, rest // base % base, rest % base, alone.astype(np.int64)])
    kinds = np.concatenate([np.zeros((4, 1), np.int64), kinds], axis=1)
    width = np.uint8 if kinds.shape[1] <= 256 else np.uint32
    return Coded(kinds, codes.astype(width))


def _compressed(
    key: npt.NDArray[np.int64], limit: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The different keys with 0 always first, and for each key its place among them."""
    if limit > DENSE_LIMIT:
        used, codes = np.unique(np.concatenate([[0], key.ravel()]), return_inverse=True)
        return used, codes[1:].reshape(key.shape)
    seen = np.zeros(limit, np.bool_)
    seen[0] = True
    seen[key] = True
    used = np.flatnonzero(seen).astype(np.int64)
    place = np.zeros(limit, np.int64)
    place[used] = np.arange(used.size)
    return used, place[key]
