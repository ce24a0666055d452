"""A session whose file goes away, is locked, damaged, or holds what makes no sense."""

import sqlite3
from contextlib import closing
from pathlib import Path
from shutil import copyfile

import pytest

import db.connection
from core.errors import LostkeysError
from core.project import OpenProject
from core.views import fact_view
from core.views.lens import Lens
from core.views.session import Session
from core.vocabulary import TASKS
from db.connection import write_transaction
from tests.core.making import a_fact, new_project, put_facts
from tests.core.views.making import two_facts


def one_line(error: pytest.ExceptionInfo[LostkeysError], path: Path) -> str:
    message = str(error.value)
    assert "\n" not in message
    assert str(path) in message
    return message


def test_a_file_that_is_gone_and_comes_back(session: Session) -> None:
    away = session.path.with_name("elsewhere.db")
    session.path.rename(away)
    for ask in (session.refresh, lambda: session.look(Lens()), lambda: session.set_flag(1, True)):
        with pytest.raises(LostkeysError) as error:
            ask()
        assert "gone" in one_line(error, session.path)
    away.rename(session.path)
    assert session.refresh() is None
    assert session.set_flag(1, True)[1].index.flagged[0]


def test_a_file_that_is_gone_for_good(session: Session) -> None:
    snapshot = session.snapshot
    session.path.unlink()
    for ask in (session.refresh, session.reopen):
        with pytest.raises(LostkeysError, match="gone"):
            ask()
    assert not session.exists
    assert session.snapshot is snapshot
    assert len(session.open().index) == 0


def test_a_file_that_was_replaced(session: Session, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with new_project(other) as project:
        put_facts(project, [a_fact("another")])
    other.replace(session.path)
    for suffix in ("-wal", "-shm"):
        session.path.with_name(session.path.name + suffix).unlink(missing_ok=True)
    for ask in (session.refresh, lambda: session.set_flag(1, True)):
        with pytest.raises(LostkeysError) as error:
            ask()
        assert "replaced" in one_line(error, session.path)
    assert session.reopen().index.fact_ids == ["another"]
    assert session.set_flag(1, True)[1].index.flagged.tolist() == [True]


def test_a_file_that_another_program_locks(
    session: Session, project: OpenProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(db.connection, "BUSY_SECONDS", 0.01)
    before = session.snapshot
    with write_transaction(project.connection):
        with pytest.raises(LostkeysError) as error:
            session.set_flag(1, True)
        assert "locked" in one_line(error, session.path)
        assert session.refresh() is None
    assert not before.index.flagged.any()
    assert session.set_flag(1, True)[1].index.flagged.any()


def test_a_file_that_is_damaged(tmp_path: Path) -> None:
    path, whole = tmp_path / "some.db", tmp_path / "whole.db"
    with new_project(path) as project:
        two_facts(project)
    copyfile(path, whole)
    session = Session(path)
    session.open()
    session.close()
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(db.connection.PAGE_BYTES)
        file.write(b"\xff" * (size - db.connection.PAGE_BYTES))
    with pytest.raises(LostkeysError) as error:
        session.reopen()
    assert "damaged" in one_line(error, path)
    with pytest.raises(LostkeysError):
        session.refresh()
    with pytest.raises(LostkeysError, match="open it again"):
        session.fact(1)
    copyfile(whole, path)
    assert len(session.reopen().index) == 2
    assert session.fact(1) is not None
    session.close()


def test_a_file_of_another_kind(tmp_path: Path) -> None:
    path = tmp_path / "text.db"
    path.write_text("no database " * 1000)
    with pytest.raises(LostkeysError) as error:
        Session(path).open()
    one_line(error, path)
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(LostkeysError) as error:
        Session(folder).open()
    one_line(error, folder)


SENSELESS = {
    "a recipe that is no object": "UPDATE model SET recipe = 1",
    "aliases that are no JSON": "UPDATE gold SET aliases = 'none'",
    "an outcome there is not": "UPDATE grade SET outcome = 77",
    "text that is not Unicode": "UPDATE response SET text = CAST(x'61ff62' AS TEXT)",
    "a question of no task": "UPDATE question SET task = 'riddle' WHERE id = 1",
    "a run of no questions": "INSERT INTO run (setting, asked, samples) VALUES (1, 'all', 1)",
    "a run of other tasks": "INSERT INTO run (setting, asked, samples) "
    "VALUES (1, '[[[\"x\"],[]]]', 1)",
    "a run of fewer than no samples": "INSERT INTO run (setting, asked, samples, curtailed) "
    "VALUES (1, '[[[\"direct\"],[[1,1]]]]', -4, '{}')",
    "aliases that are no texts": "UPDATE gold SET aliases = '[1]'",
    "half a letter": "UPDATE gold SET aliases = '[\"\\ud800\"]'",
    "JSON without an end": f"UPDATE gold SET aliases = '{'[' * 100_000}'",
    "options that are none": "UPDATE question SET choices = '[]', seed = 1 WHERE id = 1",
    "a gold of no side": "UPDATE gold SET side = 'back' WHERE id = 1",
    "a grid of half a row": "INSERT INTO grid VALUES (9, 1, 2, x'010101')",
    "a grid of no outcome": "INSERT INTO grid VALUES (9, 1, 1, x'09')",
    "a change of no slot": "INSERT INTO grid_change VALUES (99, 9, x'', x'01')",
    "changes without an end": "INSERT OR REPLACE INTO project VALUES ('grid_seq', 'ten')",
    "a run of no setting": "INSERT INTO run (setting, asked, samples) VALUES (99, '[]', 1)",
    "questions of no fact": "DELETE FROM fact WHERE id = 1",
    "questions of no last fact": "DELETE FROM fact WHERE id = 2",
}


@pytest.mark.parametrize("statement", SENSELESS.values(), ids=SENSELESS.keys())
def test_values_that_make_no_sense_are_said_in_one_line(
    project: OpenProject, slots: list[int], statement: str
) -> None:
    connection = sqlite3.connect(project.path)
    connection.execute("PRAGMA ignore_check_constraints = ON")
    connection.execute("INSERT INTO recipe (hash, content) VALUES ('x', '[1, 2]')")
    connection.execute(statement)
    connection.commit()
    connection.close()
    with closing(Session(project.path)) as session:
        with pytest.raises(LostkeysError) as error:
            read_all(session)
        said = one_line(error, project.path)
        assert "holds what cannot be read" in said or "is damaged" in said


@pytest.mark.parametrize("fault", [AttributeError, TypeError, KeyError, ValueError, IndexError])
def test_a_fault_of_the_program_is_no_damage_of_the_file(
    session: Session, fault: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise fault("ours")

    monkeypatch.setattr(fact_view, "read_fact", broken)
    with pytest.raises(fault, match="ours"):
        session.fact(1)


def read_all(session: Session) -> None:
    session.open()
    for task in TASKS:
        session.unfold(1, task)
        session.task(1, task)
