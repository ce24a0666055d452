"""Where responses came from: kept once, forgotten with them, taken over by a merge."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database

import db.grades
import db.integrity
import db.response_sources
import db.responses
from core.transfer.database_merge import merge
from db.connection import APPLICATION_ID, connect, write_transaction
from db.response_sources import SourceFile
from db.schema import migrations
from db.slot_ids import slot
from tests.db.making import fill

LOG = SourceFile("rivers.json", "inspect", "ev1")


def add_sourced(connection: sqlite3.Connection, samples: int = 2) -> list[int]:
    """Answers to a question, each with a source, the first with a score."""
    (question, *_), (setting, _), (lexical, _) = fill(connection)
    slots = [slot(question, setting, sample) for sample in range(samples)]
    with write_transaction(connection):
        db.responses.insert(connection, [(key, "Tavy", None) for key in slots])
        db.grades.insert(connection, lexical, [(key, 1, None) for key in slots])
        file = db.response_sources.ensure_file(connection, LOG)
        assert db.response_sources.ensure_file(connection, LOG) == file
        db.response_sources.insert_columns(
            connection,
            file,
            slots[:2],
            sample_id=["7", '"7"'],
            epoch=[1, 2],
            uuid=["u-7", None],
            prompt=["Say: Tavy?", None],
        )
        score = (slots[0], lexical, "parts", "name", "0.5")
        db.response_sources.insert_scores(connection, [score])
    return slots


def test_a_source_is_kept_as_it_first_stood(connection: sqlite3.Connection) -> None:
    first, second = add_sourced(connection)
    with write_transaction(connection):
        other = db.response_sources.ensure_file(connection, SourceFile("b.json", "inspect", ""))
        db.response_sources.insert_columns(connection, other, [first], sample_id=[None])
    found = db.response_sources.read_sources(connection, [first, second, second + 1])
    assert [found[key].sample_id for key in (first, second)] == [7, "7"]
    assert (found[first].file, found[first].prompt) == (LOG, "Say: Tavy?")
    assert list(db.response_sources.read_log_sources(connection, "inspect")) == list(found.values())
    (score,) = db.response_sources.scores(connection)
    assert (score.response, score.score, score.part, score.value) == (first, "parts", "name", 0.5)
    assert db.response_sources.facts_of(connection, "RIVERS.json") == [1]
    assert db.response_sources.facts_of(connection, "b.json") == []
    assert db.integrity.faults(connection) == []


def test_a_response_that_is_set_aside_leaves_no_source(connection: sqlite3.Connection) -> None:
    slots = add_sourced(connection)
    with write_transaction(connection):
        db.responses.set_aside(connection, slots, "test")
    assert db.response_sources.read_sources(connection, slots) == {}
    assert db.integrity.faults(connection) == []


def test_damaged_ids_are_told(connection: sqlite3.Connection) -> None:
    add_sourced(connection)
    connection.execute("UPDATE response_source SET sample_id = '[' WHERE epoch = 1")
    (fault,) = db.integrity.faults(connection)
    assert "response_source" in fault


@pytest.mark.slow
def test_a_merge_takes_sources_over(tmp_path: Path) -> None:
    for name, samples in (("a.db", 2), ("b.db", 3)):
        with closing(connect(tmp_path / name, "create")) as connection:
            slots = add_sourced(connection, samples)
    with closing(connect(tmp_path / "b.db", "write")) as connection, write_transaction(connection):
        file = db.response_sources.ensure_file(connection, SourceFile("b.json", "helm", ""))
        db.response_sources.insert_columns(connection, file, slots[2:])
        connection.execute("UPDATE response_source SET uuid = 'theirs' WHERE uuid IS NOT NULL")
    assert merge([tmp_path / "a.db", tmp_path / "b.db"], tmp_path / "c.db") == []
    with closing(connect(tmp_path / "c.db", "read")) as connection:
        found = db.response_sources.read_sources(connection, slots)
        assert [found[key].file.name for key in slots] == ["rivers.json", "rivers.json", "b.json"]
        assert found[slots[0]].uuid == "u-7"
        assert len(list(db.response_sources.scores(connection))) == 1
        assert db.integrity.faults(connection) == []


def test_an_older_file_comes_to_hold_sources(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        migrations.apply(Database(old, strict=True), stop_before="m011_response_sources")
        old.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        old.execute("PRAGMA user_version = 10")
    with closing(connect(path, "write")) as connection:
        assert len(add_sourced(connection)) == 2
        assert db.integrity.faults(connection) == []
