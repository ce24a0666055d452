"""Profiles under other thresholds (Calderon et al., appendix C.2, figure 17)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from core.analyses.analysis_evidence import AnalysisRow, Evidence, Rates, count
from core.analyses.analysis_record import (
    AnalysisOption,
    AnalysisRecord,
    Column,
    ColumnKind,
    Pivot,
)
from core.errors import UsageError
from core.scoring.label_counts import LabelCounts
from core.scoring.policy import Policy
from core.scoring.verdicts import INCOMPLETE, Mask, code_cells, judge
from core.stats.fact_shares import FactShare
from core.vocabulary import CODES, PROFILES, Profile

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
    return [row for row, _ in measure_rows(evidence)]


def measure_rows(evidence: Evidence) -> Iterator[tuple[ThresholdRow, Rates]]:
    """The rows with their shares as masks."""
    cells, thinking = code_cells(evidence.tally), evidence.tally.thinks()
    for tau in evidence.options.get("taus", TAUS):
        policy = replace(evidence.policy, tau=tau)
        verdict = judge(cells, thinking, policy, evidence.tally.find_skipping(policy)).verdict
        for model, thinks, one in zip(evidence.tally.models, thinking, verdict, strict=True):
            if not thinks:
                continue
            base = (one < len(PROFILES)) & evidence.facts
            for number, profile in enumerate(PROFILES):
                rate = FactShare((one == number) & base, base)
                row = ThresholdRow(model, tau, str(profile), count(rate.hits), rate.share)
                yield row, {"share": rate}


def _count_lacking(evidence: Evidence, place: int) -> int:
    """Verdicts that are open under some threshold of the analysis, though not under the runs'."""
    tally = evidence.tally.select_model(place)
    cells, thinking = code_cells(tally), tally.thinks()

    def mask_incomplete(policy: Policy) -> Mask:
        found: Mask = (
            judge(cells, thinking, policy, tally.find_skipping(policy)).verdict[0] == INCOMPLETE
        )
        return found & evidence.facts

    left = tally.count_left()
    if left is None:
        return 0
    stopped: Mask = np.logical_or.reduce(left > 0, axis=(0, 1))
    for policy, facts in _policies_of_runs(tally, evidence.policy):
        stopped = stopped & ~(facts & mask_incomplete(policy))
    taus = evidence.options.get("taus", TAUS)
    under = (mask_incomplete(replace(evidence.policy, tau=tau)) for tau in taus)
    return sum(int(np.count_nonzero(one & stopped)) for one in under)


def read_taus(text: str) -> tuple[float, ...]:
    """Thresholds, as given."""
    try:
        taus = tuple(float(one) for one in text.split(","))
    except ValueError:
        taus = (-1.0,)
    if not all(0 <= tau < 1 for tau in taus):
        raise UsageError(f"--taus {text}: give thresholds from 0 to below 1, such as .25,.5")
    return tuple(dict.fromkeys(taus))


def _policies_of_runs(tally: LabelCounts, policy: Policy) -> list[tuple[Policy, Mask]]:
    """The policies that one model's runs are valid for, each with its facts.

    None if the runs had other graders.
    """
    valid = tally.curtailed.valid[0] if tally.curtailed else {}
    return [
        (replace(policy, tau=float(tau), strategy=strategy, weight=float(weight)), facts)
        for (tau, strategy, weight), facts in valid.items()
    ]


_BY_KNOWLEDGE = tuple(map(Profile, list(CODES)[: len(PROFILES)]))
"""From known to unknown, as everywhere on screen."""

RECORD = AnalysisRecord(
    "threshold",
    "profiles under other thresholds",
    threshold,
    (
        Column("model"),
        Column("tau", ColumnKind.VALUE),
        Column("profile"),
        Column("count", ColumnKind.COUNT),
        Column("share", ColumnKind.SHARE),
    ),
    note="n: facts with a profile; % of them",
    pivot=Pivot(
        keys=("model", "tau"),
        over="profile",
        value="share",
        shown={str(profile): f"{CODES[profile]} %" for profile in _BY_KNOWLEDGE},
        total="count",
    ),
    measured=measure_rows,
    lacking=_count_lacking,
    lacking_reason="{count} verdicts are open under other thresholds than that of the run",
    options=(AnalysisOption("taus", "thresholds [0,0.25,0.5,0.75,0.9,0.99]", read_taus),),
    no_thinking="No model here has profiles: they need thinking, `lostkeys run --thinking on`.",
)
