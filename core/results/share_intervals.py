"""The shares of profiles as masks of facts, and how sure they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.scoring.verdicts import (
    DIRECT_INFERENCE,
    EXCLUDED_NAN,
    INCOMPLETE,
    NO_PROFILE,
    Mask,
    Verdicts,
)
from core.stats.bootstrap import FactShare, intervals
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
        "knows": FactShare(knows & (base | inference), base),
        "knows_thinking": FactShare(known, base),
    }


def sureness(verdicts: Verdicts, subsets: Sequence[Mask], facts: Mask) -> list[list[Sureness]]:
    """Intervals of every model's summaries over several subsets of facts: by model, then subset.

    All from the same resamples of `facts`, of which the subsets are parts.
    """
    rates, keys = [], []
    for model in range(len(verdicts.thinking)):
        mine = rates_of(verdicts, model)
        keys.append(list(mine))
        for subset in subsets:
            rates += _parts(list(mine.values()), subset)
    limits = iter(intervals(rates, facts))
    return [[_put(dict(zip(mine, limits, strict=False))) for _ in subsets] for mine in keys]


def _parts(rates: Sequence[FactShare], subset: Mask) -> list[FactShare]:
    """The rates among some facts; those that share a base still do."""
    bases = {id(rate.base): rate.base & subset for rate in rates}
    return [FactShare(rate.hits & subset, bases[id(rate.base)]) for rate in rates]


def _put(limits: Mapping[str, Interval | None]) -> Sureness:
    profiled = str(PROFILES[0]) in limits
    shares = {str(profile): limits[profile] for profile in PROFILES} if profiled else None
    return Sureness(shares, {key: limits.get(key) for key in RATES})
