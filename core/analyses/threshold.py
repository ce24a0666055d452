"""Profiles under other thresholds (Calderon et al., appendix C.2, figure 17)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from core.analyses.evidence import AnalysisRow, Evidence, Rates, count
from core.scoring.verdicts import code_cells, judge
from core.stats.bootstrap import FactShare
from core.vocabulary import PROFILES

TAUS: tuple[float, ...] = (0, 0.25, 0.5, 0.75, 0.9, 0.99)


@dataclass(frozen=True, slots=True)
class ThresholdRow(AnalysisRow):
    """One model's facts with a profile under a threshold; the share is of all with one."""

    model: str
    tau: float
    profile: str
    count: int
    share: float | None


def threshold(evidence: Evidence) -> list[ThresholdRow]:
    """The profiles of every model with thinking under each threshold of `TAUS`."""
    return [row for row, _ in measured(evidence)]


def measured(evidence: Evidence) -> Iterator[tuple[ThresholdRow, Rates]]:
    """The rows with their shares as masks."""
    cells, thinking = code_cells(evidence.tally), evidence.tally.thinks()
    for tau in TAUS:
        policy = replace(evidence.policy, tau=tau)
        verdict = judge(cells, thinking, policy, evidence.tally.skipping(policy)).verdict
        for model, thinks, one in zip(evidence.tally.models, thinking, verdict, strict=True):
            if not thinks:
                continue
            base = (one < len(PROFILES)) & evidence.facts
            for number, profile in enumerate(PROFILES):
                rate = FactShare((one == number) & base, base)
                row = ThresholdRow(model, tau, str(profile), count(rate.hits), rate.share)
                yield row, {"share": rate}
