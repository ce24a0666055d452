"""Questions that everyone fails, and that may therefore be bad ones.

Source: Calderon et al., appendix A.4, after Nahum et al. (2024).
"""

from dataclasses import dataclass, replace

import numpy as np

from core.analyses.analysis_evidence import AnalysisRow, Evidence
from core.analyses.analysis_record import AnalysisRecord, Column, ColumnKind
from core.analyses.curtailed_models import BOTH, EACH, count_undecided
from core.scoring.question_states import FAIL, NOT_GRADABLE, PASS
from core.stats.number_format import format_amount
from core.vocabulary import TASKS

TAU = 0.5
"""What counts as failed here, whatever the threshold of the profiles."""


@dataclass(frozen=True, slots=True)
class QualityRow(AnalysisRow):
    """A fact with its tasks that every model and setting with labels for them fails."""

    fact_id: str
    tasks: list[str]


def quality(evidence: Evidence) -> list[QualityRow]:
    """The facts to look at by hand, in the order of the facts."""
    questions = evidence.questions(replace(evidence.policy, tau=TAU))
    labelled = (questions & (PASS | FAIL | NOT_GRADABLE)) != 0
    failed = labelled.any(axis=0) & ((questions == FAIL) | ~labelled).all(axis=0)
    return [
        QualityRow(
            evidence.index.fact_ids[fact],
            [str(TASKS[task]) for task in np.flatnonzero(failed[:, fact])],
        )
        for fact in np.flatnonzero(failed.any(axis=0) & evidence.facts)
    ]


def _count_lacking(evidence: Evidence, place: int) -> int:
    policy = replace(evidence.policy, tau=TAU)
    return count_undecided(evidence, place, TASKS, BOTH, evidence.facts, policy)


def _summary(rows: int, facts: int) -> str:
    return f"{rows:,} of {format_amount(facts, 'fact')} have a question that every model fails"


RECORD = AnalysisRecord(
    "quality",
    "questions that every model fails",
    quality,
    (Column("fact_id", header="fact"), Column("tasks", ColumnKind.LIST)),
    summary=_summary,
    is_of_choice=True,
    unmeasured="quality lists facts: there are no shares to give intervals of",
    lacking=_count_lacking,
    lacking_reason=EACH,
)
