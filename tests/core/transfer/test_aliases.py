"""Other names of golds in files of facts: none is lost, and none is made up."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import db.facts
from core.curation import question_edits
from core.project import OpenProject
from core.transfer.exports import export
from core.transfer.file_formats import FACT_COLUMNS
from core.transfer.imports import import_file
from core.vocabulary import Side, Task
from db.question_rows import Gold
from tests.core.making import new_project, question_keys

KINDS = ("csv", "tsv", "jsonl", "parquet")
ROW = {
    "fact_id": "f1",
    "object": "Tartu",
    "subject": "Estonia",
    "direct": "which town?",
    "direct_answer": "the town of Tartu",
    "reverse": "which country?",
}


def imported(path: Path, rows: list[dict[str, Any]], name: str = "rows.jsonl") -> list[str]:
    file = path.parent / name
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with OpenProject(path, "create") as project:
        return [one.reason for one in import_file(project, file).problems]


def golds(path: Path) -> dict[Side, Gold]:
    with OpenProject(path, "read") as project:
        return dict(next(db.facts.read_facts(project.connection, ["f1"])).golds)


def also(path: Path, *names: str) -> None:
    with OpenProject(path, "write") as project:
        key = question_keys(project.connection)["f1", Task.DIRECT]
        for name in names:
            question_edits.accept_alias(project, "ann", key, name)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_accept_aliased_goes_out_and_comes_back(tmp_path: Path, kind: str) -> None:
    first, second = tmp_path / "a.db", tmp_path / "b.db"
    assert imported(first, [ROW]) == []
    also(first, "Dorpat", '["x"]; \n[/red] "y"')
    file, again = tmp_path / f"facts.{kind}", tmp_path / f"again.{kind}"
    with OpenProject(first) as project:
        export(project, "facts", file)
    with new_project(second) as project:
        assert import_file(project, file).added == 1
        report = import_file(project, file)
        assert (report.added, report.bad, report.unchanged) == (0, 0, 1)
        export(project, "facts", again)
    assert golds(second) == golds(first)
    assert golds(first)[Side.OBJECT].aliases == ("Tartu", "Dorpat", '["x"]; \n[/red] "y"')
    assert file.read_bytes() == again.read_bytes()


def test_the_columns_are_there_only_where_a_fact_needs_them(tmp_path: Path) -> None:
    path, file = tmp_path / "a.db", tmp_path / "facts.csv"
    assert imported(path, [ROW]) == []

    def columns() -> tuple[str, ...]:
        with OpenProject(path) as project:
            export(project, "facts", file)
        with file.open(newline="", encoding="utf-8") as rows:
            return tuple(next(csv.reader(rows)))

    assert columns() == FACT_COLUMNS
    also(path, "Dorpat")
    assert columns() == (*FACT_COLUMNS, "direct_aliases")


def test_the_entity_is_no_other_name_of_an_edited_gold(tmp_path: Path) -> None:
    first, second, file = tmp_path / "a.db", tmp_path / "b.db", tmp_path / "facts.jsonl"
    assert imported(first, [{**ROW, "direct_answer": "Tartu"}]) == []
    with OpenProject(first, "write") as project:
        key = question_keys(project.connection)["f1", Task.DIRECT]
        question_edits.edit_gold(project, "ann", key, "Narva")
    with OpenProject(first) as project:
        export(project, "facts", file)
    with new_project(second) as project:
        import_file(project, file)
    assert golds(second)[Side.OBJECT] == golds(first)[Side.OBJECT] == Gold("Narva")


def test_a_file_that_says_nothing_of_aliases_leaves_them(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    assert imported(path, [ROW]) == []
    also(path, "Dorpat")
    assert imported(path, [ROW]) == []
    assert "Dorpat" in golds(path)[Side.OBJECT].aliases
    other = {**ROW, "direct_aliases": ["Narva"]}
    assert "another direct_aliases" in imported(path, [other])[0]
    assert "Dorpat" in golds(path)[Side.OBJECT].aliases


@pytest.mark.parametrize("value", ["Dorpat", [1], [""], {"a": 1}, "[", 7])
def test_what_is_no_list_of_texts_is_refused(tmp_path: Path, value: object) -> None:
    found = imported(tmp_path / "a.db", [{**ROW, "direct_aliases": value}])
    assert len(found) == 1
    assert "direct_aliases" in found[0]
