"""With Inspect itself: it runs our data sets, and reads its logs with our edits."""

import json
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from core.errors import UsageError
from core.project import OpenProject
from core.transfer.imports import import_file
from core.vocabulary import Task
from tests.core.making import a_fact, new_project, put_facts
from tests.forker import Forker, forker_of
from tests.tui.cli import inspect_calls
from tui.cli.main import cli

# Not imported here: that takes seconds, and the tests run it in programs of their own.
HERE = find_spec("inspect_ai") is not None
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not HERE, reason="inspect-ai is not installed"),
]


def run(*words: object, code: int = 0) -> Result:
    result = CliRunner().invoke(cli, [str(word) for word in words])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


@pytest.fixture(scope="module")
def inspect() -> Iterator[Forker]:
    """A program that has Inspect imported, which takes seconds."""
    with forker_of(inspect_calls.__name__) as forker:
        yield forker


def draw(inspect: Forker, folder: Path, form: str, solver: str, *answers: str) -> None:
    assert inspect.wait(inspect.start("draw", folder, form, solver, answers)) == 0


def read(inspect: Forker, log: Path, folder: Path) -> dict[str, Any]:
    found = folder / "read.json"
    assert inspect.wait(inspect.start("read", log, found)) == 0
    result: dict[str, Any] = json.loads(found.read_bytes())
    return result


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def exported(database: Path, what: str, folder: Path, *words: object) -> list[dict[str, Any]]:
    file = folder / f"{what}.jsonl"
    run("--db", database, "export", what, "-o", file, *words)
    return rows(file)


def put_two_facts(database: Path) -> None:
    with new_project(database) as project:
        put_facts(project, [a_fact("a/1", [Task.DIRECT]), a_fact("b", [Task.DIRECT])])


@pytest.fixture(scope="module", params=["eval", "json"])
def drawn(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, inspect: Forker
) -> Path:
    """A folder with a log of two facts in two epochs, drawn from our own data set of `data.db`."""
    folder = tmp_path_factory.mktemp("drawn")
    put_two_facts(folder / "data.db")
    data = exported(folder / "data.db", "inspect-dataset", folder)
    (folder / "inspect-dataset.jsonl").rename(folder / "data.jsonl")
    assert [(one["id"], one["metadata"]) for one in data] == [
        ("a/1/direct", {"fact_id": "a/1", "task": "direct"}),
        ("b/direct", {"fact_id": "b", "task": "direct"}),
    ]
    draw(inspect, folder, request.param, "open", "Tartu", "Narva")
    return folder


@pytest.fixture
def logged(drawn: Path, tmp_path: Path) -> Path:
    """The log; in a copy of the folder."""
    shutil.copytree(drawn, tmp_path, dirs_exist_ok=True)
    (log,) = (tmp_path / "logs").iterdir()
    return log


def test_a_data_set_is_run_and_its_answers_land_on_our_facts(logged: Path, tmp_path: Path) -> None:
    database = tmp_path / "data.db"
    run("--db", database, "import", logged)
    found = exported(database, "responses", tmp_path)
    assert {(one["fact_id"], one["sample"]) for one in found} == {
        (fact, sample) for fact in ("a/1", "b") for sample in (0, 1)
    }
    assert {one["model"] for one in found} == {"mockllm/model"}
    assert {name for one in found for name in one["grades"]} == {
        "inspect:match",
        "inspect:includes",
    }
    assert len(exported(database, "facts", tmp_path)) == 2


def test_labels_go_back_into_a_copy_that_inspect_reads(
    logged: Path, tmp_path: Path, inspect: Forker
) -> None:
    database, before = tmp_path / "data.db", logged.read_bytes()
    run("--db", database, "import", logged)
    found = exported(database, "labels", tmp_path)
    wrong = [row for row in found if row["grader"] == "inspect:match"][:3]
    reason = 'As "I" read it: [/b] <script>\n=cmd() \x1b[31m'
    labels = [
        {**row, "grader": "human:ada", "label": "CORRECT", "rationale": reason} for row in wrong
    ]
    (tmp_path / "labels.jsonl").write_text("\n".join(map(json.dumps, labels)))
    run("--db", database, "import", "--format", "labels", tmp_path / "labels.jsonl")

    with pytest.raises(UsageError, match="several scores: choose with --score match, includes"):
        run("--db", database, "export", "edits", "-o", tmp_path / "e.jsonl")
    words = ("export", "edits", "--score", "match", "--grader", "human:ada")
    run(
        "--db",
        database,
        *words,
        "-o",
        tmp_path / "e.jsonl",
        "--apply",
        logged,
        "--to",
        tmp_path / "out",
    )
    edits = rows(tmp_path / "e.jsonl")
    assert {(one["value"], one["author"], one["reason"]) for one in edits} == {("C", "ada", reason)}
    assert logged.read_bytes() == before
    copy = tmp_path / "out" / logged.name
    assert [copy] == list(copy.parent.iterdir())

    edited_log = read(inspect, copy, tmp_path)
    edited = {(one["sample_id"], one["epoch"]) for one in edits}
    for sample in edited_log["samples"]:
        if (sample["id"], sample["epoch"]) in edited:
            first, last = sample["history"]
            assert (first["author"], sample["value"]) == (None, "C")
            assert last == {"value": "C", "author": "ada", "reason": reason}
        else:
            assert sample["history"] == []
    right = sum(sample["value"] == "C" for sample in edited_log["samples"])
    assert edited_log["accuracy"]["match"] == right / len(edited_log["samples"])
    assert edited_log["accuracy"] != read(inspect, logged, tmp_path)["accuracy"]

    put_two_facts(tmp_path / "again.db")
    with OpenProject(tmp_path / "again.db", "write") as project:
        assert import_file(project, copy).bad == 0
    ours = exported(database, "labels", tmp_path)
    assert sorted(map(str, exported(tmp_path / "again.db", "labels", tmp_path))) == sorted(
        map(str, ours)
    )
    assert exported(tmp_path / "again.db", "edits", tmp_path, "--score", "match") == []


def test_another_text_or_uuid_is_refused(logged: Path, tmp_path: Path, inspect: Forker) -> None:
    database = tmp_path / "data.db"
    run("--db", database, "import", logged)
    with OpenProject(database, "write") as project:
        project.connection.execute("UPDATE response SET text = 'another' WHERE id % 2")
        project.connection.execute("UPDATE response_source SET uuid = 'u' WHERE NOT response % 2")
    found = exported(database, "responses", tmp_path)
    labels = [
        {key: row[key] for key in ("fact_id", "task", "model", "thinking", "sample")}
        | {"grader": "human:ada", "label": "OTHER"}
        for row in found
    ]
    (tmp_path / "labels.jsonl").write_text("\n".join(map(json.dumps, labels)))
    run("--db", database, "import", "--format", "labels", tmp_path / "labels.jsonl")
    words = ("export", "edits", "--score", "match", "--apply", logged, "--to", tmp_path / "out")
    said = run("--db", database, *words, code=1).stderr
    assert said.count("another text than was imported") == 2
    assert said.count("another uuid than was imported") == 2
    refused = read(inspect, tmp_path / "out" / logged.name, tmp_path)
    assert all(sample["history"] == [] for sample in refused["samples"])
    with pytest.raises(UsageError, match="is there already"):
        run("--db", database, *words)


def test_multiple_choice_is_run(tmp_path: Path, inspect: Forker) -> None:
    with new_project(tmp_path / "data.db") as project:
        put_facts(project, [a_fact("a", [Task.MC_DIRECT])])
    (row,) = exported(tmp_path / "data.db", "inspect-dataset", tmp_path)
    assert row["choices"]["ABCD".index(row["target"])] == "Tartu"
    (tmp_path / "inspect-dataset.jsonl").rename(tmp_path / "data.jsonl")
    letters = "ABCD".replace(row["target"], "")[0], row["target"]
    draw(inspect, tmp_path, "eval", "choice", *(f"ANSWER: {letter}" for letter in letters))
    (log,) = (tmp_path / "logs").iterdir()
    run("--db", tmp_path / "data.db", "import", log)
    assert [one["fact_id"] for one in exported(tmp_path / "data.db", "facts", tmp_path)] == ["a"]
    found = exported(tmp_path / "data.db", "responses", tmp_path)
    assert {(one["task"], *one["shown_order"]) for one in found} == {
        ("mc_direct", *row["choices"]),
    }
    assert [one["grades"]["inspect:choice"] for one in found] == ["INCORRECT", "CORRECT"]
