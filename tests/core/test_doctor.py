"""What `doctor --repair` makes anew."""

from pathlib import Path

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
