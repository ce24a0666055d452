"""The strong models that questions are measured by, and how many of them fail each question.

A question that every strong model fails may be a bad one. Source: Calderon et al., appendix A.4.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from core.analyses.quality import TAU
from core.dataset.subsets import Mask
from core.scoring.question_states import FAIL, NOT_GRADABLE, PASS, UNDECIDED, UNLABELLED, states
from core.views.snapshot import Snapshot

STRONGEST = 5
"""Models in an ensemble that nobody has named."""

NEARLY_ALL = 4
"""Models that it takes for a question to be suspicious that all but one fail."""

Numbers = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class FailureCounts:
    """How many of `models` fail each question, of how many with labels; shapes (tasks, facts).

    A model fails a question if it does so in each of its settings with labels, as in the
    analysis `quality`: with g <= 0.5, whatever the threshold; not gradable is no failure.
    """

    models: tuple[str, ...]
    fails: Numbers
    of: Numbers

    @property
    def all_fail(self) -> Mask:
        """Questions that every model with labels for them fails."""
        found: Mask = (self.of > 0) & (self.fails == self.of)
        return found

    @property
    def nearly_all_fail(self) -> Mask:
        """Questions that all models but one fail, of enough models."""
        found: Mask = (self.of >= NEARLY_ALL) & (self.fails == self.of - 1)
        return found


def find_strongest(snapshot: Snapshot, most: int = STRONGEST) -> tuple[str, ...]:
    """The models of a snapshot that know most facts with thinking off, best first."""
    known = snapshot.verdicts.knows.sum(axis=1)
    order = sorted(range(len(snapshot.models)), key=lambda place: (-int(known[place]), place))
    return tuple(snapshot.models[place] for place in order[:most])


def count_failures(snapshot: Snapshot, models: Sequence[str]) -> FailureCounts:
    """What these models of a snapshot fail under its graders."""
    tally, policy = snapshot.tally, replace(snapshot.lens.policy, tau=TAU)
    shape = tally.exists.shape
    fails, of = np.zeros(shape, np.uint8), np.zeros(shape, np.uint8)
    left = tally.count_left()
    for model in models:
        rows = [row for row in tally.rows[snapshot.answerers.index(model)].tolist() if row >= 0]
        asked = states(
            tally.labels[rows].transpose(1, 0, 2, 3), policy, None if left is None else left[rows]
        )
        asked[(asked & UNDECIDED) != 0] = UNLABELLED
        labelled = (asked & (PASS | FAIL | NOT_GRADABLE)) != 0
        some = labelled.any(axis=0) & tally.exists
        of += some
        fails += some & ((asked == FAIL) | ~labelled).all(axis=0)
    return FailureCounts(tuple(models), fails, of)
