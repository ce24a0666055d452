"""What every analysis is computed from, and what all their rows have in common."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from core.dataset.fact_index import FactIndex
from core.scoring.label_counts import LabelCounts
from core.scoring.policy import Policy
from core.scoring.question_states import UNDECIDED, UNLABELLED, States, states
from core.scoring.verdicts import EXCLUDED_NAN, INCOMPLETE, Mask, Verdicts
from core.stats.fact_shares import FactShare


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
    _judged: list[States] = field(default_factory=list, init=False, repr=False, compare=False)
    """The states as judged, once they were asked for: each table of an analysis asks again."""

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

    def questions(self, policy: Policy | None = None) -> States:
        """States of all questions, shape (settings + 1, tasks, facts), by default as judged.

        The last stands for a setting without responses, so that row -1 of a tally is that. A
        question that the fact does not have is as one without labels. What a curtailed run has
        left undecided is as that too. Not to be written to.
        """
        if policy is not None and policy != self.policy:
            return self._find_states(policy)
        if not self._judged:
            self._judged.append(self._find_states(self.policy))
            self._judged[0].flags.writeable = False
        return self._judged[0]

    def _find_states(self, policy: Policy) -> States:
        labels = self.tally.labels.transpose(1, 0, 2, 3)
        none = np.full((1, *self.tally.exists.shape), UNLABELLED, np.uint8)
        asked = states(labels, policy, self.tally.count_left())
        asked[(asked & UNDECIDED) != 0] = UNLABELLED
        found: States = np.concatenate([asked, none])
        return found


def count(mask: Mask) -> int:
    """How many are true."""
    return int(np.count_nonzero(mask))
