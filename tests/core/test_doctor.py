"""What `doctor --repair` makes anew."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import db.checks
import db.indexing
from core import doctor, editing
from core.audit import searching
from core.project import Project
from db.connection import writing
from tests.bench.generator import Scale, build


def searchable(path: Path) -> bool:
    with Project(path, "read") as project:
        return db.indexing.has_all_facts(project.connection)


def test_repair_has_the_search_index_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "made.db"
    build(path, Scale(facts=2, models=1, samples=1))
    with Project(path, "write") as project:
        list(searching.catch_up(project))
    assert searchable(path)
    doctor.repair(path)
    assert not searchable(path)
    with Project(path, "write") as project:
        list(searching.catch_up(project))
        found = searching.search(project, "subject 1")
    assert searchable(path)
    assert found is not None
    assert int(found.facts[0]) == 2, "`Subject 1`, by its names"


def test_versions_that_cannot_be_are_found(tmp_path: Path) -> None:
    path = tmp_path / "made.db"
    build(path, Scale(facts=2, models=1, samples=1))
    with Project(path, "write") as project:
        connection = project.connection
        question = int(project.index.questions[0, 2])
        editing.also_accept(project, "ann", question, "another name")
        assert db.checks.faults(connection) == []
        with writing(connection):
            connection.execute("DELETE FROM gold WHERE version = 2")
            connection.execute("UPDATE gold SET current = 1")
        assert "aside though it is in use" in db.checks.faults(connection)[0]
        with writing(connection):
            connection.execute("UPDATE question SET current = 0 WHERE id = ?", (question,))
        assert "no version is in use" in db.checks.faults(connection)[0]


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("CREATE VIRTUAL TABLE notes USING fts5(text)", "holds a virtual table notes"),
        (
            "DROP VIEW v_labels; CREATE VIEW v_labels AS SELECT 1 AS label",
            "holds a view v_labels",
        ),
        (
            "DROP TABLE passage_text; CREATE VIRTUAL TABLE passage_text USING fts5(x)",
            "passage_text",
        ),
        ("CREATE VIEW mine AS SELECT 1", "holds a view mine"),
        ("CREATE TRIGGER t AFTER UPDATE ON fact BEGIN SELECT 1; END", "holds a trigger t"),
    ],
)
def test_what_runs_code_and_is_not_ours_is_found(tmp_path: Path, sql: str, says: str) -> None:
    path = tmp_path / "made.db"
    Project(path, "create").close()
    assert told(path).well
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(sql)
    found = told(path)
    assert not found.well
    assert says in found.detail
    assert "drop it" in found.detail


def test_a_table_of_ones_own_is_let_be(tmp_path: Path) -> None:
    path = tmp_path / "made.db"
    Project(path, "create").close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE mine (note TEXT)")
    assert told(path).well


def told(path: Path) -> doctor.Finding:
    return next(one for one in doctor.examine(path) if one.name == "database")
