"""Transactions: undone as a whole, whatever goes wrong; files that cannot be written."""

import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from subprocess import run
from tempfile import TemporaryDirectory

import pytest

import db.connection
import db.facts
import db.integrity
import db.label_grids
import db.responses
from core.project import OpenProject
from db.connection import Mode, connect, write_transaction
from db.slot_ids import slot
from db.sqlite_errors import DatabaseError
from tests.db.making import ROOT, a_fact, count_facts, files, fill, pragma


def test_a_failed_transaction_is_undone(connection: sqlite3.Connection) -> None:
    with pytest.raises(sqlite3.IntegrityError), write_transaction(connection):
        db.facts.insert(connection, [a_fact("e"), a_fact("f"), a_fact("f")])
    assert not connection.in_transaction
    assert count_facts(connection) == 0


def test_a_commit_that_fails_is_undone(connection: sqlite3.Connection) -> None:
    statement = (
        "INSERT INTO gold (fact, side, version, text, current) VALUES (9, 'object', 1, '', 1)"
    )

    def point_nowhere() -> None:
        with write_transaction(connection):
            connection.execute("PRAGMA defer_foreign_keys = ON")
            connection.execute(statement)

    with pytest.raises(sqlite3.IntegrityError):
        point_nowhere()
    assert not connection.in_transaction
    fill(connection)
    assert db.integrity.faults(connection) == []


def test_a_full_disk_undoes_the_transaction(path: Path) -> None:
    with OpenProject(path, "create") as project:
        (question, *_), (setting, *_), _ = fill(project.connection)

    def write_much() -> None:
        with OpenProject(path, "write") as full:
            pages = pragma(full.connection, "page_count")
            full.connection.execute(f"PRAGMA max_page_count = {pages + 4}")
            for sample in range(9):
                with write_transaction(full.connection):
                    key = slot(question, setting, sample)
                    db.responses.insert(full.connection, [(key, "x" * 10_000, None)])

    with pytest.raises(DatabaseError, match="disk is full") as error:
        write_much()
    assert "\n" not in str(error.value)
    with OpenProject(path, "write") as after:
        kept = after.connection.execute("SELECT count(*) FROM response").fetchone()[0]
        assert kept == after.grids.count(db.label_grids.DRAWN)
        assert 0 < kept < 9
        assert db.integrity.faults(after.connection) == []
        assert not db.integrity.grids_are_stale(after.connection)
        with write_transaction(after.connection):
            db.responses.insert(after.connection, [(slot(question, setting, 8), "x", None)])


READ_ONLY = """
import os, sqlite3, sys
from pathlib import Path
import sqlite_utils
import db.facts, db.schema
from core.project import OpenProject
from core.errors import LostkeysError
path, mode = Path(sys.argv[1]), sys.argv[2]
try:
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    os.listdir(path.parent)
except PermissionError:
    sys.exit(77)
try:
    with OpenProject(path, mode) as project:
        if mode != "read":
            with db.connection.write_transaction(project.connection):
                db.facts.insert(project.connection, [db.facts.Fact("new")])
        print(len(project.index))
except LostkeysError as error:
    print(error)
"""


@pytest.fixture
def guarded() -> Iterator[Path]:
    """A database in a folder that an unprivileged user can reach, not write."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        path = folder / "some.db"
        with closing(connect(path, "create")) as connection:
            fill(connection)
        path.chmod(0o444)
        folder.chmod(0o555)
        yield path
        folder.chmod(0o755)


def as_stranger(path: Path, mode: Mode) -> str:
    found = run(
        [sys.executable, "-c", READ_ONLY, str(path), mode],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    if found.returncode == 77:
        pytest.skip("root cannot become a user here who reaches the folder for temporary files")
    assert found.stderr == ""
    assert len(found.stdout.splitlines()) == 1
    return found.stdout.strip()


@pytest.mark.slow
def test_a_read_only_file_in_a_read_only_folder(guarded: Path) -> None:
    assert as_stranger(guarded, "read") == "1"
    assert "permissions" in as_stranger(guarded, "write")
    assert "permissions" in as_stranger(guarded.with_name("new.db"), "create")
    assert files(guarded.parent) == {guarded.name}


@pytest.mark.slow
def test_a_read_only_file_in_a_folder_for_all(guarded: Path) -> None:
    guarded.parent.chmod(0o777)
    assert as_stranger(guarded, "read") == "1"
    assert "permissions" in as_stranger(guarded, "write")
