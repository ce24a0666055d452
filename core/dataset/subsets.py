"""Subsets of facts: popularity tiers, kinds, groups for breakdowns, and what filters select."""

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from core.dataset.fact_filters import (
    GROUPINGS,
    NO_NAME,
    TIERS,
    Filters,
    bound_of,
    parse_where,
    range_of,
)
from core.dataset.fact_index import FactIndex
from core.errors import UsageError

Mask = npt.NDArray[np.bool_]

TIER_SHARE = 0.2
"""Share of the least and of the most viewed facts (Calderon et al., section 5)."""


def popularity(index: FactIndex, share: float = TIER_SHARE) -> dict[str, Mask]:
    """The four tiers over all facts that are not rejected (semantics section 5).

    Ranked by views, equal views by fact_id as text; `share` of them are `bottom`, as many `top`;
    `unknown` has no view count.
    """
    known = np.flatnonzero((index.views >= 0) & ~index.rejected)
    ranked = sorted(known, key=lambda fact: (index.views[fact], index.fact_ids[fact]))
    tail = int(share * len(ranked))
    tiers = {name: np.zeros(len(index), np.bool_) for name in TIERS}
    tiers["bottom"][ranked[:tail]] = True
    tiers["middle"][ranked[tail : len(ranked) - tail]] = True
    tiers["top"][ranked[len(ranked) - tail :]] = True
    tiers["unknown"] = (index.views < 0) & ~index.rejected
    return tiers


def groups(index: FactIndex, by: str) -> dict[str, Mask]:
    """Masks of the facts in each group of one of `GROUPINGS`."""
    if by == "popularity":
        return popularity(index)
    if by not in GROUPINGS:
        raise UsageError(f"cannot group by {by}: choose one of {', '.join(GROUPINGS)}")
    column = {
        "category": index.categories,
        "subject_type": index.subject_types,
        "object_type": index.object_types,
    }[by]
    names = np.array([name or NO_NAME for name in column], object)
    return {name: names == name for name in sorted(set(names.tolist()))}


class Kinds(NamedTuple):
    """Facts sorted into kinds: the names in order, and each fact's place among them."""

    names: tuple[str, ...]
    codes: npt.NDArray[np.intp]

    @classmethod
    def from_column(cls, column: Sequence[str]) -> "Kinds":
        """Kinds by the names in a column."""
        names = sorted({name or NO_NAME for name in column})
        places = {name: place for place, name in enumerate(names)}
        return cls(tuple(names), np.array([places[name or NO_NAME] for name in column], np.intp))

    @property
    def unknown(self) -> Mask:
        """Facts of which the kind is not known."""
        return self.among({NO_NAME})

    def among(self, names: Collection[str]) -> Mask:
        """Facts of any of these kinds, capitals aside."""
        folded = {name.casefold() for name in names}
        asked = [place for place, name in enumerate(self.names) if name.casefold() in folded]
        return np.isin(self.codes, asked)

    def counts(self, facts: Mask) -> dict[str, int]:
        """How many of these facts are of each kind, without the kinds that none is of."""
        found = np.bincount(self.codes[facts], minlength=len(self.names)).tolist()
        return {name: count for name, count in zip(self.names, found, strict=True) if count}


class FactKinds:
    """Kinds of the facts of one index; each is worked out when first needed."""

    def __init__(self, index: FactIndex) -> None:
        self._index = index
        self._tiers: tuple[Mask, Kinds] | None = None

    @cached_property
    def topics(self) -> Kinds:
        """By category."""
        return Kinds.from_column(self._index.categories)

    @cached_property
    def types(self) -> Kinds:
        """By the type of the object."""
        return Kinds.from_column(self._index.object_types)

    @cached_property
    def subject_types(self) -> Kinds:
        """By the type of the subject."""
        return Kinds.from_column(self._index.subject_types)

    def tiers(self, index: FactIndex) -> Kinds:
        """By popularity among the facts that are not rejected."""
        if self._tiers is None or self._tiers[0] is not index.rejected:
            codes = np.full(len(index), TIERS.index("unknown"), np.intp)
            for name, mask in popularity(index).items():
                codes[mask] = TIERS.index(name)
            self._tiers = index.rejected, Kinds(TIERS, codes)
        return self._tiers[1]


class Lookups(Protocol):
    """What filters may have to ask of others than the index; each gives a mask of the facts."""

    def find_text(self, text: str) -> Mask:
        """Facts in which a text occurs."""

    def find_codes(self, codes: frozenset[str]) -> Mask:
        """Facts whose verdict has one of these codes."""

    def find_reviews(self, names: frozenset[str]) -> Mask:
        """Facts on which people have left any of these (`REVIEWS`)."""

    def find_latent(self, words: frozenset[str]) -> Mask:
        """Facts of which scores of options say one of these (`LATENT_WORDS`)."""

    def find_source(self, name: str) -> Mask:
        """Facts with a response that came out of a file of this name."""

    def find_tag(self, tag: str) -> Mask:
        """Facts with a tag on them, their questions or answers; `*`: with any."""

    def find_differences(self, kind: str) -> Mask:
        """Facts on which graders differ (`DIFFERENCES`)."""


def select(where: str, index: FactIndex, lookups: Lookups) -> Mask:
    """Facts that a text of `--where` selects; rejected ones only if it says `rejected`.

    A list searches answers too (`core.views.where_resolver`). Raises `UsageError` for `search:`.
    """
    filters, search = parse_where(where)
    if search:
        raise UsageError("`search:` is a word for lists of facts: name these facts by `number:`")
    chosen = find_passing(filters, index, FactKinds(index), lookups)
    return draw(filters, chosen, index)


def find_passing(filters: Filters, index: FactIndex, kinds: FactKinds, lookups: Lookups) -> Mask:
    """Facts that every kind of filter lets through; none is left to chance yet (`draw`)."""
    keep = index.rejected.copy() if filters.rejected else ~index.rejected
    for mask in _masks(filters, index, kinds, lookups):
        keep &= mask
    return keep


def _masks(
    filters: Filters, index: FactIndex, kinds: FactKinds, lookups: Lookups
) -> Iterator[Mask]:
    if filters.topics:
        yield kinds.topics.among(filters.topics)
    if filters.types:
        yield kinds.types.among(filters.types)
    if filters.subject_types:
        yield kinds.subject_types.among(filters.subject_types)
    if filters.answer_types:
        wanted = filters.answer_types
        yield kinds.types.among(wanted) | kinds.subject_types.among(wanted)
    if filters.tiers:
        yield kinds.tiers(index).among(filters.tiers)
    yield from (_match_views(bound, index) for bound in filters.views)
    if filters.fact_ids:
        yield _match_ids(filters.fact_ids, index)
    if filters.numbers:
        yield _match_numbers(filters.numbers, index)
    if filters.only is not None:
        yield np.isin(index.ids, list(filters.only.facts))
    yield from _look_up(filters, lookups)


def _look_up(filters: Filters, lookups: Lookups) -> Iterator[Mask]:
    if filters.verdicts:
        yield lookups.find_codes(filters.verdicts)
    if filters.differs is not None:
        yield lookups.find_differences(filters.differs)
    if filters.reviews:
        yield lookups.find_reviews(filters.reviews)
    if filters.latent:
        yield lookups.find_latent(filters.latent)
    if filters.sources:
        yield np.any([lookups.find_source(name) for name in filters.sources], axis=0)
    if filters.tags:
        yield np.any([lookups.find_tag(tag) for tag in filters.tags], axis=0)
    yield from map(lookups.find_text, sorted(filters.texts))


def _match_ids(fact_ids: frozenset[str], index: FactIndex) -> Mask:
    """Facts of these ids, capitals aside."""
    folded = {one.casefold() for one in fact_ids}
    return np.array([one.casefold() in folded for one in index.fact_ids], np.bool_)


def _match_numbers(numbers: frozenset[str], index: FactIndex) -> Mask:
    chosen = np.zeros(len(index), np.bool_)
    for first, last in map(range_of, numbers):
        chosen |= (index.ids >= first) & (index.ids <= last)
    return chosen


def draw(filters: Filters, among: Mask, index: FactIndex) -> Mask:
    """So many of some facts as filters ask for, or all.

    They are those that come first when all are ordered by a hash of their id.
    """
    if filters.random is None:
        return among
    from hashlib import blake2b

    def scramble(place: int) -> tuple[bytes, int]:
        return blake2b(index.fact_ids[place].encode(errors="surrogatepass")).digest(), place

    order = sorted(np.flatnonzero(among).tolist(), key=scramble)
    chosen = np.zeros(len(index), np.bool_)
    chosen[order[: filters.random]] = True
    return chosen


_COMPARE = {
    ">": np.greater,
    ">=": np.greater_equal,
    "<": np.less,
    "<=": np.less_equal,
    "=": np.equal,
}


def _match_views(bound: str, index: FactIndex) -> Mask:
    sign, number = bound_of(bound)
    return (index.views >= 0) & _COMPARE[sign](index.views, number)
