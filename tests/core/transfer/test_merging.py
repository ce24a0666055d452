"""Two databases made one: as if all had been imported into one, and what clashes is told."""

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import db.grades
import db.label_grids
import db.merge_rows
import db.sampling_runs
import db.served_models
from core.curation import label_writer, undo_history
from core.errors import LostkeysError, UsageError
from core.project import OpenProject
from core.transfer.database_merge import merge
from core.transfer.exports import export
from core.transfer.imports import import_file
from core.vocabulary import Label, Task
from db.connection import write_transaction
from tests.core.making import merged_lines, new_project
from tests.db.making import start_run
from tests.marks import slow

TABLES = ("facts", "responses", "labels", "adjudications")
Rows = Sequence[Mapping[str, Any]]
Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path, jsonl: Callable[..., Path]) -> Make:
    """Makes a database out of rows of facts, responses and labels."""

    def made(name: str, facts: Rows, responses: Rows = (), labels: Rows = ()) -> Path:
        path = tmp_path / name
        with new_project(path) as project:
            for rows in (facts, responses, labels):
                if rows:
                    assert import_file(project, jsonl("rows.jsonl", *rows)).bad == 0
        return path

    return made


def said(path: Path, folder: Path) -> list[bytes]:
    """All that a database says, as it is exported; its grids must be as its grades say."""
    with OpenProject(path, "read") as project:
        for what in TABLES:
            export(project, what, folder / f"{what}.jsonl")
        assert not db.label_grids.differ(db.label_grids.rebuild(project.connection), project.grids)
        assert project.connection.execute("PRAGMA foreign_key_check").fetchall() == []
        assert project.connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    return [(folder / f"{what}.jsonl").read_bytes() for what in TABLES]


def some(fact: Any, answer: Any) -> tuple[list[Any], list[Any], list[Any]]:
    facts = [{**fact, "fact_id": f"f{n}", "object": f"Paris {n}"} for n in range(4)]
    for one in facts:
        one["direct_answer"] = one["object"]
        one["direct_choices"] = json.dumps([one["object"], "Lyon", "Nice", "Lille"])
    responses = [
        {
            **answer,
            "fact_id": f"f{n}",
            "task": task,
            "model": model,
            "thinking": thinking,
            "sample": sample,
            "response": f"{n} {task} {sample}",
            "grades": {"a": "CORRECT", "b": "OTHER"} if sample else {"b": "PARTIALLY"},
        }
        for n in range(4)
        for task in ("completion", "direct", "mc_direct", "reverse")
        for model, thinking in (("m", False), ("m", True), (f"only {n % 2}", False))
        for sample in range(3)
    ]
    labels = [
        {
            **{key: one[key] for key in ("fact_id", "task", "model", "thinking", "sample")},
            "grader": "human:ann",
            "label": "CORRECT",
            "rationale": f"note {place}",
            "at": f"2026-03-01T12:00:{place % 60:02}Z",
        }
        for place, one in enumerate(responses[::5])
    ]
    return facts, responses, labels


@pytest.mark.slow
def test_as_if_all_had_been_imported_into_one(
    make: Make, tmp_path: Path, fact: Any, answer: Any
) -> None:
    facts, responses, labels = some(fact, answer)
    whole = make("whole.db", facts, responses, labels)
    # The second half of the facts comes from B, and of the others every other response.
    first, second = {"f0", "f1"}, {"f2", "f3"}
    mine = [one for n, one in enumerate(responses) if one["fact_id"] in first and n % 2]
    theirs = [one for n, one in enumerate(responses) if one["fact_id"] in second or not n % 2]

    def of(rows: list[Any]) -> list[Any]:
        keys = [(r["fact_id"], r["task"], r["model"], r["thinking"], r["sample"]) for r in rows]
        return [
            r
            for r in labels
            if (r["fact_id"], r["task"], r["model"], r["thinking"], r["sample"]) in keys
        ]

    a = make("a.db", facts[:2], mine, of(mine))
    # In other order, so that no id is the same in both.
    b = make("b.db", [facts[3], facts[2], facts[1], facts[0]], theirs[::-1], of(theirs))
    before = said(a, tmp_path), said(b, tmp_path)
    assert merge([a, b], tmp_path / "c.db") == []
    assert (said(a, tmp_path), said(b, tmp_path)) == before
    merged = said(tmp_path / "c.db", tmp_path)
    expected = said(whole, tmp_path)
    for one, other in zip(merged, expected, strict=True):
        assert sorted(one.splitlines()) == sorted(other.splitlines())


@pytest.mark.slow
def test_merging_the_same_twice_changes_nothing(
    make: Make, tmp_path: Path, fact: Any, answer: Any
) -> None:
    a = make("a.db", *some(fact, answer))
    shutil.copy(a, tmp_path / "b.db")
    assert merge([a, tmp_path / "b.db"], tmp_path / "c.db") == []
    assert said(tmp_path / "c.db", tmp_path) == said(a, tmp_path)
    assert merge([tmp_path / "c.db", a], tmp_path / "d.db") == []
    assert said(tmp_path / "d.db", tmp_path) == said(a, tmp_path)


def test_what_clashes_is_as_in_a_and_told(
    make: Make, tmp_path: Path, fact: Any, answer: Any
) -> None:
    label = {key: answer[key] for key in answer if key != "response"}
    graded = {**answer, "grades": {"g": "CORRECT"}}
    a = make(
        "a.db",
        [fact],
        [graded, {**graded, "sample": 1}, {**graded, "task": "completion"}],
        [{**label, "grader": "human:ann", "label": "OTHER", "rationale": "mine"}],
    )
    b = make(
        "b.db",
        [
            {
                **fact,
                "subject": "La France",
                "reverse_answer": "La France",
                "category": "Arts",
                "completion": "Another text ",
            },
            {**fact, "fact_id": "new"},
        ],
        [
            {**answer, "grades": {"g": "INCORRECT", "h": "OTHER"}},
            {**answer, "sample": 1, "response": "Lyon", "grades": {"h": "OTHER"}},
            {**graded, "task": "completion", "sample": 5},
            {**graded, "task": "reverse"},
            {**graded, "fact_id": "new"},
        ],
        [{**label, "grader": "human:ann", "label": "OTHER", "rationale": "theirs"}],
    )
    told = merged_lines([a, b], tmp_path / "c.db")
    key = "fact '1__0', direct, 'm', thinking off, sample"
    assert told == [
        "fact '1__0': another category, subject",
        "fact '1__0', subject: another gold; labels that rest on it are left out",
        "fact '1__0', completion: another question; its responses are left out",
        f"{key} 1: another response; its labels are left out",
        f"{key} 0: another label by 'g' (CORRECT, not INCORRECT)",
        f"{key} 0: another rationale by 'human:ann'",
    ]
    with OpenProject(tmp_path / "c.db", "read") as project:
        found = project.connection.execute(
            "SELECT fact_id, task, sample, grader, label, rationale FROM v_labels "
            "ORDER BY fact_id, task, sample, grader"
        ).fetchall()
        responses = project.connection.execute(
            "SELECT fact_id, task, sample, response FROM v_responses ORDER BY 1, 2, 3"
        ).fetchall()
    assert found == [
        ("1__0", "completion", 0, "g", "CORRECT", None),
        ("1__0", "direct", 0, "g", "CORRECT", None),
        ("1__0", "direct", 0, "h", "OTHER", None),
        ("1__0", "direct", 0, "human:ann", "OTHER", "mine"),
        ("1__0", "direct", 1, "g", "CORRECT", None),
        ("new", "direct", 0, "g", "CORRECT", None),
    ]
    assert responses == [
        ("1__0", "completion", 0, "Paris"),
        ("1__0", "direct", 0, "Paris"),
        ("1__0", "direct", 1, "Paris"),
        ("1__0", "reverse", 0, "Paris"),
        ("new", "direct", 0, "Paris"),
    ]


def test_grader_versions_stay_in_order(make: Make, tmp_path: Path, fact: Any, answer: Any) -> None:
    row = {**answer, "grades": {"g": "CORRECT", "x": "CORRECT"}}
    a, b = make("a.db", [fact], [row]), make("b.db", [fact], [row])
    for path, version in ((a, "2"), (b, "10"), (b, "odd")):
        name = "x" if version == "odd" else "g"
        with OpenProject(path, "write") as project, write_transaction(project.connection):
            db.grades.ensure_grader(project.connection, name, version)
    assert merged_lines([a, b], tmp_path / "c.db") == [
        f"grader 'x': version odd is not known to be newer than those of {a}; "
        "its labels are left out"
    ]
    with OpenProject(tmp_path / "c.db", "read") as project:
        names = db.grades.graders(project.connection)
    assert [version for _, name, version in names if name == "g"] == ["1", "2", "10"]


def test_models_of_one_name_and_two_recipes(
    make: Make, tmp_path: Path, fact: Any, answer: Any
) -> None:
    a = make("a.db", [fact], [answer])
    b = make("b.db", [fact], [{**answer, "sample": 1}, {**answer, "model": "n"}])
    for number, path in enumerate((a, b)):
        with OpenProject(path, "write") as project, write_transaction(project.connection):
            project.connection.execute(
                "INSERT INTO recipe (hash, content) VALUES (?, ?)",
                (f"h{number}", f'{{"temperature": {number}}}'),
            )
            project.connection.execute("UPDATE model SET recipe = 1")
    assert merged_lines([a, b], tmp_path / "c.db") == [
        "model 'm': drawn by another recipe; its responses are left out"
    ]
    with OpenProject(tmp_path / "c.db", "read") as project:
        rows = project.connection.execute(
            "SELECT model.label, sample, hash FROM response JOIN setting ON setting.id = setting "
            "JOIN model ON model.id = setting.model JOIN recipe ON recipe.id = recipe ORDER BY 1, 2"
        ).fetchall()
    assert rows == [("m", 0, "h0"), ("n", 0, "h1")]


def test_decisions_flags_and_curtailed_runs_come_along(
    make: Make, tmp_path: Path, fact: Any, answer: Any
) -> None:
    a = make("a.db", [{**fact, "fact_id": "0"}], [{**answer, "fact_id": "0"}])
    b = make("b.db", [fact], [{**answer, "model": "n"}])
    with OpenProject(b, "write") as project:
        (slot,) = project.connection.execute("SELECT id FROM response").fetchone()
        label_writer.set_label(project, "ann", slot, Label.OTHER, "why")
        label_writer.set_label(project, "ann", slot, Label.CORRECT)
        label_writer.set_flag(project, None, 1, True)
        with write_transaction(project.connection):
            start_run(project.connection, 1, [Task.DIRECT], [1], 8, "{}")
            db.sampling_runs.finish(project.connection, 1)
            project.connection.execute(
                "INSERT INTO draw (response, run, finish, reasoning, reasoning_tokens, served) "
                "VALUES (?, 1, 'stop', 'hm', 5, ?)",
                (
                    slot,
                    db.served_models.ensure(project.connection, "n", [("n-1", "fp")])["n-1", "fp"],
                ),
            )
    assert merge([a, b], tmp_path / "c.db") == []
    before = said(b, tmp_path)[3]
    assert said(tmp_path / "c.db", tmp_path)[3] == before
    with OpenProject(tmp_path / "c.db", "write") as project:
        assert undo_history.undo(project, "ann") is None
        assert project.index.flagged.tolist() == [False, True]
        (run,) = db.sampling_runs.find_curtailed(project.connection)
        assert run.asked == (((Task.DIRECT,), ((2, 2),)),)
        assert project.connection.execute("SELECT run, reasoning FROM draw").fetchall() == [
            (None, "hm")
        ]
        rows = project.connection.execute(
            "SELECT label, served.name, fingerprint FROM draw JOIN served ON served.id = served "
            "JOIN model ON model.id = model"
        )
        assert rows.fetchall() == [("n", "n-1", "fp")]


def test_what_cannot_be_merged(make: Make, tmp_path: Path, fact: Any) -> None:
    a, b = make("a.db", [fact]), make("b.db", [fact])
    for sources, target, message in (
        ([a, b], b, "is there already: name a new file with -o"),
        ([a, b, a], tmp_path / "c.db", "are one file: name each once"),
        ([a], tmp_path / "c.db", "merged with nothing: name two or more"),
        ([a, b], tmp_path / "no" / "c.db", "is not a folder"),
    ):
        with pytest.raises(UsageError, match=message):
            merge(sources, target)
    for sources in ([a, tmp_path / "no.db"], [tmp_path / "no.db", a], [a, b, tmp_path / "no.db"]):
        with pytest.raises(LostkeysError, match=r"no\.db does not exist"):
            merge(sources, tmp_path / "c.db")
    assert {path.name for path in tmp_path.glob("*.db")} == {"a.db", "b.db"}


def shards(make: Make, fact: Any, answer: Any) -> list[Path]:
    """Five files: facts of their own, and a share of the answers to facts of all."""
    own = [{**fact, "fact_id": f"own {n}"} for n in range(5)]
    common = [{**fact, "fact_id": f"all {n}"} for n in range(2)]
    files = []
    for number in range(5):
        facts = [own[number], *common][:: 1 if number % 2 else -1]
        answers = [
            {
                **answer,
                "fact_id": one["fact_id"],
                "model": f"m{number % 2}",
                "sample": number,
                "grades": {"g": "CORRECT"},
            }
            for one in facts
        ]
        labels = [
            {
                **{key: answers[0][key] for key in answers[0] if key not in ("response", "grades")},
                "grader": "human:ann",
                "label": "OTHER",
                "rationale": f"note {number}",
                "at": f"2026-03-01T12:00:{number:02}Z",
            }
        ]
        files.append(make(f"shard{number}.db", facts, answers, labels))
    return files


def sorted_lines(path: Path, folder: Path) -> list[list[bytes]]:
    return [sorted(one.splitlines()) for one in said(path, folder)]


@pytest.mark.parametrize(
    "orders",
    [
        [(0, 1, 2, 3, 4), (4, 2, 0, 3, 1)],
        slow(list(permutations(range(5)))[1::4]),
    ],
)
def test_five_files_in_any_order(
    make: Make, tmp_path: Path, fact: Any, answer: Any, orders: Sequence[Sequence[int]]
) -> None:
    files = shards(make, fact, answer)
    merge(files, tmp_path / "first.db")
    expected = sorted_lines(tmp_path / "first.db", tmp_path)
    assert [len(rows) for rows in expected] == [7, 15, 20, 5]
    for order in orders:
        target = tmp_path / f"{order}.db"
        assert merge([files[place] for place in order], target) == []
        assert sorted_lines(target, tmp_path) == expected


@pytest.mark.parametrize(
    "orders",
    [
        [(0, 1, 2, 3, 4), (4, 2, 0, 3, 1)],
        slow(list(permutations(range(5)))[1::4]),
    ],
)
def test_a_clash_names_both_files_in_any_order(
    make: Make, tmp_path: Path, fact: Any, answer: Any, orders: Sequence[Sequence[int]]
) -> None:
    # Slot 9 is in three of the files, the category of a fact in all, in two with one word.
    words = ["Arts", "Arts", "People", "Law", "Food"]
    files = []
    for number, word in enumerate(words):
        answers = [{**answer, "sample": 9, "response": f"from {number}"}] if number > 1 else []
        files.append(make(f"{number}.db", [{**fact, "category": word}], answers))
    for order in orders:
        target = tmp_path / f"{order}.db"
        expected = []
        drawn = [place for place in order if place > 1]
        for place in order:
            head = f"{files[place]}, unlike "
            if words[place] != words[order[0]]:
                expected.append(f"{head}{files[order[0]]}: fact '1__0': another category")
            if place in drawn[1:]:
                expected.append(
                    f"{head}{files[drawn[0]]}: fact '1__0', direct, 'm', thinking off, sample 9: "
                    "another response; its labels are left out"
                )
        assert merge([files[place] for place in order], target) == expected
        with OpenProject(target, "read") as project:
            rows = project.connection.execute("SELECT response FROM v_responses").fetchall()
            assert rows == [(f"from {drawn[0]}",)]
            assert project.index.categories == [words[order[0]]]


def test_a_merge_that_breaks_off_leaves_nothing(
    make: Make, tmp_path: Path, fact: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = make("a.db", [fact]), make("b.db", [fact])
    there = set(tmp_path.iterdir())

    def stop(*words: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(db.merge_rows, "_grades", stop)
    with pytest.raises(KeyboardInterrupt):
        merge([a, b], tmp_path / "c.db")
    assert set(tmp_path.iterdir()) == there
