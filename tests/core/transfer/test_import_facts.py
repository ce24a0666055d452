import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import db.facts
import db.index_columns
import db.question_rows
from core.project import OpenProject
from core.transfer.import_report import ImportReport, Problem
from core.transfer.imports import import_file
from core.vocabulary import Side, Task
from db.facts import Fact
from db.question_rows import Gold, Question

Jsonl = Callable[..., Path]

BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no id": ({"fact_id": " "}, "missing: fact_id"),
    "id of a wrong kind": ({"fact_id": ["1"]}, "fact_id is ['1'], not a text"),
    "no answer": (
        dict.fromkeys(("object", "subject", "direct_answer", "reverse_answer"), ""),
        "no answer: one of object, subject, direct_answer, reverse_answer is needed",
    ),
    "no question": (
        dict.fromkeys(("completion", "direct", "direct_natural", "reverse"), " "),
        "no question: one of completion, contextual, direct, direct_natural, reverse, "
        "reverse_natural is needed",
    ),
    "no gold for the object": (
        {"object": None, "direct_answer": ""},
        "completion has no answer: direct_answer or object is needed",
    ),
    "no gold for the subject": (
        {"subject": None, "reverse_answer": ""},
        "reverse has no answer: reverse_answer or subject is needed",
    ),
    "negative views": ({"gbc": -1}, "gbc is -1, not a whole number of page views"),
    "views in words": ({"gbc": "many"}, "gbc is 'many', not a whole number of page views"),
    "half a view": ({"gbc": 1.5}, "gbc is 1.5, not a whole number of page views"),
    "views beyond count": ({"gbc": 2**63}, f"gbc is {2**63}, not a whole number of page views"),
    "true views": ({"gbc": True}, "gbc is True, not a whole number of page views"),
    "a list for a text": ({"category": ["a"]}, "category is ['a'], not a text"),
    "a fraction for a text": ({"object": 1.5}, "object is 1.5, not a text"),
    "three options": (
        {"direct_choices": ["Paris", "Lyon", "Nice"]},
        "direct_choices: needs four options that differ, has ['Paris', 'Lyon', 'Nice']",
    ),
    "an option twice": (
        {"direct_choices": ["Paris", "Lyon", "Lyon ", "Nice"]},
        "direct_choices: needs four options that differ",
    ),
    "options without the gold": (
        {"direct_choices": "Rome\nLyon\nNice\nLille"},
        "direct_choices: the answer 'Paris' is not among ['Rome', 'Lyon', 'Nice', 'Lille']",
    ),
    "no list": ({"direct_choices": "[Paris, Lyon"}, "is neither a JSON nor a Python list"),
    "an object for options": ({"direct_choices": {"a": 1}}, "not a list of options"),
    "an empty option": ({"direct_choices": ["Paris", "", "a", "b"]}, "an option of"),
    "surrogate": ({"object": "\ud800"}, "its text is not Unicode"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_row_is_named_and_the_good_ones_land(
    project: OpenProject, jsonl: Jsonl, fact: dict[str, Any], name: str
) -> None:
    change, reason = BAD[name]
    path = jsonl("facts.jsonl", fact, "", {**fact, **change}, {**fact, "fact_id": "9__9"})
    report = import_file(project, path)
    assert (report.read, report.added, report.bad) == (3, 2, 1)
    [problem] = report.problems
    assert problem.line == 3
    assert reason in problem.reason
    assert "\n" not in problem.reason
    assert project.index.fact_ids == ["1__0", "9__9"]


def test_tasks_are_those_that_have_questions(project: OpenProject, jsonl: Jsonl) -> None:
    fact = {
        "fact_id": "1",
        "object": "Paris",
        "completion": "  The capital is ",
        "direct_natural": "Which?",
        "direct_choices": "['paris', 'Lyon', \"L'Isle\", 'Nice']",
    }
    import_file(project, jsonl("facts.jsonl", fact))
    four = ("paris", "Lyon", "L'Isle", "Nice")
    assert list(db.facts.read_facts(project.connection)) == [
        Fact(
            fact_id="1",
            object="Paris",
            golds={Side.OBJECT: Gold("Paris")},
            questions={
                Task.COMPLETION: Question("  The capital is "),
                Task.DIRECT_NATURAL: Question("Which?"),
                Task.MC_DIRECT_NATURAL: Question("Which?", four),
            },
        )
    ]


def test_an_entity_that_differs_from_the_answer_is_as_good(
    project: OpenProject, jsonl: Jsonl, fact: dict[str, Any]
) -> None:
    import_file(project, jsonl("facts.jsonl", {**fact, "object": "City of Paris"}))
    [stored] = db.facts.read_facts(project.connection)
    assert stored.golds == {
        Side.OBJECT: Gold("Paris", ("City of Paris",)),
        Side.SUBJECT: Gold("France"),
    }


@pytest.mark.parametrize(
    ("given", "views"),
    [
        (0, 0),
        ("7", 7),
        ("", None),
        (None, None),
        (3.0, 3),
        ("3.0", 3),
        ("nan", None),
        (2**62, 2**62),
    ],
)
def test_views(
    project: OpenProject, jsonl: Jsonl, fact: dict[str, Any], given: object, views: int | None
) -> None:
    report = import_file(project, jsonl("facts.jsonl", {**fact, "gbc": given}))
    assert report.problems == []
    assert project.index.views.tolist() == [-1 if views is None else views]


@pytest.mark.parametrize(
    "choices",
    [
        ["Paris", "1990", "Nice", "Lille"],
        ["Paris", 1990, "Nice", "Lille"],
        '["Paris", 1990, "Nice", "Lille"]',
        "['Paris', '1990', 'Nice', 'Lille']",
        "Paris\r\n1990\r\n\r\nNice\r\nLille\r\n",
    ],
)
def test_options_may_be_written_in_several_ways(
    project: OpenProject, jsonl: Jsonl, fact: dict[str, Any], choices: object
) -> None:
    report = import_file(project, jsonl("facts.jsonl", {**fact, "direct_choices": choices}))
    assert report.problems == []
    assert set(db.question_rows.choices_of(project.connection).values()) == {
        ("Paris", "1990", "Nice", "Lille")
    }


@pytest.mark.parametrize(
    "literal",
    [
        "[__import__('os').system('false')]",
        "[open('x', 'w'), 1, 2, 3]",
        "['a'] * 10 ** 10",
        "[10 ** 10 ** 10]",
        "[" + "(" * 20_000 + ")" * 20_000 + "]",
        "[" + "-" * 60_000 + "1]",
        "[" + "[" * 30_000,
        "[" + "'a'," * 30_000 + "]",
        "['\\d', '\\x']",
        "[" + "9" * 60_000 + "]",
    ],
)
def test_a_list_literal_is_never_run(
    project: OpenProject,
    jsonl: Jsonl,
    fact: dict[str, Any],
    literal: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    report = import_file(project, jsonl("facts.jsonl", {**fact, "direct_choices": literal}))
    assert [(problem.line, problem.reason.split(":")[0]) for problem in report.problems] == [
        (1, "direct_choices")
    ]
    assert not (tmp_path / "x").exists()


def test_a_fact_there_already_must_be_the_same(
    project: OpenProject, jsonl: Jsonl, fact: dict[str, Any]
) -> None:
    other = {**fact, "gbc": 13, "object": "Lyon"}
    report = import_file(project, jsonl("facts.jsonl", fact, fact, other))
    assert (report.added, report.unchanged, report.bad) == (1, 1, 1)
    reason = "fact '1__0' is there with another gbc, object: the first is kept"
    assert report.problems == [Problem(3, reason)]
    again = import_file(project, jsonl("again.jsonl", other, fact))
    assert (again.added, again.unchanged, again.problems) == (0, 1, [Problem(1, reason)])


def test_unknown_keys_are_named_once(
    project: OpenProject, jsonl: Jsonl, fact: dict[str, Any]
) -> None:
    rows = [{**fact, "fact_id": str(number), "note": 1, "a\x1bb": 2} for number in range(3)]
    report = import_file(project, jsonl("facts.jsonl", *rows))
    assert report.notices == ["ignored, not part of the format: 'note', 'a\\x1bb'"]
    assert report.added == 3


def test_whole_numbers_are_taken_as_text(project: OpenProject, tmp_path: Path) -> None:
    path = tmp_path / "facts.parquet"
    parquet.write_table(
        pa.table({"fact_id": [7], "object": [1990], "direct": ["When?"], "gbc": [float("nan")]}),
        path,
    )
    assert import_file(project, path) == ImportReport("wikiprofile", "row", added=1)
    [stored] = db.facts.read_facts(project.connection)
    assert (stored.fact_id, stored.object, stored.views) == ("7", "1990", None)


def test_the_format_is_told_by_extension_and_content(
    project: OpenProject, jsonl: Jsonl, tmp_path: Path, fact: dict[str, Any], answer: dict[str, Any]
) -> None:
    label = {**answer, "grader": "g", "label": "CORRECT"}
    del label["response"]
    assert import_file(project, jsonl("a.jsonl", fact)).format == "facts"
    assert import_file(project, jsonl("b.ndjson", answer)).format == "responses"
    assert import_file(project, jsonl("c.JSONL", label)).format == "labels"
    table = tmp_path / "d.CSV"
    with table.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([fact, fact.values()])
    assert import_file(project, table).format == "wikiprofile"


@pytest.mark.slow
def test_many_problems_are_counted_and_the_first_kept(
    project: OpenProject, jsonl: Jsonl, fact: dict[str, Any]
) -> None:
    rows = [{**fact, "gbc": "x"}] * 10_500
    report = import_file(project, jsonl("facts.jsonl", *rows))
    assert report.bad == 10_500
    assert [problem.line for problem in report.problems] == list(range(1, 10_001))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "count"), [("facts", 600), ("questions_only", 1_349)])
def test_the_published_facts_import_without_a_problem(
    project: OpenProject, shared: Callable[[str], Path], name: str, count: int
) -> None:
    path = shared(f"data/wikiprofile/{name}.csv")
    assert import_file(project, path) == ImportReport("wikiprofile", "line", added=count)
    assert import_file(project, path) == ImportReport("wikiprofile", "line", unchanged=count)
