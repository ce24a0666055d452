"""What there is to filter a list of facts by, each with the number of facts it would list."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.dataset.fact_filters import LATENT_WORDS, TIERS
from core.scoring.latent_verdicts import select_latent
from core.views.snapshot import AGREE, AT_STAKE, Snapshot
from core.views.snapshot_lookups import review_masks
from core.views.sort_keys import SortKeys
from core.vocabulary import CODE_ORDER, PROFILES


@dataclass(frozen=True, slots=True)
class Choices:
    """What there is to filter by, each with the number of facts it would list alone.

    `latent` is empty where there are no scores.
    """

    verdicts: Mapping[str, int]
    topics: Mapping[str, int]
    types: Mapping[str, int]
    tiers: Mapping[str, int]
    differs: Mapping[str, int]
    reviews: Mapping[str, int]
    latent: Mapping[str, int]
    rejected: int


def choices(snapshot: Snapshot, keys: SortKeys | None = None) -> Choices:
    """All that occurs among the snapshot's facts, and every profile, tier and review."""
    keys = keys or SortKeys(snapshot.index, snapshot.headings)
    index = snapshot.index
    here = ~index.rejected
    codes = snapshot.code_places()
    counts = np.bincount(codes[here], minlength=len(CODE_ORDER)).tolist()
    differs = snapshot.differs[here]
    latent = LATENT_WORDS if snapshot.latent.any() else ()
    return Choices(
        {
            code: count
            for place, (code, count) in enumerate(zip(CODE_ORDER, counts, strict=True))
            if count or place < len(PROFILES)
        },
        keys.kinds.topics.counts(here),
        keys.kinds.types.counts(here),
        {tier: keys.kinds.tiers(index).counts(here).get(tier, 0) for tier in TIERS},
        {
            "any": int(np.count_nonzero(differs > AGREE)),
            "profile": int(np.count_nonzero(differs == AT_STAKE)),
        },
        {name: int(np.count_nonzero(mask & here)) for name, mask in review_masks(snapshot).items()},
        {
            word: int(np.count_nonzero(select_latent(word, snapshot.latent, codes) & here))
            for word in latent
        },
        int(np.count_nonzero(index.rejected)),
    )
