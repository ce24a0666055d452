"""Reviews as a file and in a merge; rejected facts are left out of exports unless asked for."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import db.facts
from core.curation import question_edits, question_reviews
from core.errors import UsageError
from core.project import OpenProject
from core.transfer.exports import Subset, export
from core.transfer.file_formats import REVIEW_COLUMNS
from core.views.review import question_samples
from core.views.review.question_samples import Strata
from core.vocabulary import TASKS, Outcome, Task
from tests.core.making import (
    OBJECT,
    Row,
    a_fact,
    merged_lines,
    new_project,
    put_facts,
    put_rows,
    question_keys,
)

HOSTILE = '=1+1,"x"\n[red]'


def made(path: Path) -> OpenProject:
    """Two facts with an answer each."""
    project = new_project(path)
    put_facts(project, [a_fact("f1", category="Arts"), a_fact("f2")])
    put_rows(
        project,
        [
            Row(fact, Task.DIRECT, "m", False, 0, {"lexical": Outcome.CORRECT})
            for fact in ("f1", "f2")
        ],
    )
    return project


@pytest.fixture
def project(tmp_path: Path) -> Iterator[OpenProject]:
    """That of a test."""
    with made(tmp_path / "p.db") as one:
        yield one


def key_of(project: OpenProject, task: Task, fact: str = "f1") -> int:
    """The id of the question in use."""
    return question_keys(project.connection)[fact, task]


def lines(path: Path) -> list[dict[str, Any]]:
    """The rows of a JSONL file."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_reviews_say_what_was_looked_at_and_what_it_became(
    project: OpenProject, tmp_path: Path
) -> None:
    question_samples.draw_sample(project, 20, seed=1)
    question_samples.draw_sample(project, 20, Strata.TASK, seed=1)
    direct, reverse = key_of(project, Task.DIRECT), key_of(project, Task.REVERSE)
    question_reviews.note(project, "ann", direct, HOSTILE)
    question_edits.edit_question(project, "ann", direct, "which town?")
    question_reviews.reject(project, "bob", reverse, "not unique")
    project.refresh()
    file = tmp_path / "r.jsonl"
    assert export(project, "reviews", file) == 3
    rows = lines(file)
    assert all(set(row) <= set(REVIEW_COLUMNS) for row in rows)
    first = rows[0]
    assert (first["fact_id"], first["task"], first["version"]) == ("f1", "direct", 1)
    assert (first["question"], first["became"]) == ("f1 direct?", "which town?")
    assert (first["verdict"], first["note"], first["author"]) == ("edited", HOSTILE, "human:ann")
    assert (first["sample"], first["stratum"]) == ("random, stratified", "direct")
    assert first["gold"] == OBJECT
    second = rows[1]
    assert (second["task"], second["verdict"], second["reason"]) == (
        "reverse", "rejected", "not unique",
    )  # fmt: skip
    assert second.get("became") is None
    assert rows[2]["task"] == "mc_direct"


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet"])
def test_reviews_go_into_every_kind_of_file(
    project: OpenProject, tmp_path: Path, kind: str
) -> None:
    question_reviews.accept(project, "ann", key_of(project, Task.DIRECT))
    assert export(project, "reviews", tmp_path / f"r.{kind}") == 1
    assert (tmp_path / f"r.{kind}").stat().st_size > 0


@pytest.mark.parametrize(
    ("subset", "expected"),
    [
        (Subset(), ["f2"]),
        (Subset(rejected=True), ["f1", "f2"]),
        (Subset(where="rejected"), ["f1"]),
        (Subset(where="category:Arts rejected"), ["f1"]),
        (Subset(where="category:Arts"), []),
    ],
)
def test_rejected_facts_are_exported_if_asked_for(
    project: OpenProject, tmp_path: Path, subset: Subset, expected: list[str]
) -> None:
    question_reviews.reject(project, "ann", key_of(project, Task.DIRECT), "unclear")
    project.refresh()
    for what in ("facts", "responses", "labels"):
        file = tmp_path / f"{what}.jsonl"
        export(project, what, file, subset=subset)
        assert [row["fact_id"] for row in lines(file)] == expected


def test_asking_twice_for_rejected_facts_is_refused(project: OpenProject, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--where rejected"):
        export(project, "facts", tmp_path / "f.csv", subset=Subset(where="rejected", rejected=True))
    assert not (tmp_path / "f.csv").exists()


def test_a_merge_takes_reviews_over_and_lists_those_that_differ(tmp_path: Path) -> None:
    a, b, c = (tmp_path / f"{name}.db" for name in "abc")
    with made(a) as one, made(b) as other:
        key = key_of(one, Task.DIRECT)
        question_reviews.accept(one, "ann", key)
        question_reviews.reject(other, "ann", key, "unclear")
        question_reviews.accept(other, "bob", key)
        question_reviews.reject(other, "bob", key_of(other, Task.REVERSE, "f2"), "too old")
        question_edits.edit_question(other, "bob", key_of(other, Task.REVERSE), "which land?")
    said = merged_lines([a, b], c)
    assert [line.partition(";")[0] for line in said] == [
        "fact 'f1', reverse: another question",
        "fact 'f1', mc_reverse: another question",
        "fact 'f1', direct: another review by 'human:ann'",
    ]
    with OpenProject(c, "read") as merged:
        file = tmp_path / "r.jsonl"
        export(merged, "reviews", file)
        assert {(row["task"], row["author"], row["verdict"]) for row in lines(file)} == {
            ("direct", "human:ann", "accepted"),
            ("direct", "human:bob", "accepted"),
            ("reverse", "human:bob", "rejected"),
        }
        assert merged.index.rejected.tolist() == [False, True]
        texts = next(db.facts.read_facts(merged.connection, ["f1"])).questions
        assert len(texts) == len(TASKS)
