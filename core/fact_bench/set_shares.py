"""Tiers of popularity, and shares of a set that have each domain and tier in proportion.

FACT-BENCH, section 2.2: half of the triples of a domain from its quarter of most popular
subjects, half from that of the least popular, and the same in each split and subset.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction

from core.dataset.seeded_order import order_by_digest
from db.prepared_triples import SetTriple

BOTTOM, MIDDLE, TOP, UNKNOWN = TIERS = ("bottom", "middle", "top", "unknown")

TRAIN, EVAL = "train", "eval"

Stratum = tuple[str, str]
"""A domain and a tier."""


def to_fraction(share: float) -> Fraction:
    """A share as it is written: 0.3 of 10 are 3."""
    return Fraction(str(share))


def assign_tiers(triples: Sequence[SetTriple], tier: float) -> dict[int, str]:
    """The tier of each triple, by the ids of their facts.

    A file with tiers keeps its own. Else of the triples of a domain that have a popularity, the
    lowest and the highest share `tier` are its bottom and top.
    """
    if any(one.file_tier for one in triples):
        return {one.fact: one.file_tier or UNKNOWN for one in triples}
    found = {one.fact: UNKNOWN for one in triples}
    by_domain: dict[str, list[tuple[int, str, int]]] = defaultdict(list)
    for one in triples:
        if one.popularity is not None:
            by_domain[one.domain].append((one.popularity, one.fact_id, one.fact))
    for ranked in by_domain.values():
        ranked.sort()
        few = int(to_fraction(tier) * len(ranked))
        for place, (_, _, fact) in enumerate(ranked):
            is_top = place >= len(ranked) - few
            found[fact] = BOTTOM if place < few else TOP if is_top else MIDDLE
    return found


def select_extremes(
    triples: Iterable[SetTriple], tiers: Mapping[int, str], per_domain: int, seed: int
) -> list[SetTriple]:
    """So many triples of each domain, half of its top and half of its bottom."""
    strata = _group_by_stratum(triples, tiers)
    return [
        one
        for (_, tier), members in strata.items()
        if tier in (TOP, BOTTOM)
        for one in order_triples(members, seed, "select")[: per_domain // 2]
    ]


def choose_share(
    triples: Sequence[SetTriple],
    tiers: Mapping[int, str],
    count: int,
    seed: int,
    purpose: str,
    refill: bool = False,
) -> set[int]:
    """Facts of so many triples, shared out over domains and tiers by largest remainder.

    With `refill` the next of the same domain and tier stand in for rejected ones.
    """
    strata = _group_by_stratum(triples, tiers)
    shares = share_out(count, {stratum: len(members) for stratum, members in strata.items()})
    return {
        one.fact
        for stratum, members in strata.items()
        for one in order_triples(
            [one for one in members if not (refill and one.rejected)], seed, purpose
        )[: shares[stratum]]
    }


def share_out(count: int, sizes: Mapping[Stratum, int]) -> dict[Stratum, int]:
    """A count shared out in proportion to sizes, which it does not exceed.

    Each stratum gets what is whole of its share, and those with the largest remainders one more;
    of equal remainders the first as text.
    """
    total = sum(sizes.values())
    count = min(count, total)
    shares = {one: Fraction(count * size, total) for one, size in sizes.items()}
    found = {one: int(share) for one, share in shares.items()}
    left = count - sum(found.values())
    for one in sorted(shares, key=lambda one: (found[one] - shares[one], one))[:left]:
        found[one] += 1
    return found


def order_triples(triples: Iterable[SetTriple], seed: int, purpose: str) -> list[SetTriple]:
    """Triples in seeded order: by the hexadecimal SHA-256 of seed, purpose and id."""
    name: Callable[[SetTriple], str] = lambda one: one.fact_id  # noqa: E731 - it has a type
    return order_by_digest(triples, name, seed, purpose)


def _group_by_stratum(
    triples: Iterable[SetTriple], tiers: Mapping[int, str]
) -> dict[Stratum, list[SetTriple]]:
    strata: dict[Stratum, list[SetTriple]] = defaultdict(list)
    for one in triples:
        strata[one.domain, tiers[one.fact]].append(one)
    return strata
