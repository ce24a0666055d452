"""From one correct answer to all of them (Calderon et al., appendices B.5 and C.4)."""

from dataclasses import dataclass

import numpy as np

from core.analyses.evidence import Evidence, Row
from core.names import TASKS
from core.profiles import ratio
from core.tally import Counts


@dataclass(frozen=True, slots=True)
class AvailabilityRow(Row):
    """Share of a setting's questions with at least k correct labels.

    `n_questions` counts those with the most common number of labels; others are left out.
    """

    model: str
    thinking: bool
    task: str
    k: int
    n_questions: int
    share: float | None


def availability(evidence: Evidence) -> list[AvailabilityRow]:
    """Every setting's tasks, for k = 1 to the most common number of labels."""
    rows: list[AvailabilityRow] = []
    for place, thinking in evidence.settings():
        row = evidence.tally.rows[place, int(thinking)]
        if row < 0:
            continue
        for number, task in enumerate(TASKS):
            at_least = _at_least(evidence.tally.labels[row, :, number][:, evidence.facts])
            model, n = evidence.tally.models[place], at_least[0]
            rows.extend(
                AvailabilityRow(model, thinking, str(task), k, n, ratio(some, n))
                for k, some in enumerate(at_least[1:], start=1)
            )
    return rows


def _at_least(counts: Counts) -> list[int]:
    """How many questions have at least 0, 1, 2 ... correct labels, of counts (labels, facts).

    Only questions with the most common number of labels are counted, the larger of equals.
    """
    labelled = counts.sum(axis=0, dtype=np.int64)
    how_common = np.bincount(labelled[labelled > 0])
    if not how_common.size:
        return [0]
    n = how_common.size - 1 - int(np.argmax(how_common[::-1]))
    exactly = np.bincount(counts[0][labelled == n], minlength=n + 1)
    found: list[int] = exactly[::-1].cumsum()[::-1].tolist()
    return found
