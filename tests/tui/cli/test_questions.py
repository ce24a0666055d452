"""`lostkeys fact-bench questions`: triples without a question get that of a template."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tui.cli.main import cli

Run = Callable[..., Result]

TRIPLES = (
    {"id": "a", "subject": "Ada [X]", "relation": "place of birth", "object": "Riga"},
    {"id": "b", "subject": "Bo", "relation": "born in", "property_id": "P19", "object": "Oslo"},
    {"id": "c", "subject": "Cy", "relation": "father", "object": "Bo"},
    {"id": "d", "relation": "father", "object": "Bo", "question": "Who?"},
    {"id": "e", "subject": "Di", "relation": "born in", "object": "Oslo", "question": "Where?"},
)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    database = str(tmp_path / "some.db")
    file = tmp_path / "some.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in TRIPLES), encoding="utf-8")

    def invoke(*words: str) -> Result:
        return CliRunner().invoke(cli, ["--db", database, *words])

    assert invoke("import", str(file), "--format", "triples").exit_code == 0
    return invoke


def asked(run: Run, folder: Path) -> dict[str, str]:
    out = folder / "out.jsonl"
    assert run("export", "triples", "-o", str(out)).exit_code == 0
    rows = map(json.loads, out.read_text(encoding="utf-8").splitlines())
    return {row["id"]: row["question"] for row in rows}


def test_a_template_asks_for_each_triple_without(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text(
        "relation,template\n"
        "Place of Birth,Where was [X] born?\n"
        "P19,In which city was [X] born?\n"
        "place of birth,Second?\n"
        "father,Whose father?\n",
        encoding="utf-8",
    )
    result = run("fact-bench", "questions", "--templates", str(file))
    assert result.exit_code == 1
    assert "some: 2 questions added" in result.stdout
    assert "1 triples without: no template for father" in result.stdout
    said = [line for line in result.stderr.splitlines() if "line" in line]
    assert [line.partition(", ")[2].partition(":")[0] for line in said] == ["line 4", "line 5"]
    assert "the template has no [X]" in said[0]
    assert asked(run, tmp_path) == {
        "a": "Where was Ada [X] born?",
        "b": "In which city was Bo born?",
        "c": "",
        "d": "Who?",
        "e": "Where?",
    }
    prepared = json.loads(run("fact-bench", "prepare", "--filters", "none", "--json").stdout)
    assert (prepared["used"], prepared["dropped"]) == (4, {"question": 1})


def test_a_second_time_adds_nothing(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_text('{"relation": "father", "template": "Who is the father of [X]?"}\n')
    words = ("fact-bench", "questions", "--templates", str(file), "--json")
    first, second = (json.loads(run(*words).stdout) for _ in range(2))
    left = {"place of birth": 1, "born in": 1}
    assert first == {"set": "some", "added": 1, "left": left}
    assert second == {"set": "some", "added": 0, "left": left}
    missing = run("fact-bench", "questions", "--templates", str(tmp_path / "no.csv"))
    assert "no.csv does not exist" in str(missing.exception)


def test_a_way_must_be_named(run: Run) -> None:
    for words in ((), ("--templates", "t.csv", "--model", "openai:m")):
        result = run("fact-bench", "questions", *words)
        assert "--templates FILE or --model M, one of them" in str(result.exception)
