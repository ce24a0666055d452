"""`lostkeys audit`: drawn, labelled in a file, imported, reported, closed; bad words."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from core.errors import LostkeysError
from core.scoring.verdicts import CELLS
from core.vocabulary import TASKS, Outcome, Task
from tests.core.certainty.making import FACTS, graded, truth_of
from tests.core.making import Row, a_fact, new_project, put_facts, put_rows
from tui.cli.main import cli


@pytest.fixture
def database(tmp_path: Path) -> str:
    path = tmp_path / "a.db"
    with new_project(path) as made:
        put_facts(made, [a_fact(fact, TASKS[:6]) for fact in FACTS])
        rows = []
        for place, fact in enumerate(FACTS):
            for task, thinking in CELLS:
                for sample in range(4):
                    label = truth_of(place, task, thinking, sample)
                    grades = {"judge": graded(place, label), "other": Outcome.from_label(label)}
                    rows.append(Row(fact, task, "m", thinking, sample, grades, f"{label} {sample}"))
        put_rows(made, rows)
    return str(path)


def run(database: str, *words: str) -> Result:
    return CliRunner().invoke(
        cli, ("--db", database, *words), env={"COLUMNS": "120"}, catch_exceptions=False
    )


def document(database: str, *words: str) -> Any:
    return json.loads(run(database, *words, "--json").stdout)


DRAWN = ("--grader", "judge", "--second", "other", "--person", "human:ann", "--seed", "3")


def test_an_audit_through_files(database: str, tmp_path: Path) -> None:
    assert "No audit is drawn" in run(database, "audit").stdout
    assert document(database, "audit", "draw", "june", *DRAWN) == {
        "audit": "june",
        "models": ["m"],
        "facts": 14,
        "weights": {"1": 12, "3": 2},
        "seed": 3,
        "graders": ["judge#1"],
        "second": "other#1",
        "person": "human:ann",
    }
    fresh = document(database, "audit", "report", "june")["numbers"]
    assert all(row["graded"] is not None for row in fresh)
    assert {row["audited"] for row in fresh} == {row["kind_interval"] for row in fresh} == {None}
    table = run(database, "audit", "report", "june").stdout.splitlines()
    shown = next(line.split() for line in table if "recall_failure" in line)
    assert shown[2:4] == ["15.4", "–"]
    file = tmp_path / "labels.jsonl"
    for _ in range(30):
        lines = run(database, "audit", "next", "june", "--facts", "14").stdout.splitlines()
        if not lines:
            break
        rows = [json.loads(line) for line in lines]
        for row in rows:
            place = FACTS.index(row["fact_id"])
            row["grader"] = "human:ann"
            row["label"] = truth_of(place, Task(row["task"]), row["thinking"], row["sample"])
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        done = run(database, "import", str(file))
        assert f"{len(rows)} rows read, added {len(rows)}" in done.output
        assert "ignored" not in done.output
    found = document(database, "audit", "report", "june", "--within", "0.03")
    assert (found["audited"], found["facts"], found["done"]) == (14, 14, True)
    assert found["left"] == {"facts": {"p50": 0, "p90": 0}, "decisions": 0}
    shares = document(database, "profiles", "--grader", "other")["models"][0]
    for row in found["numbers"]:
        expected = shares["shares"].get(row["number"], shares.get(row["number"]))
        assert row["interval"] == pytest.approx([expected, expected])
        assert row["audited"] == pytest.approx(expected)
    assert found["scope"]["interval"] == "here"
    assert "14 of 14 facts audited" in run(database, "audit", "report", "june").stdout
    run(database, "audit", "close", "june")
    (listed,) = document(database, "audit")["audits"]
    assert (listed["closed"], listed["audited"]) == (True, 14)


def test_plan_and_rehearsal_keep_nothing(database: str) -> None:
    planned = document(database, "audit", "plan", *DRAWN, "--within", "0.1")
    assert 0 < planned["left"]["facts"]["p50"] <= planned["left"]["facts"]["p90"] <= 14
    played = document(database, "audit", "rehearse", *DRAWN, "--by", "other", "--within", "0.1")
    assert played["models"][0]["held"] >= 0.93
    assert document(database, "audit")["audits"] == []


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("report", "june"), "no audit named june"),
        (("next", "june"), "no audit named june"),
        (("close", "june"), "no audit named june"),
        (("plan", *DRAWN, "--within", "0"), "outside"),
        (("plan", *DRAWN, "--model", "n"), "no responses of a model named n"),
        (("rehearse", *DRAWN, "--by", "judge"), "cannot play the person"),
        (("draw", "x", *DRAWN, "--second", "judge"), "both grader and second"),
        (("draw", "x", "--grader", "judge", "--person", "ann"), "ann is no person"),
        (("draw", " ", *DRAWN), "the name of an audit"),
    ],
)
def test_bad_words(database: str, words: tuple[str, ...], says: str) -> None:
    with pytest.raises(LostkeysError, match=says) as error:
        run(database, "audit", *words)
    assert error.value.exit_code == 2
    assert "\n" not in str(error.value)
