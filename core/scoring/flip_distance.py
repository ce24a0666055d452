"""How far a question is from another state: the fewest of its labels that would have to change.

What decides is a sum over the labels (C - tau (D + r), see `core.scoring.question_states`), so the
labels that can move it furthest are changed first.
"""

import numpy as np
import numpy.typing as npt

from core.scoring.policy import Policy
from core.scoring.question_states import stand
from core.vocabulary import Strategy

Ints = npt.NDArray[np.intp]
Numbers = npt.NDArray[np.signedinteger]

NEVER = int(np.iinfo(np.intp).max)
"""Stands for a state that no labels of these draws lead to."""


def flips(
    counts: npt.NDArray[np.integer], policy: Policy, left: npt.NDArray[np.integer] | None = None
) -> Ints:
    """The fewest labels of each question that would have to change for its state to change.

    Arguments as those of `core.scoring.question_states.states`, result of shape (...); 0 where
    there is no label. Any label may become any other, draws that are left stay open.
    """
    now = stand(counts, policy, left)
    worth = _worth(policy, now.step)
    losses = [each - min(worth) for each in worth]
    gains = [max(worth) - each for each in worth]
    # All labels that a grade rests on taken for OTHER: the question cannot be graded any more.
    emptied = now.gradable.astype(np.intp)
    if_passes = _fewest(counts, losses, now.surely)
    if_fails = np.minimum(_fewest(counts, gains, 1 - now.possibly), emptied)
    found = np.where(now.surely > 0, if_passes, if_fails)
    if left is not None:
        settled = np.minimum(
            _fewest(counts, gains, 1 - now.surely), _fewest(counts, losses, now.possibly)
        )
        undecided = (now.surely <= 0) & (now.possibly > 0)
        found = np.where(undecided, np.minimum(settled, emptied), found)
    found = np.where(emptied == 0, 1, found)
    return np.where(counts.sum(axis=0, dtype=np.int64) == 0, 0, found).astype(np.intp)


def _worth(policy: Policy, step: int) -> list[int]:
    """What one label of each kind adds to what decides, in the whole numbers of `stand`."""
    under = policy.exact_tau.denominator
    threshold = policy.exact_tau.numerator * (step // under)
    partially = 0
    if policy.strategy is Strategy.PARTIAL:
        partially = policy.exact_weight.numerator * under - threshold
    return [step - threshold, -threshold, partially, 0]


def _fewest(counts: npt.NDArray[np.integer], moves: list[int], needed: Numbers) -> Ints:
    """How many labels must change to move the sum by what is needed, NEVER where all do not.

    `moves` says how far one label of each kind can move it.
    """
    total = np.zeros(needed.shape, np.intp)
    for kind in sorted(range(len(moves)), key=lambda kind: -moves[kind]):
        if moves[kind] > 0:
            enough = -(-np.maximum(needed, 0) // moves[kind])
            taken = np.minimum(counts[kind], enough)
            total += taken.astype(np.intp)
            needed = needed - taken * moves[kind]
    return np.where(needed > 0, NEVER, total)
