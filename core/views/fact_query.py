"""Which facts a list shows, in what order: filters, sort and search over a snapshot."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from core.dataset.fact_filters import LATENT_WORDS, TIERS, Filters, parse_where
from core.dataset.subsets import Mask, draw, passing
from core.errors import UsageError
from core.scoring.latent_verdicts import select_latent
from core.views.snapshot import AGREE, AT_STAKE, Heading, Snapshot
from core.views.sort_keys import SortKeys
from core.vocabulary import CODE_ORDER, PROFILES
from db.facts import matching


class FactOrder(StrEnum):
    """What a list is sorted by; `match` only while something is searched."""

    TITLE = "title"
    SUBJECT = "subject"
    VIEWS = "views"
    PROFILE = "profile"
    TOPIC = "topic"
    STAKE = "differs"
    IMPORTED = "imported"
    MATCH = "match"


@dataclass(frozen=True, slots=True)
class FactQuery:
    """What the list is asked to show."""

    search: str = ""
    filters: Filters = field(default_factory=Filters)
    order: FactOrder = FactOrder.TITLE
    descending: bool = False


def query_of(where: str, sort: str = "") -> FactQuery:
    """What a list is asked for by words of `--where` and of `--sort`.

    Raises `UsageError` for words that cannot be. Without an order what is searched stands best
    first, all else by subject.
    """
    filters, search = parse_where(where)
    order, descending = parse_sort(sort or (FactOrder.MATCH if search else FactOrder.SUBJECT))
    return FactQuery(search, filters, order, descending)


def parse_sort(sort: str) -> tuple[FactOrder, bool]:
    """The order that a word such as `views-` asks for, and whether it is turned round."""
    name = sort.removesuffix("-")
    if name not in [order.value for order in FactOrder]:
        known = ", ".join(order.value for order in FactOrder)
        raise UsageError(f"no order {sort}: choose one of {known}, with - after it to turn it")
    return FactOrder(name), sort != name


def format_sort(wanted: FactQuery) -> str:
    """The order of a list as `--sort` asks for it."""
    return f"{wanted.order.value}{'-' if wanted.descending else ''}"


@dataclass(frozen=True, slots=True)
class FactHit:
    """Where a search matched in one fact: `text[start:end]` in what `where` names."""

    where: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Listing:
    """Facts as listed: places in the snapshot's index, in order, with the hits read so far.

    `complete` is false while answers are still being searched or indexed. `total` counts facts
    that are not rejected.
    """

    wanted: FactQuery
    places: npt.NDArray[np.intp]
    total: int
    hits: Mapping[int, FactHit] = field(default_factory=dict)
    complete: bool = True


def listed(
    snapshot: Snapshot,
    wanted: FactQuery,
    found: Sequence[int] | npt.NDArray[np.int64] | None = None,
    keys: SortKeys | None = None,
    complete: bool = True,
    connection: sqlite3.Connection | None = None,
) -> Listing:
    """The facts of a snapshot that are asked for, in order.

    `found` are the ids of the facts that a search found, best first; None where nothing is
    searched. `keys` are those of the snapshot's facts, if they are at hand. Filters of different
    kinds must all hold, of one kind any. Equal facts stand by title, then as imported; facts
    without views, topic or profile stand last either way.
    """
    keys = keys or SortKeys(snapshot.index, snapshot.headings)
    lookups = SnapshotLookups(snapshot, connection)
    keep = passing(wanted.filters, snapshot.index, keys.kinds, lookups)
    match = None
    if found is not None:
        match = np.full(len(snapshot.index), len(found), np.intp)
        ids = np.asarray(found, np.int64)
        places = np.searchsorted(snapshot.index.ids, ids)
        there = np.isin(ids, snapshot.index.ids)
        match[places[there]] = np.flatnonzero(there)
        keep &= match < len(found)
    places = np.flatnonzero(draw(wanted.filters, keep, snapshot.index))
    key, last = _key(snapshot, wanted.order, keys, match)
    key = -key[places] if wanted.descending else key[places]
    order = np.lexsort((keys.titles[places], key, last[places]))
    total = int(np.count_nonzero(~snapshot.index.rejected))
    return Listing(wanted, places[order], total, complete=complete)


def _key(
    snapshot: Snapshot, order: FactOrder, keys: SortKeys, match: npt.NDArray[np.intp] | None
) -> tuple[npt.NDArray[np.integer], Mask]:
    """What to sort by, and which facts stand last either way."""
    views = snapshot.index.views
    none = np.zeros(len(views), np.bool_)
    match order:
        case FactOrder.SUBJECT:
            return keys.subjects, none
        case FactOrder.VIEWS:
            return views, views < 0
        case FactOrder.PROFILE:
            codes = snapshot.code_places().astype(np.intp)
            return codes, codes >= CODE_ORDER.index("NA")
        case FactOrder.TOPIC:
            return keys.kinds.topics.codes, keys.kinds.topics.unknown
        case FactOrder.STAKE:
            return -snapshot.differs.astype(np.intp), none
        case FactOrder.IMPORTED:
            return snapshot.index.ids, none
        case FactOrder.MATCH if match is not None:
            return match, none
    return keys.titles, none


@dataclass(frozen=True, slots=True)
class SnapshotLookups:
    """What filters ask of a snapshot; texts and sources are found in the database."""

    snapshot: Snapshot
    connection: sqlite3.Connection | None = None

    def find_text(self, text: str) -> Mask:
        """Facts in which a text occurs; none where there is no database to ask."""
        return self._found([] if self.connection is None else matching(self.connection, text))

    def find_codes(self, codes: frozenset[str]) -> Mask:
        """Facts whose verdict for the lens's model has one of these codes."""
        asked = [place for place, code in enumerate(CODE_ORDER) if code in codes]
        return np.isin(self.snapshot.code_places(), asked)

    def find_reviews(self, names: frozenset[str]) -> Mask:
        """Facts on which people have left any of these."""
        masks = _reviewed(self.snapshot)
        found: Mask = np.any([masks[name] for name in names], axis=0)
        return found

    def find_latent(self, words: frozenset[str]) -> Mask:
        """Facts of which scores of the lens's model say one of these."""
        now = self.snapshot
        masks = [select_latent(word, now.latent, now.code_places()) for word in words]
        return np.asarray(np.any(masks, axis=0), np.bool_)

    def find_source(self, name: str) -> Mask:
        """Facts with a response out of a file of this name; none without a database to ask."""
        from db.response_sources import facts_of

        return self._found([] if self.connection is None else facts_of(self.connection, name))

    def _found(self, facts: Iterable[int]) -> Mask:
        return np.isin(self.snapshot.index.ids, list(facts))

    def find_differences(self, kind: str) -> Mask:
        """Facts on which the lens's A and B differ."""
        differs = self.snapshot.differs
        return differs == AT_STAKE if kind == "profile" else differs > AGREE


def _reviewed(snapshot: Snapshot) -> dict[str, Mask]:
    return {"flagged": snapshot.index.flagged, "edited": snapshot.edited, "noted": snapshot.noted}


@dataclass(frozen=True, slots=True)
class NamedFact:
    """A fact as it is found by its name."""

    fact_id: str
    heading: Heading


def find_named(snapshot: Snapshot, text: str, most: int) -> list[NamedFact]:
    """Facts in whose id or title all typed words are found: at most so many, as imported.

    One whose id is just that stands first.
    """
    typed = text.casefold().split()
    if not typed:
        return []
    found: list[NamedFact] = []
    for fact_id, heading in zip(snapshot.index.fact_ids, snapshot.headings, strict=True):
        if fact_id == text.strip():
            found.insert(0, NamedFact(fact_id, heading))
        elif len(found) < most:
            words = f"{fact_id} {heading.title}".casefold()
            if all(word in words for word in typed):
                found.append(NamedFact(fact_id, heading))
    return found[:most]


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
        {name: int(np.count_nonzero(mask & here)) for name, mask in _reviewed(snapshot).items()},
        {
            word: int(np.count_nonzero(select_latent(word, snapshot.latent, codes) & here))
            for word in latent
        },
        int(np.count_nonzero(index.rejected)),
    )


def nearest(old: Listing, new: Listing, place: int) -> int:
    """Where the cursor belongs in a new list: on the fact it was on, else on the nearest left.

    The fact is given by its place in the snapshot's index. Of the facts around it in the old list
    the nearest that the new one has too, below before above; 0 where none is left.
    """
    same = np.flatnonzero(new.places == place)
    if same.size:
        return int(same[0])
    before = np.flatnonzero(old.places == place)
    left = np.flatnonzero(np.isin(old.places, new.places))
    if not before.size or not left.size:
        return 0
    distance = np.abs(left - before[0])
    near = left[distance == distance.min()].max()
    return int(np.flatnonzero(new.places == old.places[near])[0])


def kept(shown: Listing, new: Listing) -> tuple[Listing, int]:
    """The list being read as it stands, and how many facts wait to be shown.

    For news that nobody asked for: rows stay where they are. If something else is `wanted` the
    new list is given, and nothing waits.
    """
    if new.wanted != shown.wanted:
        return new, 0
    waiting = int(np.count_nonzero(~np.isin(new.places, shown.places)))
    return replace(new, places=shown.places), waiting
