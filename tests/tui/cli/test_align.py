"""`lostkeys align`: drawn, labelled in a file, imported, reported, closed; bad words."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from core.errors import LostkeysError
from tests.core.alignment.making import make_project
from tui.cli.main import cli


@pytest.fixture
def database(tmp_path: Path) -> str:
    make_project(tmp_path / "a.db", ann=False).close()
    return str(tmp_path / "a.db")


def run(database: str, *words: str) -> Result:
    return CliRunner().invoke(
        cli, ("--db", database, *words), env={"COLUMNS": "120"}, catch_exceptions=False
    )


def document(database: str, *words: str) -> Any:
    return json.loads(run(database, *words, "--json").stdout)


def test_a_set_through_files(database: str, tmp_path: Path) -> None:
    assert "No reference set yet" in run(database, "align").stdout
    drawn = document(database, "align", "draw", "june", "--size", "30", "--by", "judge")
    assert (drawn["set"], drawn["seed"], drawn["by"], drawn["answers"]) == ("june", 0, "judge", 30)
    assert sum(one["drawn"] for one in drawn["strata"].values()) == 30
    assert sum(drawn["parts"].values()) == 30
    printed = run(database, "align", "draw", "june", "--size", "30", "--by", "judge").stdout
    assert printed.startswith("june: 30 answers (")
    rows = [json.loads(line) for line in run(database, "align", "next", "june").stdout.splitlines()]
    assert len(rows) == 30
    assert "grader" not in rows[0]
    assert "part" not in rows[0]
    for row in rows[:20]:
        row |= {"grader": "human:ann", "label": "INCORRECT"}
    file = tmp_path / "labels.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows[:20]))
    run(database, "import", str(file), "--format", "labels")
    left = document(database, "align", "next", "june")["rows"]
    assert [row["fact_id"] for row in left] == [row["fact_id"] for row in rows[20:]]
    report = document(database, "align", "report", "june", "--grader", "judge")
    assert (report["person"], report["answers"], report["labelled"]) == ("human:ann", 30, 20)
    stats = report["versions"][0]["parts"]["tune"]
    assert stats["n"] + report["versions"][0]["parts"]["check"]["n"] <= 20
    misses = document(database, "align", "misses", "june", "--grader", "judge")["rows"]
    assert all(row["label"] == "INCORRECT" != row["grader_label"] for row in misses)
    shown = run(database, "align", "report", "june", "--grader", "judge").stdout
    assert "human:ann has labelled 20 of 30" in shown
    run(database, "align", "close", "june")
    (listed,) = document(database, "align")["sets"]
    assert (listed["labelled"], listed["closed"]) == (20, True)
    assert "june" in run(database, "align", "list").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("draw", "june", "--size", "999"), "only 120 different answers"),
        (("draw", " "), "one line of at most 60 letters"),
        (("draw", "june", "--by", "nobody"), "no labels by a grader named nobody"),
        (("next", "july"), "no reference set named july"),
        (("report", "none", "--grader", "judge"), "no reference set named none"),
    ],
)
def test_what_cannot_be(database: str, words: tuple[str, ...], said: str) -> None:
    with pytest.raises(LostkeysError, match=said):
        run(database, "align", *words)


def test_a_part_without_answers_is_named(database: str) -> None:
    few = run(database, "align", "draw", "few", "--size", "1")
    (full,) = (part for part in ("tune", "check", "final") if f"1 {part}" in few.stdout)
    (said,) = few.stderr.splitlines()
    empty = [part for part in ("tune", "check", "final") if part != full]
    assert said.startswith(f"{' and '.join(empty)}: no answers. All answers to a fact are in one")
    assert run(database, "align", "draw", "many", "--size", "60").stderr == ""


def test_a_report_needs_labels_and_versions(database: str) -> None:
    run(database, "align", "draw", "june", "--size", "10")
    with pytest.raises(LostkeysError, match="june is labelled by nobody: `lostkeys align next"):
        run(database, "align", "report", "june", "--grader", "judge")
    with pytest.raises(LostkeysError, match="human:ann has labelled none of june"):
        run(database, "align", "report", "june", "--person", "human:ann")
