"""From one correct answer to all of them (Calderon et al., appendices B.5 and C.4)."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.analyses.analysis_evidence import AnalysisRow, Evidence, Rates
from core.analyses.analysis_record import AnalysisRecord, Column, ColumnKind, Pivot
from core.analyses.curtailed_models import ALL, BOTH, count_open
from core.dataset.subsets import Mask
from core.stats.fact_shares import FactShare
from core.vocabulary import TASKS


@dataclass(frozen=True, slots=True)
class AvailabilityRow(AnalysisRow):
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
    return [row for row, _ in measure_rows(evidence)]


def measure_rows(evidence: Evidence) -> Iterator[tuple[AvailabilityRow, Rates]]:
    """The rows with their shares as masks."""
    for place, thinking in evidence.settings():
        row = evidence.tally.rows[place, int(thinking)]
        if row < 0:
            continue
        model = evidence.tally.models[place]
        for number, task in enumerate(TASKS):
            counts = evidence.tally.labels[row, :, number]
            n, base = _most_common(counts.sum(axis=0, dtype=np.int64), evidence.facts)
            for k in range(1, n + 1):
                rate = FactShare(base & (counts[0] >= k), base)
                yield (
                    AvailabilityRow(model, thinking, str(task), k, rate.n, rate.share),
                    {"share": rate},
                )


def _most_common(labelled: npt.NDArray[np.int64], facts: Mask) -> tuple[int, Mask]:
    """The most common number of labels of a question, the larger of equals, and who has it.

    0 and nobody where no question has any.
    """
    how_common = np.bincount(labelled[facts & (labelled > 0)])
    if not how_common.size:
        return 0, np.zeros_like(facts)
    n = how_common.size - 1 - int(np.argmax(how_common[::-1]))
    return n, facts & (labelled == n)


def _count_lacking(evidence: Evidence, place: int) -> int:
    return count_open(evidence, place, TASKS, BOTH)


RECORD = AnalysisRecord(
    "availability",
    "from one correct answer to all of them",
    availability,
    (
        Column("model"),
        Column("thinking", ColumnKind.SWITCH),
        Column("task"),
        Column("k", ColumnKind.COUNT),
        Column("n_questions", ColumnKind.COUNT, "n"),
        Column("share", ColumnKind.SHARE),
    ),
    note="% of n questions with at least so many correct answers",
    is_of_choice=True,
    pivot=Pivot(keys=("model", "thinking", "task", "n_questions"), over="k", value="share"),
    measured=measure_rows,
    lacking=_count_lacking,
    lacking_reason=ALL,
)
