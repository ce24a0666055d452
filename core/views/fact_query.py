"""Which facts a list shows, in what order: filters, sort and search over a snapshot."""

import sqlite3
from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.dataset.fact_filters import Filters, parse_where
from core.dataset.subsets import Mask, draw, find_passing
from core.errors import UsageError
from core.views.snapshot import Heading, Snapshot
from core.views.snapshot_lookups import SnapshotLookups
from core.views.sort_keys import SortKeys
from core.vocabulary import CODE_ORDER


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


class FactQuery(NamedTuple):
    """What the list is asked to show."""

    search: str = ""
    filters: Filters = Filters()
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


class FactHit(NamedTuple):
    """Where a search matched in one fact: `text[start:end]` in what `where` names."""

    where: str
    text: str
    start: int
    end: int


class Listing(NamedTuple):
    """Facts as listed: places in the snapshot's index, in order, with the hits read so far.

    `complete` is false while answers are still being searched or indexed. `total` counts facts
    that are not rejected.
    """

    wanted: FactQuery
    places: npt.NDArray[np.intp]
    total: int
    hits: Mapping[int, FactHit] = MappingProxyType({})
    complete: bool = True


def list_facts(
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
    keep = find_passing(wanted.filters, snapshot.index, keys.kinds, lookups)
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


class NamedFact(NamedTuple):
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


def find_nearest(old: Listing, new: Listing, place: int) -> int:
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


def keep_places(shown: Listing, new: Listing) -> tuple[Listing, int]:
    """The list being read as it stands, and how many facts wait to be shown.

    For news that nobody asked for: rows stay where they are. Both lists are of the same query.
    """
    waiting = int(np.count_nonzero(~np.isin(new.places, shown.places)))
    return new._replace(places=shown.places), waiting
