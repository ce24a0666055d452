"""Two databases with prepared sets and arms made one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import db.arms
import db.integrity
import db.prepared_triples
from core.project import OpenProject
from core.transfer.database_merge import merge
from core.transfer.imports import import_file
from db.arms import StoredArm, StoredExemplar
from db.connection import write_transaction
from db.prepared_triples import Preparation, PreparedTriple
from tests.core.making import merged_lines, new_project

PREPARED = {"a": PreparedTriple("", "top", "train"), "b": PreparedTriple("", "top", "eval", True)}

Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path, jsonl: Callable[..., Path]) -> Make:
    """Makes a database with triples by their names, perhaps prepared, perhaps with an arm."""

    def made(
        name: str,
        triples: str,
        preparation: Preparation | None = None,
        prepared: dict[str, PreparedTriple] = PREPARED,
        answer: str = "",
    ) -> Path:
        path = tmp_path / name
        rows: list[dict[str, Any]] = [
            {"id": one, "subject": one, "relation": "r", "object": "o", "question": f"{one}?"}
            for one in triples
        ]
        with new_project(path) as project:
            assert import_file(project, jsonl("set.jsonl", *rows), "triples").bad == 0
            connection = project.connection
            facts = {
                one.fact_id: one.fact for one in db.prepared_triples.read_set(connection, "set")
            }
            with write_transaction(connection):
                if preparation is not None:
                    found = [(facts[one], prepared[one]) for one in triples if one in prepared]
                    db.prepared_triples.replace(connection, "set", preparation, found)
                if answer:
                    one = StoredExemplar(1, facts["a"], "a?", "o", answer, facts["b"], None)
                    arm = StoredArm("m#1-shot", "set", "m", "1-shot", 0, "em", "P", (one,))
                    db.arms.insert(connection, arm)
        return path

    return made


def prepared_of(path: Path) -> dict[str, PreparedTriple | None]:
    with OpenProject(path, "read") as project:
        assert db.integrity.faults(project.connection) == []
        rows = db.prepared_triples.read_set(project.connection, "set")
    return {one.fact_id: one.prepared for one in rows}


def test_a_set_prepared_there_is_prepared_here(make: Make, tmp_path: Path) -> None:
    a, b = make("a.db", "cb"), make("b.db", "ab", Preparation(3), answer="x")
    assert merge([a, b], tmp_path / "ab.db") == []
    assert prepared_of(tmp_path / "ab.db") == {**PREPARED, "c": None}
    with OpenProject(tmp_path / "ab.db", "read") as project:
        connection = project.connection
        assert db.prepared_triples.preparations(connection) == {"set": Preparation(3)}
        names = {one.fact: one.fact_id for one in db.prepared_triples.read_set(connection, "set")}
        (arm,) = db.arms.read_set_arms(connection, "set").values()
    (exemplar,) = arm.exemplars
    assert (names[exemplar.fact], names[exemplar.answer_of]) == ("a", "b")
    assert merge([tmp_path / "ab.db", b], tmp_path / "again.db") == []


def test_what_is_prepared_or_sent_otherwise_is_told(make: Make, tmp_path: Path) -> None:
    a = make("a.db", "ab", Preparation(), answer="x")
    other = {**PREPARED, "a": PreparedTriple("leak")}
    b = make("b.db", "ab", Preparation(), other, answer="y")
    assert merged_lines([a, b], tmp_path / "ab.db") == [
        "triple 'a': another reason, tier, split",
        "arm 'm#1-shot' of set 'set': sent otherwise",
    ]
    assert prepared_of(tmp_path / "ab.db") == PREPARED


def test_nothing_is_taken_of_a_set_prepared_otherwise(make: Make, tmp_path: Path) -> None:
    a = make("a.db", "a", Preparation())
    b = make("b.db", "ab", Preparation(seed=4, train=0.5))
    assert merged_lines([a, b], tmp_path / "ab.db") == [
        "set 'set': prepared with another seed, train; its splits are left out"
    ]
    assert prepared_of(tmp_path / "ab.db") == {"a": PREPARED["a"], "b": None}
