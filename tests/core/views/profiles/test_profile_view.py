"""Rows of the Profiles screen: the same numbers as the summaries, on projects of chance."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from core.dataset.fact_filters import Filters
from core.dataset.subsets import groups
from core.project import OpenProject
from core.results.profile_summary import profiles
from core.scoring.policy import Policy
from core.scoring.verdicts import Verdicts, judge, summarise, summarise_groups
from core.views.fact_query import FactQuery
from core.views.profiles.profile_counts import ProfileCounts, read_counts
from core.views.profiles.profile_rows import (
    RowKind,
    RowOrder,
    arrange_rows,
    estimate_rows,
    facts_of,
    find_moved_in,
    group_rows,
    judge_both,
    model_rows,
    order_rows,
)
from core.views.session import Session
from core.vocabulary import CODE_ORDER, ENCODING, KNOWLEDGE, Outcome, Strategy, Task
from db.connection import write_transaction
from tests.core.making import cell, new_project, put_rows, question_keys
from tests.core.views.making import MODEL, TAUS, A, B, chances, change_graders, lens_of

POLICIES = [Policy(tau=tau, strategy=strategy) for tau, strategy in product(TAUS, Strategy)]


def _label(fact: int, task: Task) -> Outcome:
    """Right for every third fact, and for encoding for every second of the others."""
    right = fact % 3 == 0 or (task in ENCODING and fact % 4 == 0)
    return Outcome.CORRECT if right else Outcome.INCORRECT


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("view") / "chance.db"
    with new_project(path) as project:
        chances(project, seed=5, facts=40)
        connection = project.connection
        with write_transaction(connection):
            connection.execute(
                "UPDATE fact SET category = CASE id % 3 WHEN 0 THEN '' ELSE 'c' || id % 3 END, "
                "object_type = 't' || id % 2, views = id"
            )
        asked = (*ENCODING, *KNOWLEDGE)
        there = question_keys(connection)
        rows = [
            row
            for fact in range(0, 40, 2)
            for task in asked
            if (f"f{fact}", task) in there
            for row in cell(f"f{fact}", task, "plain", False, [_label(fact, task)], A)
        ]
        put_rows(project, rows)
    return path


@pytest.fixture(scope="module")
def session(path: Path) -> Iterator[Session]:
    with closing(Session(path)) as session:
        session.open(lens_of(MODEL, a=A, b=B))
        yield session


@pytest.fixture(scope="module")
def material(session: Session) -> ProfileCounts:
    return read_counts(session, session.snapshot.lens, session.snapshot.lens, FactQuery())


def test_there_is_a_model_with_thinking_and_one_without(material: ProfileCounts) -> None:
    assert material.models == (MODEL, "plain")
    assert material.now.tally.thinks().tolist() == [True, False]
    assert material.total == 40


@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_models_are_counted_as_summaries_are(material: ProfileCounts, policy: Policy) -> None:
    both = judge_both(material, policy, Policy())
    rows = model_rows(material, both)
    expected = summarise(_verdicts(material, policy), material.facts)
    assert [row.now.summary for row in rows] == expected
    assert all(sum(row.now.by_code) == row.now.summary.total for row in rows)


def _verdicts(material: ProfileCounts, policy: Policy) -> Verdicts:
    return judge(material.now.cells, material.now.tally.thinks(), policy)


@pytest.mark.parametrize(
    ("by", "name"),
    [
        (RowKind.TOPICS, "category"),
        (RowKind.TYPES, "object_type"),
        (RowKind.TIERS, "popularity"),
    ],
)
def test_groups_are_counted_as_summaries_are(
    material: ProfileCounts, by: RowKind, name: str
) -> None:
    policy = Policy(tau=0.25)
    both = judge_both(material, policy, Policy())
    for model in range(2):
        masks = {one: mask & material.facts for one, mask in groups(material.index, name).items()}
        masks = {one: mask for one, mask in masks.items() if mask.any()}
        expected = summarise_groups(_verdicts(material, policy), model, masks)
        rows = group_rows(material, both, model, by)
        assert {row.name: row.now.summary for row in rows} == expected
        for row in rows:
            assert np.array_equal(facts_of(material, row, by), masks[row.name])


def test_the_whole_way_gives_what_the_report_gives(path: Path, session: Session) -> None:
    lens = session.snapshot.lens.with_policy(tau=0.75)
    material = read_counts(session, lens, lens, FactQuery())
    rows = model_rows(material, judge_both(material, lens.policy, lens.policy))
    with OpenProject(path) as project:
        policy = Policy(0.75, graders=lens.ranked)
        expected = profiles(project, policy).models
    assert {row.name: row.now.summary for row in rows} == expected


@pytest.mark.parametrize("policy", POLICIES[:6], ids=str)
def test_facts_that_moved_are_those_whose_code_is_another_on_two_snapshots(
    session: Session, material: ProfileCounts, policy: Policy
) -> None:
    lens = session.snapshot.lens
    both = judge_both(material, policy, lens.policy)
    one = session.look(replace(lens, policy=replace(policy, graders=lens.policy.graders)))
    other = session.look(lens)
    for row in model_rows(material, both):
        expected = one.code_places(row.place) != other.code_places(row.place)
        assert np.array_equal(find_moved_in(material, both, row, RowKind.MODELS), expected)
        assert row.moved == int(expected.sum())
        counts = np.bincount(one.code_places(row.place), minlength=len(CODE_ORDER))
        assert row.now.by_code == tuple(counts.tolist())


def test_at_the_start_nothing_has_moved(material: ProfileCounts) -> None:
    both = judge_both(material, Policy(), Policy())
    for row in [*model_rows(material, both), *group_rows(material, both, 0, RowKind.TOPICS)]:
        assert row.moved == 0
        assert row.now == row.start


def test_moves_of_groups_add_up_to_those_of_the_model(material: ProfileCounts) -> None:
    both = judge_both(material, Policy(tau=0.9), Policy())
    whole = model_rows(material, both)[0].moved
    assert whole > 0
    for by in (RowKind.TOPICS, RowKind.TYPES, RowKind.TIERS):
        assert sum(row.moved for row in group_rows(material, both, 0, by)) == whole


def test_counts_at_the_start_can_be_handed_in(material: ProfileCounts) -> None:
    first = judge_both(material, Policy(tau=0.25), Policy())
    rows = model_rows(material, first)
    again = judge_both(material, Policy(tau=0.75), Policy(), first.start)
    assert model_rows(material, again, [row.start for row in rows]) == model_rows(material, again)


def test_other_graders_at_the_start_have_counts_of_their_own(session: Session) -> None:
    lens = session.snapshot.lens
    material = read_counts(session, lens, change_graders(lens, a=B), FactQuery())
    assert material.start.graders != material.now.graders
    both = judge_both(material, lens.policy, lens.policy)
    rows = model_rows(material, both)
    assert any(row.moved for row in rows)
    swapped = read_counts(session, change_graders(lens, a=B), lens, FactQuery())
    turned = model_rows(swapped, judge_both(swapped, lens.policy, lens.policy))
    assert [row.now for row in rows] == [row.start for row in turned]


def test_a_start_whose_grader_is_gone_is_the_present(session: Session) -> None:
    lens = session.snapshot.lens
    material = read_counts(session, lens, change_graders(lens, a="nobody"), FactQuery())
    assert material.start is material.now


def test_people_may_count_or_not(session: Session) -> None:
    lens = session.snapshot.lens
    without = change_graders(lens, people=False)
    material = read_counts(session, without, lens, FactQuery())
    assert material.now.graders == (A,)
    assert any(
        row.moved for row in model_rows(material, judge_both(material, lens.policy, lens.policy))
    )


def test_a_subset_is_counted_alone(session: Session) -> None:
    lens = session.snapshot.lens
    topic = session.project.index.categories[0] or "unknown"
    wanted = FactQuery(filters=Filters(topics=frozenset({topic})))
    material = read_counts(session, lens, lens, wanted)
    rows = model_rows(material, judge_both(material, lens.policy, lens.policy))
    expected = sum((one or "unknown") == topic for one in session.project.index.categories)
    assert {row.now.summary.total for row in rows} == {expected}
    assert material.total == 40


def test_a_search_is_a_subset(session: Session) -> None:
    lens = session.snapshot.lens
    material = read_counts(session, lens, lens, FactQuery("f7"))
    everything = read_counts(session, lens, lens, FactQuery())
    assert 0 < material.facts.sum() < everything.facts.sum()


def test_nothing_found_is_nothing_counted(session: Session) -> None:
    lens = session.snapshot.lens
    material = read_counts(session, lens, lens, FactQuery("nosuchword"))
    rows = model_rows(material, judge_both(material, lens.policy, lens.policy))
    assert [row.now.summary.total for row in rows] == [0, 0]
    assert rows[0].now.summary.knows is None
    assert (
        group_rows(material, judge_both(material, lens.policy, lens.policy), 0, RowKind.TOPICS)
        == []
    )


def test_rows_are_ordered_and_stay_where_they_are(material: ProfileCounts) -> None:
    rows = model_rows(material, judge_both(material, Policy(), Policy()))
    assert order_rows(rows, RowOrder.COMING) == [MODEL, "plain"]
    assert order_rows(rows, RowOrder.NAME) == [MODEL, "plain"]
    assert order_rows(rows, RowOrder.KNOWS_THINKING)[-1] == "plain"  # it has no such number
    by_knowing = order_rows(rows, RowOrder.KNOWS)
    knows = {row.name: row.now.summary.knows or 0 for row in rows}
    assert knows[by_knowing[0]] >= knows[by_knowing[1]]
    assert [row.name for row in arrange_rows(rows, ["plain", MODEL])] == ["plain", MODEL]
    assert [row.name for row in arrange_rows(rows, ["plain"])] == ["plain", MODEL]


def test_intervals_hold_the_shares_they_are_of(material: ProfileCounts) -> None:
    both = judge_both(material, Policy(), Policy())
    rows = model_rows(material, both)
    sure = estimate_rows(material, Policy(), rows, RowKind.MODELS)
    for row in rows:
        found = sure[row.name].rates["encodes"]
        assert found is not None
        assert row.now.summary.encodes is not None
        assert found[0] <= row.now.summary.encodes <= found[1]
    parts = estimate_rows(
        material, Policy(), group_rows(material, both, 0, RowKind.TOPICS), RowKind.TOPICS
    )
    assert parts == estimate_rows(
        material, Policy(), group_rows(material, both, 0, RowKind.TOPICS), RowKind.TOPICS
    )
    assert set(parts) == {row.name for row in group_rows(material, both, 0, RowKind.TOPICS)}
    assert estimate_rows(material, Policy(), [], RowKind.TOPICS) == {}
