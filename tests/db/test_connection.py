"""Opening database files, and refusing those that are not ours or not well."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from core.project import OpenProject
from db.connection import NEWEST_SCHEMA, Mode, connect
from db.sqlite_errors import DatabaseError
from tests.db.making import MODES, count_facts, files, fill, pragma, refusal


@pytest.mark.parametrize("mode", ["read", "write"])
def test_a_file_that_is_not_there_is_not_made(path: Path, mode: Mode) -> None:
    assert "does not exist" in refusal(path, mode)
    assert files(path.parent) == set()


@pytest.mark.parametrize("mode", MODES)
def test_garbage(path: Path, mode: Mode) -> None:
    path.write_bytes(b"no database at all, but long enough to be one " * 100)
    before = path.read_bytes()
    assert "is not a database" in refusal(path, mode)
    assert path.read_bytes() == before
    assert files(path.parent) == {path.name}


@pytest.mark.parametrize("mode", ["read", "write"])
def test_an_empty_file(path: Path, mode: Mode) -> None:
    path.touch()
    assert "is empty" in refusal(path, mode)
    assert path.stat().st_size == 0


@pytest.mark.parametrize("mode", MODES)
def test_a_folder(tmp_path: Path, mode: Mode) -> None:
    assert "is a folder" in refusal(tmp_path, mode)


@pytest.mark.parametrize("mode", MODES)
def test_a_database_of_another_program(path: Path, mode: Mode) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE fact (id)")
    before = path.read_bytes()
    assert "another program" in refusal(path, mode)
    assert path.read_bytes() == before


@pytest.mark.parametrize("mode", MODES)
def test_a_newer_schema(connection: sqlite3.Connection, path: Path, mode: Mode) -> None:
    connection.execute(f"PRAGMA user_version = {NEWEST_SCHEMA + 1}")
    message = refusal(path, mode)
    assert "newer" in message
    assert "update" in message
    assert pragma(connection, "user_version") == NEWEST_SCHEMA + 1


@pytest.mark.parametrize(
    ("sql", "name"),
    [
        (
            "CREATE TRIGGER evil AFTER INSERT ON fact BEGIN DELETE FROM response; END",
            "trigger evil",
        ),
        ("CREATE VIEW other AS SELECT 1", "view other"),
    ],
)
@pytest.mark.parametrize("mode", MODES)
def test_foreign_triggers_and_views(
    connection: sqlite3.Connection, path: Path, mode: Mode, sql: str, name: str
) -> None:
    connection.execute(sql)
    assert name in refusal(path, mode)


def test_a_foreign_trigger_stops_an_upgrade(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("CREATE TRIGGER evil AFTER INSERT ON fact BEGIN SELECT 1; END")
    connection.execute("PRAGMA user_version = 0")
    assert "trigger evil" in refusal(path, "write")
    assert pragma(connection, "user_version") == 0


def test_damage_is_told_in_one_line(connection: sqlite3.Connection, path: Path) -> None:
    fill(connection, 30)
    connection.close()
    whole = bytearray(path.read_bytes())
    whole[4096:] = b"\xff" * (len(whole) - 4096)
    path.write_bytes(whole)
    with pytest.raises(DatabaseError) as error, OpenProject(path) as project:
        len(project.index)
    assert "\n" not in str(error.value)
    assert str(path) in str(error.value)


@pytest.mark.parametrize("mode", MODES)
def test_a_file_locked_by_another_program(
    connection: sqlite3.Connection, path: Path, mode: Mode, held: Callable[..., None]
) -> None:
    connection.close()
    held(path, "PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE", "SELECT 1 FROM fact")
    assert "locked" in refusal(path, mode)


def test_another_program_that_writes(
    connection: sqlite3.Connection, path: Path, held: Callable[..., None]
) -> None:
    held(path, "BEGIN IMMEDIATE", "INSERT INTO project VALUES ('a', 'b')")
    with closing(connect(path, "read")) as reader:
        assert reader.execute("SELECT * FROM project WHERE name = 'a'").fetchall() == []
    with (
        pytest.raises(DatabaseError, match="locked") as error,
        OpenProject(path, "write") as project,
    ):
        fill(project.connection)
    assert "\n" not in str(error.value)
    assert count_facts(connection) == 0
