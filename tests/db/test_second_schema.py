"""A file of the first schema gains actions and search, and keeps what it holds."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database

import db.connection
import db.grades
import db.integrity
import db.label_grids
import db.person_actions
import db.question_rows
import db.responses
import db.search
import db.search_index
from db.connection import APPLICATION_ID, connect, write_transaction
from db.schema import migrations
from db.search_text import parse
from db.slot_ids import slot
from tests.db.making import fill


def test_a_file_of_the_first_schema(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        migrations.apply(Database(old, strict=True), stop_before="m002_actions_and_search")
        old.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        old.execute("PRAGMA user_version = 1")
        (question, *_), (setting, _), (lexical, _) = fill(old)
        key = slot(question, setting, 0)
        with write_transaction(old):
            db.responses.insert(old, [(key, "Tartu", None)])
            db.grades.insert(old, lexical, [(key, 1, None)])
    with closing(connect(path, "write")) as connection:
        assert path.with_name(f"{path.name}.schema1.backup").exists()
        assert len(db.question_rows.questions(connection)) == 10
        said = db.person_actions.label(connection, key, lexical)
        assert said == db.person_actions.LabelRecord(1, None)
        assert db.person_actions.find_newest(connection, "human:mira") is None
        drawn = db.label_grids.per_question(db.label_grids.load(connection))
        assert [one.done for one in db.search_index.catch_up(connection, drawn)] == [1, 2]
        assert db.search.answers(connection, parse("tart")).tolist() == [question]
        assert db.integrity.faults(connection) == []
        assert not db.integrity.grids_are_stale(connection)


def test_an_older_file_comes_to_hold_answers_that_a_grader_is_unsure_of(path: Path) -> None:
    """The check of a table that is there is widened: grades stay, 8 is let in, 9 is not."""
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        migrations.apply(Database(old, strict=True), stop_before="m009_unsure")
        old.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        old.execute("PRAGMA user_version = 8")
        (question, *_), (setting, _), (lexical, _) = fill(old)
        key = slot(question, setting, 0)
        with write_transaction(old):
            db.responses.insert(old, [(key, "Tartu", None), (key + 1, "Narva", None)])
            db.grades.insert(old, lexical, [(key, 1, None)])
        with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
            old.execute("INSERT INTO grade VALUES (?, ?, 8)", (key + 1, lexical))
    with closing(connect(path, "write")) as connection:
        with write_transaction(connection):
            assert db.grades.settle(connection, lexical, [(key + 1, 8, None)]) == 1
        with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
            connection.execute("INSERT OR REPLACE INTO grade VALUES (?, ?, 9)", (key, lexical))
        assert connection.execute("SELECT outcome FROM grade ORDER BY 1").fetchall() == [(1,), (8,)]
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert db.integrity.faults(connection) == []
        assert not db.integrity.grids_are_stale(connection)
