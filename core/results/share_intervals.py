"""The shares of profiles as masks of facts, and how sure they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.scoring.verdicts import (
    DIRECT_INFERENCE,
    EXCLUDED_NAN,
    INCOMPLETE,
    NO_PROFILE,
    Mask,
    Verdicts,
)
from core.stats.fact_shares import FactShare
from core.stats.intervals import Interval
from core.vocabulary import PROFILES, Profile

RATES = ("excluded_share", "encodes", "knows", "knows_thinking")
"""The numbers of a summary that are no profile's share."""

KNOWN_THINKING = (
    Profile.DIRECT_RECALL,
    Profile.RECALL_WITH_THINKING,
    Profile.INFERENCE_WITHOUT_ENCODING,
)


@dataclass(frozen=True, slots=True)
class Sureness:
    """Intervals of a summary's shares by profile, and of its rates by key; None for no number."""

    shares: Mapping[str, Interval | None] | None
    rates: Mapping[str, Interval | None]

    def as_json(self) -> dict[str, object]:
        """The same keys as a summary has."""
        return {"shares": self.shares, **self.rates}


def rates_of(verdicts: Verdicts, model: int) -> dict[str, FactShare]:
    """One model's shares as masks, under the keys of `Summary`; those of all facts.

    Without thinking there are `encodes` and `knows` alone.
    """
    verdict = verdicts.verdict[model]
    encodes, knows = verdicts.encodes[model], verdicts.knows[model]
    if not verdicts.thinking[model]:
        base = verdict == NO_PROFILE
        return {"encodes": FactShare(encodes & base, base), "knows": FactShare(knows & base, base)}
    base, inference = verdict < len(PROFILES), verdict == DIRECT_INFERENCE
    known = np.isin(verdict, [*map(PROFILES.index, KNOWN_THINKING), DIRECT_INFERENCE])
    return {
        **{
            str(profile): FactShare(verdict == place, base)
            for place, profile in enumerate(PROFILES)
        },
        "excluded_share": FactShare((verdict == EXCLUDED_NAN) | inference, verdict != INCOMPLETE),
        "encodes": FactShare(encodes & base, base),
        "knows": FactShare(knows & (base | inference), base, within=False),
        "knows_thinking": FactShare(known, base, within=False),
    }


def sureness(verdicts: Verdicts, subsets: Sequence[Mask]) -> list[list[Sureness]]:
    """Intervals of every model's summaries over several subsets of facts: by model, then subset."""
    return [
        [
            _put({key: _limit_rate(rate, subset).interval for key, rate in rates.items()})
            for subset in subsets
        ]
        for rates in (rates_of(verdicts, model) for model in range(len(verdicts.thinking)))
    ]


def _limit_rate(rate: FactShare, subset: Mask) -> FactShare:
    return replace(rate, hits=rate.hits & subset, base=rate.base & subset)


def _put(limits: Mapping[str, Interval | None]) -> Sureness:
    profiled = str(PROFILES[0]) in limits
    shares = {str(profile): limits[profile] for profile in PROFILES} if profiled else None
    return Sureness(shares, {key: limits.get(key) for key in RATES})
