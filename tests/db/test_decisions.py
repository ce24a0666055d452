"""Actions of one decision belong together, and keep what the graders had said."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlite_utils import Database

import db.connection
import db.person_actions
import db.responses
from db.connection import APPLICATION_ID, connect, write_transaction
from db.person_actions import Action, ActionKind, GraderPair, LabelRecord
from db.schema import migrations
from db.slot_ids import slot
from tests.db.making import fill

BETWEEN = GraderPair("lexical", "llm:jüdge\nsays", 1, 0, blind=True)


@pytest.fixture
def one(connection: sqlite3.Connection) -> Action:
    """An action about a response that is there."""
    (question, *_), (setting, _), (lexical, _) = fill(connection)
    key = slot(question, setting, 0)
    with write_transaction(connection):
        db.responses.insert(connection, [(key, "Tartu", None)])
    return Action("human:mira", ActionKind.LABEL, key, lexical, None, LabelRecord(1, 7), at=7)


def test_actions_of_a_decision(connection: sqlite3.Connection, one: Action) -> None:
    with write_transaction(connection):
        alone = db.person_actions.record(connection, one)
        first = db.person_actions.record(connection, replace(one, between=BETWEEN, at=8))
        db.person_actions.begin_decision(connection, first)
        second = db.person_actions.record(connection, replace(one, decision=first, at=8))
    expected = [
        (first, replace(one, between=BETWEEN, decision=first, at=8)),
        (second, replace(one, decision=first, at=8)),
    ]
    assert db.person_actions.read_decision(connection, first) == expected
    assert db.person_actions.find_newest(connection, "human:mira") == expected[1]
    assert db.person_actions.read_decision(connection, alone) == []
    assert db.person_actions.decision_times(connection, "human:mira", 5) == [8]
    assert db.person_actions.decision_times(connection, "human:ben", 5) == []
    with write_transaction(connection):
        db.person_actions.mark_undone(connection, first)
    assert db.person_actions.read_decision(connection, first) == expected[1:]
    assert db.person_actions.decision_times(connection, "human:mira", 5) == []


def test_the_newest_times_come_first(connection: sqlite3.Connection, one: Action) -> None:
    with write_transaction(connection):
        for at in (3, 9, 5):
            key = db.person_actions.record(connection, replace(one, at=at))
            db.person_actions.begin_decision(connection, key)
    assert db.person_actions.decision_times(connection, "human:mira", 2) == [5, 9]


def test_a_file_of_the_third_schema(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        migrations.apply(Database(old, strict=True), stop_before="m004_decisions")
        old.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        old.execute("PRAGMA user_version = 3")
        _, _, (lexical, _) = fill(old)
        old.execute(
            "INSERT INTO action (author, kind, target, grader, after, at) "
            "VALUES ('human:mira', 'label', 5, ?, '{\"outcome\": 2, \"at\": 4}', 4)",
            (lexical,),
        )
    with closing(connect(path, "write")) as connection:
        assert path.with_name(f"{path.name}.schema3.backup").exists()
        found = db.person_actions.find_newest(connection, "human:mira")
        assert found == (
            1,
            Action("human:mira", ActionKind.LABEL, 5, lexical, None, LabelRecord(2, 4), at=4),
        )
