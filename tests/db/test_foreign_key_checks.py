"""Many answers are written without a look for each, and none that refers to nothing."""

import sqlite3
from pathlib import Path

import pytest

import db.facts
import db.grades
import db.model_rows
import db.responses
from core.project import OpenProject
from core.vocabulary import Task
from db.connection import write_transaction
from db.facts import Fact
from db.foreign_key_checks import check_answers, write_unchecked
from db.question_rows import Question
from db.slot_ids import slot


@pytest.fixture
def project(tmp_path: Path) -> OpenProject:
    """One question in one setting, and one grader."""
    project = OpenProject(tmp_path / "p.db", "create")
    with write_transaction(project.connection):
        fact = Fact("1", questions={Task.DIRECT: Question("Where?")})
        db.facts.insert(project.connection, [fact])
        assert db.model_rows.ensure_setting(project.connection, "m", False) == 1
        assert db.grades.ensure_grader(project.connection, "g", "1") == 1
    return project


def foreign_keys(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("PRAGMA foreign_keys").fetchone()[0])


def test_what_is_there_passes(project: OpenProject) -> None:
    slots = [slot(1, 1, sample) for sample in range(3)]
    with write_unchecked(project.connection):
        check_answers(project.connection, slots, [1])
        db.responses.insert(project.connection, [(key, "x", None) for key in slots])
        db.grades.insert(project.connection, 1, [(key, 1, None) for key in slots])
    assert project.connection.execute("PRAGMA foreign_key_check").fetchall() == []
    assert foreign_keys(project.connection)


@pytest.mark.parametrize(
    ("key", "grader"), [(slot(2, 1, 0), 1), (slot(1, 2, 0), 1), (slot(1, 1, 0), 2)]
)
def test_what_is_not_there_does_not(project: OpenProject, key: int, grader: int) -> None:
    """A question, a setting or a grader; nothing is kept, and SQLite looks again afterwards."""

    def write() -> None:
        with write_unchecked(project.connection):
            db.responses.insert(project.connection, [(slot(1, 1, 7), "x", None)])
            check_answers(project.connection, [slot(1, 1, 7), key], [1, grader])

    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
        write()
    assert project.connection.execute("SELECT count(*) FROM response").fetchone() == (0,)
    assert foreign_keys(project.connection)
    with (
        pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"),
        write_transaction(project.connection),
    ):
        db.grades.insert(project.connection, grader, [(key, 1, None)])


def test_nothing_to_check_passes(project: OpenProject) -> None:
    with write_unchecked(project.connection):
        check_answers(project.connection, [], [])
