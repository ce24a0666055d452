"""From label counts to the state of a question: passes, fails, cannot be graded, is undecided.

g = c / (c + i); with a partial weight w, g = (c + w p) / (c + i + p). A question passes if
g > tau. Comparisons are made in whole numbers, so a g that equals tau never passes by rounding.

A question of a curtailed run may have draws left. It has a state if every way in which they
could turn out leads there (semantics section 7), and is undecided else.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.scoring.policy import Policy
from core.vocabulary import Strategy

States = npt.NDArray[np.uint8]

ABSENT, PASS, FAIL, NOT_GRADABLE, UNLABELLED = 0, 1, 2, 4, 8
"""States are bits, so the states of several questions can be joined with `|`."""

OPEN, BARE = 16, 32
"""Undecided with draws left: with a gradable answer, and without any yet."""

UNDECIDED = OPEN | BARE

DENSE_LIMIT = 1 << 24
"""Up to this many possible counts, used ones are found in a table instead of by sorting."""


def states(
    counts: npt.NDArray[np.integer], policy: Policy, left: npt.NDArray[np.integer] | None = None
) -> States:
    """The state of each question.

    `counts` has shape (4, ...): CORRECT, INCORRECT, PARTIALLY, OTHER. Result of shape (...), as
    is `left`: how many draws of a question may still come; none of any question without it.
    """
    standing = stand(counts, policy, left)
    result = np.where(standing.surely > 0, np.uint8(PASS), np.uint8(FAIL))
    if left is not None:
        undecided = (standing.surely <= 0) & (standing.possibly > 0)
        result[undecided] = np.where(standing.gradable[undecided] > 0, OPEN, BARE)
    done = True if left is None else left == 0
    result[(standing.gradable == 0) & done] = NOT_GRADABLE
    result[~counts.any(axis=0) & done] = UNLABELLED
    return result


class ThresholdMargin(NamedTuple):
    """How far questions are above the threshold, in whole numbers; all of one shape.

    `surely` is above 0 if the question passes even where all draws left are INCORRECT,
    `possibly` if it passes where they are all CORRECT; one more CORRECT or INCORRECT among them
    moves these by `step`. `gradable` counts the labels that a grade rests on.
    """

    surely: npt.NDArray[np.signedinteger]
    possibly: npt.NDArray[np.signedinteger]
    gradable: npt.NDArray[np.signedinteger]
    step: int


def stand(
    counts: npt.NDArray[np.integer], policy: Policy, left: npt.NDArray[np.integer] | None = None
) -> ThresholdMargin:
    """Where questions stand, by the arguments of `states`.

    With C = c + w p, D = c + i + p (or c and c + i) and r draws left these are C - tau (D + r)
    and C + r - tau (D + r), both times `step`.
    """
    over, under = policy.exact_tau.as_integer_ratio()
    times, parts = policy.exact_weight.as_integer_ratio()
    step = parts * under
    most = 4 * int(counts.max(initial=1)) + (0 if left is None else int(left.max(initial=0)))
    # A threshold with many decimals needs whole numbers that no machine word holds.
    exact = np.int32 if most * step < 2**31 else np.int64 if most * step < 2**63 else object
    correct, incorrect, partially = counts[:3].astype(exact)
    gradable = correct + incorrect
    points = correct * step
    if policy.strategy is Strategy.PARTIAL:
        gradable = gradable + partially
        points = points + partially * (times * under)
    rest = 0 if left is None else left.astype(exact)
    surely = points - (gradable + rest) * (over * parts)
    return ThresholdMargin(surely, surely + rest * step, gradable, step)


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


class CountCodes(NamedTuple):
    """Counts replaced by small codes, so that a new policy is one look-up a question.

    `kinds` (4, n) are the different counts that occur, `codes` the number of its kind for each
    question; code 0 stands for a question that the fact does not have. `left` (n,) says how many
    draws each kind has left, where any question has some.
    """

    kinds: npt.NDArray[np.int64]
    codes: npt.NDArray[np.unsignedinteger]
    left: npt.NDArray[np.int64] | None = None

    def states(self, policy: Policy) -> States:
        """The state of each question under a policy, in the shape of `codes`."""
        table = states(self.kinds, policy, self.left)
        table[0] = ABSENT
        if self.codes.dtype == np.uint8:
            return _translate(table, self.codes)
        found: States = table[self.codes]
        return found


def _translate(table: States, codes: npt.NDArray[np.unsignedinteger]) -> States:
    """`table[codes]` for codes of a byte, for which bytes have a look-up three times as fast."""
    found = bytearray(codes.tobytes()).translate(table.tobytes().ljust(256, b"\0"))
    return np.frombuffer(found, np.uint8).reshape(codes.shape)


def code_counts(
    counts: npt.NDArray[np.integer],
    exists: npt.NDArray[np.bool_],
    left: npt.NDArray[np.integer] | None = None,
) -> CountCodes:
    """Code counts of shape (4, ...) and the draws left; `exists` must broadcast to (...)."""
    correct, incorrect, partially, other = counts
    base = int(counts[:3].max(initial=0)) + 1
    limit = 2 + base**3 + 1
    times = 1 if left is None else int(left.max(initial=0)) + 1
    # In place and no wider than needed: with many models each array takes megabytes.
    key = correct.astype(np.int32 if limit * times < 2**31 else np.int64)
    for labels in (incorrect, partially):
        key *= base
        key += labels
    key[(key == 0) & (other > 0)] = base**3
    key += 2
    if left is not None:
        key += limit * left.astype(key.dtype)
    key *= exists
    used, codes = _compress_keys(key, limit * times)
    draws, key_alone = np.divmod(used[1:], limit)
    rest = key_alone - 2
    alone = rest >= base**3
    rest = np.where(alone, 0, rest)
    kinds = np.stack([rest // base**2, rest // base % base, rest % base, alone.astype(np.int64)])
    kinds = np.concatenate([np.zeros((4, 1), np.int64), kinds], axis=1)
    return CountCodes(kinds, codes, None if left is None else np.concatenate([[0], draws]))


def _compress_keys(
    key: npt.NDArray[np.signedinteger], limit: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.unsignedinteger]]:
    """The different keys with 0 always first, and for each key its place among them."""
    if limit > DENSE_LIMIT:
        used, codes = np.unique(np.concatenate([[0], key.ravel()]), return_inverse=True)
        return used, codes[1:].reshape(key.shape).astype(_width(used.size))
    seen = np.zeros(limit, np.bool_)
    seen[0] = True
    seen[key] = True
    used = np.flatnonzero(seen).astype(np.int64)
    place = np.zeros(limit, _width(used.size))
    place[used] = np.arange(used.size)
    return used, place[key]


def _width(kinds: int) -> type[np.unsignedinteger]:
    """The type of so many codes."""
    return np.uint8 if kinds <= 256 else np.uint32
