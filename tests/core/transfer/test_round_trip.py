"""What is exported and imported elsewhere is exported from there as it was, byte for byte."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import db.grades
from core.errors import LostkeysError, UsageError
from core.project import OpenProject
from core.transfer.exports import export
from core.transfer.file_formats import FACT_COLUMNS
from core.transfer.imports import import_file
from core.transfer.row_writers import save
from core.vocabulary import LABELS, TASKS
from db.connection import write_transaction
from tests.core.making import new_project

TABLES = ("facts", "responses", "labels")
KINDS = ("csv", "tsv", "jsonl", "parquet")
NASTY = [
    "\ufeff",
    "\0",
    "\r",
    "\r\n",
    "\n",
    '"',
    '""',
    ",",
    "\t",
    "'",
    "\u202eabc",
    "👩‍👩‍👧",
    "=1+1",
]

TEXT = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.lists(st.sampled_from(NASTY), max_size=6).map("".join),
)
SOME = TEXT.filter(lambda text: bool(text.strip()))
NAME = st.text(st.characters(categories=["L", "P", "N", "S"]), min_size=1, max_size=8).filter(
    lambda text: text.strip() not in ("", "human:", "human:*")
)
FACT = st.fixed_dictionaries(
    {
        "fact_id": SOME,
        "object": SOME,
        "direct_answer": TEXT,
        "subject": SOME,
        "completion": SOME,
        "gbc": st.none() | st.integers(0, 2**63 - 1),
        "direct": TEXT,
        "reverse": TEXT,
        "category": TEXT,
        "others": st.lists(SOME, min_size=3, max_size=3),
    }
)
ANSWER = st.fixed_dictionaries(
    {
        "fact": st.integers(0, 2),
        "task": st.sampled_from(TASKS),
        "model": NAME,
        "thinking": st.booleans(),
        "sample": st.integers(0, 1023),
        "response": TEXT,
        "grades": st.dictionaries(
            NAME | NAME.map(lambda name: f"human:{name}"), st.sampled_from(LABELS), max_size=3
        ),
        "order": st.none() | st.permutations(range(4)),
    }
)


def prepare(folder: Path, facts: list[dict[str, Any]], answers: list[dict[str, Any]]) -> None:
    """Files of facts and responses out of drawn values; some of their rows are bad."""
    for fact in facts:
        gold = fact["direct_answer"] if fact["direct_answer"].strip() else fact["object"]
        fact["direct_choices"] = [gold, *fact.pop("others")]
    for answer in answers:
        fact = facts[answer.pop("fact") % len(facts)]
        answer["fact_id"] = fact["fact_id"]
        order = answer.pop("order")
        if order and answer["task"].startswith("mc_"):
            answer["shown_order"] = [fact["direct_choices"][place] for place in order]
    for name, rows in (("facts", facts), ("responses", answers)):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")


def exported(project: OpenProject, folder: Path, kind: str) -> list[bytes]:
    folder.mkdir()
    for what in TABLES:
        export(project, what, folder / f"{what}.{kind}")
    assert {path.name for path in folder.iterdir()} == {f"{what}.{kind}" for what in TABLES}
    return [(folder / f"{what}.{kind}").read_bytes() for what in TABLES]


def check_round_trip(project: OpenProject, folder: Path, kind: str) -> None:
    first = exported(project, folder / "first", kind)
    with new_project(folder / "second.db") as second:
        for what in TABLES:
            report = import_file(second, folder / "first" / f"{what}.{kind}", format=what)
            assert report.problems == []
            assert report.notices == []
        assert exported(second, folder / "second", kind) == first


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@given(
    facts=st.lists(FACT, min_size=1, max_size=3),
    answers=st.lists(ANSWER, max_size=6),
)
@settings(max_examples=12, deadline=None)
def test_any_text_comes_back(
    kind: str, facts: list[dict[str, Any]], answers: list[dict[str, Any]]
) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder, facts, answers)
        with new_project(folder / "first.db") as project:
            for what in ("facts", "responses"):
                import_file(project, folder / f"{what}.jsonl", format=what)
            check_round_trip(project, folder, kind)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_hostile_text_comes_back_to_the_letter(
    project: OpenProject,
    tmp_path: Path,
    jsonl: Callable[..., Path],
    fact: Any,
    answer: Any,
    kind: str,
) -> None:
    texts = [*NASTY, "".join(NASTY), "x" * 1_000_000, "", " ", "\\", "a\\n", "'=1"]
    import_file(project, jsonl("f.jsonl", {**fact, "completion": "".join(NASTY)}))
    rows = [{**answer, "sample": n, "response": text} for n, text in enumerate(texts)]
    import_file(project, jsonl("r.jsonl", *rows))
    label = {key: answer[key] for key in answer if key != "response"}
    rows = [
        {**label, "sample": n, "grader": "g", "label": "OTHER", "rationale": text}
        for n, text in enumerate(texts)
    ]
    assert import_file(project, jsonl("l.jsonl", *rows)).added == len(texts)
    check_round_trip(project, tmp_path, kind)
    with OpenProject(tmp_path / "second.db") as second:
        query = "SELECT response FROM v_responses ORDER BY sample"
        assert [row[0] for row in second.connection.execute(query)] == texts


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("example", ["basic", "choice-conflict", "human-first", "unlabelled"])
def test_examples_come_back(
    project: OpenProject, tmp_path: Path, shared: Callable[[str], Path], example: str, kind: str
) -> None:
    folder = shared(f"design/examples/{example}")
    for name in ("facts", "responses"):
        import_file(project, folder / f"{name}.jsonl")
    check_round_trip(project, tmp_path, kind)


def test_lines_say_what_the_imported_lines_said(
    project: OpenProject, tmp_path: Path, shared: Callable[[str], Path]
) -> None:
    folder = shared("design/examples/missing-tasks")
    for name in ("facts", "responses"):
        import_file(project, folder / f"{name}.jsonl")
        export(project, name, tmp_path / f"{name}.jsonl")
        lines = [
            sorted(
                json.dumps(json.loads(line), sort_keys=True)
                for line in path.read_text().splitlines()
            )
            for path in (folder / f"{name}.jsonl", tmp_path / f"{name}.jsonl")
        ]
        assert lines[0] == lines[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["facts", "questions_only"])
def test_the_published_facts_come_back_field_by_field(
    project: OpenProject, tmp_path: Path, shared: Callable[[str], Path], name: str
) -> None:
    source = shared(f"data/wikiprofile/{name}.csv")
    import_file(project, source)
    tables = []
    export(project, "facts", tmp_path / "out.csv")
    for path in (source, tmp_path / "out.csv"):
        with path.open(newline="", encoding="utf-8") as file:
            tables.append(list(csv.DictReader(file, strict=True)))
    assert tuple(tables[1][0]) == FACT_COLUMNS
    assert tables[1] == [{**dict.fromkeys(FACT_COLUMNS, ""), **row} for row in tables[0]]
    check_round_trip(project, tmp_path, "csv")


def test_a_spreadsheet_runs_nothing_of_a_safe_export(
    project: OpenProject, tmp_path: Path, jsonl: Callable[..., Path], fact: Any
) -> None:
    risky = [
        *("=1+1", "+1", "-1", "@a", "\ta", "\ra", "\na"),
        *("＝1+1", "＋1", "－1", "＠a", "−1"),
    ]
    rows = [{**fact, "fact_id": f"{n}", "category": text} for n, text in enumerate(risky)]
    import_file(project, jsonl("f.jsonl", *rows, {**fact, "category": "a=b"}))
    assert export(project, "facts", tmp_path / "f.csv", excel_safe=True) == len(risky) + 1
    with (tmp_path / "f.csv").open(newline="", encoding="utf-8") as file:
        cells = [row["category"] for row in csv.DictReader(file)]
    assert cells == [*(f"'{text}" for text in risky), "a=b"]


def test_the_newest_of_several_versions_is_exported(
    project: OpenProject, tmp_path: Path, jsonl: Callable[..., Path], fact: Any, answer: Any
) -> None:
    import_file(project, jsonl("f.jsonl", fact))
    grades = {"human:zoe": "OTHER", "human:al": "CORRECT", "z": "OTHER", "a": "CORRECT"}
    import_file(project, jsonl("r.jsonl", {**answer, "grades": grades}))
    run = project.connection.execute
    run("INSERT INTO grader (id, name, version) VALUES (8, 'z', '2'), (9, 'a', '2')")
    (slot,) = run("SELECT id FROM response").fetchone()
    with write_transaction(project.connection):
        db.grades.insert_graded(project.connection, [(slot, 8, 2, None), (slot, 9, 7, None)])
    export(project, "responses", tmp_path / "r2.jsonl")
    row = json.loads((tmp_path / "r2.jsonl").read_text())
    assert list(row["grades"].items()) == [
        ("a", "CORRECT"),
        ("z", "INCORRECT"),
        ("human:zoe", "OTHER"),
        ("human:al", "CORRECT"),
    ]


def test_what_cannot_be_exported(project: OpenProject, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing named 'all' to export"):
        export(project, "all", tmp_path / "f.csv")
    with pytest.raises(UsageError, match=r"must end in one of \.csv"):
        export(project, "facts", tmp_path / "f.xlsx")
    with pytest.raises(UsageError, match=r"--excel-safe is for \.csv and \.tsv"):
        export(project, "facts", tmp_path / "f.jsonl", excel_safe=True)
    with pytest.raises(LostkeysError, match="is not a folder"):
        export(project, "facts", tmp_path / "absent" / "f.csv")


def test_a_failed_export_leaves_the_old_file(
    project: OpenProject, tmp_path: Path, jsonl: Callable[..., Path], fact: Any
) -> None:
    import_file(project, jsonl("f.jsonl", fact))
    target = tmp_path / "out" / "f.csv"
    target.parent.mkdir()
    target.write_text("as it was")

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export(project, "facts", target, progress=stop)
    assert target.read_text() == "as it was"
    assert list(target.parent.iterdir()) == [target]
    assert not project.connection.in_transaction


def test_a_name_for_which_no_draft_can_be_made_is_told_by_itself(tmp_path: Path) -> None:
    path = tmp_path / f"{'n' * 250}.csv"
    with pytest.raises(LostkeysError, match=r"/n{250}\.csv cannot be written \(File name too long"):
        save(path, {"id": str}, [])
