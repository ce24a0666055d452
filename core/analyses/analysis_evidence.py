"""What every analysis is computed from, and what all their rows have in common."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

import numpy as np

from core.dataset.fact_index import FactIndex
from core.scoring.label_counts import LabelCounts
from core.scoring.policy import Policy
from core.scoring.question_states import UNDECIDED, UNLABELLED, States, states
from core.scoring.verdicts import EXCLUDED_NAN, INCOMPLETE, Mask, Verdicts
from core.stats.fact_shares import FactShare
from core.vocabulary import TASK_INDEX, TASKS, Task

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AnalysisRow:
    """One row of an analysis; its fields are the row keys of semantics section 5."""

    def as_json(self) -> dict[str, object]:
        """The row as `analyze --json` gives it."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


Rates = Mapping[str, FactShare]
"""The shares of a row by their keys, as masks of facts: what intervals are made from."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Counts and verdicts under one policy; `facts` (facts,) says which facts to look at.

    `index`, `tally` and `verdicts` have all facts of the database, in the same order.
    """

    index: FactIndex
    tally: LabelCounts
    verdicts: Verdicts
    policy: Policy
    facts: Mask
    options: Mapping[str, Any] = field(default_factory=dict)
    """What was asked for with the options of the analysis, by their names."""
    _kept: dict[object, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What was found out: each table of an analysis asks again."""

    def analysis_set(self) -> Mask:
        """The analysis set of every model, shape (models, facts): complete and not NaN."""
        verdict = self.verdicts.verdict
        found: Mask = (verdict != INCOMPLETE) & (verdict != EXCLUDED_NAN) & self.facts
        return found

    def settings(self) -> Iterator[tuple[int, bool]]:
        """Every model's place with thinking off, and on where it was asked so."""
        for place, thinks in enumerate(self.tally.thinks()):
            yield place, False
            if thinks:
                yield place, True

    def keep(self, key: object, find: Callable[[], T]) -> T:
        """What `find` gives, which is called once for a key."""
        if key not in self._kept:
            self._kept[key] = find()
        found: T = self._kept[key]
        return found

    def questions(self, policy: Policy | None = None, tasks: Sequence[Task] = TASKS) -> States:
        """States of questions, shape (settings + 1, tasks, facts), by default as judged.

        The last stands for a setting without responses, so that row -1 of a tally is that. A
        question that the fact does not have is as one without labels. What a curtailed run has
        left undecided is as that too. Not to be written to.
        """
        judged = policy or self.policy
        places = [TASK_INDEX[task] for task in tasks]
        return self.keep(("questions", judged, *places), lambda: self._find_states(judged, places))

    def _find_states(self, policy: Policy, places: Sequence[int]) -> States:
        whole, left = len(places) == len(TASKS), self.tally.count_left()
        labels = self.tally.labels if whole else self.tally.labels[:, :, places]
        left = left if whole or left is None else left[:, places]
        asked = states(labels.transpose(1, 0, 2, 3), policy, left)
        if left is not None:
            asked[(asked & UNDECIDED) != 0] = UNLABELLED
        none = np.full((1, *asked.shape[1:]), UNLABELLED, np.uint8)
        found: States = np.concatenate([asked, none])
        found.flags.writeable = False
        return found


def count(mask: Mask) -> int:
    """How many are true."""
    return int(np.count_nonzero(mask))
