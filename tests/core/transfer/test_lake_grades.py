"""Graders label a lake as they label the database that it was written from."""

from pathlib import Path

import pytest

import db.grades
import db.model_rows
from core.errors import UsageError
from core.graders import stored_answers
from core.graders.grader_table import builtin
from core.project import OpenProject
from core.transfer.exports import export
from core.transfer.imports import import_file
from core.transfer.lake_grades import GRADERS, Shard, grade_lake
from core.vocabulary import Outcome, Task
from db.connection import write_transaction
from tests.core.making import Row, a_fact, a_recipe, new_project, put_facts, put_rows
from tests.marks import slow

TEXTS = (
    "Tartu",
    "It is Narva.",
    "no idea",
    "Let me see.\nAnswer: **Tartu**",
    "First\nNarva",
    "",
    "B",
)


def answered_project(path: Path) -> OpenProject:
    """Answers in words, step by step and to multiple choice, of models with odd names."""
    project = new_project(path)
    put_facts(project, [a_fact("f:1"), a_fact("f/2", [Task.COMPLETION, Task.REVERSE])])
    rows = []
    for model in ("a b%c=d", "openai:m/1", "x"):
        for on in (False, True):
            for fact_id, tasks in (("f:1", Task), ("f/2", (Task.COMPLETION, Task.REVERSE))):
                for task in tasks:
                    shown = 5 if task.is_choice else None
                    rows += [
                        Row(fact_id, task, model, on, sample, {}, text, shown)
                        for sample, text in enumerate(TEXTS)
                    ]
    put_rows(project, rows)
    with write_transaction(project.connection):
        db.model_rows.set_recipe(project.connection, "x", a_recipe(thinking="step_by_step"))
    return project


def labels(project: OpenProject, path: Path) -> list[bytes]:
    export(project, "labels", path)
    return sorted(path.read_bytes().splitlines())


@pytest.mark.parametrize("name", ["exact", slow("lexical"), slow("form"), "choice"])
def test_labels_are_those_of_the_database(tmp_path: Path, name: str) -> None:
    lake = tmp_path / "lake"
    with answered_project(tmp_path / "a.db") as project:
        export(project, "lake", lake)
        graded = stored_answers.grade(project, name)
        project.refresh()
        expected = labels(project, tmp_path / "a.jsonl")
    parts = [grade_lake(lake, name, Shard(place, 3)) for place in range(3)]
    assert sum(one.labelled for one in parts) == graded
    assert [one.unchanged for one in parts] == [0, 0, 0]
    again = grade_lake(lake, name)
    assert (again.labelled, again.unchanged) == (0, graded)
    with new_project(tmp_path / "b.db") as other:
        assert import_file(other, lake).bad == 0
        assert labels(other, tmp_path / "b.jsonl") == expected
        (version,) = {row[2] for row in db.grades.graders(other.connection)}
        assert version == builtin(name).version


def test_earlier_versions_give_way_and_other_graders_stay(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    with new_project(tmp_path / "a.db") as project:
        put_facts(project, [a_fact("f")])
        grades = {"exact#0": Outcome.OTHER, "g": Outcome.OTHER}
        put_rows(project, [Row("f", Task.DIRECT, "m", False, n, grades, "Tartu") for n in range(2)])
        export(project, "lake", lake)
    assert grade_lake(lake, "exact").labelled == 2
    with new_project(tmp_path / "b.db") as other:
        import_file(other, lake)
        rows = other.connection.execute("SELECT grader, version, label FROM v_labels ORDER BY 1, 2")
        assert rows.fetchall() == [("exact", "2", "CORRECT")] * 2 + [("g", "1", "OTHER")] * 2


def test_what_cannot_grade_a_lake(tmp_path: Path) -> None:
    with answered_project(tmp_path / "a.db") as project:
        export(project, "lake", tmp_path / "lake")
    for name, says in (
        ("llm:embedded:smollm2-135m", "asks a model"),
        ("em", "cannot grade a lake"),
    ):
        with pytest.raises(UsageError, match=says):
            grade_lake(tmp_path / "lake", name)
    assert GRADERS == ("lexical", "exact", "form", "choice")


def test_shards_count_from_nought_or_from_one() -> None:
    assert [Shard.parse(f"{place}/3") for place in range(4)] == [
        Shard(0, 3),
        Shard(1, 3),
        Shard(2, 3),
        Shard(0, 3),
    ]
    for text in ("", "1", "4/3", "1/0", "a/3", "-1/3", "1/3/4", "1/" + "9" * 30):
        with pytest.raises(UsageError, match="write K/N"):
            Shard.parse(text)
