"""Making database files, alone and beside other programs."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils import Database

import db.connection
import db.fact_names
import db.facts
import db.integrity
from db import schema
from db.connection import APPLICATION_ID, NEWEST_SCHEMA, VIEWS, Mode, connect
from db.sqlite_errors import DatabaseError
from tests.db.making import (
    MODES,
    count_facts,
    files,
    fill,
    line_of,
    pragma,
    program,
    put_empty,
    refusal,
    stop,
    tell,
)


def test_a_new_database(connection: sqlite3.Connection, path: Path) -> None:
    assert pragma(connection, "application_id") == APPLICATION_ID
    assert pragma(connection, "user_version") == NEWEST_SCHEMA
    assert pragma(connection, "journal_mode") == "wal"
    assert pragma(connection, "foreign_keys") == 1
    assert pragma(connection, "trusted_schema") == 0
    assert db.integrity.faults(connection) == []
    connection.close()
    assert files(path.parent) == {path.name}


MAKER = """
import sys
from pathlib import Path
from db.connection import connect
connect(Path(sys.argv[1]), "create").close()
print(hasattr(sys.modules.get("pandas"), "Series"))
import pandas
print(hasattr(sys.modules["pandas"], "Series"))
"""


@pytest.mark.skipif(find_spec("pandas") is None, reason="pandas is not installed")
def test_a_new_database_loads_no_pandas_and_hides_none(path: Path) -> None:
    maker = program(MAKER, path)
    assert [line_of(maker), line_of(maker)] == ["False", "True"]
    stop(maker)


WRITER = """
import sys
from pathlib import Path
from db.connection import connect
print(*connect(Path(sys.argv[1]), "write").execute("PRAGMA synchronous").fetchone())
"""


def test_a_commit_of_the_program_waits_for_the_disk(path: Path) -> None:
    put_empty(path)
    writer = program(WRITER, path)
    assert line_of(writer) == "2"
    stop(writer)


def test_the_schema_number_counts_the_migrations(connection: sqlite3.Connection) -> None:
    assert len(schema.migrations.applied(Database(connection))) == NEWEST_SCHEMA
    assert schema.migrations.pending(Database(connection)) == []


def test_all_tables_are_strict_and_all_views_are_ours(connection: sqlite3.Connection) -> None:
    tables = connection.execute(
        "SELECT name, strict FROM pragma_table_list "
        "WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'"
    ).fetchall()
    assert len(tables) > 10
    assert [name for name, strict in tables if not strict] == []
    views = connection.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall()
    assert {name for (name,) in views} == VIEWS


@pytest.mark.parametrize("mode", MODES)
def test_every_connection_is_careful(
    connection: sqlite3.Connection, path: Path, mode: Mode
) -> None:
    with closing(connect(path, mode)) as other:
        assert pragma(other, "foreign_keys") == 1
        assert pragma(other, "trusted_schema") == 0
        assert pragma(other, "query_only") == (mode == "read")
        assert pragma(other, "busy_timeout") == 1000 * db.connection.BUSY_SECONDS
        with pytest.raises(sqlite3.Error):
            other.execute(
                "INSERT INTO gold (fact, side, version, text, current) "
                "VALUES (77, 'object', 1, '', 1)"
            )


def test_a_reader_cannot_write(connection: sqlite3.Connection, path: Path) -> None:
    with closing(connect(path, "read")) as reader, pytest.raises(sqlite3.OperationalError):
        reader.execute("INSERT INTO project VALUES ('a', 'b')")


def test_an_empty_file_becomes_a_database(path: Path) -> None:
    path.touch()
    with closing(connect(path, "create")) as connection:
        assert pragma(connection, "application_id") == APPLICATION_ID


def test_creating_twice_keeps_what_is_there(connection: sqlite3.Connection, path: Path) -> None:
    fill(connection)
    with closing(connect(path, "create")) as again:
        assert count_facts(again) == 1


def test_a_failure_while_making_leaves_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE half (made)")
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(db.connection, "_migrate", fail)
    assert "disk is full" in refusal(path, "create")
    assert files(path.parent) == set()


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="is not a folder"):
        connect(tmp_path / "no" / "some.db", "create")
    assert files(tmp_path) == set()


def test_a_write_ahead_log_without_its_database_is_not_played_back(
    connection: sqlite3.Connection, path: Path
) -> None:
    fill(connection)
    log = path.with_name(path.name + "-wal").read_bytes()
    connection.close()
    path.unlink()
    path.with_name(path.name + "-wal").write_bytes(log)
    assert "-wal" in refusal(path, "create")
    path.with_name(path.name + "-wal").unlink()
    with closing(connect(path, "create")) as made:
        assert count_facts(made) == 0


CREATOR = """
import sys
from pathlib import Path
import db.facts
from db.connection import connect, write_transaction
from tests.db.making import a_fact
print("ready", flush=True)
for number, line in enumerate(sys.stdin):
    connection = connect(Path(line.strip()), "create")
    with write_transaction(connection):
        db.facts.insert(connection, [a_fact(sys.argv[1])])
    connection.close()
    print(number, flush=True)
"""


@pytest.mark.slow
def test_programs_that_make_the_same_file_at_once(tmp_path: Path) -> None:
    names = {"a", "b", "c"}
    creators = [program(CREATOR, name) for name in names]
    try:
        for one in creators:
            assert line_of(one) == "ready"
        for number in range(12):
            path = tmp_path / f"{number}.db"
            for one in creators:
                tell(one, path)
            for one in creators:
                assert line_of(one) == str(number)
            with closing(connect(path, "read")) as connection:
                assert set(db.fact_names.entities(connection)) == names
                assert db.integrity.faults(connection) == []
    finally:
        for one in creators:
            stop(one)


@pytest.mark.parametrize("is_empty", [False, True])
def test_a_file_made_at_the_last_moment_is_kept(
    path: Path, monkeypatch: pytest.MonkeyPatch, is_empty: bool
) -> None:
    if is_empty:
        path.touch()

    elsewhere = path.with_name("elsewhere.db")
    with closing(connect(elsewhere, "create")) as first:
        fill(first)
    whole = elsewhere.read_bytes()
    elsewhere.unlink()

    def interrupted(act: Callable[..., Any]) -> Callable[..., Any]:
        def after_another_program(one: Path, other: Path) -> Any:
            monkeypatch.undo()
            path.write_bytes(whole)
            return act(one, other)

        return after_another_program

    monkeypatch.setattr(os, "link", interrupted(os.link))
    with closing(connect(path, "create")) as connection:
        assert count_facts(connection) == 1
    assert files(path.parent) == {path.name}


def refuse(one: Path, other: Path) -> None:
    """What a file system says that has no links."""
    raise PermissionError


def test_a_file_system_without_links(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "link", refuse)
    with closing(connect(path, "create")) as connection:
        fill(connection)
    assert files(path.parent) == {path.name}


def test_what_a_killed_program_had_begun_to_make_is_deleted(path: Path) -> None:
    left = path.with_name(f".{path.name}.12345.new")
    left.write_bytes(b"half")
    connect(path, "create").close()
    assert files(path.parent) == {path.name}


def test_a_new_file_lies_where_a_symbolic_link_says(path: Path) -> None:
    there = path.parent / "there"
    there.mkdir()
    path.symlink_to(there / "real.db")
    connect(path, "create").close()
    assert path.is_symlink()
    assert files(there) == {"real.db"}
