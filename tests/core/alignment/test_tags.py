"""Tags and standing notes: set, undone, counted, found, exported and imported, merged, hidden."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lostkeys
import pytest
from click.testing import CliRunner

import db.tags_and_notes
from core.alignment.reference_draw import draw_set
from core.alignment.tag_counts import count_tags
from core.curation.tag_writer import list_tags, remove_tag, rename_tag, set_standing_note, set_tag
from core.curation.undo_history import redo, undo, undo_on
from core.doctor import examine_database
from core.errors import LostkeysError, UsageError
from core.project import OpenProject
from core.report.report_parts import ReportTable
from core.report.report_scope import scope_of
from core.report.report_sections import tag_sections
from core.scoring.policy import Policy
from core.transfer.anonymous_copy import open_anonymous
from db.tags_and_notes import ANSWER, FACT, QUESTION
from tests.core.alignment.making import make_project
from tests.core.making import merged_lines
from tui.cli.main import cli


@pytest.fixture
def project(tmp_path: Path) -> Iterator[OpenProject]:
    with make_project(tmp_path / "a.db") as made:
        yield made


def answers(project: OpenProject) -> list[int]:
    rows = project.connection.execute("SELECT id FROM response ORDER BY id")
    return [key for (key,) in rows]


def put_some(project: OpenProject) -> None:
    """Two tags on answers, one on a question, one on a fact, and notes."""
    first, second, *_ = answers(project)
    set_tag(project, "ann", ANSWER, first, "spelling")
    set_tag(project, "mid", ANSWER, second, "spelling")
    set_tag(project, "ann", QUESTION, int(project.index.questions.max()), "ambiguous")
    set_tag(project, "ann", FACT, int(project.index.ids[3]), "old gold")
    set_standing_note(project, "ann", ANSWER, second, "look again\nlater")
    set_standing_note(project, "zoe", FACT, int(project.index.ids[3]), "dated")


def test_a_tag_is_undone_and_done_again(project: OpenProject) -> None:
    slot = answers(project)[0]
    assert set_tag(project, "ann", ANSWER, slot, "  two   words ").after
    assert list_tags(project, ANSWER, slot)[1] == ("two words",)
    assert not set_tag(project, "ann", ANSWER, slot, "two words", on=False).after
    for expected in (("two words",), ()):
        done = undo(project, "ann")
        assert done is not None
        assert done.restored
        assert list_tags(project, ANSWER, slot)[1] == expected
    assert redo(project, "ann") is not None
    assert list_tags(project, ANSWER, slot)[1] == ("two words",)
    fact = int(project.index.ids[0])
    set_standing_note(project, "ann", FACT, fact, "one")
    set_standing_note(project, "ann", FACT, fact, "two")
    undone = undo_on(project, "ann", [fact])
    assert undone is not None
    note = db.tags_and_notes.find_note(project.connection, FACT, fact, "human:ann")
    assert note is not None
    assert note.text == "one"


@pytest.mark.parametrize("tag", ["", "a,b", "*", "x" * 41, "a\x00b"])
def test_what_is_no_tag(project: OpenProject, tag: str) -> None:
    with pytest.raises(UsageError):
        set_tag(project, "ann", ANSWER, answers(project)[0], tag)


def test_what_is_gone_takes_no_tag(project: OpenProject) -> None:
    for kind, target in ((ANSWER, 5), (QUESTION, 99_999), (FACT, 99_999)):
        with pytest.raises(LostkeysError, match="no longer there"):
            set_tag(project, "ann", kind, target, "x")


def test_facts_are_found_by_tags_and_notes(project: OpenProject) -> None:
    put_some(project)

    def chosen(where: str) -> list[str]:
        mask = project.facts(where, ["m"], Policy(graders=("judge",)))
        return [project.index.fact_ids[place] for place in mask.nonzero()[0]]

    assert chosen("tag:spelling") == ["f0"]
    assert chosen("tag:'old gold'") == ["f3"]
    assert chosen("tag:*") == ["f0", "f3", "f23"]
    assert chosen("note:*") == chosen("noted") == ["f0", "f3"]
    assert chosen("tag:nothing") == []
    with pytest.raises(UsageError, match="filter of notes"):
        chosen("note:word")


def test_counts_are_shares_only_in_samples(project: OpenProject) -> None:
    put_some(project)
    draw_set(project, "june", size=120)
    document = count_tags(project, "label", Policy(graders=("judge",)))
    rows = {row["tag"]: row for row in document["tags"]}
    assert list(rows) == ["spelling", "ambiguous", "old gold"]
    spelling = rows["spelling"]
    assert (spelling["answers"], spelling["questions"], spelling["facts"]) == (2, 0, 1)
    assert sum(one["answers"] for one in spelling["groups"].values()) == 2
    (sample,) = spelling["samples"]
    assert (sample["set"], sample["n"], sample["share"]) == ("june", 120, 2 / 120)
    low, high = sample["interval"]
    assert low < 2 / 120 < high
    assert rows["old gold"]["samples"] == []
    for by in ("model", "profile", "grader", "task", "category"):
        groups = count_tags(project, by, Policy(graders=("judge",)))["tags"][0]["groups"]
        assert groups, by
    (section,) = tag_sections(scope_of(project, Policy(graders=("judge",)), None, None, False))
    (table,) = section.blocks
    assert isinstance(table, ReportTable)
    assert table.rows[0][:2] == ["spelling", "2"]
    assert table.rows[0][-1].startswith("answer")
    with lostkeys.open(project.path) as shared:
        found = shared.tags(by="task")
        assert [row["tag"] for row in found][:2] == ["spelling", "spelling"]
        assert found[1]["group"] == "direct"
    assert rename_tag(project, "old gold", "ambiguous") == 1
    assert remove_tag(project, "spelling") == 2
    (left,) = count_tags(project)["tags"]
    assert (left["tag"], left["questions"], left["facts"]) == ("ambiguous", 1, 2)
    with pytest.raises(UsageError, match="no tag spelling: tags are ambiguous"):
        remove_tag(project, "spelling")


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_they_leave_and_come_back_as_rows_of_labels(
    tmp_path: Path, project: OpenProject, ending: str
) -> None:
    file = tmp_path / f"labels.{ending}"
    with lostkeys.open(tmp_path / "a.db") as shared:
        shared.export("labels", file)
        plain = shared.labels().columns
        assert "tags" not in plain
    put_some(project)
    with lostkeys.open(tmp_path / "a.db") as shared:
        shared.export("labels", file)
        assert shared.labels().columns == (*plain, "tags", "note")
    with make_project(tmp_path / "b.db"), lostkeys.open(tmp_path / "b.db", write=True) as other:
        report = other.load(file, format="labels")
        assert report.bad == 0, report.files
        again = other.load(file, format="labels")
        assert again.files[0]["added"] == 0
    with OpenProject(tmp_path / "b.db") as back:
        for read in (db.tags_and_notes.read_tagged, db.tags_and_notes.read_notes):
            ours = sorted(one[:4] for one in read(project.connection))
            assert sorted(one[:4] for one in read(back.connection)) == ours


def test_rows_that_cannot_be_tags(tmp_path: Path, project: OpenProject) -> None:
    rows: list[dict[str, Any]] = [
        {"fact_id": "f0", "grader": "judge", "label": None, "tags": ["a"]},
        {"fact_id": "nobody", "grader": "human:ann", "label": None, "tags": ["a"]},
        {"fact_id": "f0", "grader": "human:ann", "label": None, "tags": [1]},
        {"fact_id": "f0", "grader": "human:ann", "label": None, "tags": ["a"]},
    ]
    file = tmp_path / "labels.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with lostkeys.open(tmp_path / "a.db", write=True) as shared:
        report = shared.load(file, format="labels")
    assert [one["row"] for one in report.files[0]["bad"]] == [1, 2, 3]
    assert db.tags_and_notes.list_names(project.connection) == ["a"]


def test_they_are_merged_and_leave_without_names(tmp_path: Path) -> None:
    paths = [tmp_path / "a.db", tmp_path / "b.db"]
    for place, path in enumerate(paths):
        with make_project(path) as made:
            put_some(made)
            if place:
                set_tag(made, "bob", ANSWER, answers(made)[7], "tense")
                fact = int(made.index.ids[3])
                set_standing_note(made, "zoe", FACT, fact, "dated by bob")
    assert merged_lines(paths, tmp_path / "c.db") == [
        "note of 'human:zoe' on one fact: another text"
    ]
    with OpenProject(tmp_path / "c.db") as merged:
        assert sorted(db.tags_and_notes.list_names(merged.connection)) == [
            "ambiguous",
            "old gold",
            "spelling",
            "tense",
        ]
        assert len(db.tags_and_notes.read_tagged(merged.connection)) == 5
        with open_anonymous(merged) as copy:
            authors = {one.author for one in db.tags_and_notes.read_tagged(copy.project.connection)}
            assert all(one.startswith("human:person") for one in authors)
            assert len(db.tags_and_notes.read_tagged(copy.project.connection)) == 5
    assert all(one.well for one in examine_database(tmp_path / "c.db"))


def test_tags_in_the_shell(tmp_path: Path, project: OpenProject) -> None:
    def run(*words: str) -> str:
        path = str(tmp_path / "a.db")
        return (
            CliRunner().invoke(cli, ("--db", path, "tags", *words), catch_exceptions=False).stdout
        )

    assert "No tags yet" in run()
    put_some(project)
    assert json.loads(run("--json"))["tags"][0]["tag"] == "spelling"
    assert "spelling" in run("--by", "model")
    assert "typo is" not in run("rename", "spelling", "typo")
    assert "joined from 2" in run("merge", "typo", "old gold", "--into", "old gold")
    assert "is taken off 3" in run("remove", "old gold")
