"""The worked examples of zero-prompt knowledge, through the real commands: import, then each."""

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.tui.cli.test_examples import LINE, differences
from tui.cli.main import cli

EXAMPLES = (
    "zplke-by-hand",
    "zplke-examples-and-options",
    "zplke-forms",
    "zplke-given-choices",
    "zplke-positions",
    "zplke-three-models",
)
FILES = re.compile(r"`([a-z-]+\.jsonl)` \(format `([a-z-]+)`\)")
KEYS = ("rank", "id", "model", "relation", "form", "a", "b", "n", "k", "inject", "position", "kind")


def in_order(document: Any) -> Any:
    """A document with its rows in one order; examples and options stay in theirs."""
    if not isinstance(document, dict):
        return document
    return {
        key: sorted(rows, key=lambda row: [str(row.get(name)) for name in KEYS])
        if key in ("rows", "facts", "summary", "families", "reach")
        else rows
        for key, rows in document.items()
    }


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name: str, shared: Callable[[str], Path], tmp_path: Path) -> None:
    folder = shared(f"design/examples/{name}")
    text = (folder / "README.md").read_text(encoding="utf-8")
    database = ["--db", str(tmp_path / "example.db")]
    for file, kind in FILES.findall(text):
        arguments = [*database, "import", str(folder / file), "--format", kind]
        result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
        assert result.exit_code == 0, result.output
    commands = LINE.findall(text)
    assert commands
    for words, expected in commands:
        result = CliRunner().invoke(cli, [*database, *shlex.split(words)], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        wanted = json.loads((folder / expected).read_text(encoding="utf-8"))
        found = differences(in_order(wanted), in_order(json.loads(result.stdout)))
        assert found == [], f"{words} {expected}"


def test_a_setup_without_scores_names_those_with_some(tmp_path: Path) -> None:
    database = ["--db", str(tmp_path / "made.db")]
    file = tmp_path / "made.jsonl"

    def run(*words: str) -> str:
        result = CliRunner().invoke(cli, [*database, *words], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.output

    triple = {"id": "f", "subject": "S", "relation": "a", "object": "O0"}
    file.write_text(json.dumps(triple), encoding="utf-8")
    run("import", str(file), "--format", "triples")
    for words in (["facts"], ["analyze", "accuracy"]):
        assert "No scores yet: `lostkeys zp-lke run --model M` makes some" in run("zp-lke", *words)

    scores = {"id": "f", "model": "m", "options": ["O0", "O1"], "logprobs": [-1.0, -2.0]}
    rows = [{**scores, "n": 5, "seed": seed, "form": "is [/red]"} for seed in range(7)]
    rows.append({"id": "f", "model": "m", "n": 50, "response": "O0"})
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    run("import", str(file), "--format", "zp-scores")
    said = " ".join(run("zp-lke", "facts", "--examples", "7").split())
    first = "--form 'is [/red]' --examples 5"
    assert f"There are some with `{first} --options 2`, `{first} --seed 1 --options 2`" in said
    assert said.endswith("and 3 more.")
    found = run("zp-lke", "facts", "--examples", "5", "--options", "2", "--form", "is [/red]")
    assert "O0" in found
    assert "has log probabilities under" in run("zp-lke", "facts")
    assert "100.0" in run("zp-lke", "analyze", "accuracy")


def test_how_a_model_went_on_unasked_is_shown_with_its_options(tmp_path: Path) -> None:
    database = ["--db", str(tmp_path / "made.db")]
    file = tmp_path / "made.jsonl"

    def run(*words: str) -> str:
        result = CliRunner().invoke(cli, [*database, *words], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.output

    triples = [
        {"id": f"f{number}", "subject": f"S{number}", "relation": "a", "object": f"O{number}"}
        for number in range(2)
    ]
    file.write_text("\n".join(map(json.dumps, triples)), encoding="utf-8")
    run("import", str(file), "--format", "triples")
    asked = {"model": "m", "n": 0}
    said = "O0 [/red]\nand more"
    rows: list[dict[str, Any]] = [
        {"id": "f0", **asked, "options": ["O0", "O1"], "logprobs": [-2.0, -1.0]},
        *({"id": f"f{number}", **asked, "response": said} for number in range(2)),
    ]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    run("import", str(file), "--format", "zp-scores")
    under = ("--examples", "0", "--options", "2", "--model", "m")
    shown = run("zp-lke", "show", "f0", *under)
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    assert lines[-3:] == ["response O0 [/red] and more", "1 73.1 O1", "2 ● 26.9 O0"]
    (alone,) = json.loads(run("zp-lke", "show", "f1", *under, "--json"))["scores"]
    assert (alone["response"], alone["options"]) == (said, [])
