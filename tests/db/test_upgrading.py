"""Older files are copied, then migrated."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from shutil import copyfile, disk_usage

import pytest
from sqlite_utils import Database

import db.connection
import db.facts
import db.index_columns
import db.integrity
import db.question_rows
from db import schema
from db.connection import APPLICATION_ID, NEWEST_SCHEMA, Mode, connect
from tests.db.making import MODES, fill, pragma, refusal


@pytest.fixture
def older(connection: sqlite3.Connection, path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with a fact, to which the program has since added a migration."""
    fill(connection)
    connection.close()
    later = type(schema.migrations)(schema.migrations.name)

    @later()
    def m001_first(db: Database) -> None:
        raise AssertionError

    @later()
    def m002_more(db: Database) -> None:
        db.execute("CREATE TABLE more (id INTEGER PRIMARY KEY) STRICT")

    monkeypatch.setattr(schema, "migrations", later)
    monkeypatch.setattr(db.connection, "NEWEST_SCHEMA", NEWEST_SCHEMA + 1)
    return path


def backup_of(path: Path, version: int = NEWEST_SCHEMA) -> Path:
    return path.with_name(f"{path.name}.schema{version}.backup")


@pytest.mark.parametrize("mode", MODES)
def test_an_older_file_is_copied_and_migrated(older: Path, mode: Mode) -> None:
    with closing(connect(older, mode)) as connection:
        assert pragma(connection, "user_version") == NEWEST_SCHEMA + 1
        assert connection.execute("SELECT count(*) FROM more").fetchone() == (0,)
        assert len(list(db.index_columns.find_kept(connection))) == 1
        assert pragma(connection, "locking_mode") == "normal"
    with closing(sqlite3.connect(backup_of(older))) as copy:
        assert pragma(copy, "user_version") == NEWEST_SCHEMA
        assert pragma(copy, "application_id") == APPLICATION_ID
        assert len(list(db.index_columns.find_kept(copy))) == 1
        assert db.integrity.faults(copy) == []


def test_a_program_that_comes_second_leaves_the_copy_alone(older: Path) -> None:
    connect(older, "write").close()
    copied = backup_of(older).read_bytes()
    db.connection._upgrade(older, NEWEST_SCHEMA)
    assert backup_of(older).read_bytes() == copied
    with closing(connect(older, "read")) as connection:
        assert pragma(connection, "user_version") == NEWEST_SCHEMA + 1


def test_a_migration_that_fails_changes_nothing(
    older: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = type(schema.migrations)(schema.migrations.name)

    @broken()
    def m001_first(db: Database) -> None:
        raise AssertionError

    @broken()
    def m002_more(db: Database) -> None:
        db.execute("CREATE TABLE more (id INTEGER PRIMARY KEY) STRICT")
        db.execute("DELETE FROM question")
        db.execute("no SQL")

    monkeypatch.setattr(schema, "migrations", broken)
    refusal(older, "write")
    with closing(sqlite3.connect(older)) as connection:
        assert pragma(connection, "user_version") == NEWEST_SCHEMA
        assert len(db.question_rows.questions(connection)) == 10
        names = connection.execute("SELECT name FROM sqlite_master WHERE name = 'more'").fetchall()
        assert names == []


def test_no_upgrade_while_another_program_has_the_file(
    older: Path, held: Callable[..., None]
) -> None:
    held(older, "SELECT * FROM fact")
    assert "locked" in refusal(older, "write")
    with closing(sqlite3.connect(older)) as connection:
        assert pragma(connection, "user_version") == NEWEST_SCHEMA


def test_no_upgrade_without_room_for_a_copy(older: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        db.connection, "disk_usage", lambda folder: disk_usage(folder)._replace(free=1000)
    )
    assert "make room" in refusal(older, "write")
    assert not backup_of(older).exists()


def test_a_file_from_before_the_first_migration(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    with closing(connect(path, "write")) as connection:
        assert pragma(connection, "user_version") == NEWEST_SCHEMA
        fill(connection)
        assert db.integrity.faults(connection) == []
    assert backup_of(path, 0).exists()


def test_a_copy_is_whole(connection: sqlite3.Connection, path: Path) -> None:
    fill(connection)
    target = path.with_name("copy.db")
    db.connection.copy(connection, target)
    with closing(connect(target, "write")) as copied:
        assert list(db.facts.read_facts(copied)) == list(db.facts.read_facts(connection))
    copyfile(target, path.with_name("again.db"))
    assert list(db.facts.read_facts(connection))
