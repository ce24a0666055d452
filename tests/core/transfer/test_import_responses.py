import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import db.label_grids
import db.responses
from core.dataset import choice_options
from core.errors import LostkeysError
from core.project import OpenProject
from core.transfer.import_report import ImportReport, Problem
from core.transfer.imports import import_file
from db.connection import write_transaction
from db.grades import ensure_grader
from db.model_rows import ensure_setting
from tests.core.making import new_project

Jsonl = Callable[..., Path]
Dump = Callable[[OpenProject], list[str]]

FOUR = ["Paris", "Lyon", "Nice", "Lille"]

BAD: dict[str, tuple[dict[str, Any], str]] = {
    "unknown fact": ({"fact_id": "x"}, "unknown fact 'x': import its facts first"),
    "task not there": ({"task": "contextual"}, "fact '1__0' has no task contextual"),
    "unknown task": ({"task": "guess"}, "unknown task 'guess': tasks are completion, contextual,"),
    "several missing": ({"task": None, "sample": None}, "missing: task, sample"),
    "no response": ({"response": None}, "missing: response"),
    "number for a response": ({"response": 5}, "response is 5, not a text"),
    "list for a fact": ({"fact_id": ["1__0"]}, "fact_id is ['1__0'], not a single value"),
    "list for a model": ({"model": ["m"]}, "model is ['m'], not a single value"),
    "no model name": ({"model": " "}, "model is ' ', not a name"),
    "number for a model": ({"model": 5}, "model is 5, not a name"),
    "thinking in words": ({"thinking": "yes"}, "thinking is 'yes', not true or false"),
    "thinking as a number": ({"thinking": 1}, "thinking is 1, not true or false"),
    "negative sample": ({"sample": -1}, "sample is -1, not a whole number up to 1023"),
    "sample too large": ({"sample": 1024}, "sample is 1024, not a whole number up to 1023"),
    "half a sample": ({"sample": 0.5}, "sample is 0.5, not a whole number up to 1023"),
    "true sample": ({"sample": True}, "sample is True, not a whole number up to 1023"),
    "unknown label": (
        {"grades": {"a": "CORRECT", "b": "RIGHT"}},
        "unknown label 'RIGHT': labels are CORRECT, INCORRECT, PARTIALLY, OTHER",
    ),
    "list for a label": ({"grades": {"a": ["CORRECT"]}}, "grades is"),
    "list for grades": ({"grades": ["CORRECT"]}, "grades is ['CORRECT'], not labels by grader"),
    "text for grades": ({"grades": "CORRECT"}, "grades is 'CORRECT', not labels by grader"),
    "no grader": ({"grades": {"": "CORRECT"}}, "grader '' is not a name"),
    "grader on two lines": ({"grades": {"a\nb": "OTHER"}}, r"grader 'a\nb' is not a name"),
    "all people": ({"grades": {"human:*": "OTHER"}}, "grader human:* stands for all people"),
    "order of no choice": ({"shown_order": FOUR}, "shown_order: direct is not multiple choice"),
    "order of others": (
        {"task": "mc_direct", "shown_order": [*FOUR[:3], "Rome"]},
        "shown_order is not an order of ['Paris', 'Lyon', 'Nice', 'Lille']",
    ),
    "order of three": ({"task": "mc_direct", "shown_order": FOUR[:3]}, "not an order of"),
    "number for an order": ({"task": "mc_direct", "shown_order": 3}, "not an order of"),
    "not unicode": ({"response": "\udfff"}, "its text is not Unicode"),
}


@pytest.fixture
def project(project: OpenProject, jsonl: Jsonl, fact: dict[str, Any]) -> OpenProject:
    import_file(project, jsonl("facts.jsonl", fact))
    return project


def labels(project: OpenProject) -> list[tuple[Any, ...]]:
    return project.connection.execute(
        "SELECT task, sample, grader, version, label FROM v_labels ORDER BY id, grader"
    ).fetchall()


def texts(project: OpenProject) -> list[tuple[Any, ...]]:
    return project.connection.execute(
        "SELECT task, model, thinking, sample, response FROM v_responses ORDER BY id"
    ).fetchall()


@pytest.mark.parametrize("name", BAD)
def test_a_bad_row_is_named_and_the_good_ones_land(
    project: OpenProject, jsonl: Jsonl, answer: dict[str, Any], name: str
) -> None:
    change, reason = BAD[name]
    report = import_file(
        project, jsonl("r.jsonl", answer, {**answer, **change}, {**answer, "sample": 1})
    )
    assert (report.read, report.added, report.bad) == (3, 2, 1)
    [problem] = report.problems
    assert problem.line == 2
    assert reason in problem.reason
    assert "\n" not in problem.reason
    assert [row[3] for row in texts(project)] == [0, 1]
    assert project.graders() == []


@pytest.mark.parametrize("bad", [{0}, {299}, {7, 8, 150}, set(range(0, 300, 2)), set(range(300))])
def test_bad_rows_stop_no_rows_beside_them(
    project: OpenProject, jsonl: Jsonl, answer: dict[str, Any], bad: set[int]
) -> None:
    """Rows are read some hundreds at a time: each bad one is still named by itself."""
    rows = [{**answer, "sample": n, "grades": {"a": "OTHER"}} for n in range(300)]
    for number in bad:
        rows[number] |= {"thinking": "yes"} if number % 3 else {"grades": {"a": "RIGHT"}}
    report = import_file(project, jsonl("r.jsonl", *rows))
    assert (report.added, report.bad) == (300 - len(bad), len(bad))
    assert {row[3] for row in texts(project)} == set(range(300)) - bad
    told = {int(problem.line): problem.reason for problem in report.problems}
    assert told.keys() <= {number + 1 for number in bad}
    assert all(
        reason.startswith("unknown label" if (line - 1) % 3 == 0 else "thinking is 'yes'")
        for line, reason in told.items()
    )


def test_a_question_that_goes_meanwhile_stops_its_answers(
    project: OpenProject, jsonl: Jsonl, answer: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite is not asked of every row whether what it refers to is there: of every batch it is."""
    found = db.label_grids.catch_up

    def drops(*inputs: Any) -> Any:
        project.connection.execute("DELETE FROM question WHERE task = 'direct'")
        return found(*inputs)

    monkeypatch.setattr(db.label_grids, "catch_up", drops)
    with pytest.raises(LostkeysError, match="FOREIGN KEY constraint failed"), project:
        import_file(project, jsonl("r.jsonl", answer))
    with OpenProject(project.path, "write") as again:
        assert texts(again) == []
        assert again.connection.execute("PRAGMA foreign_keys").fetchone() == (1,)


def test_a_file_of_bad_rows_leaves_no_trace(
    project: OpenProject, jsonl: Jsonl, answer: dict[str, Any], dump: Dump
) -> None:
    before = dump(project)
    rows = [
        {**answer, "model": "new", "sample": 5_000},
        {**answer, "model": "new", "grades": {"fresh": "WRONG"}},
        {**answer, "model": "new", "fact_id": "x"},
    ]
    assert import_file(project, jsonl("r.jsonl", *rows)).bad == 3
    assert dump(project) == before


def test_a_refused_response_makes_no_grader(
    project: OpenProject, jsonl: Jsonl, answer: dict[str, Any]
) -> None:
    import_file(project, jsonl("r.jsonl", answer))
    other = {**answer, "response": "Lyon", "grades": {"fresh": "CORRECT"}}
    report = import_file(project, jsonl("s.jsonl", other))
    assert report.problems == [
        Problem(1, "this response is there with another text, which is kept")
    ]
    assert project.graders() == []
    assert texts(project) == [("direct", "m", 0, 0, "Paris")]


def test_what_is_there_stays_and_new_labels_land(
    project: OpenProject, jsonl: Jsonl, answer: dict[str, Any]
) -> None:
    import_file(project, jsonl("r.jsonl", {**answer, "grades": {"a": "CORRECT"}}))
    rows = [
        {**answer, "grades": {"a": "CORRECT"}},
        {**answer, "grades": {"a": "CORRECT", "b": "OTHER"}},
        {**answer, "grades": {"c": "OTHER", "a": "INCORRECT"}},
        {**answer, "grades": {"b": "CORRECT"}},
        {**answer, "sample": 1, "grades": {"a": "OTHER"}},
        {**answer, "sample": 1, "response": "Lyon"},
    ]
    report = import_file(project, jsonl("s.jsonl", *rows))
    assert (report.added, report.unchanged) == (2, 1)
    assert report.problems == [
        Problem(3, "already labelled CORRECT by 'a'"),
        Problem(4, "already labelled OTHER by 'b'"),
        Problem(6, "this response is there with another text, which is kept"),
    ]
    assert labels(project) == [
        ("direct", 0, "a", "1", "CORRECT"),
        ("direct", 0, "b", "1", "OTHER"),
        ("direct", 1, "a", "1", "OTHER"),
    ]
    assert not db.label_grids.differ(project.grids, db.label_grids.rebuild(project.connection))


def test_a_grade_without_a_label_is_not_replaced(
    project: OpenProject, jsonl: Jsonl, answer: dict[str, Any]
) -> None:
    import_file(project, jsonl("r.jsonl", {**answer, "grades": {"a": "CORRECT"}}))
    with write_transaction(project.connection):
        project.connection.execute("UPDATE grade SET outcome = 6")
    db.label_grids.replace(project.connection, db.label_grids.rebuild(project.connection))
    project._grids = None
    report = import_file(project, jsonl("s.jsonl", {**answer, "grades": {"a": "CORRECT"}}))
    assert report.problems == [Problem(1, "already graded by 'a', without a label (refused)")]


def test_labels_land_in_the_newest_version(
    project: OpenProject, jsonl: Jsonl, answer: dict[str, Any]
) -> None:
    with write_transaction(project.connection):
        for version in ("3", "2"):
            ensure_grader(project.connection, "a", version)
    import_file(project, jsonl("r.jsonl", {**answer, "grades": {"a": "CORRECT", "b": "OTHER"}}))
    assert labels(project) == [
        ("direct", 0, "a", "2", "CORRECT"),
        ("direct", 0, "b", "1", "OTHER"),
    ]


def test_the_order_shown_is_kept_or_filled_in(
    project: OpenProject, jsonl: Jsonl, answer: dict[str, Any]
) -> None:
    mc = {**answer, "task": "mc_direct"}
    orders = [["Nice", "Paris", "Lille", "Lyon"], ["Lille", "Paris", "Lyon", "Nice"]]
    import_file(project, jsonl("r.jsonl", mc, {**mc, "sample": 1, "shown_order": orders[1]}))
    rows = [
        {**mc, "shown_order": orders[0]},
        {**mc, "shown_order": None},
        {**mc, "shown_order": orders[1]},
        {**mc, "sample": 1},
        {**mc, "sample": 1, "shown_order": orders[1]},
    ]
    report = import_file(project, jsonl("s.jsonl", *rows))
    assert (report.added, report.unchanged) == (1, 3)
    assert report.problems == [
        Problem(3, "this response is there with another shown_order, which is kept")
    ]
    shown = [row[0] for row in project.connection.execute("SELECT shown FROM response ORDER BY id")]
    assert [list(choice_options.decode(number, FOUR)) for number in shown] == orders


def test_the_newest_of_peoples_labels_is_the_later_in_the_file(
    project: OpenProject, jsonl: Jsonl, answer: dict[str, Any]
) -> None:
    rows = [
        {**answer, "grades": {"human:bo": "CORRECT", "human:al": "OTHER", "g": "OTHER"}},
        {**answer, "grades": {"human:ci": "INCORRECT"}},
    ]
    import_file(project, jsonl("r.jsonl", *rows))
    found = project.connection.execute(
        "SELECT name, at FROM remark JOIN grader ON grader.id = grader ORDER BY at"
    ).fetchall()
    assert [name for name, _ in found] == ["human:bo", "human:al", "human:ci"]
    assert len({at for _, at in found}) == 3


def test_an_empty_and_a_huge_response_land_exactly(
    project: OpenProject, jsonl: Jsonl, answer: dict[str, Any]
) -> None:
    huge = "é\0\r\n" * 250_000
    rows = [{**answer, "response": ""}, {**answer, "sample": 1, "response": huge}]
    assert import_file(project, jsonl("r.jsonl", *rows)).added == 2
    assert [row[4] for row in texts(project)] == ["", huge]


def test_tables_hold_the_same_as_lines(
    project: OpenProject, tmp_path: Path, answer: dict[str, Any]
) -> None:
    order = ["Nice", "Paris", "Lille", "Lyon"]
    rows = [
        {**answer, "thinking": "on", "grades": '{"a": "OTHER"}', "shown_order": ""},
        {**answer, "thinking": "0", "response": "", "grades": "", "shown_order": ""},
        {**answer, "task": "mc_direct", "thinking": "FALSE", "grades": "{}"}
        | {"shown_order": json.dumps(order)},
        {**answer, "thinking": "maybe", "grades": "", "shown_order": ""},
        {**answer, "sample": "1.0", "grades": "", "shown_order": ""},
        {**answer, "sample": "", "grades": "", "shown_order": ""},
        {**answer, "sample": "2", "grades": "{CORRECT}", "shown_order": ""},
    ]
    path = tmp_path / "r.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    report = import_file(project, path)
    assert report.added == 3
    assert report.problems == [
        Problem(5, "thinking is 'maybe', not true or false"),
        Problem(6, "sample is '1.0', not a whole number up to 1023"),
        Problem(7, "missing: sample"),
        Problem(8, "grades is '{CORRECT}', not JSON"),
    ]
    assert sorted(texts(project)) == [
        ("direct", "m", 0, 0, ""),
        ("direct", "m", 1, 0, "Paris"),
        ("mc_direct", "m", 0, 0, "Paris"),
    ]


def test_importing_twice_changes_nothing(
    project: OpenProject, jsonl: Jsonl, answer: dict[str, Any], dump: Dump
) -> None:
    rows = [
        {**answer, "sample": sample, "thinking": bool(sample % 2), "grades": {"human:a": "OTHER"}}
        for sample in range(40)
    ]
    path = jsonl("r.jsonl", *rows)
    assert import_file(project, path) == ImportReport("responses", "line", added=40)
    before = dump(project)
    assert import_file(project, path) == ImportReport("responses", "line", unchanged=40)
    assert dump(project) == before


def test_an_import_that_was_cut_off_is_completed(
    project: OpenProject,
    jsonl: Jsonl,
    answer: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("core.transfer.json_files.BYTES_IN_BLOCK", 1)
    monkeypatch.setattr("core.transfer.imports.ROWS_AT_ONCE", 10)
    monkeypatch.setattr("core.transfer.imports.FOLD_EVERY", 2)
    rows = [{**answer, "sample": n, "grades": {"a": "OTHER"}} for n in range(95)]
    path = jsonl("r.jsonl", *rows)
    insert = db.responses.insert_columns
    batches = iter(range(4))

    def dies(*columns: Any) -> None:
        insert(*columns)
        if next(batches, None) is None:
            raise KeyboardInterrupt

    monkeypatch.setattr(db.responses, "insert_columns", dies)
    with pytest.raises(KeyboardInterrupt):
        import_file(project, path)
    monkeypatch.setattr(db.responses, "insert_columns", insert)
    assert len(texts(project)) == len(labels(project)) == 40
    assert import_file(project, path) == ImportReport("responses", "line", added=55, unchanged=40)
    assert len(texts(project)) == len(labels(project)) == 95
    assert not db.label_grids.differ(project.grids, db.label_grids.rebuild(project.connection))


def test_a_dry_run_tells_the_same_and_writes_nothing(
    project: OpenProject, jsonl: Jsonl, answer: dict[str, Any]
) -> None:
    import_file(project, jsonl("r.jsonl", answer))
    rows = [
        answer,
        {**answer, "response": "Lyon"},
        {**answer, "sample": 1},
        {**answer, "task": "?"},
    ]
    path = jsonl("s.jsonl", *rows)
    project.close()
    before = project.path.read_bytes()
    with OpenProject(project.path) as reader:
        told = import_file(reader, path, dry_run=True)
        assert (told.added, told.unchanged, told.bad) == (1, 1, 2)
    assert project.path.read_bytes() == before
    with OpenProject(project.path, "write") as writer:
        assert import_file(writer, path) == told


def test_a_dry_run_without_a_database_tries_an_empty_one(
    jsonl: Jsonl, fact: dict[str, Any], answer: dict[str, Any]
) -> None:
    assert import_file(None, jsonl("f.jsonl", fact), dry_run=True).added == 1
    [problem] = import_file(None, jsonl("r.jsonl", answer), dry_run=True).problems
    assert problem.reason == "unknown fact '1__0': import its facts first"


def test_progress_ends_at_the_whole(
    project: OpenProject, jsonl: Jsonl, answer: dict[str, Any]
) -> None:
    told: list[tuple[int, int]] = []
    path = jsonl("r.jsonl", *({**answer, "sample": n} for n in range(9)))
    import_file(project, path, progress=lambda done, total: told.append((done, total)))
    assert told[0] == (0, 9)
    assert {total for _, total in told} == {9}
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1] == (9, 9)


def test_a_database_full_of_settings_says_so(
    project: OpenProject, jsonl: Jsonl, answer: dict[str, Any]
) -> None:
    with write_transaction(project.connection):
        for number in range(1023):
            ensure_setting(project.connection, f"m{number}", False)
    with pytest.raises(LostkeysError, match="at most 1023 settings"):
        import_file(project, jsonl("r.jsonl", answer))


def test_a_full_disk_loses_nothing_that_landed(
    project: OpenProject, jsonl: Jsonl, answer: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.transfer.json_files.BYTES_IN_BLOCK", 1)
    monkeypatch.setattr("core.transfer.imports.ROWS_AT_ONCE", 20)
    text = "x" * 1_000
    path = jsonl("r.jsonl", *({**answer, "sample": n, "response": text} for n in range(200)))
    pages = project.connection.execute("PRAGMA page_count").fetchone()[0]
    project.connection.execute(f"PRAGMA max_page_count = {pages + 20}")
    with pytest.raises(LostkeysError, match="the disk is full: free some space"), project:
        import_file(project, path)
    with OpenProject(project.path, "write") as again:
        landed = len(texts(again))
        assert landed % 20 == 0
        assert 0 < landed < 200
        assert import_file(again, path) == ImportReport(
            "responses", "line", added=200 - landed, unchanged=landed
        )


def test_a_locked_file_says_so_and_lands_nothing(
    project: OpenProject, jsonl: Jsonl, answer: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("db.connection.BUSY_SECONDS", 0.05)
    with (
        OpenProject(project.path, "write") as other,
        pytest.raises(LostkeysError, match="is locked by another program"),
        OpenProject(project.path, "write") as waiting,
        write_transaction(other.connection),
    ):
        import_file(waiting, jsonl("r.jsonl", answer))
    assert texts(project) == []


@pytest.mark.slow
def test_all_examples_import_without_a_problem(
    tmp_path: Path, shared: Callable[[str], Path]
) -> None:
    folders = [path.parent for path in shared("design/examples").glob("*/responses.jsonl")]
    folders = [folder for folder in folders if (folder / "facts.jsonl").exists()]
    assert len(folders) > 10
    for folder in folders:
        with new_project(tmp_path / f"{folder.name}.db") as project:
            for name in ("facts", "responses"):
                report = import_file(project, folder / f"{name}.jsonl")
                assert (report.format, report.problems, report.notices) == (name, [], [])
                assert report.added > 0
