"""The views read like the files of the contract, in our own connection and in sqlite-utils."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils import Database

import db.grades
import db.model_rows
import db.responses
from core.vocabulary import Outcome
from db.connection import write_transaction
from db.slot_ids import slot
from tests.db.making import fill

HOSTILE = "\u202e'; DROP TABLE fact; --\0 [b]👩\u200d🚀[/b]\n"


@pytest.fixture
def filled(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Two responses; versions of one grader, another grader, a person, and states of grading."""
    (question, *_), (off, on), _ = fill(connection)
    first, second = slot(question, off, 0), slot(question, on, 1)
    with write_transaction(connection):
        db.responses.insert(connection, [(first, HOSTILE, None), (second, "", None)])
        graders = {
            (name, version): db.grades.ensure_grader(connection, name, version)
            for name, version in (
                ("lexical", "1"),
                ("llm:x", "1"),
                ("lexical", "2"),
                ("human:ann", "1"),
            )
        }
        for name, version, key, outcome in (
            ("lexical", "1", first, Outcome.CORRECT),
            ("lexical", "2", first, Outcome.OTHER),
            ("llm:x", "1", first, Outcome.OTHER),
            ("human:ann", "1", first, Outcome.CORRECT),
            ("lexical", "1", second, Outcome.INCORRECT),
            ("lexical", "2", second, Outcome.UNPARSED),
            ("llm:x", "1", second, Outcome.PARTIALLY),
            ("human:ann", "1", second, Outcome.ERROR),
        ):
            db.grades.insert(connection, graders[name, version], [(key, int(outcome), None)])
        db.grades.insert_rationales(connection, graders["llm:x", "1"], [(second, HOSTILE)])
    return connection


def rows(connection: sqlite3.Connection, view: str) -> list[dict[str, Any]]:
    cursor = connection.execute(f"SELECT * FROM {view}")
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


KEY = ("fact_id", "task", "model", "thinking", "sample")


def test_responses(filled: sqlite3.Connection) -> None:
    found = rows(filled, "v_responses")
    assert [[row[name] for name in (*KEY, "response")] for row in found] == [
        ["f0", "completion", "m", 0, 0, HOSTILE],
        ["f0", "completion", "m", 1, 1, ""],
    ]


def test_labels_are_labels(filled: sqlite3.Connection) -> None:
    found = rows(filled, "v_labels")
    listed = [
        (row["thinking"], row["grader"], row["version"], row["label"], row["rationale"])
        for row in found
    ]
    assert sorted(listed, key=lambda one: one[:3]) == [
        (0, "human:ann", "1", "CORRECT", None),
        (0, "lexical", "1", "CORRECT", None),
        (0, "lexical", "2", "OTHER", None),
        (0, "llm:x", "1", "OTHER", None),
        (1, "lexical", "1", "INCORRECT", None),
        (1, "llm:x", "1", "PARTIALLY", HOSTILE),
    ]
    assert {tuple(row[name] for name in KEY) for row in found} == {
        ("f0", "completion", "m", 0, 0),
        ("f0", "completion", "m", 1, 1),
    }


def test_disagreements_are_between_labels_of_newest_versions(filled: sqlite3.Connection) -> None:
    found = {
        (
            row["thinking"],
            *sorted([(row["grader_a"], row["label_a"]), (row["grader_b"], row["label_b"])]),
        )
        for row in rows(filled, "v_disagreements")
    }
    assert found == {
        (0, ("human:ann", "CORRECT"), ("lexical", "OTHER")),
        (0, ("human:ann", "CORRECT"), ("llm:x", "OTHER")),
        (1, ("lexical", "INCORRECT"), ("llm:x", "PARTIALLY")),
    }
    assert len(rows(filled, "v_disagreements")) == len(found)


def test_versions_that_count_no_more_are_not_shown(filled: sqlite3.Connection) -> None:
    with write_transaction(filled):
        filled.execute("UPDATE question SET current = 0 WHERE id = 1")
    for view in ("v_responses", "v_labels", "v_disagreements"):
        assert rows(filled, view) == []


def test_sqlite_utils_opens_it_as_it_is(filled: sqlite3.Connection, path: Path) -> None:
    other = Database(path)
    try:
        assert set(other.view_names()) == {"v_responses", "v_labels", "v_disagreements"}
        assert {"fact", "question", "response", "grade"} <= set(other.table_names())
        for view in other.view_names():
            assert list(other[view].rows) == rows(filled, view)
        assert next(iter(other["fact"].rows))["fact_id"] == "f0"
    finally:
        other.conn.close()
