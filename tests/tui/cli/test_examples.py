"""The worked examples of the design: each command gives the expected keys and values."""

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from core.transfer.imports import import_file
from tests.core.making import new_project
from tui.cli.main import cli

EXAMPLES = (
    "all-correct",
    "basic",
    "choice-conflict",
    "human-first",
    "incomplete",
    "missing-tasks",
    "no-thinking",
    "no-views",
    "nothing-gradable",
    "sharp-disagreement",
    "ties-and-significance",
    "unlabelled",
)
LINE = re.compile(r"\| `lostkeys (.+?)` \| `(expected\d+\.json)` \|")


def differences(expected: Any, found: Any, where: str = "$") -> list[str]:
    """Where `found` lacks a key or value of `expected`."""
    if isinstance(expected, dict):
        if not isinstance(found, dict):
            return [f"{where}: {found!r} is no object"]
        return [
            line
            for key, value in expected.items()
            for line in differences(value, found.get(key, "absent"), f"{where}.{key}")
        ]
    if isinstance(expected, list):
        if not isinstance(found, list) or len(found) != len(expected):
            return [f"{where}: {found!r} is not {len(expected)} entries"]
        return [
            line
            for number, value in enumerate(expected)
            for line in differences(value, found[number], f"{where}[{number}]")
        ]
    if isinstance(expected, float) and isinstance(found, float):
        same = found == pytest.approx(expected, rel=1e-12, abs=1e-12)
    else:
        same = type(expected) is type(found) and expected == found
    return [] if same else [f"{where}: {found!r} instead of {expected!r}"]


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name: str, shared: Callable[[str], Path], tmp_path: Path) -> None:
    folder = shared(f"design/examples/{name}")
    database = tmp_path / "example.db"
    with new_project(database) as project:
        for file in ("facts.jsonl", "responses.jsonl"):
            assert import_file(project, folder / file).bad == 0
    commands = [
        (shlex.split(words), expected)
        for words, expected in LINE.findall((folder / "README.md").read_text(encoding="utf-8"))
    ]
    assert commands
    for words, expected in commands:
        result = CliRunner().invoke(cli, ["--db", str(database), *words], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        wanted = json.loads((folder / expected).read_text(encoding="utf-8"))
        assert differences(wanted, json.loads(result.stdout)) == [], f"{words} {expected}"
