"""Two programs import into one file at the same time; one is killed."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import db.label_grids
from core.project import OpenProject
from core.transfer.import_report import ImportReport
from core.transfer.imports import import_file
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
ROWS = 3_000

PROGRAM = """
import sys
from core.project import OpenProject
from core.transfer import imports, json_files
from core.transfer.imports import import_file

json_files.BYTES_IN_BLOCK = 1
imports.ROWS_AT_ONCE = 50
with OpenProject(sys.argv[1], "write") as project:
    print("ready", flush=True)
    sys.stdin.readline()
    report = import_file(project, sys.argv[2])
    print(report.added, report.unchanged, report.bad)
"""


def start(project: OpenProject, path: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(project.path), str(path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def prepared(project: OpenProject, jsonl: Callable[..., Path], fact: Any, answer: Any) -> Path:
    facts = [{**fact, "fact_id": str(number)} for number in range(30)]
    import_file(project, jsonl("facts.jsonl", *facts))
    grades = {"a": "CORRECT", "human:b": "OTHER"}
    return jsonl(
        "responses.jsonl",
        *(
            {**answer, "fact_id": str(n % 30), "sample": n // 30, "grades": grades}
            for n in range(ROWS)
        ),
    )


def check(project: OpenProject) -> None:
    count = project.connection.execute
    project.refresh()
    assert count("SELECT count(*) FROM response").fetchone() == (ROWS,)
    assert count("SELECT count(*) FROM grade").fetchone() == (2 * ROWS,)
    assert [version.name for version in project.graders()] == ["a", "human:b"]
    assert not db.label_grids.differ(project.grids, db.label_grids.rebuild(project.connection))


def test_two_imports_of_one_file_end_with_everything_once(
    project: OpenProject, jsonl: Callable[..., Path], fact: Any, answer: Any
) -> None:
    path = prepared(project, jsonl, fact, answer)
    both = [start(project, path) for _ in range(2)]
    for process in both:
        go(process)
    told = [process.communicate(timeout=PATIENCE)[0].split() for process in both]
    assert [process.returncode for process in both] == [0, 0]
    added, unchanged, bad = (sum(int(one[place]) for one in told) for place in range(3))
    assert (added, unchanged, bad) == (ROWS, ROWS, 0)
    check(project)


def test_an_import_that_was_killed_is_completed_by_the_next(
    project: OpenProject, jsonl: Callable[..., Path], fact: Any, answer: Any
) -> None:
    path = prepared(project, jsonl, fact, answer)
    process = start(project, path)
    go(process)
    while not project.connection.execute("SELECT 1 FROM response LIMIT 1").fetchone():
        assert process.poll() is None
    process.kill()
    process.communicate()
    there = project.connection.execute("SELECT count(*) FROM response").fetchone()[0]
    assert there % 50 == 0
    report = import_file(project, path)
    assert report == ImportReport("responses", "line", added=ROWS - there, unchanged=there)
    check(project)
