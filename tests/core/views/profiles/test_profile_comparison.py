"""Comparisons of the Profiles screen: the same numbers as `lostkeys compare`, for every policy."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from core.dataset.fact_filters import Filters
from core.demo.demo_setup import read_facts
from core.project import OpenProject
from core.results import saved_policies
from core.results.model_comparison import FLOWS, KNOWING, compare, with_tests
from core.scoring.policy import Policy
from core.views.fact_query import FactQuery
from core.views.lens import Lens
from core.views.profiles.flow_table import text
from core.views.profiles.profile_comparison import (
    ComparisonTarget,
    cell,
    cross_profiles,
    list_others,
)
from core.views.profiles.profile_counts import ProfileCounts, read_counts
from core.views.session import Session
from core.vocabulary import Outcome, Strategy
from tests.core.making import cell as answers
from tests.core.making import put_rows
from tests.core.views.making import lens_of
from tests.tui.sample import FACTS, MODELS, A, B, sample_project

pytestmark = pytest.mark.slow

ONE, TWO = MODELS
STRICT = Policy(tau=0.75, strategy=Strategy.FACT, graders=("human:*", B))
POLICIES = [Policy(tau=tau, strategy=one) for tau, one in product((0.0, 0.5, 0.9), Strategy)]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = sample_project(tmp_path_factory.mktemp("crossing") / "sample.db")
    with OpenProject(path, "write") as project:
        saved_policies.save(project, "strict", STRICT)
        rows = [
            row
            for number, fact in enumerate(read_facts()[:FACTS])
            for task in fact.questions
            for row in answers(
                fact.fact_id, task, "plain", False,
                [Outcome.CORRECT if number % 2 else Outcome.INCORRECT], A,
            )
        ]  # fmt: skip
        put_rows(project, rows)
    return path


@pytest.fixture(scope="module")
def session(path: Path) -> Iterator[Session]:
    with closing(Session(path)) as session:
        session.open(lens_of(ONE, a=A, b=B))
        yield session


@pytest.fixture(scope="module")
def material(session: Session) -> ProfileCounts:
    lens = session.snapshot.lens
    return read_counts(session, lens, lens, FactQuery(), "strict")


def lens_under(session: Session, policy: Policy) -> Lens:
    return replace(session.snapshot.lens, policy=policy)


@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_it_is_what_the_command_says(
    session: Session, material: ProfileCounts, path: Path, policy: Policy
) -> None:
    found = cross_profiles(material, lens_under(session, policy), ComparisonTarget(TWO))
    assert found is not None
    graded = replace(policy, graders=("human:*", A))
    with OpenProject(path, "read") as project:
        said = compare(project, (ONE, graded), (TWO, graded))
    assert with_tests(found.found).as_json() == said.as_json()
    assert (found.a, found.b, found.policies) == (ONE, TWO, False)


def test_a_saved_policy_has_graders_of_its_own(
    session: Session, material: ProfileCounts, path: Path
) -> None:
    found = cross_profiles(material, session.snapshot.lens, ComparisonTarget(None, "strict"))
    assert found is not None
    with OpenProject(path, "read") as project:
        said = compare(project, (ONE, replace(Policy(), graders=("human:*", A))), (ONE, STRICT))
    document = with_tests(found.found).as_json()
    assert document["flow"] == said.as_json()["flow"]
    assert document["changes"] == said.as_json()["changes"]
    assert found.policies


def test_every_cell_has_its_facts(session: Session, material: ProfileCounts) -> None:
    found = cross_profiles(material, session.snapshot.lens, ComparisonTarget(TWO))
    assert found is not None
    table = found.found.table
    assert table is not None
    masks = {place: cell(found.found, *place) for place in product(range(len(FLOWS)), repeat=2)}
    assert {place: int(mask.sum()) for place, mask in masks.items()} == {
        place: int(table[place]) for place in masks
    }
    assert np.sum(list(masks.values()), axis=0).tolist() == material.facts.astype(int).tolist()


def test_a_number_differs_where_it_holds_on_one_side_alone(
    session: Session, material: ProfileCounts
) -> None:
    found = cross_profiles(material, session.snapshot.lens, ComparisonTarget(TWO))
    assert found is not None
    assert any(change.only_a + change.only_b for change in found.found.changes)
    for change in found.found.changes:
        assert int(found.found.mask_differing(change.number).sum()) == change.only_a + change.only_b


def test_without_thinking_only_two_numbers_are_compared(
    session: Session, material: ProfileCounts
) -> None:
    found = cross_profiles(material, session.snapshot.lens, ComparisonTarget("plain"))
    assert found is not None
    assert found.found.table is None
    assert [change.number for change in found.found.changes] == list(KNOWING[:2])
    assert "A down" not in text(found, session.snapshot.lens, "all")


@pytest.mark.parametrize(
    "against",
    [
        ComparisonTarget(ONE),
        ComparisonTarget("gone"),
        ComparisonTarget(None, "gone"),
        ComparisonTarget(None),
    ],
)
def test_what_is_not_there_cannot_be_compared_with(
    session: Session, material: ProfileCounts, against: ComparisonTarget
) -> None:
    assert cross_profiles(material, session.snapshot.lens, against) is None


def test_graders_that_have_not_been_read_are_not_guessed(session: Session) -> None:
    lens = session.snapshot.lens
    without = read_counts(session, lens, lens, FactQuery())
    assert cross_profiles(without, lens, ComparisonTarget(None, "strict")) is None


def test_what_there_is_to_choose(session: Session, material: ProfileCounts) -> None:
    lens = session.snapshot.lens
    assert list_others(material, lens, None) == [
        ComparisonTarget(TWO), ComparisonTarget("plain"), ComparisonTarget(None, "strict"),
    ]  # fmt: skip
    assert ComparisonTarget(None, "strict") not in list_others(material, lens, "strict")


def test_over_no_facts_there_is_nothing_to_divide_by(session: Session) -> None:
    lens = session.snapshot.lens
    none = read_counts(
        session, lens, lens, FactQuery(filters=Filters(topics=frozenset({"nowhere"})))
    )
    found = cross_profiles(none, lens, ComparisonTarget(TWO))
    assert found is not None
    done = with_tests(found.found)
    assert (int(done.compared.sum()), done.moved) == (0, [])
    assert {(one.a, one.b, one.difference, one.interval) for one in done.changes} == {
        (None, None, None, None)
    }
    assert text(found.with_tests(done), lens, "no facts").count("\n") > len(done.changes)


def test_as_text_nothing_breaks_a_line(session: Session, material: ProfileCounts) -> None:
    found = cross_profiles(material, session.snapshot.lens, ComparisonTarget(TWO))
    assert found is not None
    hostile = replace(found, b="[/red]\n\tb\x1b[31m")
    lines = text(hostile, session.snapshot.lens, "all 12 facts").splitlines()
    assert "\x1b" not in "".join(lines)
    assert len(lines) == len(text(found, session.snapshot.lens, "all 12 facts").splitlines())
    assert lines[0].startswith(f"A {ONE}, B [/red]")
