"""What people decided comes to another machine as it was: labels, notes, times, history."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import db.person_actions
from core.curation import label_writer, undo_history
from core.project import OpenProject
from core.transfer.exports import export
from core.transfer.imports import import_file
from core.vocabulary import Label
from db.person_actions import GraderPair
from tests.core.making import new_project

KINDS = ("csv", "tsv", "jsonl", "parquet")
Write = Callable[..., Path]


def prepare(project: OpenProject, jsonl: Write, fact: Any, answer: Any) -> list[int]:
    """Three answers that two graders have labelled; their slots."""
    import_file(project, jsonl("f.jsonl", fact))
    grades = {"g": "CORRECT", "h": "OTHER"}
    rows = [{**answer, "sample": n, "grades": grades} for n in range(3)]
    import_file(project, jsonl("r.jsonl", *rows))
    return [key for (key,) in project.connection.execute("SELECT id FROM response ORDER BY id")]


def decide(project: OpenProject, slots: list[int]) -> None:
    """Ann decides two, one of them blind and after another thought; Bob one, and takes one back."""
    label_writer.set_label(project, "ann", slots[0], Label.CORRECT, "at first")
    between = GraderPair("g", "h", 1, 4, blind=True)
    label_writer.decide(
        project, "ann", Label.OTHER, {slots[0]: between, slots[1]: between}, "no\nanswer,\x1b[31m"
    )
    label_writer.set_label(project, "ann", slots[1], Label.INCORRECT)
    undo_history.undo(project, "ann")
    label_writer.set_label(project, "bob", slots[0], Label.PARTIALLY)
    label_writer.set_label(project, "bob", slots[2], Label.CORRECT)
    label_writer.withdraw(project, "bob", slots[2])
    project.refresh()


@pytest.mark.parametrize("kind", KINDS)
def test_from_one_machine_to_another_and_back(
    project: OpenProject, tmp_path: Path, jsonl: Write, fact: Any, answer: Any, kind: str
) -> None:
    decide(project, prepare(project, jsonl, fact, answer))
    first, second = tmp_path / f"first.{kind}", tmp_path / f"second.{kind}"
    assert export(project, "adjudications", first) == 3
    with new_project(tmp_path / "other.db") as other:
        prepare(other, jsonl, fact, answer)
        report = import_file(other, first)
        assert (report.format, report.added, report.problems) == ("labels", 3, [])
        assert report.notices == []
        again = import_file(other, first)
        assert (again.added, again.unchanged) == (0, 3)
        assert export(other, "adjudications", second) == 3
        # What came with a file is nobody's to undo here.
        assert undo_history.undo(other, "ann") is None
    assert second.read_bytes() == first.read_bytes()
    back = import_file(project, second)
    assert (back.added, back.unchanged, back.bad) == (0, 3, 0)
    export(project, "adjudications", second)
    assert second.read_bytes() == first.read_bytes()


def test_what_a_decision_says(
    project: OpenProject, tmp_path: Path, jsonl: Write, fact: Any, answer: Any, monkeypatch: Any
) -> None:
    clock = iter(range(1_772_366_400_250, 1_772_366_500_250, 1_000))
    monkeypatch.setattr(label_writer, "read_clock", lambda: next(clock))
    decide(project, prepare(project, jsonl, fact, answer))
    export(project, "adjudications", tmp_path / "a.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert [(row["sample"], row["grader"], row["label"]) for row in rows] == [
        (0, "human:ann", "OTHER"),
        (0, "human:bob", "PARTIALLY"),
        (1, "human:ann", "OTHER"),
    ]
    blind = {"grader_a": "g", "label_a": "CORRECT", "grader_b": "h", "label_b": "OTHER"}
    assert rows[0] == rows[0] | blind
    assert rows[0]["blind"] is True
    assert rows[0]["rationale"] == "no\nanswer,\x1b[31m"
    assert rows[0]["at"].startswith("2026-03-01T12:00:0")
    before, after = rows[0]["history"]
    assert before["before"] is None
    assert before["after"]["label"] == after["before"]["label"] == "CORRECT"
    assert before["after"]["note"] == "at first"
    assert after["after"] == {"label": "OTHER", "note": rows[0]["rationale"], "at": rows[0]["at"]}
    assert after["between"] == {
        "a": "g",
        "b": "h",
        "label_a": "CORRECT",
        "label_b": "OTHER",
        "blind": True,
    }
    assert "blind" not in rows[1]
    # The change that was undone is told, and does not stand.
    assert [entry["undone"] for entry in rows[2]["history"]] == [False, True]


def test_the_newest_label_stays_the_newest(
    project: OpenProject, tmp_path: Path, jsonl: Write, fact: Any, answer: Any
) -> None:
    label = {key: answer[key] for key in answer if key != "response"}
    prepare(project, jsonl, fact, answer)
    rows = [
        {**label, "grader": "human:ann", "label": "OTHER", "at": "2026-03-01T12:00:00.250Z"},
        {**label, "grader": "human:bob", "label": "CORRECT", "at": "2026-03-01T13:00:00+02:00"},
        {**label, "grader": "human:cy", "label": "CORRECT", "sample": 1},
    ]
    assert import_file(project, jsonl("l.jsonl", *rows)).added == 3
    export(project, "adjudications", tmp_path / "a.jsonl")
    found = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert [row["at"] for row in found[:2]] == [
        "2026-03-01T12:00:00.250Z",
        "2026-03-01T11:00:00.000Z",
    ]
    assert "history" not in found[0]
    assert found[2]["at"] > "2026-03-02"


@pytest.mark.parametrize(
    ("extra", "reason"),
    [
        ({"at": "yesterday"}, "at is 'yesterday', not a time"),
        ({"at": "2026-03-01T12:00:00"}, "not a time"),
        ({"at": 5}, "at is 5, not a time"),
        ({"at": "9999-12-31T23:59:59-05:00"}, "not a time"),
        ({"at": "0001-01-01T00:00:00+14:00"}, "not a time"),
        ({"history": "x"}, "history is 'x', not a list"),
        ({"history": [5]}, "not a list of changes"),
        ({"history": [{"at": "2026-03-01T12:00:00Z"}]}, "not a list of changes"),
        ({"history": [{"at": None, "undone": False}]}, "not a list of changes"),
        (
            {"history": [{"at": "2026-03-01T12:00:00Z", "undone": 0, "before": None, "after": {}}]},
            "not a list of changes",
        ),
        (
            {
                "history": [
                    {
                        "at": "2026-03-01T12:00:00Z",
                        "undone": False,
                        "before": None,
                        "after": {"label": "GOOD"},
                    }
                ]
            },
            "unknown label 'GOOD' in history",
        ),
    ],
)
def test_bad_rows(
    project: OpenProject,
    jsonl: Write,
    fact: Any,
    answer: Any,
    extra: dict[str, Any],
    reason: str,
) -> None:
    prepare(project, jsonl, fact, answer)
    label = {key: answer[key] for key in answer if key != "response"}
    good = {**label, "grader": "human:ann", "label": "OTHER"}
    report = import_file(project, jsonl("l.jsonl", {**good, **extra}, {**good, "sample": 1}))
    assert (report.added, report.bad) == (1, 1)
    assert reason in report.problems[0].reason
    assert list(db.person_actions.label_changes(project.connection)) == []


def test_another_label_of_the_same_person_is_kept(
    project: OpenProject, tmp_path: Path, jsonl: Write, fact: Any, answer: Any
) -> None:
    slots = prepare(project, jsonl, fact, answer)
    decide(project, slots)
    export(project, "adjudications", tmp_path / "a.jsonl")
    with new_project(tmp_path / "other.db") as other:
        mine = prepare(other, jsonl, fact, answer)
        label_writer.set_label(other, "ann", mine[0], Label.CORRECT, "mine")
        other.refresh()
        report = import_file(other, tmp_path / "a.jsonl")
        assert (report.added, report.bad) == (2, 1)
        assert "already labelled CORRECT by 'human:ann'" in report.problems[0].reason
        version = db.person_actions.newest_version(other.connection, "human:ann")
        assert version is not None
        kept = db.person_actions.label(other.connection, mine[0], version)
        assert kept is not None
        assert kept.note == "mine"
        # What ann said here, she can still take back.
        undone = undo_history.undo(other, "ann")
        assert undone is not None
        assert undone.restored


def test_a_note_on_a_decision_leaves_what_it_was_between(
    project: OpenProject, tmp_path: Path, jsonl: Write, fact: Any, answer: Any
) -> None:
    slots = prepare(project, jsonl, fact, answer)
    between = GraderPair("g", "h", 1, 4, blind=True)
    label_writer.decide(project, "ann", Label.OTHER, dict.fromkeys(slots, between))
    label_writer.set_note(project, "ann", slots[0], "why")
    label_writer.set_note(project, "ann", slots[1], "why")
    label_writer.set_note(project, "ann", slots[1], "")
    label_writer.set_label(project, "ann", slots[2], Label.CORRECT)
    label_writer.set_note(project, "ann", slots[2], "alone")
    project.refresh()

    def sides(other: OpenProject) -> list[list[Any]]:
        export(other, "adjudications", tmp_path / "a.jsonl")
        lines = (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()
        names = ("rationale", "grader_a", "label_a", "grader_b", "label_b", "blind")
        return [[json.loads(line).get(name) for name in names] for line in lines]

    said = ["g", "CORRECT", "h", "OTHER", True]
    wanted = [["why", *said], [None, *said], ["alone", *[None] * 5]]
    assert sides(project) == wanted
    with new_project(tmp_path / "other.db") as other:
        prepare(other, jsonl, fact, answer)
        import_file(other, tmp_path / "a.jsonl")
        assert sides(other) == wanted
