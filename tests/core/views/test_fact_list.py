"""Lists of facts: filters, orders, the place of the cursor; on plain and on real facts."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from core.dataset.fact_index import FactIndex
from core.dataset.subsets import TIERS, popularity
from core.project import Project
from core.scoring.label_counts import LabelCounts
from core.scoring.verdicts import VERDICTS, Verdicts
from core.transfer.imports import import_file
from core.views.fact_query import (
    FactOrder,
    FactQuery,
    Filters,
    Listing,
    Only,
    choices,
    kept,
    listed,
    nearest,
)
from core.views.lens import Lens
from core.views.session import Session
from core.views.snapshot import AT_STAKE, CODE_ORDER, DIFFER, Heading, Snapshot
from core.views.snapshot_cache import empty_board
from core.views.sort_keys import SortKeys
from core.vocabulary import LABELS, TASKS
from tests.core.making import new_project
from tests.core.views.making import board_of, two_facts

PLACE = {name: place for place, name in enumerate(VERDICTS)}


def a_board(titles: Sequence[str], **columns: Any) -> Snapshot:
    """A board made by hand: one model, verdict `incomplete` unless given."""
    size = len(titles)

    def column(name: str, default: Any) -> Any:
        return columns.get(name, [default] * size)

    index = FactIndex(
        np.arange(1, size + 1) * 10,
        [f"id{number}" for number in range(size)],
        np.array(column("views", 5), np.int64),
        column("categories", "Arts"),
        column("types", "DATE"),
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
        empty_board(Lens()),
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


def places(board: Snapshot, **wanted: Any) -> list[int]:
    found: list[int] = listed(board, FactQuery(**wanted)).places.tolist()
    return found


def filtered(board: Snapshot, **filters: Any) -> list[int]:
    return places(board, filters=Filters(**filters), order=FactOrder.IMPORTED)


# Orders


def test_titles_without_regard_to_case_then_as_imported() -> None:
    board = a_board(["beta", "Gamma", "alpha", "Beta", "beta", "Äther", "ǅ"])
    assert places(board) == [2, 3, 0, 4, 1, 5, 6]
    assert places(board, descending=True) == [6, 5, 1, 0, 4, 3, 2]


def test_subjects_stand_by_title_where_equal_either_way() -> None:
    board = a_board(["b", "a", "c"], subjects=["same", "same", "Other"])
    assert places(board, order=FactOrder.SUBJECT) == [2, 1, 0]
    assert places(board, order=FactOrder.SUBJECT, descending=True) == [1, 0, 2]


def test_unknown_views_stand_last_either_way() -> None:
    board = a_board(list("abcd"), views=[7, -1, 0, 900])
    assert places(board, order=FactOrder.VIEWS) == [2, 0, 3, 1]
    assert places(board, order=FactOrder.VIEWS, descending=True) == [3, 0, 2, 1]


def test_profiles_from_known_to_unknown_then_those_without() -> None:
    names = [*VERDICTS]
    encodes = [name is None for name in names]
    board = a_board([f"{n}" for n in range(len(names))], verdicts=names, encodes=encodes)
    shown = [board.code(place) for place in places(board, order=FactOrder.PROFILE)]
    assert shown == ["DR", "RT", "IE", "RF", "EF", "E-", "NA", "DI", "··"]
    shown = [board.code(place) for place in places(board, order=FactOrder.PROFILE, descending=True)]
    assert shown == ["E-", "EF", "RF", "IE", "RT", "DR", "··", "DI", "NA"]


def test_topics_with_none_last() -> None:
    board = a_board(list("abcd"), categories=["", "Science", "Arts", "Arts"])
    assert places(board, order=FactOrder.TOPIC) == [2, 3, 1, 0]
    assert places(board, order=FactOrder.TOPIC, descending=True) == [1, 2, 3, 0]


def test_what_is_at_stake_stands_first() -> None:
    board = a_board(list("abcd"), differs=[0, DIFFER, AT_STAKE, AT_STAKE])
    assert places(board, order=FactOrder.STAKE) == [2, 3, 1, 0]


def test_imported() -> None:
    board = a_board(["c", "a", "b"])
    assert places(board, order=FactOrder.IMPORTED) == [0, 1, 2]
    assert places(board, order=FactOrder.IMPORTED, descending=True) == [2, 1, 0]


def test_a_search_lists_what_it_found_best_first() -> None:
    board = a_board(list("abcd"))
    best_first = FactQuery(search="x", order=FactOrder.MATCH)
    found = [30, 999, 10]  # 999: indexed since the board was made
    assert listed(board, best_first, found).places.tolist() == [2, 0]
    assert listed(board, FactQuery(search="x"), found).places.tolist() == [0, 2]
    assert listed(board, best_first, []).places.tolist() == []
    assert listed(board, best_first).places.tolist() == [0, 1, 2, 3]
    assert not listed(board, best_first, found, complete=False).complete


# Filters


def test_filters_of_one_kind_are_or_of_different_kinds_and() -> None:
    board = a_board(
        list("abcdef"),
        categories=["Arts", "Arts", "Science", "Science", "", "Arts"],
        types=["DATE", "PERSON", "DATE", "PERSON", "DATE", ""],
        verdicts=["direct_recall", "recall_failure", "excluded_nan"] * 2,
    )
    assert filtered(board, topics={"Arts"}) == [0, 1, 5]
    assert filtered(board, topics={"Arts", "Science"}) == [0, 1, 2, 3, 5]
    assert filtered(board, topics={"Arts"}, types={"DATE"}) == [0]
    assert filtered(board, topics={"unknown"}) == [4]
    assert filtered(board, types={"unknown"}) == [5]
    assert filtered(board, verdicts={"DR", "NA"}) == [0, 2, 3, 5]
    assert filtered(board, verdicts={"RF"}, types={"DATE"}) == [4]
    assert filtered(board, verdicts={"none such"}) == []


def test_differences_and_reviews() -> None:
    board = a_board(
        list("abcd"),
        differs=[0, DIFFER, AT_STAKE, 0],
        flagged=[True, False, False, False],
        edited=[False, True, False, False],
        noted=[False, False, True, False],
    )
    assert filtered(board, differs="any") == [1, 2]
    assert filtered(board, differs="profile") == [2]
    assert filtered(board, reviews={"flagged"}) == [0]
    assert filtered(board, reviews={"edited", "noted"}) == [1, 2]
    assert filtered(board, reviews={"edited", "noted"}, differs="profile") == [2]


def test_rejected_facts_are_listed_on_demand_and_never_counted() -> None:
    board = a_board(list("abc"), rejected=[False, True, False])
    assert filtered(board) == [0, 2]
    assert filtered(board, rejected=True) == [1]
    assert listed(board, FactQuery()).total == 2
    assert listed(board, FactQuery(filters=Filters(rejected=True))).total == 2


def test_tiers_follow_what_is_rejected() -> None:
    views = [5, 1, 4, 2, 3, -1]
    board = a_board(list("abcdef"), views=views)
    assert filtered(board, tiers={"bottom"}) == [1]
    assert filtered(board, tiers={"top", "unknown"}) == [0, 5]
    keys = SortKeys(board.index, board.headings)
    for rejected in ([False] * 6, [True, *[False] * 5]):
        index = replace(board.index, rejected=np.array(rejected))
        for name, mask in popularity(index).items():
            wanted = FactQuery(filters=Filters(tiers=frozenset({name})), order=FactOrder.IMPORTED)
            found = listed(replace(board, index=index), wanted, keys=keys).places
            assert found.tolist() == np.flatnonzero(mask).tolist()


@pytest.mark.parametrize("seed", range(3))
def test_choices_count_what_each_filter_lists(seed: int) -> None:
    random = Random(seed)
    size = 60

    def some(*values: Any) -> list[Any]:
        return random.choices(values, k=size)

    board = a_board(
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
    there = choices(board)
    for kind in ("verdicts", "topics", "types", "tiers", "reviews"):
        for name, count in getattr(there, kind).items():
            assert len(filtered(board, **{kind: frozenset({name})})) == count
    for name, count in there.differs.items():
        assert len(filtered(board, differs=name)) == count
    assert len(filtered(board, rejected=True)) == there.rejected
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
    assert nearest(old, a_listing(new), 5) == at


def test_a_fact_that_was_not_listed_either_gives_the_top() -> None:
    assert nearest(a_listing([1, 2]), a_listing([2, 1]), 77) == 0


def test_news_wait_while_a_list_is_read() -> None:
    shown = a_listing([3, 1, 2])
    new = replace(a_listing([5, 2, 3, 4]), total=7, complete=False)
    listing, waiting = kept(shown, new)
    assert listing.places.tolist() == [3, 1, 2]
    assert (waiting, listing.total, listing.complete) == (2, 7, False)
    assert kept(shown, shown)[1] == 0


def test_what_is_asked_for_does_not_wait() -> None:
    asked = a_listing([5], FactQuery(search="other"))
    assert kept(a_listing([3, 1, 2]), asked) == (asked, 0)


# Real facts


def test_real_facts(project: Project, shared: Callable[[str], Path]) -> None:
    path = shared("data/wikiprofile/facts.csv")
    import_file(project, path)
    session = Session(project.path)
    board = session.open()
    size = len(board.index)
    assert size > 500
    for order in FactOrder:
        for descending in (False, True):
            listing = session.listing(FactQuery(order=order, descending=descending))
            assert sorted(listing.places.tolist()) == list(range(size))
    titles = [
        board.headings[place].title.casefold() for place in session.listing(FactQuery()).places
    ]
    assert titles == sorted(titles)
    assert all(one.title and one.subject and one.object for one in board.headings)
    assert not any("_" in one.title for one in board.headings)
    there = session.choices()
    assert sum(there.topics.values()) == size
    session.close()


def test_certain_facts_alone_may_be_listed(tmp_path: Path) -> None:
    with new_project(tmp_path / "only.db") as project:
        two_facts(project)
        board = board_of(project, Lens())
        one = int(board.index.ids[1])
        filters = Filters(only=Only("moved", frozenset({one, 999})))
        assert filters.count == 1
        assert listed(board, FactQuery(filters=filters)).places.tolist() == [1]
        assert not listed(
            board, FactQuery(filters=Filters(only=Only("none", frozenset())))
        ).places.size
