"""`lostkeys fact-bench prepare`: what it prints, what it refuses, what files have of it."""

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from core.project import OpenProject
from db.connection import write_transaction
from tui.cli.main import cli

Run = Callable[..., Result]

ROWS: list[dict[str, Any]] = [
    {
        "id": f"t{number}",
        "subject": f"S{number}",
        "relation": "father",
        "object": f"O{number}",
        "question": f"Who is the father of S{number}?",
        "popularity": number,
        "split": "",
    }
    for number in range(8)
]
LEAK = {**ROWS[0], "id": "leak", "question": "Is it O0, [/b]\u001b[31m?", "subject": "S9"}


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs a command on a database with a small set."""
    database = str(tmp_path / "some.db")

    def invoke(*words: str, catch: bool = True) -> Result:
        arguments = ["--db", database, *words]
        return CliRunner().invoke(cli, arguments, catch_exceptions=catch)

    file = write(tmp_path / "some.jsonl", [*ROWS, LEAK])
    assert invoke("import", file, "--format", "triples", catch=False).exit_code == 0
    return invoke


def test_a_person_reads_what_was_dropped_and_why(run: Run) -> None:
    result = run("fact-bench", "prepare", "--subset", "3", "--per-triple")
    assert result.exit_code == 0
    assert "some: 8 of 9 triples are used, 2 train, 6 eval, 3 of these in the subset" in (
        result.stdout
    )
    assert "1 dropped: the answer stands in the question" in result.stdout
    assert "t3" in result.stdout


def test_triples_with_answers_stay_where_they_are(run: Run, tmp_path: Path) -> None:
    answers = [
        {"fact_id": f"t{number}", "task": "direct", "model": "m", "thinking": False, "sample": 0}
        | {"response": "x"}
        for number in range(8)
    ]
    assert run("fact-bench", "prepare").exit_code == 0
    before = json.loads(run("fact-bench", "prepare", "--json", "--per-triple").stdout)
    file = write(tmp_path / "a.jsonl", answers)
    assert run("import", file, "--format", "responses").exit_code == 0
    assert run("fact-bench", "prepare", "--filters", "leak", "--subset", "2").exit_code == 0
    stopped = run("fact-bench", "prepare", "--train", "1")
    assert stopped.exit_code == 1
    assert "6 triples of some with answers would change split: --again" in str(stopped.exception)
    kept = json.loads(run("fact-bench", "prepare", "--json", "--per-triple").stdout)
    assert kept == before
    again = json.loads(run("fact-bench", "prepare", "--train", "1", "--again", "--json").stdout)
    assert (again["train"], again["eval"]) == (8, 0)


def test_a_file_has_what_preparing_said_and_comes_back(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "some.jsonl"
    assert run("export", "triples", "-o", str(out)).exit_code == 0
    rows = {row["id"]: row for row in map(json.loads, out.read_text().splitlines())}
    assert {row.get("prepared_split") for row in rows.values()} == {None}
    assert run("fact-bench", "prepare", "--subset", "3").exit_code == 0
    assert run("export", "triples", "-o", str(out)).exit_code == 0
    rows = {row["id"]: row for row in map(json.loads, out.read_text().splitlines())}
    assert rows["leak"]["reason"] == "leak"
    assert "prepared_split" not in rows["leak"]
    assert "reason" not in rows["t0"]
    assert [rows[f"t{number}"]["tier"] for number in (0, 3, 7)] == ["bottom", "middle", "top"]
    assert [row["split"] for row in rows.values()] == [""] * 9
    assert sum(row.get("prepared_split") == "train" for row in rows.values()) == 2
    assert sum(row["subset"] for row in rows.values()) == 3
    again = run("import", str(out), "--format", "triples")
    assert (again.exit_code, "added 0" in again.stderr) == (0, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--set", "other"), "no set named other: sets are some"),
        (("--filters", "leaks"), "no filter 'leaks'"),
        (("--tier", "0.6"), "0.6 is not in the range"),
        (("--train", "nan"), "nan is no share"),
        (("--properties", "none.txt"), "none.txt: No such file"),
        (("--domains", "none.csv"), "none.csv: No such file"),
        (("--other", "rest"), "those that --domains does not name"),
    ],
)
def test_what_cannot_be_is_refused(run: Run, words: tuple[str, ...], said: str) -> None:
    result = run("fact-bench", "prepare", *words)
    assert result.exit_code != 0
    assert said in f"{result.exception}{result.stderr}"


def test_tables_and_files_know_the_domains_that_were_renamed(run: Run, tmp_path: Path) -> None:
    named = [{"id": f"d{at}", "subject": f"D{at}", "domain": "ab"[at % 2]} for at in range(8)]
    rows = [{**row, **name} for row, name in zip(ROWS, named, strict=True)]
    assert run("import", write(tmp_path / "two.jsonl", rows), "--format", "triples").exit_code == 0
    names = tmp_path / "names.csv"
    names.write_text("from,to\na,first\n")
    words = ("fact-bench", "prepare", "--set", "two", "--filters", "none", "--domains", str(names))
    said = json.loads(run(*words, "--json", catch=False).stdout)
    assert (said["dropped"], said["used"]) == ({"domain": 4}, 4)
    assert "4 dropped: a domain without a new name in the list" in run(*words).stdout
    answers = [
        {"fact_id": f"d{at}", "task": "direct", "model": "m#10-shot", "thinking": False}
        | {"sample": 0, "response": "x"}
        for at in range(8)
    ]
    file = write(tmp_path / "a.jsonl", answers)
    assert run("import", file, "--format", "responses", catch=False).exit_code == 0
    run(*words, "--other", "rest", "--again", catch=False)
    words = ("fact-bench", "table", "domain", "--set", "two", "--split", "all", "--json")
    rows = json.loads(run(*words, catch=False).stdout)["rows"]
    assert [(row["group"], row["n"]) for row in rows] == [("first", 4), ("rest", 4)]


def test_of_several_sets_one_is_named(run: Run, tmp_path: Path) -> None:
    other = write(tmp_path / "other.jsonl", [{**ROWS[0], "id": "o"}])
    assert run("import", other, "--format", "triples").exit_code == 0
    result = run("fact-bench", "prepare")
    assert "there are 2 sets, other, some: name one with --set" in str(result.exception)
    assert run("fact-bench", "prepare", "--set", "other").exit_code == 0


def test_a_database_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    database = tmp_path / "none.db"
    result = CliRunner().invoke(cli, ["--db", str(database), "fact-bench", "prepare"])
    assert result.exit_code == 1
    assert not database.exists()


def test_a_person_reads_what_is_wrong_with_examples(run: Run, tmp_path: Path) -> None:
    assert run("fact-bench", "prepare", "--train", "0.5").exit_code == 0
    out = str(tmp_path / "[red].jsonl")
    result = run("fact-bench", "tuning-set", "regular", "--size", "5", "-o", out)
    assert f"{out}: 4 examples, regular, 5 were asked for" in result.stdout
    checked = run("fact-bench", "check-tuning", out, "--split", "train")
    assert checked.exit_code == 1
    assert f"{out}, line 1: asks a question of the split that is reported" in checked.stdout
    assert f"{out}: fewer than 10 examples" in checked.stdout
    assert "4 examples, 5 errors, 0 warnings" in checked.stdout
    same = run("fact-bench", "tuning-set", "regular", "-o", out, "--validation", out)
    assert "name two" in str(same.exception)


HOSTILE = "[/red]\u001b[31m\u202e\u0007 {QUESTION}"


def test_texts_of_a_file_reach_no_terminal_raw(run: Run, tmp_path: Path) -> None:
    rows = [
        {**row, "id": f"{HOSTILE}{place}", "object": f"{HOSTILE} {place}", "relation": HOSTILE}
        for place, row in enumerate(ROWS)
    ]
    file = write(tmp_path / "h.jsonl", rows)
    assert run("import", file, "--format", "triples", "--set", HOSTILE).exit_code == 0
    for words in (
        ("prepare", "--per-triple", "--train", "0.5"),
        ("prepare", "--train", "0.5"),
        ("exemplars", "--model", f"m{HOSTILE}", "--mode", "2-shot:shuffle"),
    ):
        result = run("fact-bench", *words, "--set", HOSTILE)
        assert result.exit_code == 0, result.output
        assert not {"\u001b", "\u202e", "\u0007"} & {*result.output}
    templates = write(tmp_path / "t.jsonl", [{"relation": "x", "template": f"{HOSTILE} [X]?"}])
    result = run("fact-bench", "questions", "--set", HOSTILE, "--templates", templates)
    assert not {"\u001b", "\u202e", "\u0007"} & {*result.output}
    missing = run("fact-bench", "prepare", "--set", f"{HOSTILE}x")
    assert "no set named" in str(missing.exception)


def test_a_rejected_triple_of_the_subset_is_replaced(run: Run, tmp_path: Path) -> None:
    """All are of one domain and, with no share at its ends, of one tier."""

    def prepare(*words: str) -> Any:
        result = run("fact-bench", "prepare", "--tier", "0", "--subset", "3", *words, catch=False)
        return json.loads(result.stdout)

    def subset(said: Any) -> list[str]:
        return [row["fact_id"] for row in said["rows"] if row["subset"]]

    first = prepare("--json", "--per-triple")
    asked = [row["fact_id"] for row in first["rows"] if row["split"] == "eval"]
    order = sorted(asked, key=lambda one: sha256(f"0/subset/{one}".encode()).hexdigest())
    assert set(subset(first)) == set(order[:3])
    assert (first["went"], first["came"]) == ([], [])
    with (
        OpenProject(tmp_path / "some.db", "write") as project,
        write_transaction(project.connection),
    ):
        project.connection.execute("UPDATE fact SET rejected = 1 WHERE fact_id = ?", (order[1],))
    kept = prepare("--json", "--per-triple", "--no-refill")
    assert set(subset(kept)) == set(order[:3])
    again = prepare("--json", "--per-triple")
    assert set(subset(again)) == {order[0], order[2], order[3]}
    assert (again["went"], again["came"]) == ([order[1]], [order[3]])
    assert (again["train"], again["eval"]) == (first["train"], first["eval"])
    assert prepare("--json")["came"] == []


def test_pages_are_not_looked_for_without_documents(run: Run) -> None:
    before = json.loads(run("fact-bench", "prepare", "--json", "--per-triple").stdout)
    stopped = run("fact-bench", "prepare", "--filters", "paper")
    assert stopped.exit_code != 0
    assert "page looks for answers in documents, and there are none" in str(stopped.exception)
    again = json.loads(run("fact-bench", "prepare", "--json", "--per-triple").stdout)
    assert again == before
