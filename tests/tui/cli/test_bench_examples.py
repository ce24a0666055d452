"""The worked examples of FACT-BENCH, through the real commands."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.tui.cli.test_examples import LINE, differences
from tui.cli.main import cli

EXAMPLES = ("factbench-scores",)


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name: str, shared: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    folder = shared(f"design/examples/{name}")
    monkeypatch.chdir(folder)
    commands = LINE.findall((folder / "README.md").read_text(encoding="utf-8"))
    assert commands
    for words, expected in commands:
        result = CliRunner().invoke(cli, shlex.split(words), catch_exceptions=False)
        assert result.exit_code == 0, result.output
        wanted = json.loads((folder / expected).read_text(encoding="utf-8"))
        assert differences(wanted, json.loads(result.stdout)) == [], words


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
