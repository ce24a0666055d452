"""What thinking adds to recall, and where it can (Calderon et al., section 5.3, figures 7, 8)."""

from collections.abc import Iterator
from dataclasses import dataclass

from core.analyses.evidence import AnalysisRow, Evidence, Rates
from core.scoring.verdicts import Mask
from core.stats.bootstrap import FactShare


@dataclass(frozen=True, slots=True)
class ThinkingRow(AnalysisRow):
    """Shares of one model's encoded facts: known without thinking, and only with it."""

    model: str
    n: int
    base: float | None
    gain: float | None
    total: float | None


@dataclass(frozen=True, slots=True)
class RecoveryRow(AnalysisRow):
    """Share of the facts unknown without thinking that thinking recovers, by encoding."""

    model: str
    encoded: bool
    n: int
    recovered: float | None


def _thinkers(evidence: Evidence) -> Iterator[tuple[str, Mask, Mask, Mask, Mask]]:
    """For each model asked with thinking: its name, analysis set, E, K0 and KT."""
    verdicts, analysed = evidence.verdicts, evidence.analysed()
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
    return [row for row, _ in measured_thinking(evidence)]


def measured_thinking(evidence: Evidence) -> Iterator[tuple[ThinkingRow, Rates]]:
    """The rows with their shares as masks."""
    for model, analysed, encodes, knows, knows_thinking in _thinkers(evidence):
        encoded = analysed & encodes
        rates = {
            "base": FactShare(encoded & knows, encoded),
            "gain": FactShare(encoded & ~knows & knows_thinking, encoded),
            "total": FactShare(encoded & (knows | knows_thinking), encoded),
        }
        base, gain = rates["base"].share, rates["gain"].share
        total = None if base is None or gain is None else base + gain
        yield ThinkingRow(model, rates["base"].n, base, gain, total), rates


def recovery(evidence: Evidence) -> list[RecoveryRow]:
    """How much of what is not known thinking recovers, where encoded and where not."""
    return [row for row, _ in measured_recovery(evidence)]


def measured_recovery(evidence: Evidence) -> Iterator[tuple[RecoveryRow, Rates]]:
    """The rows with their shares as masks."""
    for model, analysed, encodes, knows, knows_thinking in _thinkers(evidence):
        unknown = analysed & ~knows
        for encoded in (True, False):
            chosen = unknown & (encodes == encoded)
            rate = FactShare(chosen & knows_thinking, chosen)
            yield RecoveryRow(model, encoded, rate.n, rate.share), {"recovered": rate}
