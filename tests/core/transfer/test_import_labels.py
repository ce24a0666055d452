from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import db.label_grids
from core.project import OpenProject
from core.transfer import imported_labels
from core.transfer.import_report import ImportReport, Problem
from core.transfer.imported_labels import ImportedGraders
from core.transfer.imports import import_file

Jsonl = Callable[..., Path]

LABEL: dict[str, Any] = {
    "fact_id": "1__0",
    "task": "direct",
    "model": "m",
    "thinking": False,
    "sample": 0,
    "grader": "g",
    "label": "CORRECT",
}

BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no response": ({"sample": 7}, "no such response: import the responses first"),
    "no setting": ({"thinking": True}, "no responses of 'm' with thinking on here"),
    "no model": ({"model": "x"}, "no responses of 'x' with thinking off here"),
    "no fact": ({"fact_id": "x"}, "unknown fact 'x': import its facts first"),
    "missing": ({"grader": None, "label": None}, "missing: grader, label"),
    "unknown label": ({"label": "RIGHT"}, "unknown label 'RIGHT'"),
    "list for a label": ({"label": ["CORRECT"]}, "label is ['CORRECT'], not a single value"),
    "number for a grader": ({"grader": 5}, "grader 5 is not a name"),
    "all people": ({"grader": "human:*"}, "grader human:* stands for all people"),
    "nobody": ({"grader": "human: "}, "grader 'human: ' names nobody"),
    "number for a rationale": ({"rationale": 5}, "rationale is 5, not a text"),
}


@pytest.fixture
def project(
    project: OpenProject, jsonl: Jsonl, fact: dict[str, Any], answer: dict[str, Any]
) -> OpenProject:
    import_file(project, jsonl("facts.jsonl", fact))
    import_file(project, jsonl("responses.jsonl", answer, {**answer, "sample": 1}))
    return project


def labels(project: OpenProject) -> list[tuple[Any, ...]]:
    return project.connection.execute(
        "SELECT sample, grader, label, rationale FROM v_labels ORDER BY id, grader"
    ).fetchall()


@pytest.mark.parametrize("name", BAD)
def test_a_bad_row_is_named_and_the_good_ones_land(
    project: OpenProject, jsonl: Jsonl, name: str
) -> None:
    change, reason = BAD[name]
    path = jsonl("l.jsonl", {**LABEL, **change}, LABEL)
    report = import_file(project, path, format="labels")
    assert (report.added, report.bad) == (1, 1)
    [problem] = report.problems
    assert problem.line == 1
    assert reason in problem.reason
    assert labels(project) == [(0, "g", "CORRECT", None)]
    assert [version.name for version in project.graders()] == ["g"]


def test_labels_and_rationales_are_added_and_never_changed(
    project: OpenProject, jsonl: Jsonl
) -> None:
    rows = [
        LABEL,
        LABEL,
        {**LABEL, "rationale": "as it says\n"},
        {**LABEL, "rationale": "as it says\n"},
        {**LABEL, "rationale": ""},
        {**LABEL, "rationale": "otherwise"},
        {**LABEL, "label": "OTHER"},
        {**LABEL, "grader": "human:a", "label": "OTHER", "sample": 1, "rationale": "r"},
    ]
    first = import_file(project, jsonl("l.jsonl", *rows))
    problems = [
        Problem(6, "this label is there with another rationale, which is kept"),
        Problem(7, "already labelled CORRECT by 'g'"),
    ]
    assert first == ImportReport("labels", "line", added=3, unchanged=3, bad=2, problems=problems)
    expected = [(0, "g", "CORRECT", "as it says\n"), (1, "human:a", "OTHER", "r")]
    assert labels(project) == expected
    again = import_file(project, jsonl("again.jsonl", *rows))
    assert (again.added, again.unchanged, again.problems) == (0, 6, problems)
    assert labels(project) == expected
    assert not db.label_grids.differ(project.grids, db.label_grids.rebuild(project.connection))


def test_the_later_of_two_peoples_labels_is_the_newer(project: OpenProject, jsonl: Jsonl) -> None:
    rows = [{**LABEL, "grader": f"human:{name}"} for name in ("zoe", "al", "mo")]
    import_file(project, jsonl("l.jsonl", *rows))
    found = project.connection.execute(
        "SELECT name, at FROM remark JOIN grader ON grader.id = grader ORDER BY at"
    ).fetchall()
    assert [name for name, _ in found] == ["human:zoe", "human:al", "human:mo"]
    assert len({at for _, at in found}) == 3


def test_later_batches_have_later_times_whatever_the_clock_does(
    project: OpenProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([5_000, 9_000, 1_000, 9_000, 2_000])
    monkeypatch.setattr(imported_labels, "time_ns", lambda: next(clock) * 1_000_000)
    graders, found = ImportedGraders(project.connection), list[int]()
    for _ in range(5):
        tick = graders.begin()
        found += [tick(1), tick(1), tick(2)]
        assert found[-1] < found[-2]  # another response: its labels have an order of their own
    one = [at for place, at in enumerate(found) if place % 3 != 2]
    other = found[2::3]
    assert one == sorted(set(one))
    assert other == sorted(set(other))
    assert found[0] == 5_000


def test_an_empty_cell_of_a_table_is_missing(project: OpenProject, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    row = {**LABEL, "thinking": "off", "label": ""}
    path.write_text(";".join(row) + "\n" + ";".join(map(str, row.values())) + "\n")
    report = import_file(project, path)
    assert [problem.reason for problem in report.problems] == ["missing: label"]
