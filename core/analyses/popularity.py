"""Popularity: are rare facts not stored, or out of reach? (Calderon et al., figures 5, 7, 15.)"""

from collections.abc import Iterator
from dataclasses import dataclass

import core.dataset.subsets
from core.analyses.analysis_evidence import AnalysisRow, Evidence, Rates
from core.analyses.analysis_record import (
    AnalysisOption,
    AnalysisRecord,
    Column,
    ColumnKind,
    Contrast,
)
from core.dataset.subsets import TIER_SHARE
from core.errors import UsageError
from core.stats.fact_shares import FactShare


@dataclass(frozen=True, slots=True)
class PopularityRow(AnalysisRow):
    """One model's facts of a popularity tier; the last three rates are over encoded facts."""

    model: str
    tier: str
    n: int
    encode_rate: float | None
    recall_rate: float | None
    gain: float | None
    recall_total: float | None


def popularity(evidence: Evidence) -> list[PopularityRow]:
    """Encoding, recall, and what thinking adds, by tier of page views."""
    return [row for row, _ in measure_rows(evidence)]


def measure_rows(evidence: Evidence) -> Iterator[tuple[PopularityRow, Rates]]:
    """The rows with their shares as masks."""
    share = evidence.options.get("tier", TIER_SHARE)
    tiers = core.dataset.subsets.popularity(evidence.index, share)
    verdicts, analysed = evidence.verdicts, evidence.analysis_set()
    for place, model in enumerate(evidence.tally.models):
        knows = verdicts.knows[place]
        gains = ~knows & verdicts.knows_thinking[place]
        for tier, members in tiers.items():
            chosen = members & analysed[place]
            encoded = chosen & verdicts.encodes[place]
            rates = {
                "encode_rate": FactShare(encoded, chosen),
                "recall_rate": FactShare(encoded & knows, encoded),
            }
            if verdicts.thinking[place]:
                rates["gain"] = FactShare(encoded & gains, encoded)
                rates["recall_total"] = FactShare(encoded & (knows | gains), encoded)
            shares = {name: rate.share for name, rate in rates.items()}
            recall, gain = shares["recall_rate"], shares.get("gain")
            total = None if recall is None or gain is None else recall + gain
            yield (
                PopularityRow(
                    model, tier, rates["encode_rate"].n, shares["encode_rate"], recall, gain, total
                ),
                rates,
            )


def _count_encoded(row: PopularityRow) -> int:
    """Of how many facts the shares beside the first are."""
    return round((row.encode_rate or 0) * row.n)


MOST_OF_TIER = 0.5


def read_tier(text: str) -> float:
    """The share of facts in the lowest tier, and in the highest."""
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= MOST_OF_TIER:
        raise UsageError(f"--tier {text}: give a share from 0 to {MOST_OF_TIER:g}, such as 0.2")
    return share


RECORD = AnalysisRecord(
    "popularity",
    "are rare facts not stored, or out of reach?",
    popularity,
    (
        Column("model"),
        Column("tier"),
        Column("n", ColumnKind.COUNT),
        Column("encode_rate", ColumnKind.SHARE, "encoded %"),
        Column("stored", ColumnKind.COUNT, of=_count_encoded),
        Column("recall_rate", ColumnKind.SHARE, "recalled %"),
        Column("gain", ColumnKind.SHARE, "added %"),
        Column("recall_total", ColumnKind.SHARE, "total %"),
    ),
    note="encoded: of n; recalled, added by thinking, and total: of the stored facts",
    measured=measure_rows,
    contrast=Contrast("tier", "top", "bottom", "top less bottom"),
    is_of_judged=True,
    options=(
        AnalysisOption("tier", "share of facts in the bottom and in the top tier [0.2]", read_tier),
    ),
)
