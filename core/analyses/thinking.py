"""What thinking adds to recall (Calderon et al., section 5.3, figure 7)."""

from collections.abc import Iterator
from dataclasses import dataclass

from core.analyses.analysis_evidence import AnalysisRow, Evidence, Rates
from core.analyses.analysis_record import AnalysisRecord, Column, ColumnKind
from core.scoring.verdicts import Mask
from core.stats.fact_shares import FactShare


@dataclass(frozen=True, slots=True)
class ThinkingRow(AnalysisRow):
    """Shares of one model's encoded facts: known without thinking, and only with it."""

    model: str
    n: int
    base: float | None
    gain: float | None
    total: float | None


def thinkers(evidence: Evidence) -> Iterator[tuple[str, Mask, Mask, Mask, Mask]]:
    """For each model asked with thinking: its name, analysis set, E, K0 and KT."""
    verdicts, analysed = evidence.verdicts, evidence.analysis_set()
    columns = zip(
        evidence.tally.models,
        verdicts.thinking,
        analysed,
        verdicts.encodes,
        verdicts.knows,
        verdicts.knows_thinking,
        strict=True,
    )
    for model, thinks, *masks in columns:
        if thinks:
            yield model, *masks


def thinking(evidence: Evidence) -> list[ThinkingRow]:
    """Recall of encoded facts without thinking, and the gain by thinking."""
    return [row for row, _ in measure_rows(evidence)]


def measure_rows(evidence: Evidence) -> Iterator[tuple[ThinkingRow, Rates]]:
    """The rows with their shares as masks."""
    for model, analysed, encodes, knows, knows_thinking in thinkers(evidence):
        encoded = analysed & encodes
        rates = {
            "base": FactShare(encoded & knows, encoded),
            "gain": FactShare(encoded & ~knows & knows_thinking, encoded),
            "total": FactShare(encoded & (knows | knows_thinking), encoded),
        }
        base, gain = rates["base"].share, rates["gain"].share
        total = None if base is None or gain is None else base + gain
        yield ThinkingRow(model, rates["base"].n, base, gain, total), rates


NO_THINKING = "No model here was asked with thinking: `lostkeys run --thinking on` does that."

RECORD = AnalysisRecord(
    "thinking",
    "what thinking adds to recall",
    thinking,
    (
        Column("model"),
        Column("n", ColumnKind.COUNT),
        Column("base", ColumnKind.SHARE, "recalled %"),
        Column("gain", ColumnKind.SHARE, "added %"),
        Column("total", ColumnKind.SHARE, "total %"),
    ),
    note="n: encoded facts; added: by thinking",
    measured=measure_rows,
    no_thinking=NO_THINKING,
    is_of_judged=True,
)
