"""Popularity tiers, groups, and the words of `--where`."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.dataset.fact_filters import TIERS, format_numbers
from core.dataset.fact_index import FactIndex
from core.dataset.subsets import Mask, groups, popularity, select
from core.errors import UsageError
from core.project import OpenProject
from core.scoring.policy import Policy
from core.vocabulary import TASKS, Outcome, Task
from db.connection import write_transaction
from tests.core.making import Row, a_fact, cell, put_facts, put_rows


def index_of(
    views: Sequence[int | None], rejected: Sequence[bool] = (), ids: Sequence[str] = ()
) -> FactIndex:
    n = len(views)
    return FactIndex(
        ids=np.arange(1, n + 1),
        fact_ids=list(ids) or [f"f{number}" for number in range(n)],
        views=np.array([-1 if one is None else one for one in views], np.int64),
        categories=[""] * n,
        subject_types=[""] * n,
        object_types=[""] * n,
        years=np.full(n, -1, np.int64),
        flagged=np.zeros(n, np.bool_),
        rejected=np.array(rejected or [False] * n, np.bool_),
        questions=np.zeros((n, len(TASKS)), np.int64),
    )


def tiers(index: FactIndex) -> dict[str, list[str]]:
    return {
        name: [index.fact_ids[fact] for fact in np.flatnonzero(mask)]
        for name, mask in popularity(index).items()
    }


def test_ties_go_by_fact_id_as_text() -> None:
    ids = ["9", "10", "2", "1", "é", "z", "B", "a", "~", "Ω"]
    found = tiers(index_of([5] * 10, ids=ids))
    assert sorted(found["bottom"]) == ["1", "10"]
    assert sorted(found["top"]) == sorted(["é", "Ω"])


def test_a_count_of_0_is_a_count_and_no_count_is_unknown() -> None:
    found = tiers(index_of([0, None, 7, 3, None, 9, 1]))
    assert found == {
        "bottom": ["f0"],
        "middle": ["f2", "f3", "f6"],
        "top": ["f5"],
        "unknown": ["f1", "f4"],
    }


def test_rejected_facts_are_in_no_tier_and_move_no_border() -> None:
    index = index_of([0, 1, 2, 3, 4, 5, None], [True, False, False, False, False, False, True])
    assert tiers(index) == {
        "bottom": ["f1"],
        "middle": ["f2", "f3", "f4"],
        "top": ["f5"],
        "unknown": [],
    }


@given(st.lists(st.tuples(st.one_of(st.none(), st.integers(0, 5)), st.booleans()), max_size=40))
@settings(max_examples=60, deadline=None)
def test_tiers_by_definition(facts: list[tuple[int | None, bool]]) -> None:
    index = index_of([views for views, _ in facts], [rejected for _, rejected in facts])
    counted = sorted(
        (views, f"f{number}")
        for number, (views, rejected) in enumerate(facts)
        if views is not None and not rejected
    )
    tail = len(counted) * 20 // 100
    found = tiers(index)
    assert set(found["bottom"]) == {name for _, name in counted[:tail]}
    assert set(found["top"]) == {name for _, name in counted[len(counted) - tail :]}
    assert set(found["middle"]) == {name for _, name in counted[tail : len(counted) - tail]}
    assert sum(map(len, found.values())) == sum(not rejected for _, rejected in facts)


def test_the_floor_holds_for_every_number_of_facts() -> None:
    for n in range(200):
        found = popularity(index_of(list(range(n))))
        assert int(found["bottom"].sum()) == int(found["top"].sum()) == n // 5


@pytest.fixture
def filled(project: OpenProject) -> OpenProject:
    """Five facts that differ in every column."""
    columns: list[dict[str, Any]] = [
        {"category": "Arts", "object_type": "DATE", "views": 0, "page_title": "The_Night_Watch"},
        {"category": "Natural Sciences", "object_type": "PERSON", "views": 999},
        {"category": "arts", "object_type": "PERSON", "views": 1000, "subject": "100 % wool"},
        {"category": "", "object_type": "", "views": 25_000, "object": "O'Brien"},
        {"category": "Sports", "object_type": "EVENT", "views": None, "subject": "a_b"},
    ]
    put_facts(project, [a_fact(f"f{number}", **one) for number, one in enumerate(columns)])
    return project


def chosen(project: OpenProject, where: str | None) -> list[str]:
    mask = project.facts(where, project.models(), Policy())
    return [project.index.fact_ids[fact] for fact in np.flatnonzero(mask)]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (None, "f0 f1 f2 f3 f4"),
        ("", "f0 f1 f2 f3 f4"),
        ("category:Arts", "f0 f2"),
        ("category:aRTS type:date", "f0"),
        ('category:"Natural Sciences"', "f1"),
        ("'category:natural sciences'", "f1"),
        ("category:", "f3"),
        ("category:Art", ""),
        ("type:PERSON", "f1 f2"),
        ("fact:f3", "f3"),
        ("views:>1000", "f3"),
        ("views:>=1000", "f2 f3"),
        ("views:<=0", "f0"),
        ("views:0", "f0"),
        ("views:=999", "f1"),
        ("views:>1k views:<25K", ""),
        ("views:>=1k views:<=25K", "f2 f3"),
        ("views:<1M", "f0 f1 f2 f3"),
        ("views:<99999999999999999999999", "f0 f1 f2 f3"),
        ("tier:unknown", "f4"),
        ("flagged", ""),
        ('"night watch"', "f0"),
        ("night watch", "f0"),
        ('"100 %"', "f2"),
        ("a_b", "f4"),
        ("%", "f2"),
        ('"O\'Brien"', "f3"),
        ("'; DROP TABLE fact; --'", ""),
        ("text:unknown:word", ""),
        ("http://nowhere.example", ""),
        ("12:30", ""),
    ],
)
def test_words_of_a_filter(filled: OpenProject, where: str | None, expected: str) -> None:
    assert chosen(filled, where) == expected.split()


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ('category:"Arts', "quotation mark"),
        ("O'Brien", "quotation mark"),
        ("views:many", "views:many"),
        ("views:", "views:"),
        ("views:>-1", "views:>-1"),
        ("views:1e3", "views:1e3"),
        ("tier:highest", "bottom, middle, top, unknown"),
        ("profile:unknown", "encoding_failure"),
        ("profile:", "encoding_failure"),
    ],
)
def test_bad_words_are_refused_in_one_line(filled: OpenProject, where: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        chosen(filled, where)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    assert error.value.exit_code == 2


def test_rejected_facts_only_where_asked_for(filled: OpenProject) -> None:
    with write_transaction(filled.connection):
        filled.connection.execute("UPDATE fact SET rejected = 1 WHERE fact_id IN ('f0', 'f4')")
        filled.connection.execute("UPDATE fact SET flagged = 1 WHERE fact_id IN ('f0', 'f1')")
    with OpenProject(filled.path) as again:
        assert chosen(again, None) == ["f1", "f2", "f3"]
        assert chosen(again, "rejected") == ["f0", "f4"]
        assert chosen(again, "flagged") == ["f1"]
        assert chosen(again, "flagged rejected") == ["f0"]
        assert chosen(again, "category:arts") == ["f2"]


def test_facts_by_profile(filled: OpenProject) -> None:
    good, bad = [Outcome.CORRECT], [Outcome.INCORRECT]
    rows: list[Row] = []
    for model, fact_id, off, on in (
        ("m", "f0", good, good),
        ("m", "f1", bad, bad),
        ("n", "f1", bad, good),
    ):
        for task in TASKS[:6]:
            encodes = good if task in TASKS[:2] else off
            rows += cell(fact_id, task, model, False, encodes)
            rows += cell(fact_id, task, model, True, on)
    put_rows(filled, rows)
    assert chosen(filled, "profile:direct_recall") == ["f0"]
    assert chosen(filled, "profile:recall_failure") == ["f1"]
    assert chosen(filled, "profile:recall_with_thinking") == ["f1"]
    assert chosen(filled, "profile:incomplete fact:f2") == ["f2"]
    assert chosen(filled, "profile:direct_inference") == []


class NoLookups:
    """Fails whoever asks for more than the index knows."""

    def find_text(self, text: str) -> Mask:
        raise AssertionError(text)

    def find_codes(self, codes: frozenset[str]) -> Mask:
        raise AssertionError(codes)

    def find_reviews(self, names: frozenset[str]) -> Mask:
        raise AssertionError(names)

    def find_latent(self, words: frozenset[str]) -> Mask:
        raise AssertionError(words)

    def find_source(self, name: str) -> Mask:
        raise AssertionError

    def find_tag(self, tag: str) -> Mask:
        raise AssertionError(tag)

    def find_differences(self, kind: str) -> Mask:
        raise AssertionError(kind)


def test_lookups_are_asked_only_for_their_words() -> None:
    found = select("views:>2 tier:top", index_of([1, 2, 3, 4, 5]), NoLookups())
    assert found.tolist() == [False, False, False, False, True]


def test_groups_of_a_breakdown(filled: OpenProject) -> None:
    by_category = groups(filled.index, "category")
    assert {name: int(mask.sum()) for name, mask in by_category.items()} == {
        "Arts": 1,
        "Natural Sciences": 1,
        "Sports": 1,
        "arts": 1,
        "unknown": 1,
    }
    assert set(groups(filled.index, "popularity")) == set(TIERS)
    assert set(groups(filled.index, "object_type")) == {"DATE", "PERSON", "EVENT", "unknown"}
    with pytest.raises(UsageError, match="object_type"):
        groups(filled.index, "views")


def test_text_is_found_in_questions_and_golds(filled: OpenProject) -> None:
    assert chosen(filled, '"f3 direct?"') == ["f3"]
    assert chosen(filled, "tartu") == [f"f{number}" for number in range(5)]
    assert chosen(filled, f'"{Task.REVERSE}?" fact:f1') == ["f1"]


def picked(filters: str, index: FactIndex) -> list[int]:
    return [int(one) for one in index.ids[select(filters, index, NoLookups())]]


@given(st.sets(st.integers(1, 40)))
def test_a_list_of_facts_is_a_filter(ids: set[int]) -> None:
    assert picked(format_numbers(ids), index_of([None] * 40)) == sorted(ids)


def test_numbers_that_follow_each_other_are_written_as_one_range() -> None:
    assert format_numbers([7, 3, 4, 5, 9]) == "number:3-5,7,9"


def test_facts_at_random_are_the_same_every_time_and_nested() -> None:
    index = index_of([None] * 500, rejected=[fact < 100 for fact in range(500)])
    few, more = picked("random:40", index), picked("random:80", index)
    assert (len(few), len(more)) == (40, 80)
    assert set(few) < set(more)
    assert min(more) > 100
    assert 250 < np.mean(more) < 350
    assert picked("random:1000", index) == picked("", index)


def test_random_picks_among_those_that_pass_the_rest() -> None:
    index = index_of([None] * 50)
    some = picked("random:5 number:10-19", index)
    assert len(some) == 5
    assert set(some) <= set(range(10, 20))


@pytest.mark.parametrize("word", ["random:", "random:-1", "random:x", "number:a", "number:1--2"])
def test_what_is_no_number_is_said(word: str) -> None:
    with pytest.raises(UsageError, match=r"write (random|number):"):
        picked(word, index_of([None]))


@pytest.mark.parametrize(
    ("where", "near"),
    [
        ("unknown:word", ""),
        ("Subject_Type:PERSON", "did you mean subject_type? "),
        ("topic:Arts", ""),
        ("profil:recall_failure", "did you mean profile? "),
        ("categry:Arts", "did you mean category? "),
    ],
)
def test_a_filter_that_does_not_exist_is_an_error(
    filled: OpenProject, where: str, near: str
) -> None:
    name, _, _ = where.partition(":")
    said = re.escape(f"no filter {name}: {near}choose one of category, type,")
    with pytest.raises(UsageError, match=said):
        chosen(filled, where)
    with pytest.raises(UsageError, match="did you mean recall_failure"):
        chosen(filled, "profile:recall_failur")
