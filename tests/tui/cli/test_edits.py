"""`export edits`: the worked example, kinds of values, whose labels go back, what is refused."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from core.errors import LostkeysError, UsageError
from core.transfer.label_edits import LETTERS, find_kind
from core.vocabulary import Label
from tui.cli.main import cli

KEY = {"task": "direct", "model": "m-8", "thinking": False, "sample": 0}


def run(*words: object) -> Result:
    result = CliRunner().invoke(cli, [str(word) for word in words])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


@pytest.fixture
def example(shared: Callable[[str], Path]) -> Path:
    return shared("design/examples/exchange-edits")


@pytest.fixture
def database(example: Path, tmp_path: Path) -> Path:
    path = tmp_path / "p.db"
    run("--db", path, "import", example / "rivers.json")
    run("--db", path, "import", example / "labels.jsonl")
    return path


@pytest.mark.parametrize("score", ["match", "f1"])
def test_the_example(score: str, example: Path, database: Path, tmp_path: Path) -> None:
    said = run("--db", database, "export", "edits", "--score", score, "-o", tmp_path / "e.jsonl")
    found = rows(tmp_path / "e.jsonl")
    assert all(row.pop("timestamp") for row in found)
    assert found == rows(example / f"expected_edits_{score}.jsonl")
    left = "left out: rivers.json, 2/1: f1 has no value for OTHER by ada\n"
    assert said.stderr.startswith(left) is (score == "f1")


def test_a_packed_log_is_unpacked_before_it_is_edited(
    example: Path, database: Path, tmp_path: Path
) -> None:
    pytest.importorskip("inspect_ai", reason="inspect-ai is not installed")
    packed = tmp_path / "rivers.json.gz"
    packed.write_bytes(gzip.compress((example / "rivers.json").read_bytes()))
    words = ("--score", "match", "--apply", packed, "--to", tmp_path / "out")
    with pytest.raises(LostkeysError, match="unpack it first"):
        run("--db", database, "export", "edits", *words)


def test_a_score_is_asked_for_where_the_logs_of_the_labels_have_several(
    example: Path, database: Path, tmp_path: Path
) -> None:
    """A log with one score, labelled, beside one with two that nobody labelled."""
    log = json.loads((example / "rivers.json").read_bytes())
    log["eval"] |= {"task": "lakes", "eval_id": "another"}
    for sample in log["samples"]:
        sample["scores"] = {"match": sample["scores"]["match"]}
        sample["uuid"] = f"{sample.get('uuid')}2"
    (tmp_path / "lakes.json").write_text(json.dumps(log))
    fresh, file = tmp_path / "q.db", tmp_path / "e.jsonl"
    run("--db", fresh, "import", example / "rivers.json", tmp_path / "lakes.json")
    labels = [json.loads(line) for line in (example / "labels.jsonl").read_bytes().splitlines()]
    of_lakes = [{**row, "fact_id": row["fact_id"].replace("rivers", "lakes")} for row in labels]
    (tmp_path / "l.jsonl").write_text("".join(json.dumps(row) + "\n" for row in of_lakes))
    run("--db", fresh, "import", "--format", "labels", tmp_path / "l.jsonl")
    run("--db", fresh, "export", "edits", "-o", file)
    assert {(row["log"], row["score"]) for row in rows(file)} == {("lakes.json", "match")}
    run("--db", fresh, "import", example / "labels.jsonl")
    with pytest.raises(UsageError, match="several scores: choose with --score"):
        run("--db", fresh, "export", "edits", "-o", file)
    run("--db", fresh, "export", "edits", "-o", file, "--where", "source:lakes.json")
    assert {row["log"] for row in rows(file)} == {"lakes.json"}


def test_the_newest_label_counts_or_one_person_s(database: Path, tmp_path: Path) -> None:
    bo = {**KEY, "fact_id": "rivers/1", "grader": "human:bo", "label": "PARTIALLY"}
    (tmp_path / "bo.jsonl").write_text(json.dumps(bo))
    run("--db", database, "import", "--format", "labels", tmp_path / "bo.jsonl")
    file, words = tmp_path / "e.jsonl", ("export", "edits", "--score", "match", "-o")
    run("--db", database, *words, file)
    assert [(row["value"], row["author"]) for row in rows(file)] == [("P", "bo"), ("N", "ada")]
    run("--db", database, *words, file, "--grader", "human:ada")
    assert [(row["value"], row["author"]) for row in rows(file)] == [("C", "ada"), ("N", "ada")]
    run("--db", database, *words, file, "--grader", "human:bo,human:ada")
    assert [(row["value"], row["author"]) for row in rows(file)] == [("P", "bo"), ("N", "ada")]
    run("--db", database, *words, file, "--where", "number:2")
    assert [row["sample_id"] for row in rows(file)] == [2]
    with pytest.raises(UsageError, match="lexical is no person"):
        run("--db", database, *words, file, "--grader", "lexical")


def test_a_new_score_has_letters(database: Path, tmp_path: Path) -> None:
    run("--db", database, "export", "edits", "--score", "by hand", "-o", tmp_path / "e.jsonl")
    found = rows(tmp_path / "e.jsonl")
    assert [(row["value"], row.get("was"), row["score"]) for row in found] == [
        ("C", None, "by hand"),
        ("N", None, "by hand"),
    ]


def test_a_score_is_not_put_into_logs_without_it(
    example: Path, database: Path, tmp_path: Path
) -> None:
    log = json.loads((example / "rivers.json").read_text())
    log["eval"] |= {"eval_id": "ev2", "task": "lakes"}
    for sample in log["samples"]:
        sample["scores"] = {"graded": {"value": "C"}}
    (tmp_path / "lakes.json").write_text(json.dumps(log))
    run("--db", database, "import", tmp_path / "lakes.json")
    label = {**KEY, "fact_id": "lakes/1", "grader": "human:ada", "label": "OTHER"}
    (tmp_path / "one.jsonl").write_text(json.dumps(label))
    run("--db", database, "import", "--format", "labels", tmp_path / "one.jsonl")
    for score, count in {"match": 2, "graded": 1, "new": 3}.items():
        said = run(
            "--db", database, "export", "edits", "--score", score, "-o", tmp_path / "e.jsonl"
        )
        assert len(rows(tmp_path / "e.jsonl")) == count
        assert said.stderr.endswith(f"e.jsonl: {count} row{'s' * (count > 1)} of edits\n")


def test_words_that_do_not_go_together(database: Path, example: Path, tmp_path: Path) -> None:
    log, out = example / "rivers.json", tmp_path / "out"
    for words, said in {
        ("export", "edits", "-o", tmp_path / "e.jsonl"): "several scores: choose with --score",
        ("export", "edits"): "Missing option '-o'",
        ("export", "facts"): "Missing option '-o'",
        ("export", "facts", "-o", "f.csv", "--score", "match"): "are for `export edits`",
        ("export", "edits", "--apply", log): "--apply needs --to",
        ("export", "edits", "-o", "e.jsonl", "--to", out): "--to needs --apply",
        ("export", "edits", log, "--to", out): "logs stand after --apply",
    }.items():
        with pytest.raises(UsageError, match=said):
            run("--db", database, *words)
    pytest.importorskip("inspect_ai", reason="inspect-ai is not installed")
    words = ("export", "edits", "--score", "match", "--to", out, "--apply")
    with pytest.raises(LostkeysError, match=r"nowhere\.json is no file"):
        run("--db", database, *words, tmp_path / "nowhere.json")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("I", dict(zip(Label, "CIPN", strict=True))),
        ("INCORRECT", {label: str(label) for label in Label}),
        ("correct", {label: str(label).lower() for label in Label}),
        (True, {Label.CORRECT: True, Label.INCORRECT: False}),
        (0.25, {Label.CORRECT: 1, Label.INCORRECT: 0, Label.PARTIALLY: 0.5}),
        ("no", {Label.CORRECT: "yes", Label.INCORRECT: "no"}),
        ("Yes", {Label.CORRECT: "Yes", Label.INCORRECT: "No"}),
        ("0.3", {Label.CORRECT: "1", Label.INCORRECT: "0", Label.PARTIALLY: "0.5"}),
        ("good", LETTERS),
        (None, None),
        (float("nan"), None),
        ([1], None),
    ],
)
def test_a_value_is_of_a_kind(value: object, said: object) -> None:
    assert find_kind(value) == said
