"""A session opens a database, there or not yet, and sees what other programs write to it."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from core.curation.label_writer import set_flag, set_label, set_note
from core.errors import LostkeysError, UsageError
from core.project import OpenProject
from core.transfer.imports import import_file
from core.views.fact_query import FactOrder, FactQuery, find_nearest
from core.views.session import Session
from core.views.snapshot_cache import SnapshotCache
from core.vocabulary import LABELS, TASK_INDEX, TASKS, Label, Outcome, Task
from db.connection import write_transaction
from tests.core.making import Row, a_fact, cell, new_project, put_facts, put_rows
from tests.core.views.making import fresh_snapshot, lens_of, same_snapshot

CORRECT, INCORRECT = Outcome.CORRECT, Outcome.INCORRECT


# No database yet


def test_no_file_gives_an_empty_snapshot_and_makes_none(tmp_path: Path) -> None:
    path = tmp_path / "none.db"
    session = Session(path)
    assert not session.exists
    snapshot = session.open()
    assert (len(snapshot.index), snapshot.models, snapshot.lens.model) == (0, (), None)
    assert session.refresh() is None
    assert session.look(lens_of(people=False)).lens.people is False
    assert session.listing(FactQuery(search="x")).places.tolist() == []
    assert session.search_all(FactQuery(search="x")).total == 0
    assert session.hits(FactQuery(search="x"), (0,)) == {}
    assert session.choices().topics == {}
    assert session.summary().facts == 0
    session.name = "mira"
    assert session.summary().own == 0
    for ask in (
        lambda: session.fact(1),
        lambda: session.set_flag(1, True),
        lambda: session.set_label(1, Label.CORRECT),
        session.undo,
    ):
        with pytest.raises(UsageError, match="not there yet"):
            ask()
    session.close()
    assert list(tmp_path.iterdir()) == []


def test_a_database_that_comes_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "later.db"
    with closing(Session(path)) as session:
        session.open()
        with new_project(path) as other:
            snapshot = session.refresh()
            assert snapshot is not None
            assert (len(snapshot.index), snapshot.lens.model) == (0, None)
            put_facts(other, [a_fact("f")])
            snapshot = session.refresh()
            assert snapshot is not None
            assert ([one.title for one in snapshot.headings], snapshot.lens.model) == (
                ["Estonia"],
                None,
            )
            put_rows(other, cell("f", Task.DIRECT, "m", False, [CORRECT], "x"))
            snapshot = session.refresh()
            assert snapshot is not None
            assert (snapshot.lens.model, snapshot.lens.a) == ("m", "x")
            assert session.refresh() is None


# What a session gives to screens


def test_tasks_of_a_tally_are_where_screens_look_for_them(session: Session) -> None:
    snapshot = session.snapshot
    row = snapshot.tally.row("m", True)
    assert row is not None
    counted = snapshot.tally.labels[row, 0, :, 0].tolist()
    assert counted == [int(TASK_INDEX[task] < 6) for task in TASKS]
    assert snapshot.tally.row("m", False) == row - 1
    assert snapshot.tally.row("none", False) is None


def test_views_of_real_facts(tmp_path: Path, shared: Callable[[str], Path]) -> None:
    path = tmp_path / "real.db"
    facts = shared("data/wikiprofile/facts.csv")
    with new_project(path) as project:
        import_file(project, facts)
        fact = project.index.fact_ids[7]
        (slot,) = put_rows(project, [Row(fact, Task.DIRECT, "m", False, 0, {"x": CORRECT})])
    with closing(Session(path)) as session:
        session.name = "mira"
        snapshot = session.open()
        key = int(snapshot.index.ids[7])
        view = session.fact(key)
        assert view is not None
        assert (view.fact_id, view.title) == (fact, snapshot.headings[7].title)
        assert [one.label for one in session.consequences(slot)] == list(LABELS)
        session.set_label(slot, Label.PARTIALLY)
        task = session.task(key, Task.DIRECT)
        assert task is not None
        assert [answer.own for answer in task.answers] == [Label.PARTIALLY]
        unfolded = session.unfold(key, Task.DIRECT)
        assert unfolded is not None
        assert [one.count for one in unfolded.distinct] == [1]
        assert session.fact(10**9) is None
        listing = session.listing(FactQuery(order=FactOrder.VIEWS, descending=True))
        other = session.listing(FactQuery())
        at = find_nearest(listing, other, 7)
        assert other.places[at] == 7


# What others write


def test_nothing_new_is_no_snapshot(session: Session) -> None:
    assert session.refresh() is None
    assert session.refresh() is None


def test_what_is_no_news_is_no_snapshot_at_once(session: Session, project: OpenProject) -> None:
    assert session.refresh() is None
    with write_transaction(project.connection):
        project.connection.execute("INSERT INTO project (name, value) VALUES ('some', 'value')")
    assert session.refresh() is None


NEWS: dict[str, Callable[[OpenProject, list[int]], object]] = {
    "a label": lambda one, slots: set_label(one, "bob", slots[0], Label.OTHER),
    "a flag": lambda one, slots: set_flag(one, None, 2, True),
    "facts": lambda one, slots: put_facts(one, [a_fact("f2")]),
    "answers": lambda one, slots: put_rows(
        one, cell("f1", Task.DIRECT, "m", False, [CORRECT, None], "x")
    ),
    "a model": lambda one, slots: put_rows(
        one, cell("f1", Task.DIRECT, "new", True, [INCORRECT], "x")
    ),
    "a grader": lambda one, slots: put_rows(
        one, [Row("f1", Task.DIRECT, "m", False, 0, {"x": CORRECT, "y": INCORRECT})]
    ),
}


@pytest.mark.parametrize("what", NEWS)
def test_what_another_program_writes_is_noticed(
    session: Session, project: OpenProject, slots: list[int], what: str
) -> None:
    before = session.snapshot
    NEWS[what](project, slots)
    snapshot = session.refresh()
    assert snapshot is not None
    assert snapshot is session.snapshot
    assert not same_snapshot(snapshot, before)
    assert same_snapshot(snapshot, fresh_snapshot(session.path))
    assert session.refresh() is None


def test_a_note_of_another_program_is_noticed(
    session: Session, project: OpenProject, slots: list[int]
) -> None:
    set_label(project, "bob", slots[0], Label.OTHER)
    session.refresh()
    assert not session.snapshot.noted.any()
    set_note(project, "bob", slots[0], "really?")
    snapshot = session.refresh()
    assert snapshot is not None
    assert snapshot.noted.tolist() == [True, False]


def test_a_rejected_fact_leaves_the_total(session: Session, project: OpenProject) -> None:
    assert session.listing(FactQuery()).total == 2
    with write_transaction(project.connection):
        project.connection.execute("UPDATE fact SET rejected = 1 WHERE id = 1")
    snapshot = session.refresh()
    assert snapshot is not None
    assert session.listing(FactQuery()).places.tolist() == [1]
    assert session.summary().facts == 1


def test_an_interrupted_refresh_loses_nothing(
    session: Session, project: OpenProject, slots: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    set_label(project, "bob", slots[0], Label.OTHER)

    def interrupted(*_: object) -> None:
        raise sqlite3.OperationalError("interrupted")

    for module, name in ((SnapshotCache, "catch_up"), (SnapshotCache, "snapshot")):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, interrupted)
            with pytest.raises(LostkeysError, match="interrupted"):
                session.refresh()
    snapshot = session.refresh()
    assert snapshot is not None
    assert same_snapshot(snapshot, fresh_snapshot(session.path))


def test_interrupting_a_session_that_does_nothing(session: Session) -> None:
    session.interrupt()
    assert session.refresh() is None
    session.close()
    session.interrupt()
