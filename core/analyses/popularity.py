"""Popularity: are rare facts not stored, or out of reach? (Calderon et al., figures 5, 7, 15.)"""

from dataclasses import dataclass

import core.groups
from core.analyses.evidence import Evidence, Row, count
from core.profiles import ratio


@dataclass(frozen=True, slots=True)
class PopularityRow(Row):
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
    tiers = core.groups.popularity(evidence.index)
    verdicts, analysed = evidence.verdicts, evidence.analysed()
    rows = []
    for place, model in enumerate(evidence.tally.models):
        knows, thinking = verdicts.knows[place], bool(verdicts.thinking[place])
        gains = ~knows & verdicts.knows_thinking[place]
        for tier, members in tiers.items():
            chosen = members & analysed[place]
            encoded = chosen & verdicts.encodes[place]
            n, stored = count(chosen), count(encoded)
            recall = ratio(count(encoded & knows), stored)
            gain = ratio(count(encoded & gains), stored) if thinking else None
            total = None if recall is None or gain is None else recall + gain
            rows.append(
                PopularityRow(model, tier, n, ratio(stored, n), recall, gain, total),
            )
    return rows
