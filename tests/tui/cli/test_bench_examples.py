"""The worked examples of FACT-BENCH, through the real commands."""

import json
import re
import shlex
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from click.testing import CliRunner

from core.fact_bench.model_knowledge import METHODS
from tests.tui.cli.test_examples import LINE, differences
from tui.cli.main import cli

EXAMPLES = (
    "factbench-scores",
    "factbench-prepare",
    "factbench-paper-filters",
    "factbench-little",
    "factbench-tables",
    "factbench-exemplars",
)
FIRST = re.compile(r"^    lostkeys (.+)$", re.MULTILINE)
"""A command that is run before those of the table."""

KEYS = (
    *("id", "fact_id", "model", "mode", "group", "condition", "k", "property", "source"),
    *("a", "b", "metric", "place", *METHODS),
)
"""What rows are matched by, whatever their order."""


def matched(document: dict[str, Any]) -> dict[str, Any]:
    """A document with its rows in the order of their keys."""
    if "rows" not in document:
        return document
    key = partial(json.dumps, sort_keys=True)
    by_keys = [{name: row[name] for name in KEYS if name in row} for row in document["rows"]]
    order = sorted(range(len(by_keys)), key=lambda at: key(by_keys[at]))
    return {**document, "rows": [document["rows"][at] for at in order]}


def prepared(folder: Path, database: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Run what an example begins with; gives its other commands with what they are to print."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("LOSTKEYS_DB", str(database))
    text = (folder / "README.md").read_text(encoding="utf-8")
    for words in FIRST.findall(text):
        result = CliRunner().invoke(cli, shlex.split(words), catch_exceptions=False)
        assert result.exit_code == 0, result.output
    return LINE.findall(text)


def check(folder: Path, commands: Sequence[tuple[str, str]]) -> None:
    assert commands
    for words, expected in commands:
        result = CliRunner().invoke(cli, shlex.split(words), catch_exceptions=False)
        assert result.exit_code == 0, result.output
        wanted = matched(json.loads((folder / expected).read_text(encoding="utf-8")))
        assert differences(wanted, matched(json.loads(result.stdout))) == [], words


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(
    name: str, shared: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shared(f"design/examples/{name}")
    check(folder, prepared(folder, tmp_path / "example.db", monkeypatch))


def test_tuning_sets(
    shared: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "tuning"
    copytree(shared("design/examples/factbench-tuning"), folder)
    folder.chmod(0o755)
    commands = prepared(folder, tmp_path / "example.db", monkeypatch)
    assert len(commands) == 6
    rows = map(json.loads, (folder / "made.jsonl").read_text().splitlines()[::-1])
    asked = {one.get("question"): one["id"] for one in rows}
    for words, expected in commands:
        result = CliRunner().invoke(cli, shlex.split(words), catch_exceptions=False)
        wanted = json.loads((folder / expected).read_text(encoding="utf-8"))
        if "check-tuning" in words:
            assert result.exit_code == 1
            assert differences(wanted, json.loads(result.stdout)) == []
            continue
        assert result.exit_code == 0, result.output
        found = json.loads((folder / "out.jsonl.meta.json").read_text())
        for name, key in (("out.jsonl", "answers"), ("val.jsonl", "prompts")):
            written = (folder / name).read_text(encoding="utf-8").splitlines()
            lines = [json.loads(line)["messages"] for line in written]
            found[key] = [one[-1]["content"] for one in lines]
            found[f"{key} asked"] = [
                asked[one[0]["content"].split("Question: ")[1].removesuffix("\nAnswer:")]
                for one in lines
            ]
        found["validation"] = found["prompts asked"]
        assert differences(wanted, found) == [], words
        assert found["answers asked"] == found["facts"]
        checked = CliRunner().invoke(cli, ["fact-bench", "check-tuning", "out.jsonl"])
        assert checked.exit_code == 0, checked.output


def test_formats_of_others(
    shared: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shared("design/examples/factbench-formats")
    monkeypatch.chdir(folder)
    commands = LINE.findall((folder / "README.md").read_text(encoding="utf-8"))
    assert len(commands) == 5
    for number, (words, expected) in enumerate(commands):
        database, out = str(tmp_path / f"{number}.db"), tmp_path / f"{number}.jsonl"
        for line in (shlex.split(words), ["export", "triples", "-o", str(out)]):
            result = CliRunner().invoke(cli, ["--db", database, *line], catch_exceptions=False)
            assert result.exit_code == 0, result.output
        found = {row["id"]: row for row in map(json.loads, out.read_text().splitlines())}
        wanted = {row["id"]: row for row in json.loads((folder / expected).read_text())}
        assert found.keys() == wanted.keys()
        assert differences(wanted, found) == [], words


def test_a_file_that_is_cut_off_lands_nothing(tmp_path: Path) -> None:
    file, database = tmp_path / "cut.csv", tmp_path / "some.db"
    file.write_text("metadata,problem,answer\n\"{'topic': 'Art'}\",Who?,Ada\n\"{'topic")
    words = ["--db", str(database), "import", str(file), "--format", "triples"]
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == 1
    assert "line 3" in str(result.exception)


def test_a_bad_triple_is_named_and_the_exit_code_says_so(tmp_path: Path) -> None:
    file, database = tmp_path / "some.csv", tmp_path / "some.db"
    file.write_text("subject,relation,object,tier\nAda,born in,Riga,high\nBela,born in,Oslo,top\n")
    result = CliRunner().invoke(cli, ["--db", str(database), "import", str(file)])
    assert result.exit_code == 1
    assert "line 2: tier is 'high'" in result.stderr
    assert "added 1" in result.stderr


def test_rows_that_cannot_be_scored_are_named(tmp_path: Path) -> None:
    file = tmp_path / "some.jsonl"
    file.write_text(
        '{"id": "a", "object": "Oslo", "response": "[/red]\\u001b[31m"}\n'
        '{"id": "b", "response": "x"}\n'
        '{"id": "c", "object": "5", "answer_type": "size", "response": "x"}\n'
        '{"id": "d", "object": "5"}\n'
        "7\n",
        encoding="utf-8",
    )
    result = CliRunner().invoke(cli, ["fact-bench", "score", str(file)])
    assert result.exit_code == 1
    assert "[/red]" in result.stdout
    assert "\x1b" not in result.stdout
    said = result.stderr.splitlines()
    assert [line.partition(": ")[0].rpartition(", ")[2] for line in said] == [
        "line 2", "line 3", "line 4", "line 5",
    ]  # fmt: skip
    assert "missing: object" in said[0]
    assert "answer_type is 'size', not one of entity, date, number" in said[1]
    missing = CliRunner().invoke(cli, ["fact-bench", "score", str(tmp_path / "no.csv")])
    assert "no.csv does not exist" in str(missing.exception)
