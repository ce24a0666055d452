"""Rows of logs as columns: whatever pieces they wait and land in, the same comes out."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.exchange import json_rows, log_columns, log_spool
from core.exchange.gathered_samples import GatheredSamples
from core.exchange.gold_texts import GoldQuestion
from core.exchange.json_rows import UnlikeRowsError
from core.exchange.lm_eval_log import LmEvalLog
from core.exchange.log_columns import LogColumns, join_lines, parse_line
from core.exchange.log_samples import (
    BadSample,
    LogAnswer,
    LogSample,
    LogScore,
    PersonScore,
    SampleColumns,
)
from core.exchange.score_labels import ScoreReader
from core.project import OpenProject
from core.transfer import imports
from core.transfer.imports import import_file

A, B = "inspect:a", "inspect:b"


def gather(*samples: LogSample | BadSample) -> tuple[LogColumns, GatheredSamples]:
    gathered = GatheredSamples(ScoreReader(), {})
    for one in samples:
        gathered.add(one)
    return gathered.take(), gathered


def make_sample(number: int, *answers: LogAnswer) -> LogSample:
    asked = GoldQuestion(f"Which river is number {number}?", ("Tavy", "the Tavy"))
    return LogSample(f"{number}/1", f"rivers/{number}", asked, answers, sample_id=number)


def make_three() -> tuple[LogColumns, GatheredSamples]:
    """A row with two answers, one that is bad, a row with one answer that a person labelled."""
    scored = [LogScore(A, "a", "C", "it is"), LogScore(B, "b", 0.5, kept=0.5)]
    said = [PersonScore("ada", "I", "no", 7), PersonScore("bob", "C")]
    return gather(
        make_sample(1, LogAnswer(0, "Tavy", scored, reasoning="hm"), LogAnswer(1, "Exe")),
        BadSample("2/1", "has no output"),
        make_sample(3, LogAnswer(0, "Dart", [LogScore(B, "b", "C", "yes")], said)),
    )


def test_rows_stand_column_by_column() -> None:
    found, gathered = make_three()
    assert found.places == ["1/1", "3/1"]
    assert (found.answers, found.samples, found.texts) == (
        [2, 1],
        [0, 1, 0],
        ["Tavy", "Exe", "Dart"],
    )
    assert found.grades == [2, 0, 3]
    labels = [(A, "CORRECT", "C"), (B, "PARTIALLY", ""), (B, "CORRECT", "C")]
    people = [("human:ada", "INCORRECT", "I"), ("human:bob", "CORRECT", "C")]
    assert gathered.marks == [*labels, *people]
    assert found.marks == [0, 1, 2, 3, 4]
    assert found.reasonings == {0: "hm"}
    assert found.rationales == {0: "it is", 2: "yes", 3: "no"}
    assert (found.scores, found.times) == ({1: ("b", None, 0.5)}, {3: 7, 4: 0})
    assert found.bad == [("2/1", "has no output")]
    assert gathered.take() == LogColumns()


def test_rows_are_read_as_they_were_written() -> None:
    found, _ = make_three()
    read = parse_line(found.to_json())
    assert (read.golds, read.aliases) == (["Tavy"] * 2, ['["the Tavy"]'] * 2)
    assert [*read.scores[1]] == ["b", None, 0.5]
    for name in ("places", "sample_ids", "texts", "marks", "times", "rationales", "reasonings"):
        assert getattr(read, name) == getattr(found, name)
    ((size, twice),) = join_lines([found.to_json()] * 2)
    assert size == 2 * len(found.to_json())
    assert twice.texts == found.texts * 2
    assert (twice.reasonings, twice.times) == ({0: "hm", 3: "hm"}, {3: 7, 4: 0, 8: 7, 9: 0})
    assert twice.rationales == {0: "it is", 2: "yes", 3: "no", 5: "it is", 7: "yes", 8: "no"}


def test_rows_and_grades_are_left_out() -> None:
    found, gathered = make_three()
    last = found.select_rows([1])
    assert (last.places, last.texts, last.grades, last.marks) == (["3/1"], ["Dart"], [3], [2, 3, 4])
    assert (last.rationales, last.times, last.reasonings) == ({0: "yes", 1: "no"}, {1: 7, 2: 0}, {})
    assert last.bad == []
    of_b = {place for place, (grader, _, _) in enumerate(gathered.marks) if grader == B}
    without = found.drop_marks(of_b)
    assert (without.grades, without.marks) == ([1, 0, 2], [0, 3, 4])
    assert (without.rationales, without.scores) == ({0: "it is", 1: "no"}, {})
    assert without.times == {1: 7, 2: 0}
    assert found.drop_marks({99}) is found


def lm_row(number: int, **more: Any) -> dict[str, Any]:
    """A row of lm-evaluation-harness."""
    return {
        "doc_id": number,
        "doc": {"question": f"Q {number}?", "answer": ["Tavy", f"R {number}"]},
        "target": "Tavy",
        "arguments": {"gen_args_0": {"arg_0": f"Q {number}? A:"}},
        "resps": [[f"R {number}"]],
        "filter": "none",
        "exact_match": number % 2,
        **more,
    }


def write_rows(folder: Path) -> Path:
    """A log with all that may befall a row, in an order that mixes them."""
    odd: dict[int, dict[str, Any]] = {
        3: {"resps": [["x", "y", "z"]], "filter": "strict"},
        5: {"doc": {"question": "half \ud800"}},
        7: {"doc_id": 6},
        8: {"doc_id": 4, "filter": "strict", "doc": {"question": "another", "answer": "Tavy"}},
        9: {"doc_id": 2, "resps": [["another"]]},
        11: {"exact_match": [1]},
        12: {"doc_id": 2, "doc": lm_row(2)["doc"], "resps": [["R 2"]], "exact_match": False},
        14: {"doc_id": 1, "doc": lm_row(1)["doc"], "resps": [["R 1"]], "filter": "strict"},
        16: {"doc_id": 2**70},
    }
    path = folder / "org__m" / "samples_rivers_2026-01-02T03-04-05.jsonl"
    path.parent.mkdir()
    rows = [lm_row(number, **odd.get(number, {})) for number in range(18)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def dump(path: Path, file: Path) -> tuple[dict[str, Any], list[tuple[Any, ...]]]:
    """What an import says, and the answers it brings with labels and sources."""
    with OpenProject(path, "create") as project:
        report = import_file(project, file)
        rows = project.connection.execute(
            "SELECT v.*, aliases, name, outcome, sample_id, prompt FROM v_responses AS v "
            "JOIN fact USING (fact_id) JOIN gold ON gold.fact = fact.id "
            "JOIN response_source ON response_source.response = v.id "
            "LEFT JOIN grade ON grade.response = v.id LEFT JOIN grader ON grader.id = grade.grader "
            "ORDER BY v.id, name"
        ).fetchall()
    return report.as_json("f"), rows


@pytest.mark.parametrize("pieces", [1, 3])
def test_a_log_lands_the_same_in_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pieces: int
) -> None:
    """Rows that wait, are taken apart and land one by one, or a few at a time."""
    file = write_rows(tmp_path)
    report, rows = dump(tmp_path / "whole.db", file)
    assert (report["rows"], report["added"], report["there"]) == (18, 12, 1)
    assert [one["row"] for one in report["bad"]] == [6, 8, 9, 10, 17]
    monkeypatch.setattr(log_spool, "BYTES_IN_BLOCK", pieces)
    monkeypatch.setattr(log_columns, "ROWS_IN_BLOCK", pieces)
    monkeypatch.setattr(imports, "ROWS_AT_ONCE", pieces)
    assert dump(tmp_path / "pieces.db", file) == (report, rows)


def test_a_log_finds_what_is_there(tmp_path: Path) -> None:
    file = write_rows(tmp_path)
    report, rows = dump(tmp_path / "a.db", file)
    again, same = dump(tmp_path / "a.db", file)
    assert same == rows
    assert (again["added"], again["there"]) == (0, report["added"] + report["there"])
    assert again["bad"] == report["bad"]


SHAPES: dict[str, list[dict[str, Any]]] = {
    "answers in an object": [
        lm_row(n, doc={"question": f"Q {n}?", "answer": {"value": f"R {n}", "aliases": ["r", " "]}})
        for n in range(70)
    ],
    "questions in prompts, names as ids": [
        lm_row(n, doc_id=f"n{n}", doc={"title": "t", "gold": n}, arguments=[[f"P {n}", {}]])
        for n in range(70)
    ],
    "several scores, some of them no labels": [
        lm_row(n, f1=n % 4 / 2, acc=n % 3 == 0, bleu=None, word="C" if n % 5 else "?", filter="x")
        for n in range(70)
    ],
    "a prompt that is the question": [
        lm_row(n, arguments={"gen_args_0": {"arg_0": f"Q {n}?"}}) for n in range(70)
    ],
}
ODD: list[dict[str, Any]] = [
    {"extra": 1},
    {"resps": [["a", "b"]]},
    {"resps": []},
    {"doc_id": None},
    {"doc": {"question": " ", "gold": 7}, "arguments": None},
    {"doc": {"question": "Q?"}, "target": " "},
    {"filter": "strict"},
    {"exact_match": [1]},
    {"resps": [["\ud800"]]},
    {"doc_id": 2**70},
]


@pytest.mark.parametrize("shape", SHAPES)
def test_rows_that_are_alike_land_as_they_do_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: str
) -> None:
    """Also where one among them is odd."""
    file = tmp_path / "org__m" / "samples_rivers_2026-01-02T03-04-05.jsonl"
    file.parent.mkdir()
    rows = [*SHAPES[shape]]
    for place, odd in zip(range(12, len(rows), 5), ODD, strict=False):
        rows[place] = rows[place] | odd
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.setattr(json_rows, "BYTES_IN_BLOCK", len(json.dumps(rows[:5])))
    assert {SampleColumns, LogSample, BadSample} == set(map(type, LmEvalLog(file).samples()))
    found = dump(tmp_path / "columns.db", file)

    def refuse(*_: Any) -> None:
        raise UnlikeRowsError

    monkeypatch.setattr(LmEvalLog, "_read_columns", refuse)
    assert dump(tmp_path / "one-by-one.db", file) == found
