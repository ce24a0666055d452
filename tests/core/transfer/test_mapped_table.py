"""Tables of any columns, by what is said of them, or by the names of their columns."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.errors import UsageError
from core.project import OpenProject
from core.specs.file_specs import ImportWords
from core.transfer.column_map import make_fact_id, parse_mapping
from core.transfer.exports import export
from core.transfer.import_report import ImportReport
from core.transfer.imports import import_file

Write = Callable[..., Path]
QUESTION = {"q": "Capital of Peru?", "a": "Lima", "m": "m-5", "r": "Cusco", "g": "no"}
MAPPED = "direct=q,direct_answer=a,model=m,response=r,grades.s=g"


def take(project: OpenProject, path: Path, mapping: str = MAPPED, **words: Any) -> ImportReport:
    return import_file(project, path, words=ImportWords(mapping=(mapping,), **words))


def exported(project: OpenProject, what: str, folder: Path) -> list[dict[str, Any]]:
    path = folder / f"{what}.jsonl"
    export(project, what, path)
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_row_holds_fact_response_and_label(
    project: OpenProject, jsonl: Write, tmp_path: Path
) -> None:
    report = take(project, jsonl("t.jsonl", QUESTION, {**QUESTION, "r": "Lima", "g": 1}))
    assert (report.format, report.added, report.bad) == ("table", 2, 0)
    (fact,) = exported(project, "facts", tmp_path)
    assert fact["fact_id"] == make_fact_id(
        {"direct": "Capital of Peru?", "direct_answer": "Lima", "object": "Lima"}
    )
    rows = exported(project, "responses", tmp_path)
    assert [(row["sample"], row["response"], row["grades"]) for row in rows] == [
        (0, "Cusco", {"s": "INCORRECT"}),
        (1, "Lima", {"s": "CORRECT"}),
    ]
    again = take(project, jsonl("t.jsonl", QUESTION, {**QUESTION, "r": "Lima", "g": 1}))
    assert (again.added, again.unchanged) == (0, 2)


def test_paths_lists_and_the_first_that_is_filled(
    project: OpenProject, jsonl: Write, tmp_path: Path
) -> None:
    row = {"doc": {"q": "Q?", "golds": ["A", "B", "A"]}, "out": [{"text": "b"}], "who": "m"}
    mapping = "direct=doc.q,direct_answer=doc.golds,response=answer|out.0.text,model=who"
    assert take(project, jsonl("t.jsonl", row), mapping).added == 1
    (fact,) = exported(project, "facts", tmp_path)
    assert (fact["direct_answer"], fact["direct_aliases"]) == ("A", '["B"]')
    assert exported(project, "responses", tmp_path)[0]["response"] == "b"


def test_a_column_may_have_any_name() -> None:
    mapping = parse_mapping(['direct=a=b,"response=said, or not",model=x|y'])
    assert mapping.sources == {
        "direct": ("a=b",),
        "response": ("said, or not",),
        "model": ("x", "y"),
    }


@pytest.mark.parametrize(
    ("mapping", "why"),
    [
        ("direct=Q,direct_answer=a", "no column 'Q' for direct: columns are 'q', 'a'"),
        ("answer=a", "no such target"),
        ("grades.=a,response=r", "no such target"),
        ("direct", "write TARGET=COLUMN"),
        ("direct=", "write TARGET=COLUMN"),
        ("direct=q,direct=a", "named twice"),
        ("direct=q,grades.x=g", "needs response"),
        ("response=r,rationale.x=g", "needs grades.x"),
        ('"direct=q', "not closed"),
    ],
)
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_mapping_that_cannot_be_says_why(
    project: OpenProject, tmp_path: Path, mapping: str, why: str, kind: str
) -> None:
    path = tmp_path / f"t.{kind}"
    line = json.dumps(QUESTION) + "\n"
    path.write_text("q,a,m,r,g\nQ?,A,m,x,yes\n" if kind == "csv" else line)
    with pytest.raises(UsageError, match=why):
        take(project, path, mapping)
    assert len(project.index) == 0


def test_rows_that_lack_something_are_bad_and_the_others_land(
    project: OpenProject, jsonl: Write
) -> None:
    path = jsonl(
        "t.jsonl",
        QUESTION,
        {**QUESTION, "a": ""},
        {**QUESTION, "m": None},
        {**QUESTION, "r": " "},
        {**QUESTION, "q": None},
        {**QUESTION, "r": ["x"]},
        "[1]",
    )
    report = take(project, path)
    assert (report.added, report.bad) == (1, 6)
    assert [(one.line, one.reason.partition(":")[0]) for one in report.problems] == [
        (2, "no answer to compare with"),
        (3, "names no model"),
        (4, "holds no response"),
        (5, "no question"),
        (6, "response is ['x'], not a text"),
        (7, "[1] is not an object"),
    ]


def test_values_that_are_no_labels_are_counted(project: OpenProject, jsonl: Write) -> None:
    values = ["ja", "nein", "0,5", "", None, "C", 0.5]
    path = jsonl("t.jsonl", *({**QUESTION, "g": value} for value in values))
    report = take(project, path, words="s:ja=CORRECT,nein=INCORRECT")
    assert report.unlabelled == [("s", "not a grade", 1), ("s", "unscored", 2)]


def test_a_grader_that_counts_is_none(project: OpenProject, jsonl: Write, tmp_path: Path) -> None:
    path = jsonl("t.jsonl", *({**QUESTION, "g": value} for value in (1, 5, 0)))
    report = take(project, path)
    assert report.unlabelled == [("s", "outside 0 to 1", 3)]
    assert exported(project, "labels", tmp_path) == []


def test_ids_thinking_and_samples_may_be_given(
    project: OpenProject, tmp_path: Path, jsonl: Write
) -> None:
    more = {"id": 7, "t": "on", "s": "3"}
    path = jsonl("t.jsonl", {**QUESTION, **more}, {**QUESTION, **more, "s": "x"})
    report = take(project, path, f"fact_id=id,thinking=t,sample=s,{MAPPED}")
    assert [one.reason for one in report.problems] == [
        "sample is 'x', not a whole number up to 1023"
    ]
    (row,) = exported(project, "responses", tmp_path)
    assert (row["fact_id"], row["thinking"], row["sample"]) == ("7", True, 3)


def test_a_fact_that_says_something_else_is_a_bad_row(project: OpenProject, jsonl: Write) -> None:
    rows = [{**QUESTION, "id": "1"}, {**QUESTION, "id": "1", "a": "Quito"}]
    report = take(project, jsonl("t.jsonl", *rows), f"fact_id=id,{MAPPED}")
    assert (report.added, [one.line for one in report.problems]) == (1, [2])


@pytest.mark.parametrize("question", ["question", "problem", "query", "input"])
@pytest.mark.parametrize("gold", ["answer", "target", "expected"])
def test_questions_with_answers_are_known_by_their_columns(
    project: OpenProject, jsonl: Write, tmp_path: Path, question: str, gold: str
) -> None:
    report = import_file(project, jsonl("t.jsonl", {question: "Q?", gold: "A", "category": "Art"}))
    assert (report.format, report.added) == ("table", 1)
    assert f"{question} is direct, {gold} is direct_answer" in report.notices[0]
    (fact,) = exported(project, "facts", tmp_path)
    assert (fact["direct"], fact["direct_answer"], fact["category"]) == ("Q?", "A", "Art")


def test_other_formats_come_first(project: OpenProject, jsonl: Write) -> None:
    row = {"metadata": "{'topic': 'Art'}", "problem": "Q?", "answer": "A"}
    assert import_file(project, jsonl("t.jsonl", row)).format == "triples"


def test_reasoning_between_marks_is_kept_apart(
    project: OpenProject, jsonl: Write, tmp_path: Path
) -> None:
    thought = {**QUESTION, "r": "<think>Lima?</think>Cusco"}
    rows = [thought, QUESTION, {**QUESTION, "m": "m-6"}]
    report = take(project, jsonl("t.jsonl", *rows))
    assert (report.added, report.bad) == (3, 0)
    found = exported(project, "responses", tmp_path)
    assert [(row["response"], row["model"], row["thinking"]) for row in found] == [
        ("Cusco", "m-5", True),
        ("Cusco", "m-5", True),
        ("Cusco", "m-6", False),
    ]
    assert project.connection.execute("SELECT reasoning FROM draw").fetchall() == [("Lima?",)]
    assert report.notices[0].startswith("1 answer with reasoning between marks")
    assert take(project, jsonl("t.jsonl", *rows)).unchanged == 3


def test_letters_of_another_scale_need_words(
    project: OpenProject, jsonl: Write, tmp_path: Path
) -> None:
    rows = [{**QUESTION, "r": letter, "g": letter} for letter in "ABC"]
    report = take(project, jsonl("t.jsonl", *rows))
    assert report.unlabelled == [("s", "not a grade", 3)]
    assert 's:A=CORRECT,B=INCORRECT,C=OTHER"' in report.notices[0]
    take(project, jsonl("t.jsonl", *rows), words="s:A=CORRECT,B=INCORRECT,C=OTHER")
    found = exported(project, "responses", tmp_path)
    assert [row["grades"]["s"] for row in found] == ["CORRECT", "INCORRECT", "OTHER"]


def test_less_is_better_and_a_judge_without_a_verdict(project: OpenProject, jsonl: Write) -> None:
    row = {**QUESTION, "wer": 0.0, "g": "I", "why": "Grade not found in model output: hm"}
    mapping = f"{MAPPED},grades.wer=wer,rationale.s=why"
    report = take(project, jsonl("t.jsonl", row), mapping)
    assert report.unlabelled == [
        ("s", "the judge gave no verdict", 1),
        ("wer", "less is better", 1),
    ]


@pytest.mark.parametrize(
    ("row", "gold", "options"),
    [
        ({"choices": ["a", "b", "c", "d"], "answer": 1}, "b", True),
        ({"choices": "['a', 'b', 'c', 'd']", "answer": "D"}, "d", True),
        ({"options": ["a", "b", "c"], "answer": "B"}, "b", False),
        ({"choices": "a or b", "answer": "b"}, "b", False),
    ],
)
def test_an_index_or_letter_beside_options_is_no_gold(
    row: dict[str, Any],
    gold: str,
    options: bool,
    project: OpenProject,
    jsonl: Write,
    tmp_path: Path,
) -> None:
    report = import_file(project, jsonl("t.jsonl", {"question": "Which?", **row}))
    assert (report.added, report.bad) == (1, 0)
    (fact,) = exported(project, "facts", tmp_path)
    assert fact["direct_answer"] == gold
    assert ("direct_choices" in fact) == options


def test_a_python_list_is_gold_and_aliases(
    project: OpenProject, jsonl: Write, tmp_path: Path
) -> None:
    take(project, jsonl("t.jsonl", {**QUESTION, "a": "['Lima', 'La Ciudad']"}))
    (fact,) = exported(project, "facts", tmp_path)
    assert (fact["direct_answer"], fact["direct_aliases"]) == ("Lima", '["La Ciudad"]')
