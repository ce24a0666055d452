"""A term's number is the one that tables have; the facts it lists are those it counts."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from core.glossary.glossary import BY_TERM
from core.project import OpenProject
from core.scoring.verdicts import summarise
from core.views.fact_query import FactQuery, list_facts
from core.views.glossary_values import TermValue, term_filters, term_value
from core.views.session import Session
from core.views.snapshot import Snapshot
from core.vocabulary import CODES, Profile, Task
from tests.core.making import Row, a_fact, put_facts, put_rows
from tests.core.views.making import MODEL, A, B, chances, lens_of, snapshot_of
from tests.tui.sample import sample_project


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    path = sample_project(tmp_path_factory.mktemp("sample") / "sample.db")
    with closing(Session(path)) as session:
        yield session.open()


def test_shares_are_those_of_the_summary(snapshot: Snapshot) -> None:
    assert snapshot.row is not None
    summary = summarise(snapshot.verdicts, ~snapshot.index.rejected)[snapshot.row]
    for term, share in (
        ("enc", summary.encodes),
        ("know", summary.knows),
        ("kn+T", summary.knows_thinking),
        ("excl", summary.excluded_share),
    ):
        value = term_value(term, snapshot)
        assert value is not None
        assert value.share == share
    assert summary.shares is not None
    assert summary.counts is not None
    for profile in Profile:
        value = term_value(CODES[profile], snapshot)
        assert value is not None
        assert (value.count, value.share) == (summary.counts[profile], summary.shares[profile])


def test_facts_are_those_that_are_counted(snapshot: Snapshot) -> None:
    seen = 0
    for term in BY_TERM:
        value, filters = term_value(term, snapshot), term_filters(term, snapshot)
        if value is not None and value.count is not None:
            assert filters is not None, term
            assert len(list_facts(snapshot, FactQuery(filters=filters)).places) == value.count, term
            seen += value.count
    assert seen > 12


def test_known_with_thinking_lists_the_facts_of_the_share(snapshot: Snapshot) -> None:
    value, filters = term_value("kn+T", snapshot), term_filters("kn+T", snapshot)
    assert value is not None
    assert filters is not None
    included = list_facts(
        snapshot, FactQuery(filters=term_filters("included", snapshot) or filters)
    )
    known = list_facts(snapshot, FactQuery(filters=filters))
    assert value.share == len(known.places) / len(included.places)


def test_a_share_of_what_was_not_measured_says_so(project: OpenProject) -> None:
    chances(project, 1, thinking=False)
    snapshot = snapshot_of(project, lens_of(MODEL, a=A, b=B))
    assert term_value("kn+T", snapshot) == TermValue(missing="thinking not measured")


def test_a_share_of_no_facts_says_so(project: OpenProject) -> None:
    put_facts(project, [a_fact("f0")])
    put_rows(project, [Row("f0", Task.DIRECT, MODEL, True, 0)])
    snapshot = snapshot_of(project, lens_of(MODEL))
    assert term_value("know", snapshot) == TermValue(missing="no fact is included")


def test_a_word_without_a_number_has_none(snapshot: Snapshot) -> None:
    for term in ("kappa", "title", "nothing of the kind"):
        assert term_value(term, snapshot) is None
        assert term_filters(term, snapshot) is None
