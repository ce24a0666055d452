"""Profiles under other thresholds (Calderon et al., appendix C.2, figure 17)."""

from dataclasses import dataclass, replace

from core.analyses.evidence import Evidence, Row
from core.profiles import code_cells, judge, summarise

TAUS: tuple[float, ...] = (0, 0.25, 0.5, 0.75, 0.9, 0.99)


@dataclass(frozen=True, slots=True)
class ThresholdRow(Row):
    """One model's facts with a profile under a threshold; the share is of all with one."""

    model: str
    tau: float
    profile: str
    count: int
    share: float | None


def threshold(evidence: Evidence) -> list[ThresholdRow]:
    """The profiles of every model with thinking under each threshold of `TAUS`."""
    cells, thinking = code_cells(evidence.tally), evidence.tally.thinks()
    rows: list[ThresholdRow] = []
    for tau in TAUS:
        policy = replace(evidence.policy, tau=tau)
        verdicts = judge(cells, thinking, policy, evidence.tally.skipping(policy))
        for model, one in zip(
            evidence.tally.models, summarise(verdicts, evidence.facts), strict=True
        ):
            counts, shares = one.counts or {}, one.shares or {}
            rows.extend(
                ThresholdRow(model, tau, profile, count, shares[profile])
                for profile, count in counts.items()
            )
    return rows
