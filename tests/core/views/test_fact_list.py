"""Lists of facts: filters, orders, the place of the cursor; on plain and on real facts."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from core.dataset.fact_filters import TIERS, Filters, Only
from core.dataset.fact_index import FactIndex
from core.dataset.subsets import popularity
from core.project import OpenProject
from core.scoring.label_counts import LabelCounts
from core.scoring.verdicts import VERDICTS, Verdicts
from core.transfer.imports import import_file
from core.views.fact_query import (
    FactOrder,
    FactQuery,
    Listing,
    find_nearest,
    keep_places,
    list_facts,
)
from core.views.filter_choices import choices
from core.views.lens import Lens
from core.views.session import Session
from core.views.snapshot import AT_STAKE, DIFFER, Heading, Snapshot
from core.views.snapshot_cache import empty_snapshot
from core.views.sort_keys import SortKeys
from core.vocabulary import CODE_ORDER, LABELS, TASKS
from tests.core.making import new_project
from tests.core.views.making import snapshot_of, two_facts

PLACE = {name: place for place, name in enumerate(VERDICTS)}


def a_snapshot(titles: Sequence[str], **columns: Any) -> Snapshot:
    """A snapshot made by hand: one model, verdict `incomplete` unless given."""
    size = len(titles)

    def column(name: str, default: Any) -> Any:
        return columns.get(name, [default] * size)

    index = FactIndex(
        np.arange(1, size + 1) * 10,
        [f"id{number}" for number in range(size)],
        np.array(column("views", 5), np.int64),
        column("categories", "Arts"),
        column("subject_types", "PERSON"),
        column("types", "DATE"),
        np.full(size, -1, np.int64),
        np.array(column("flagged", False), np.bool_),
        np.array(column("rejected", False), np.bool_),
        np.zeros((size, len(TASKS)), np.int64),
    )
    verdict = np.array([[PLACE[name] for name in column("verdicts", "incomplete")]], np.uint8)
    encodes = np.array([column("encodes", False)], np.bool_)
    knows = np.array([column("knows", False)], np.bool_)
    tally = LabelCounts(
        ["m"],
        np.array([[-1, -1]]),
        np.empty((0, len(LABELS), len(TASKS), size), np.uint16),
        np.empty((0, len(TASKS), size), np.uint16),
        np.zeros((len(TASKS), size), np.bool_),
    )
    return replace(
        empty_snapshot(Lens()),
        lens=Lens(model="m"),
        models=("m",),
        index=index,
        headings=[
            Heading(title, subject, "")
            for title, subject in zip(titles, columns.get("subjects", titles), strict=True)
        ],
        tally=tally,
        verdicts=Verdicts(verdict, encodes, knows, knows, np.array([True])),
        differs=np.array(column("differs", 0), np.uint8),
        provisional=np.zeros(size, np.bool_),
        edited=np.array(column("edited", False), np.bool_),
        noted=np.array(column("noted", False), np.bool_),
    )


def places(snapshot: Snapshot, **wanted: Any) -> list[int]:
    found: list[int] = list_facts(snapshot, FactQuery(**wanted)).places.tolist()
    return found


def filtered(snapshot: Snapshot, **filters: Any) -> list[int]:
    return places(snapshot, filters=Filters(**filters), order=FactOrder.IMPORTED)


# Orders


def test_titles_without_regard_to_case_then_as_imported() -> None:
    snapshot = a_snapshot(["beta", "Gamma", "alpha", "Beta", "beta", "Äther", "ǅ"])
    assert places(snapshot) == [2, 3, 0, 4, 1, 5, 6]
    assert places(snapshot, descending=True) == [6, 5, 1, 0, 4, 3, 2]


def test_subjects_stand_by_title_where_equal_either_way() -> None:
    snapshot = a_snapshot(["b", "a", "c"], subjects=["same", "same", "Other"])
    assert places(snapshot, order=FactOrder.SUBJECT) == [2, 1, 0]
    assert places(snapshot, order=FactOrder.SUBJECT, descending=True) == [1, 0, 2]


def test_unknown_views_stand_last_either_way() -> None:
    snapshot = a_snapshot(list("abcd"), views=[7, -1, 0, 900])
    assert places(snapshot, order=FactOrder.VIEWS) == [2, 0, 3, 1]
    assert places(snapshot, order=FactOrder.VIEWS, descending=True) == [3, 0, 2, 1]


def test_profiles_from_known_to_unknown_then_those_without() -> None:
    names = [*VERDICTS]
    encodes = [name is None for name in names]
    snapshot = a_snapshot([f"{n}" for n in range(len(names))], verdicts=names, encodes=encodes)
    shown = [snapshot.code(place) for place in places(snapshot, order=FactOrder.PROFILE)]
    assert shown == ["DR", "RT", "IE", "RF", "EF", "E-", "NA", "DI", "··"]
    shown = [
        snapshot.code(place) for place in places(snapshot, order=FactOrder.PROFILE, descending=True)
    ]
    assert shown == ["E-", "EF", "RF", "IE", "RT", "DR", "··", "DI", "NA"]


def test_topics_with_none_last() -> None:
    snapshot = a_snapshot(list("abcd"), categories=["", "Science", "Arts", "Arts"])
    assert places(snapshot, order=FactOrder.TOPIC) == [2, 3, 1, 0]
    assert places(snapshot, order=FactOrder.TOPIC, descending=True) == [1, 2, 3, 0]


def test_what_is_at_stake_stands_first() -> None:
    snapshot = a_snapshot(list("abcd"), differs=[0, DIFFER, AT_STAKE, AT_STAKE])
    assert places(snapshot, order=FactOrder.STAKE) == [2, 3, 1, 0]


def test_imported() -> None:
    snapshot = a_snapshot(["c", "a", "b"])
    assert places(snapshot, order=FactOrder.IMPORTED) == [0, 1, 2]
    assert places(snapshot, order=FactOrder.IMPORTED, descending=True) == [2, 1, 0]


def test_a_search_lists_what_it_found_best_first() -> None:
    snapshot = a_snapshot(list("abcd"))
    best_first = FactQuery(search="x", order=FactOrder.MATCH)
    found = [30, 999, 10]  # 999: indexed since the snapshot was made
    assert list_facts(snapshot, best_first, found).places.tolist() == [2, 0]
    assert list_facts(snapshot, FactQuery(search="x"), found).places.tolist() == [0, 2]
    assert list_facts(snapshot, best_first, []).places.tolist() == []
    assert list_facts(snapshot, best_first).places.tolist() == [0, 1, 2, 3]
    assert not list_facts(snapshot, best_first, found, complete=False).complete


# Filters


def test_filters_of_one_kind_are_or_of_different_kinds_and() -> None:
    snapshot = a_snapshot(
        list("abcdef"),
        categories=["Arts", "Arts", "Science", "Science", "", "Arts"],
        types=["DATE", "PERSON", "DATE", "PERSON", "DATE", ""],
        verdicts=["direct_recall", "recall_failure", "excluded_nan"] * 2,
    )
    assert filtered(snapshot, topics={"Arts"}) == [0, 1, 5]
    assert filtered(snapshot, topics={"Arts", "Science"}) == [0, 1, 2, 3, 5]
    assert filtered(snapshot, topics={"Arts"}, types={"DATE"}) == [0]
    assert filtered(snapshot, topics={"unknown"}) == [4]
    assert filtered(snapshot, types={"unknown"}) == [5]
    assert filtered(snapshot, verdicts={"DR", "NA"}) == [0, 2, 3, 5]
    assert filtered(snapshot, verdicts={"RF"}, types={"DATE"}) == [4]
    assert filtered(snapshot, verdicts={"E-"}) == []


def test_differences_and_reviews() -> None:
    snapshot = a_snapshot(
        list("abcd"),
        differs=[0, DIFFER, AT_STAKE, 0],
        flagged=[True, False, False, False],
        edited=[False, True, False, False],
        noted=[False, False, True, False],
    )
    assert filtered(snapshot, differs="any") == [1, 2]
    assert filtered(snapshot, differs="profile") == [2]
    assert filtered(snapshot, reviews={"flagged"}) == [0]
    assert filtered(snapshot, reviews={"edited", "noted"}) == [1, 2]
    assert filtered(snapshot, reviews={"edited", "noted"}, differs="profile") == [2]


def test_rejected_facts_are_listed_on_demand_and_never_counted() -> None:
    snapshot = a_snapshot(list("abc"), rejected=[False, True, False])
    assert filtered(snapshot) == [0, 2]
    assert filtered(snapshot, rejected=True) == [1]
    assert list_facts(snapshot, FactQuery()).total == 2
    assert list_facts(snapshot, FactQuery(filters=Filters(rejected=True))).total == 2


def test_tiers_follow_what_is_rejected() -> None:
    views = [5, 1, 4, 2, 3, -1]
    snapshot = a_snapshot(list("abcdef"), views=views)
    assert filtered(snapshot, tiers={"bottom"}) == [1]
    assert filtered(snapshot, tiers={"top", "unknown"}) == [0, 5]
    keys = SortKeys(snapshot.index, snapshot.headings)
    for rejected in ([False] * 6, [True, *[False] * 5]):
        index = replace(snapshot.index, rejected=np.array(rejected))
        for name, mask in popularity(index).items():
            wanted = FactQuery(filters=Filters(tiers=frozenset({name})), order=FactOrder.IMPORTED)
            found = list_facts(replace(snapshot, index=index), wanted, keys=keys).places
            assert found.tolist() == np.flatnonzero(mask).tolist()


@pytest.mark.parametrize("seed", range(3))
def test_choices_count_what_each_filter_lists(seed: int) -> None:
    random = Random(seed)
    size = 60

    def some(*values: Any) -> list[Any]:
        return random.choices(values, k=size)

    snapshot = a_snapshot(
        [str(number) for number in range(size)],
        views=some(-1, *range(50)),
        categories=some("Arts", "Science", ""),
        types=some("DATE", "PERSON", ""),
        verdicts=some(*VERDICTS),
        encodes=some(True, False),
        knows=some(True, False),
        differs=some(0, DIFFER, AT_STAKE),
        flagged=some(True, False),
        edited=some(True, False),
        noted=some(True, False),
        rejected=some(True, False, False),
    )
    there = choices(snapshot)
    for kind in ("verdicts", "topics", "types", "tiers", "reviews"):
        for name, count in getattr(there, kind).items():
            assert len(filtered(snapshot, **{kind: frozenset({name})})) == count
    for name, count in there.differs.items():
        assert len(filtered(snapshot, differs=name)) == count
    assert len(filtered(snapshot, rejected=True)) == there.rejected
    total = size - there.rejected
    for counts in (there.verdicts, there.topics, there.types, there.tiers):
        assert sum(counts.values()) == total
    assert list(there.tiers) == list(TIERS)
    assert list(there.verdicts) == [code for code in CODE_ORDER if code in there.verdicts]


# The cursor, and what waits


def a_listing(rows: Iterable[int], wanted: FactQuery | None = None) -> Listing:
    return Listing(wanted or FactQuery(), np.array([*rows], np.intp), 100)


@pytest.mark.parametrize(
    ("new", "at"),
    [
        ([9, 5, 1], 1),  # the same fact
        ([1, 2, 6], 2),  # the next below is nearest
        ([4, 9, 1], 0),  # nearest above
        ([4, 6], 1),  # as near above as below: below
        ([7, 8], 0),  # none of the old ones but farther: 7 is two below
        ([70, 80], 0),  # nothing left
        ([], 0),
    ],
)
def test_the_cursor_goes_to_the_nearest_that_is_left(new: list[int], at: int) -> None:
    old = a_listing([1, 2, 3, 4, 5, 6, 7, 8, 9])
    assert find_nearest(old, a_listing(new), 5) == at


def test_a_fact_that_was_not_listed_either_gives_the_top() -> None:
    assert find_nearest(a_listing([1, 2]), a_listing([2, 1]), 77) == 0


def test_news_wait_while_a_list_is_read() -> None:
    shown = a_listing([3, 1, 2])
    new = a_listing([5, 2, 3, 4])._replace(total=7, complete=False)
    listing, waiting = keep_places(shown, new)
    assert listing.places.tolist() == [3, 1, 2]
    assert (waiting, listing.total, listing.complete) == (2, 7, False)
    assert keep_places(shown, shown)[1] == 0


# Real facts


def test_real_facts(project: OpenProject, shared: Callable[[str], Path]) -> None:
    path = shared("data/wikiprofile/facts.csv")
    import_file(project, path)
    session = Session(project.path)
    snapshot = session.open()
    size = len(snapshot.index)
    assert size > 500
    for order in FactOrder:
        for descending in (False, True):
            listing = session.listing(FactQuery(order=order, descending=descending))
            assert sorted(listing.places.tolist()) == list(range(size))
    titles = [
        snapshot.headings[place].title.casefold() for place in session.listing(FactQuery()).places
    ]
    assert titles == sorted(titles)
    assert all(one.title and one.subject and one.object for one in snapshot.headings)
    assert not any("_" in one.title for one in snapshot.headings)
    there = session.choices()
    assert sum(there.topics.values()) == size
    session.close()


def test_certain_facts_alone_may_be_listed(tmp_path: Path) -> None:
    with new_project(tmp_path / "only.db") as project:
        two_facts(project)
        snapshot = snapshot_of(project, Lens())
        one = int(snapshot.index.ids[1])
        filters = Filters(only=Only("moved", frozenset({one, 999})))
        assert filters.count == 1
        assert list_facts(snapshot, FactQuery(filters=filters)).places.tolist() == [1]
        assert not list_facts(
            snapshot, FactQuery(filters=Filters(only=Only("none", frozenset())))
        ).places.size
