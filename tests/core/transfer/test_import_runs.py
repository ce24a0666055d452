from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import db.sampling_runs
from core.project import OpenProject
from core.transfer.exports import export
from core.transfer.import_report import Problem
from core.transfer.imports import import_file
from core.vocabulary import Task
from db.sampling_runs import Run

Jsonl = Callable[..., Path]

RUN: dict[str, Any] = {
    "fact_id": "1__0",
    "tasks": ["direct", "completion"],
    "model": "m",
    "thinking": False,
    "samples": 8,
    "tau": 0.5,
    "strategy": "pair",
    "weight": 0.51,
    "graders": ["human:*", "lexical"],
    "at": "2026-03-01T12:00:00.250Z",
    "done": True,
}

BAD: dict[str, tuple[dict[str, Any], str]] = {
    "missing": ({"at": None, "model": "", "samples": None}, "missing: model, samples, at"),
    "a blank name": ({"model": " "}, "model is ' ', not a name"),
    "no fact": ({"fact_id": "x"}, "unknown fact 'x': import its facts first"),
    "no such task": ({"tasks": ["sing"]}, "unknown task 'sing': tasks are"),
    "no such question": ({"tasks": ["mc_reverse"]}, "fact '1__0' has no task mc_reverse"),
    "no task": ({"tasks": []}, "tasks is [], not a list of tasks"),
    "a task alone": ({"tasks": 7}, "tasks is 7, not a list of tasks"),
    "too many samples": ({"samples": 1025}, "samples is 1,025: a question has 1,024 at most"),
    "no draws": ({"samples": 0}, "samples is 0, not a whole number from 1"),
    "half a policy": ({"graders": None}, "missing: graders"),
    "another strategy": ({"strategy": "best"}, "no strategy best: choose one of"),
    "no threshold": ({"tau": "NaN"}, "tau nan is outside [0, 1)"),
    "a truth as weight": ({"weight": True}, "weight is True, not a number"),
    "number for graders": ({"graders": 5}, "graders is 5, not a list of names"),
    "no grader": ({"graders": [5]}, "graders is (5,): give a list of names of graders"),
    "neither on nor off": ({"thinking": "x"}, "thinking is 'x', not true or false"),
    "half done": ({"done": 2}, "done is 2, not true or false"),
    "no time": ({"at": "noon"}, "at is 'noon', not a time such as"),
}


@pytest.fixture
def project(
    project: OpenProject, jsonl: Jsonl, fact: dict[str, Any], answer: dict[str, Any]
) -> OpenProject:
    import_file(project, jsonl("facts.jsonl", fact, {**fact, "fact_id": "2__0"}))
    import_file(project, jsonl("responses.jsonl", answer))
    return project


def runs(project: OpenProject) -> list[tuple[Run, str, bool]]:
    return [one[1:] for one in db.sampling_runs.find_open_or_curtailed(project.connection)]


@pytest.mark.parametrize("case", BAD)
def test_a_bad_row_says_why_and_the_others_land(
    project: OpenProject, jsonl: Jsonl, case: str
) -> None:
    changes, reason = BAD[case]
    report = import_file(project, jsonl("r.jsonl", {**RUN, **changes}, RUN), "runs")
    ((line, said),) = [(one.line, one.reason) for one in report.problems]
    assert line == 1
    assert said.startswith(reason)
    assert report.added == 1
    assert len(runs(project)) == 1


def test_rows_of_a_run_are_one_run_however_they_come(project: OpenProject, jsonl: Jsonl) -> None:
    first = {**RUN, "done": False}
    second = {**first, "fact_id": "2__0", "tasks": ["direct"]}
    assert import_file(project, jsonl("1.jsonl", first)).added == 1
    assert import_file(project, jsonl("2.jsonl", second, first)).added == 1
    ((run, at, done),) = runs(project)
    assert (at, done, run.samples) == ("2026-03-01 12:00:00.250", False, 8)
    one, two = project.index.ids.tolist()
    assert run.tasks_of(one) == (Task.COMPLETION, Task.DIRECT)
    assert run.tasks_of(two) == (Task.DIRECT,)
    # It is finished where it is so in either place, and stays so.
    assert import_file(project, jsonl("3.jsonl", {**second, "done": True})).added == 1
    assert import_file(project, jsonl("1.jsonl", first)).added == 0
    assert [done for *_, done in runs(project)] == [True]
    assert import_file(project, jsonl("4.jsonl", {**RUN, "samples": 4}, RUN)).added == 1
    assert [run.samples for run, *_ in runs(project)] == [8, 4]


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
def test_runs_come_back_as_they_were(
    project: OpenProject, jsonl: Jsonl, tmp_path: Path, ending: str
) -> None:
    plain = {name: RUN[name] for name in RUN if name not in ("tau", "strategy", "weight")}
    plain |= {"graders": None, "done": False, "at": "2025-01-01T00:00:00Z"}
    import_file(project, jsonl("r.jsonl", RUN, plain))
    before = runs(project)
    assert len(before) == 2
    assert export(project, "runs", tmp_path / f"out{ending}") == 2
    report = import_file(project, tmp_path / f"out{ending}")
    assert (report.format, report.added, report.unchanged, report.problems) == ("runs", 0, 2, [])
    project.connection.execute("DELETE FROM run")
    assert import_file(project, tmp_path / f"out{ending}").added == 2
    assert runs(project) == before


def test_a_run_begun_here_is_newer_than_those_of_a_file(project: OpenProject, jsonl: Jsonl) -> None:
    last = {**RUN, "at": "9999-12-31T23:59:59.999Z"}
    import_file(project, jsonl("r.jsonl", {**RUN, "at": "9998-01-01T00:00:00Z"}))
    project.connection.execute("BEGIN")
    db.sampling_runs.start(project.connection, 1, (), 4, curtailed="{}")
    assert [run.samples for run, *_ in runs(project)] == [8, 4]
    assert runs(project)[1][1] == "9998-01-01 00:00:00.001"
    project.connection.execute("COMMIT")
    assert import_file(project, jsonl("r.jsonl", last)).problems == []
    project.connection.execute("BEGIN")
    db.sampling_runs.start(project.connection, 1, (), 2, curtailed="{}")
    assert [run.samples for run, *_ in runs(project)] == [8, 4, 8, 2]
    project.connection.execute("COMMIT")


def test_a_file_without_facts_names_the_first_lack(project: OpenProject, jsonl: Jsonl) -> None:
    report = import_file(project, jsonl("r.jsonl", {**RUN, "fact_id": "9"}))
    assert report.problems == [Problem(1, "unknown fact '9': import its facts first")]
    assert runs(project) == []
