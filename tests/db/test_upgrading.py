"""Older files are copied, then migrated."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from shutil import disk_usage

import pytest
from sqlite_utils import Database

import db.connection
import db.facts
import db.integrity
import db.question_rows
from db import schema
from db.connection import APPLICATION_ID, NEWEST_SCHEMA, Mode, connect, write_transaction
from db.option_scores import ScoreSeries, SeriesKey, ensure_series, read_series, scores_at
from tests.db.making import MODES, count_facts, files, fill, line_of, pragma, program, refusal, stop
from tests.db.older_files import VERSIONS, packed_file, unpack
from tests.db.test_creating import refuse


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
        assert count_facts(connection) == 1
        assert pragma(connection, "locking_mode") == "normal"
    with closing(sqlite3.connect(backup_of(older))) as copy:
        assert pragma(copy, "user_version") == NEWEST_SCHEMA
        assert pragma(copy, "application_id") == APPLICATION_ID
        assert count_facts(copy) == 1
        assert db.integrity.faults(copy) == []


def test_a_program_that_comes_second_leaves_the_copy_alone(older: Path) -> None:
    connect(older, "write").close()
    copied = backup_of(older).read_bytes()
    db.connection._upgrade(older, NEWEST_SCHEMA)
    assert backup_of(older).read_bytes() == copied
    with closing(connect(older, "read")) as connection:
        assert pragma(connection, "user_version") == NEWEST_SCHEMA + 1


@pytest.mark.parametrize("links", [True, False])
def test_the_copy_writes_over_nothing(
    older: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    """Neither over a file nor through a symbolic link that bears its name: it takes the next."""
    if not links:
        monkeypatch.setattr(os, "link", refuse)
    mine, pointed = backup_of(older), older.with_name("pointed")
    mine.write_text("mine")
    pointed.write_text("pointed")
    second, third, fourth = (
        older.with_name(f"{older.name}.schema{NEWEST_SCHEMA}.{number}.backup")
        for number in (2, 3, 4)
    )
    second.symlink_to(pointed)
    third.symlink_to(older.with_name("nowhere"))
    connect(older, "write").close()
    assert mine.read_text() == "mine"
    assert pointed.read_text() == "pointed"
    assert files(older.parent) == {
        older.name,
        mine.name,
        pointed.name,
        second.name,
        third.name,
        fourth.name,
    }
    with closing(sqlite3.connect(fourth)) as copy:
        assert pragma(copy, "user_version") == NEWEST_SCHEMA
        assert db.integrity.faults(copy) == []


def test_the_copy_may_be_read_by_whom_the_file_may_be(older: Path) -> None:
    older.chmod(0o600)
    connect(older, "write").close()
    assert backup_of(older).stat().st_mode & 0o777 == 0o600


def test_the_copy_of_a_linked_file_lies_beside_the_file(older: Path) -> None:
    link = older.parent / "links" / "k.db"
    link.parent.mkdir()
    link.symlink_to(older)
    connect(link, "write").close()
    assert backup_of(older).exists()
    assert files(link.parent) == {link.name}


HOLDER = """
import sys
from pathlib import Path
from db.draft_files import hold_name
with hold_name(Path(sys.argv[1]), 0):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_program_that_waits_too_long_says_that_the_file_is_being_upgraded(
    older: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(db.connection, "BUSY_SECONDS", 0.05)
    holder = program(HOLDER, older)
    try:
        assert line_of(holder) == "held"
        assert "is being upgraded by another program" in refusal(older, "read")
        assert not backup_of(older).exists()
    finally:
        stop(holder)
    connect(older, "read").close()
    assert files(older.parent) == {older.name, backup_of(older).name}


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


def test_scores_of_an_older_file_are_those_of_ten_tokens(path: Path) -> None:
    unpack(15, path)
    setup = "form, examples, seed, example_order, inject, options"
    with closing(sqlite3.connect(path)) as before:
        before.execute(
            f"INSERT INTO score_series (model, {setup}) SELECT id, 'f', 5, 0, 0, '', 0 FROM model"
        )
        before.execute("INSERT INTO option_score (id, response) VALUES (1 << 40 | 1, 'x')")
        before.commit()
    with closing(connect(path, "write")) as connection:
        assert db.integrity.faults(connection) == []
        assert pragma(connection, "integrity_check") == "ok"
        key = SeriesKey("m", "f", 5, 0, 0, "", 0)
        assert read_series(connection) == [ScoreSeries(1, key)]
        with write_transaction(connection):
            found = [
                ensure_series(connection, replace(key, tokens=tokens), 1) for tokens in (10, 24, 24)
            ]
        assert found == [1, 2, 2]
        assert scores_at(connection, 1, [1])[1].response == "x"


def test_each_older_schema_has_its_file() -> None:
    """Who adds a migration has the program before it add its file: see `older_files`."""
    lacking = [version for version in VERSIONS if not packed_file(version).exists()]
    assert lacking == [], "python -m tests.db.older_files CHECKOUT_OF_THE_PROGRAM_BEFORE"
