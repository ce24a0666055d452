"""What thinking adds to recall, and where it can (Calderon et al., section 5.3, figures 7, 8)."""

from collections.abc import Iterator
from dataclasses import dataclass

from core.analyses.evidence import Evidence, Row, count
from core.profiles import Mask, ratio


@dataclass(frozen=True, slots=True)
class ThinkingRow(Row):
    """Shares of one model's encoded facts: known without thinking, and only with it."""

    model: str
    n: int
    base: float | None
    gain: float | None
    total: float | None


@dataclass(frozen=True, slots=True)
class RecoveryRow(Row):
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
    rows = []
    for model, analysed, encodes, knows, knows_thinking in _thinkers(evidence):
        encoded = analysed & encodes
        n = count(encoded)
        base = ratio(count(encoded & knows), n)
        gain = ratio(count(encoded & ~knows & knows_thinking), n)
        total = None if base is None or gain is None else base + gain
        rows.append(ThinkingRow(model, n, base, gain, total))
    return rows


def recovery(evidence: Evidence) -> list[RecoveryRow]:
    """How much of what is not known thinking recovers, where encoded and where not."""
    rows = []
    for model, analysed, encodes, knows, knows_thinking in _thinkers(evidence):
        unknown = analysed & ~knows
        for encoded in (True, False):
            chosen = unknown & (encodes == encoded)
            n = count(chosen)
            rows.append(RecoveryRow(model, encoded, n, ratio(count(chosen & knows_thinking), n)))
    return rows
