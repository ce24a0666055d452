"""A lake comes in as it went out: facts, responses with how they were drawn, labels, versions."""

import shutil
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

import db.grades
import db.model_rows
import db.responses
from core.errors import LostkeysError, UsageError
from core.project import OpenProject
from core.transfer.exports import export
from core.transfer.imports import import_file
from core.vocabulary import Outcome, Task
from db.connection import write_transaction
from tests.core.making import Row, a_fact, a_recipe, new_project, put_facts, put_rows
from tests.core.scale.random_projects import make_project
from tests.marks import slow

TABLES = ("facts", "responses", "labels")


def said(project: OpenProject, folder: Path) -> list[list[bytes]]:
    """All that a project says, as it is exported, in any order."""
    for what in TABLES:
        export(project, what, folder / f"{what}.jsonl")
    return [sorted((folder / f"{what}.jsonl").read_bytes().splitlines()) for what in TABLES]


@pytest.mark.parametrize("seed", [11, *map(slow, range(20))])
def test_what_went_out_comes_in(tmp_path: Path, seed: int) -> None:
    with make_project(tmp_path / "a.db", seed) as project:
        export(project, "lake", tmp_path / "lake")
        expected = said(project, tmp_path)
        labels = project.connection.execute(PEOPLE).fetchall()
    with new_project(tmp_path / "b.db") as other:
        report = import_file(other, tmp_path / "lake")
        assert (report.format, report.bad, report.unchanged) == ("lake", 0, 0)
        assert report.added == report.read > 0
        assert said(other, tmp_path) == expected
        assert other.connection.execute(PEOPLE).fetchall() == labels
        again = import_file(other, tmp_path / "lake", "lake")
        assert (again.added, again.unchanged) == (0, report.read)
        assert said(other, tmp_path) == expected


PEOPLE = (
    "SELECT fact_id, task, model, thinking, sample, name, label, at FROM v_labels "
    "JOIN grader ON name = v_labels.grader AND grader.version = v_labels.version JOIN remark "
    "ON remark.response = v_labels.id AND remark.grader = grader.id ORDER BY 1, 2, 3, 4, 5, 6"
)
"""People's labels with their times."""


def drawn_project(path: Path, text: str = "Tartu") -> OpenProject:
    """A project with one response that was drawn by a recipe, and graded by two versions."""
    project = new_project(path)
    put_facts(project, [a_fact("f")])
    (fact,) = project.index.questions.tolist()
    grades = {"g#1": Outcome.OTHER, "g#2": Outcome.CORRECT}
    (slot,) = put_rows(project, [Row("f", Task.COMPLETION, "m", True, 3, grades, text)])
    assert slot >> 20 == fact[0]
    with write_transaction(project.connection):
        db.model_rows.set_recipe(project.connection, "m", a_recipe())
        db.responses.add_draws(project.connection, [(slot, text, "length", "hm \u202e", 7)])
    return project


def test_how_a_response_was_drawn_comes_along(tmp_path: Path) -> None:
    with drawn_project(tmp_path / "a.db") as project:
        export(project, "lake", tmp_path / "lake")
    with new_project(tmp_path / "b.db") as other:
        assert import_file(other, tmp_path / "lake").bad == 0
        draws = other.connection.execute("SELECT finish, reasoning, reasoning_tokens FROM draw")
        assert draws.fetchall() == [("length", "hm \u202e", 7)]
        assert db.model_rows.recipe_of(other.connection, "m") == a_recipe()
        graders = [row[1:] for row in db.grades.graders(other.connection)]
        assert graders == [("g", "2")]


def test_what_is_here_stays_and_is_told(tmp_path: Path) -> None:
    with drawn_project(tmp_path / "a.db") as project:
        export(project, "lake", tmp_path / "lake")
    with drawn_project(tmp_path / "b.db", text="Narva") as other:
        report = import_file(other, tmp_path / "lake")
        assert [one.reason for one in report.problems] == [
            "this response is there with another text, which is kept"
        ]
        with write_transaction(other.connection):
            db.model_rows.set_recipe(other.connection, "m", a_recipe(model="openai:n"))
        report = import_file(other, tmp_path / "lake")
        assert [one.reason for one in report.problems] == [
            "model 'm' was drawn by another recipe here"
        ]
    with drawn_project(tmp_path / "c.db") as third:
        with write_transaction(third.connection):
            db.grades.ensure_grader(third.connection, "g", "3")
            third.connection.execute("DELETE FROM grade WHERE grader = 2")
            third.connection.execute("DELETE FROM grader WHERE version = '2'")
        report = import_file(third, tmp_path / "lake")
        assert [one.reason for one in report.problems] == [
            "'g' 2 is not known to be newer than what is here"
        ]


def test_labels_without_their_response(tmp_path: Path) -> None:
    with drawn_project(tmp_path / "a.db") as project:
        export(project, "lake", tmp_path / "lake")
    (file,) = (tmp_path / "lake" / "labels").rglob("*.parquet")
    table = parquet.read_table(file)
    samples = pa.array([4], pa.int16())
    words = pa.array(["WRONG"])
    parquet.write_table(table.set_column(1, "sample", samples), file)
    parquet.write_table(table.set_column(2, "label", words), file.with_name("part-x.parquet"))
    with new_project(tmp_path / "b.db") as other:
        report = import_file(other, tmp_path / "lake")
        assert [one.reason for one in report.problems] == [
            "no such response: its row is not in the lake",
            "unknown label 'WRONG': labels are CORRECT, INCORRECT, PARTIALLY, OTHER",
        ]
        assert (report.added, report.bad) == (2, 2)


def test_what_is_no_lake_lands_nothing(tmp_path: Path) -> None:
    with drawn_project(tmp_path / "a.db") as project:
        export(project, "lake", tmp_path / "lake")
    with new_project(tmp_path / "b.db") as other:
        with pytest.raises(LostkeysError, match="is no lake"):
            import_file(other, tmp_path, "lake")
        with pytest.raises(LostkeysError, match="does not exist"):
            import_file(other, tmp_path / "no", "lake")
        with pytest.raises(UsageError, match="zp-reference, lake"):
            import_file(other, tmp_path / "lake", "lakes")
        (file,) = (tmp_path / "lake" / "labels").rglob("*.parquet")
        file.write_bytes(file.read_bytes()[:-30])
        with pytest.raises(LostkeysError, match="not a sound Parquet file"):
            import_file(other, tmp_path / "lake")
        assert len(other.index) == 0
        shutil.rmtree(tmp_path / "lake" / "facts")
        with pytest.raises(LostkeysError, match="holds no Parquet file"):
            import_file(other, tmp_path / "lake")
