"""Evaluation on small files worked out by hand."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from core.errors import LostkeysError
from core.graders.grader_evaluation import EvaluationCase, evaluate, read_cases
from core.stats.intervals import wilson
from core.vocabulary import Label


def _file(folder: Path, rows: list[dict[str, Any]]) -> Path:
    path = folder / "labels.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def _says(labels: dict[str, Label | None]) -> Any:
    """A grader that labels an answer by its text."""

    def grade(case: EvaluationCase) -> Label | None:
        return labels[case.answer]

    return grade


def _binary(answer: str, correct: bool, source: str) -> dict[str, Any]:
    return {
        "id": answer,
        "question": "Which city is it?",
        "gold_answers": ["Tartu", "Dorpat"],
        "prediction": answer,
        "human_correct": correct,
        "source": source,
    }


def _four(answer: str, label: Label, **more: Any) -> dict[str, Any]:
    return {"id": answer, "gold": "Tartu", "prediction": answer, "label": label, **more}


def test_binary_truth(tmp_path: Path) -> None:
    rows = [
        _binary("a", True, "North"),
        _binary("b", True, "North"),
        _binary("c", True, "South"),
        _binary("d", False, "South"),
        _binary("e", False, "South"),
        _binary("f", False, "South"),
    ]
    labels = {
        "a": Label.CORRECT,
        "b": Label.PARTIALLY,
        "c": Label.CORRECT,
        "d": Label.INCORRECT,
        "e": Label.CORRECT,
        "f": None,
    }
    report = evaluate("any", _says(labels), read_cases(_file(tmp_path, rows)))
    # Agreement 4 of 6; CORRECT is given 3 times and true 3 times, so chance agrees on half.
    assert report.as_json() == {
        "grader": "any",
        "n": 6,
        "unlabelled": 1,
        "accuracy": 4 / 6,
        "kappa": pytest.approx((4 / 6 - 1 / 2) / (1 - 1 / 2)),
        "precision": 2 / 3,
        "recall": 2 / 3,
        "wrong_as_incorrect": 1 / 3,
        "confusion": {
            "correct": {"CORRECT": 2, "INCORRECT": 0, "PARTIALLY": 1, "OTHER": 0},
            "wrong": {"CORRECT": 1, "INCORRECT": 1, "PARTIALLY": 0, "OTHER": 0},
        },
        "by_source": {
            "North": {"n": 2, "accuracy": 1 / 2},
            "South": {"n": 4, "accuracy": 3 / 4},
        },
    }
    assert [(case.id, label) for case, label in report.misses] == [
        ("b", Label.PARTIALLY),
        ("e", Label.CORRECT),
    ]


def test_answers_to_one_question_are_not_as_good_as_answers_to_many(tmp_path: Path) -> None:
    rows = [
        _binary(f"{number} {answer}", True, "North") | {"question": f"Which city is {number}?"}
        for number in range(10)
        for answer in range(8)
    ]
    labels: dict[str, Label | None]
    labels = {row["id"]: Label.OTHER if row["id"] < "3" else Label.CORRECT for row in rows}
    report = evaluate("any", _says(labels), read_cases(_file(tmp_path, rows)))
    # Three questions are wholly wrong, seven right: 80 answers say as much as ten.
    intervals = report.intervals()
    assert intervals["accuracy"] == pytest.approx(wilson(7, 10))
    assert intervals["recall"] == intervals["by_source"]["North"] == intervals["accuracy"]
    assert intervals["precision"] == pytest.approx(wilson(7, 7))
    alone = [row | {"question": f"Which city is {row['id']}?"} for row in rows]
    report = evaluate("any", _says(labels), read_cases(_file(tmp_path, alone)))
    assert report.intervals()["accuracy"] == pytest.approx(wilson(56, 80))


def test_four_label_truth(tmp_path: Path) -> None:
    rows = [
        _four("a", Label.CORRECT, question="Which city is it?", left_context=None, box="Q"),
        _four("b", Label.INCORRECT, question=None, left_context="The city is", box="T"),
        _four("c", Label.PARTIALLY, box="T"),
        _four("d", Label.OTHER, box="T"),
    ]
    labels = {
        "a": Label.CORRECT,
        "b": Label.CORRECT,
        "c": Label.PARTIALLY,
        "d": None,
    }
    cases = read_cases(_file(tmp_path, rows))
    report = evaluate("any", _says(labels), cases)
    # Agreement 2 of 4; by chance (1 * 2 + 1 * 0 + 1 * 1 + 1 * 0) / 16.
    assert report.as_json() == {
        "grader": "any",
        "n": 4,
        "unlabelled": 1,
        "accuracy": 1 / 2,
        "kappa": pytest.approx((1 / 2 - 3 / 16) / (1 - 3 / 16)),
        "precision": 1 / 2,
        "recall": 1.0,
        "wrong_as_incorrect": 0.0,
        "confusion": {
            "CORRECT": {"CORRECT": 1, "INCORRECT": 0, "PARTIALLY": 0, "OTHER": 0},
            "INCORRECT": {"CORRECT": 1, "INCORRECT": 0, "PARTIALLY": 0, "OTHER": 0},
            "PARTIALLY": {"CORRECT": 0, "INCORRECT": 0, "PARTIALLY": 1, "OTHER": 0},
            "OTHER": {"CORRECT": 0, "INCORRECT": 0, "PARTIALLY": 0, "OTHER": 0},
        },
        "by_source": {"Q": {"n": 1, "accuracy": 1.0}, "T": {"n": 3, "accuracy": 1 / 3}},
    }
    assert [(case.question, case.completion) for case in cases] == [
        ("Which city is it?", False),
        ("The city is", True),
        ("", False),
        ("", False),
    ]


def test_nothing_over_nothing_is_none(tmp_path: Path) -> None:
    cases = read_cases(_file(tmp_path, [_binary("a", True, "")]))
    report = evaluate("any", _says({"a": Label.CORRECT}), cases).as_json()
    assert (report["accuracy"], report["kappa"], report["wrong_as_incorrect"]) == (1, None, None)
    report = evaluate("any", _says({"a": None}), cases).as_json()
    assert (report["precision"], report["recall"], report["unlabelled"]) == (None, 0, 1)


def test_no_cases() -> None:
    report = evaluate("any", _says({}), []).as_json()
    assert (report["n"], report["accuracy"], report["kappa"]) == (0, None, None)
    assert report["confusion"] == report["by_source"] == {}


def test_blank_lines_are_no_rows(tmp_path: Path) -> None:
    path = _file(tmp_path, [_binary("a", True, "")])
    path.write_text(f"\n{path.read_text()}\n  \n")
    assert [case.answer for case in read_cases(path)] == ["a"]


def test_a_mark_of_byte_order_is_no_part_of_the_first_row(tmp_path: Path) -> None:
    path = _file(tmp_path, [_binary("a", True, "")])
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert [case.answer for case in read_cases(path)] == ["a"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("{", "line 2: "),
        ("[]", "line 2: not a JSON object"),
        ('{"gold": "x", "label": "CORRECT"}', "line 2: no `prediction`"),
        ('{"gold": "x", "prediction": 7, "label": "CORRECT"}', "`prediction` is not text"),
        ('{"prediction": "x", "human_correct": true}', "line 2: no gold"),
        ('{"gold_answers": [], "prediction": "x", "human_correct": true}', "line 2: no gold"),
        ('{"gold_answers": [1], "prediction": "x", "human_correct": true}', "line 2: no gold"),
        ('{"gold": "x", "prediction": "x"}', "line 2: no truth"),
        ('{"gold": "x", "prediction": "x", "label": "RIGHT"}', "line 2: no truth"),
        ('{"gold": "x", "prediction": "x", "label": ["CORRECT"]}', "line 2: no truth"),
        ('{"gold": "x", "prediction": "x", "human_correct": "yes"}', "line 2: no truth"),
        ('{"gold": "x", "prediction": "x", "label": "CORRECT"}', "line 2: `human_correct` and"),
    ],
)
def test_bad_row_is_named(tmp_path: Path, row: str, reason: str) -> None:
    path = _file(tmp_path, [_binary("a", True, "")])
    path.write_text(path.read_text() + row + "\n")
    with pytest.raises(LostkeysError) as error:
        read_cases(path)
    message = str(error.value)
    assert message.startswith(str(path))
    assert reason in message
    assert "\n" not in message


def test_file_that_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(LostkeysError, match=r"missing\.jsonl: No such file"):
        read_cases(tmp_path / "missing.jsonl")
    (tmp_path / "latin.jsonl").write_bytes(b"\xe9\n")
    with pytest.raises(LostkeysError, match="is not UTF-8 text"):
        read_cases(tmp_path / "latin.jsonl")
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(LostkeysError, match="no labelled answers"):
        read_cases(tmp_path / "empty.jsonl")


def test_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "labels.jsonl")
    with pytest.raises(LostkeysError, match="it is not a regular file"):
        read_cases(tmp_path / "labels.jsonl")
