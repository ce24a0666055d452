"""What thinking recovers of unknown facts (Calderon et al., section 5.3, figure 8)."""

from collections.abc import Iterator
from dataclasses import dataclass

from core.analyses.analysis_evidence import AnalysisRow, Evidence, Rates
from core.analyses.analysis_record import AnalysisRecord, Column, ColumnKind, Contrast
from core.analyses.thinking import NO_THINKING, thinkers
from core.stats.fact_shares import FactShare


@dataclass(frozen=True, slots=True)
class RecoveryRow(AnalysisRow):
    """Share of the facts unknown without thinking that thinking recovers, by encoding."""

    model: str
    encoded: bool
    n: int
    recovered: float | None


def recovery(evidence: Evidence) -> list[RecoveryRow]:
    """How much of what is not known thinking recovers, where encoded and where not."""
    return [row for row, _ in measure_rows(evidence)]


def measure_rows(evidence: Evidence) -> Iterator[tuple[RecoveryRow, Rates]]:
    """The rows with their shares as masks."""
    for model, analysed, encodes, knows, knows_thinking in thinkers(evidence):
        unknown = analysed & ~knows
        for encoded in (True, False):
            chosen = unknown & (encodes == encoded)
            rate = FactShare(chosen & knows_thinking, chosen)
            yield RecoveryRow(model, encoded, rate.n, rate.share), {"recovered": rate}


RECORD = AnalysisRecord(
    "recovery",
    "what thinking recovers, where the fact is stored and where not",
    recovery,
    (
        Column("model"),
        Column("encoded", ColumnKind.YES),
        Column("n", ColumnKind.COUNT),
        Column("recovered", ColumnKind.SHARE, "recovered %"),
    ),
    note="n: facts not known without thinking",
    measured=measure_rows,
    contrast=Contrast("encoded", True, False, "encoded less not encoded"),
    no_thinking=NO_THINKING,
    is_of_judged=True,
)
