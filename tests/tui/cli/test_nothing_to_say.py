"""Projects in which something is missing: each command says what, and no number is wrong."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from core.analyses import ANALYSES
from core.project import OpenProject
from core.stats.intervals import wilson
from core.vocabulary import TASKS, Outcome
from tests.core.making import a_fact, cell, new_project, put_facts, put_rows
from tui.cli.main import cli

pytestmark = pytest.mark.slow

Labels = Sequence[Outcome | None]
NAN, CORRECT = [Outcome.OTHER, Outcome.PARTIALLY], [Outcome.CORRECT] * 2
OF_JUDGED = ("popularity", "direction", "thinking", "recovery", "errors")


OF_ANSWERS = [name for name, record in ANALYSES.items() if not record.is_of_facts]


def made(path: Path, facts: int, labels: Labels, settings: Sequence[bool] = (False, True)) -> str:
    """Facts that all have these labels in all tasks, for one model."""
    with new_project(path) as project:
        put_facts(project, [a_fact(f"f{number}") for number in range(facts)])
        rows = [
            row
            for number in range(facts)
            for task in TASKS
            for on in settings
            for row in cell(f"f{number}", task, "m", on, labels)
        ]
        put_rows(project, rows)
    return str(path)


def run(database: str, *words: str) -> Result:
    return CliRunner().invoke(cli, ["--db", database, *words], catch_exceptions=False)


def document(database: str, *words: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(run(database, *words, "--json").stdout)
    return found


def shares(row: Mapping[str, Any]) -> Iterator[Any]:
    """Every share or chance of a row."""
    counts = ("n", "k", "n_questions", "count", "only_verbatim", "only_natural", "tau")
    for key, value in row.items():
        if key not in counts and not isinstance(value, str | bool | list):
            yield value


def test_facts_alone(tmp_path: Path) -> None:
    database = made(tmp_path / "made.db", 2, [])
    for words in (("profiles", "--intervals"), *(("analyze", name) for name in OF_ANSWERS)):
        assert "No responses yet: `lostkeys run" in run(database, *words).output
    assert document(database, "profiles", "--intervals")["models"] == []
    assert document(database, "analyze", "errors", "--intervals")["rows"] == []


@pytest.mark.parametrize("labels", [[None, None], [Outcome.UNPARSED], [Outcome.REFUSED]])
def test_answers_without_labels(labels: Labels, tmp_path: Path) -> None:
    database = made(tmp_path / "made.db", 2, labels)
    for name in OF_ANSWERS:
        found = run(database, "analyze", name, "--intervals").output
        assert "No answers with labels here: `lostkeys grade" in found
        assert "provisional" in found
        rows = document(database, "analyze", name, "--intervals")["rows"]
        assert {
            value for row in rows for value in shares(row) if value != row.get("intervals")
        } <= {None}
    shown = run(database, "profiles").output
    assert "Every fact is incomplete" in shown
    assert "2 incomplete, of 2 facts" in shown


def test_questions_that_no_run_brings(tmp_path: Path) -> None:
    """A newcomer's table of questions and answers: more answers would not help."""
    table = tmp_path / "own.csv"
    table.write_text("question,answer\nWhat is the capital of France?,Paris\n")
    database = str(tmp_path / "made.db")
    assert run(database, "import", str(table)).exit_code == 0
    with OpenProject(Path(database), "write") as project:
        (fact_id,) = project.index.fact_ids
        put_rows(project, cell(fact_id, TASKS[2], "m", False, CORRECT))
    shown = " ".join(run(database, "profiles").output.split())
    assert (
        "1 fact lacks encoding (completion, contextual) or reverse (reverse, reverse_natural) "
        "questions: no run gives it a profile" in shown
    )
    assert "draws and grades what is" not in shown


def test_nothing_gradable(tmp_path: Path) -> None:
    """Labels that are no grade anywhere: excluded, all of them, and no share but of counts."""
    database = made(tmp_path / "made.db", 3, NAN)
    (model,) = document(database, "profiles", "--intervals")["models"]
    assert (model["total"], model["excluded_nan"], model["included"]) == (3, 3, 0)
    assert model["excluded_share"] == 1.0
    assert model["intervals"].pop("excluded_share") == pytest.approx(wilson(3, 3))
    assert set(model["intervals"].pop("shares").values()) == {None}
    assert set(model["intervals"].values()) == set(model["shares"].values()) == {None}
    for name in OF_JUDGED:
        assert "No fact here is complete and gradable" in run(database, "analyze", name).output
    phrasing = document(database, "analyze", "phrasing")["rows"]
    assert {(row["n"], row["p"], row["significant"]) for row in phrasing} == {(0, None, None)}
    bootstrap = document(database, "analyze", "bootstrap")["rows"]
    assert {(row["mean"], row["width"]) for row in bootstrap} == {(None, None)}
    availability = document(database, "analyze", "availability", "--intervals")["rows"]
    assert {(row["n_questions"], row["share"]) for row in availability} == {(3, 0.0)}
    assert "0 of 3 facts" in run(database, "analyze", "quality").output
    with_weight = document(database, "profiles", "--strategy", "partial")["models"][0]
    assert with_weight["counts"]["direct_recall"] == 3  # 0.51 of one PARTIALLY is above 0.5


def test_one_fact(tmp_path: Path) -> None:
    database = made(tmp_path / "made.db", 1, CORRECT)
    (model,) = document(database, "profiles", "--intervals")["models"]
    assert (model["included"], model["shares"]["direct_recall"], model["encodes"]) == (1, 1.0, 1.0)
    assert model["intervals"]["shares"]["direct_recall"] == pytest.approx(wilson(1, 1))
    assert model["intervals"]["encodes"] == pytest.approx(wilson(1, 1))
    tiers = document(database, "analyze", "popularity", "--intervals")["rows"]
    assert [(row["tier"], row["n"], row["encode_rate"]) for row in tiers] == [
        ("bottom", 0, None), ("middle", 0, None), ("top", 0, None), ("unknown", 1, 1.0)
    ]  # fmt: skip
    assert set(tiers[0]["intervals"].values()) == {None}
    assert tiers[3]["intervals"]["encode_rate"] == pytest.approx(wilson(1, 1))
    for name in OF_ANSWERS:
        assert run(database, "analyze", name, "--intervals").exit_code == 0
    errors = document(database, "analyze", "errors")["rows"]
    assert {(row["n"], row["both"]) for row in errors} == {(0, None)}


def test_no_fact_fits(tmp_path: Path) -> None:
    database = made(tmp_path / "made.db", 2, CORRECT)
    for name in OF_ANSWERS:
        words = ("analyze", name, "--intervals", "--where", "fact:none")
        assert "No fact fits" in run(database, *words).output
        json.dumps(document(database, *words), allow_nan=False)
    (model,) = document(database, "profiles", "--intervals", "--where", "fact:none")["models"]
    assert (model["total"], model["excluded_share"], model["encodes"]) == (0, None, None)


def test_without_thinking(tmp_path: Path) -> None:
    database = made(tmp_path / "made.db", 2, CORRECT, settings=[False])
    (model,) = document(database, "profiles", "--intervals")["models"]
    assert model["intervals"] == {
        "shares": None,
        "excluded_share": None,
        "encodes": pytest.approx(wilson(2, 2)),
        "knows": pytest.approx(wilson(2, 2)),
        "knows_thinking": None,
    }
    popularity = document(database, "analyze", "popularity", "--intervals")["rows"]
    assert {(row["gain"], row["recall_total"]) for row in popularity} == {(None, None)}
    assert set(popularity[3]["intervals"]) == {"encode_rate", "recall_rate"}
    shown = run(database, "profiles").output
    assert re.search(r"thinking not measured +100.0 100.0 +– +– +0.0 +– +2\n", shown)


def test_thinking_alone_is_no_profile(tmp_path: Path) -> None:
    database = made(tmp_path / "made.db", 2, CORRECT, settings=[True])
    (model,) = document(database, "profiles")["models"]
    assert (model["thinking"], model["incomplete"], model["included"]) == (True, 2, 0)
    for name in OF_JUDGED:
        assert "No fact here is complete" in run(database, "analyze", name).output
