"""Named policies on the command line: saved, listed, used, written into what is made under them."""

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from pyarrow import parquet

from core.errors import UsageError
from core.vocabulary import TASKS, Outcome
from tests.core.making import Row, a_fact, cell, new_project, put_facts, put_rows
from tui.cli.main import cli

HOSTILE = "[red]=1+1'; --[/red]"


@pytest.fixture
def database(tmp_path: Path) -> str:
    """One fact with answers graded twice: three of four right by one grader, one by the other."""
    path = tmp_path / "some.db"
    with new_project(path) as project:
        put_facts(project, [a_fact("1__0")])
        rows: list[Row] = []
        for task in TASKS:
            for on in (False, True):
                rows += cell("1__0", task, "m", on, [Outcome.CORRECT] * 3 + [Outcome.INCORRECT])
        put_rows(project, rows)
    return str(path)


def run(database: str, *words: str) -> Result:
    words = ("--db", database, *words)
    return CliRunner().invoke(cli, words, env={"COLUMNS": "120"}, catch_exceptions=False)


def head(database: str, *words: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(run(database, *words, "--json").stdout)
    return {key: found[key] for key in ("policy", "tau", "strategy", "weight", "graders")}


def test_saving_listing_and_removing(database: str) -> None:
    assert "No policy is saved" in run(database, "policies").stdout
    run(database, "policies", "--save", "strict", "--tau", "0.75", "--strategy", "partial")
    listed = json.loads(run(database, "policies", "--json").stdout)["policies"]
    assert [{**one, "at": None} for one in listed] == [
        {
            "policy": "strict",
            "tau": 0.75,
            "strategy": "partial",
            "weight": 0.51,
            "graders": ["human:*", "lexical"],
            "at": None,
            "profiles": 0,
        }
    ]
    run(database, "profiles", "--policy", "strict", "--save", HOSTILE)
    shown = run(database, "policies").stdout
    assert "strict" in shown
    assert HOSTILE in shown
    listed = json.loads(run(database, "policies", "--json").stdout)["policies"]
    assert {one["policy"]: one["profiles"] for one in listed} == {"strict": 0, HOSTILE: 1}
    run(database, "policies", "--remove", HOSTILE)
    assert HOSTILE not in run(database, "policies").stdout


@pytest.mark.parametrize(
    "words", [("profiles",), ("analyze", "errors"), ("analyze", "bootstrap")], ids=" ".join
)
def test_the_name_stands_in_every_head(words: tuple[str, ...], database: str) -> None:
    graders = ["human:*", "lexical"]
    plain = {"policy": None, "tau": 0.5, "strategy": "pair", "weight": None, "graders": graders}
    assert head(database, *words) == plain
    run(database, "policies", "--save", "strict", "--tau", "0.75", "--strategy", "fact")
    strict = {**plain, "policy": "strict", "tau": 0.75, "strategy": "fact"}
    assert head(database, *words, "--policy", "strict") == strict
    assert head(database, *words, "--tau", "0.75", "--strategy", "fact") == strict
    shown = run(database, *words, "--policy", "strict").stdout.splitlines()[0]
    assert shown == "strict · tau 0.75 · fact · human:* then lexical"


def test_options_win_over_the_policy(database: str) -> None:
    run(database, "policies", "--save", "strict", "--tau", "0.75", "--strategy", "partial")
    words = ("profiles", "--policy", "strict", "--tau", "0.5")
    found = head(database, *words)
    assert (found["policy"], found["tau"], found["strategy"]) == (None, 0.5, "partial")
    found = head(database, *words[:3], "--weight", "0.3", "--grader", "lexical")
    assert (found["tau"], found["weight"], found["graders"]) == (0.75, 0.3, ["lexical"])
    # Even an option that says what the default is.
    assert head(database, *words[:3], "--strategy", "pair")["strategy"] == "pair"


def test_a_policy_changes_the_numbers(database: str) -> None:
    run(database, "policies", "--save", "strict", "--tau", "0.75")
    for words, recall in ((("profiles",), 1), (("profiles", "--policy", "strict"), 0)):
        (model,) = json.loads(run(database, *words, "--json").stdout)["models"]
        assert model["counts"]["direct_recall"] == recall


def test_exports_say_under_which_policy(database: str, tmp_path: Path) -> None:
    run(database, "policies", "--save", "=strict", "--tau", "0.75")
    for name in ("a.csv", "a.jsonl", "a.parquet"):
        file = str(tmp_path / name)
        run(database, "export", "profiles", "-o", file, "--policy", "=strict")
    (row,) = csv.DictReader((tmp_path / "a.csv").read_text(encoding="utf-8").splitlines())
    assert (row["policy"], row["tau"], row["strategy"], row["weight"]) == (
        "=strict", "0.75", "pair", ""
    )  # fmt: skip
    (line,) = (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["graders"] == ["human:*", "lexical"]
    (cells,) = parquet.read_table(tmp_path / "a.parquet").to_pylist()
    assert (cells["policy"], cells["tau"], cells["weight"]) == ("=strict", 0.75, None)
    safe = str(tmp_path / "safe.csv")
    run(database, "export", "profiles", "-o", safe, "--policy", "=strict", "--excel-safe")
    assert "'=strict" in Path(safe).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("profiles", "--policy", "lax"), "no policy saved as lax: saved are none yet"),
        (("analyze", "errors", "--policy", ""), "no policy saved as "),
        (("policies", "--remove", "lax"), "no policy saved as lax"),
        (("policies", "--save", " "), "is no name for a policy"),
        (("profiles", "--save", ""), "is no name for a policy"),
        (("policies", "--save", "x", "--tau", "1"), "outside [0, 1)"),
        (("policies", "--save", "x", "--grader", "nobody"), "no labels by a grader named nobody"),
        (("compare", "m", "--policy-b", "lax"), "no policy saved as lax"),
    ],
)
def test_what_cannot_be(words: tuple[str, ...], message: str, database: str) -> None:
    with pytest.raises(UsageError) as error:
        run(database, *words)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    assert json.loads(run(database, "policies", "--json").stdout) == {"policies": []}
