"""A set prepared: what is dropped, tiers, what is used, train and eval, and a subset of eval.

FACT-BENCH, section 2. The same set, options and seed give the same everywhere.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from core.fact_bench.domain_names import rename_domains
from core.fact_bench.set_shares import (
    EVAL,
    TRAIN,
    UNKNOWN,
    assign_tiers,
    choose_share,
    select_extremes,
    to_fraction,
)
from core.fact_bench.triple_filters import DEFAULT_FILTERS, NO_PAGES, REASONS, PageOf, find_reasons
from db.prepared_triples import Preparation, PreparedTriple, SetTriple

DEFAULT = Preparation(filters=DEFAULT_FILTERS)

SPLITS = (EVAL, "subset", TRAIN, "all")
"""What figures may be over: a split, the subset of eval, or all that is used."""

UNPREPARED = PreparedTriple("", UNKNOWN, EVAL)
"""What is said of a triple that was never prepared."""


def prepare(
    triples: Sequence[SetTriple],
    preparation: Preparation,
    page_of: PageOf = NO_PAGES,
    refill: bool = True,
) -> dict[int, PreparedTriple]:
    """What preparing says of each triple of a set, by the ids of their facts.

    With `refill` rejected triples of the subset are replaced by the next of their stratum.
    """
    triples, unnamed = rename_domains(triples, preparation)
    reasons = find_reasons(triples, preparation.filters, preparation.properties, page_of, unnamed)
    kept = [one for one in triples if one.fact not in reasons]
    tiers = assign_tiers(kept, preparation.tier)
    used, seed = kept, preparation.seed
    if preparation.per_domain is not None:
        used = select_extremes(kept, tiers, preparation.per_domain, seed)
    splits = _split(used, tiers, preparation)
    asked = [one for one in used if splits[one.fact] == EVAL]
    subset = choose_share(asked, tiers, preparation.subset or 0, seed, "subset", refill)
    said_once = lru_cache(PreparedTriple)
    return {
        one.fact: said_once(
            reasons.get(one.fact, ""),
            tiers.get(one.fact, ""),
            splits.get(one.fact, ""),
            one.fact in subset,
            one.prepared and one.prepared.domain,
        )
        for one in triples
    }


def _split(
    used: Sequence[SetTriple], tiers: Mapping[int, str], preparation: Preparation
) -> dict[int, str]:
    """The split of each triple that is used: that of its file, where a file has one."""
    if any(one.file_split for one in used):
        train = {one.fact for one in used if one.file_split == TRAIN}
    else:
        count = int(to_fraction(preparation.train) * len(used) + Fraction(1, 2))
        train = choose_share(used, tiers, count, preparation.seed, "split")
    return {one.fact: TRAIN if one.fact in train else EVAL for one in used}


@dataclass(frozen=True)
class PreparedSet:
    """A set with what preparing it said; triples that were never prepared are all asked."""

    name: str
    seed: int
    triples: list[SetTriple]
    went: tuple[str, ...] = ()
    """Rejected triples that this preparing took out of the subset, by the ids of their facts."""
    came: tuple[str, ...] = ()
    """Those that stand in the subset in their place."""

    def find_prepared(self, triple: SetTriple) -> PreparedTriple:
        """What is said of a triple: that it is asked, where nothing was."""
        return triple.prepared or UNPREPARED

    def as_json(self) -> dict[str, object]:
        """The counts as `fact-bench prepare --json` gives them."""
        said = [self.find_prepared(one) for one in self.triples]
        reasons = Counter(one.reason for one in said if one.reason)
        splits = Counter(one.split for one in said if one.split)
        return {
            "set": self.name,
            "seed": self.seed,
            "triples": len(said),
            "dropped": {one: reasons[one] for one in REASONS if reasons[one]},
            "used": splits.total(),
            "train": splits[TRAIN],
            "eval": splits[EVAL],
            "subset": sum(one.subset for one in said),
            "went": list(self.went),
            "came": list(self.came),
        }

    @property
    def summary(self) -> str:
        """How much of the set is used, in one line."""
        found = [self.find_prepared(one) for one in self.triples]
        splits = Counter(one.split for one in found if one.split)
        subset = sum(one.subset for one in found)
        said = f"{self.name}: {splits.total():,} of {len(found):,} triples are used, "
        said += f"{splits[TRAIN]:,} train, {splits[EVAL]:,} eval"
        return f"{said}, {subset:,} of these in the subset" if subset else said

    def to_rows(self) -> list[dict[str, object]]:
        """A row for each triple, as `--per-triple` gives them."""
        return [
            {
                "fact_id": one.fact_id,
                "verdict": "dropped" if said.reason else "kept",
                "reason": said.reason or None,
                "tier": said.tier or None,
                "split": said.split or None,
                "subset": said.subset,
            }
            for one in self.triples
            for said in [self.find_prepared(one)]
        ]
