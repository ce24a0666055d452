"""Older files that several programs open at once, or whose upgrade is killed, stay whole."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

import db.draft_files
import db.integrity
import db.schema_check
from db.connection import NEWEST_SCHEMA, connect
from tests.db.making import files, line_of, pragma, program, stop, tell
from tests.db.older_files import RESPONSES, VERSIONS, unpack
from tests.effort import HEAVY

pytestmark = pytest.mark.slow

ROUNDS = int(os.environ.get("LOSTKEYS_UPGRADE_ROUNDS", "1"))
"""How often each schema is opened by each number of programs."""

PROGRAMS = (2, 4, 8)

OPENER = """
import sys
from pathlib import Path
from db.connection import connect
print("ready", flush=True)
for line in sys.stdin:
    try:
        connection = connect(Path(line.strip()), sys.argv[1])
        print(connection.execute("SELECT count(*) FROM response").fetchone()[0], flush=True)
        connection.close()
    except Exception as error:
        print(error, flush=True)
"""


def contents(path: Path) -> dict[str, list[Any]]:
    """Definition and rows of every table, but for when migrations were made."""
    with closing(sqlite3.connect(path)) as connection:
        assert pragma(connection, "integrity_check") == "ok"
        named = connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql <> ''").fetchall()
        found: dict[str, list[Any]] = {name: [sql] for name, sql in named}
        tables = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
        for (name,) in connection.execute(tables).fetchall():
            if name != "_sqlite_migrations":
                rows = connection.execute(f"SELECT * FROM {name}").fetchall()
                found[name] = [found.get(name), *sorted(map(repr, rows))]
    return found


@contextmanager
def openers(number: int) -> Iterator[list[Any]]:
    """Programs that open the files which they are told, to read and to write in turns."""
    running = [program(OPENER, ("read", "write")[place % 2]) for place in range(number)]
    try:
        for one in running:
            assert line_of(one) == "ready"
        yield running
    finally:
        for one in running:
            stop(one)


def test_each_older_schema_is_opened_by_many_programs_at_once(tmp_path: Path) -> None:
    alone = tmp_path / "alone.db"
    with openers(max(PROGRAMS)) as running:
        for version in VERSIONS:
            before = contents(unpack(version, alone))
            connect(alone, "write").close()
            after = contents(alone)
            for place in range(ROUNDS * len(PROGRAMS)):
                path = unpack(version, tmp_path / f"{version}-{place}.db")
                some = running[: PROGRAMS[place % len(PROGRAMS)]]
                for one in some:
                    tell(one, path)
                assert [line_of(one) for one in some] == [str(RESPONSES)] * len(some)
                assert contents(path) == after
                backup = path.with_name(f"{path.name}.schema{version}.backup")
                assert contents(backup) == before
                assert not [one for one in files(tmp_path) if one.startswith(".")]
                assert len(list(tmp_path.glob(f"{path.name}.*.backup"))) == 1
                backup.unlink()


EARLY_BATCHES = 3
"""A schema whose table of batches was changed within it: `doctor` says so of files before that."""

EARLY_LOSSES, EARLY_TABLE = "has lost the index batch_of_job", "holds a table batch"


def test_an_upgraded_file_has_the_tables_of_a_new_one(tmp_path: Path) -> None:
    for version in VERSIONS:
        path = unpack(version, tmp_path / f"{version}.db")
        with closing(connect(path, "write")) as connection:
            assert pragma(connection, "user_version") == NEWEST_SCHEMA
            assert db.integrity.faults(connection) == []
            assert not db.integrity.grids_are_stale(connection)
            other = [] if version != EARLY_BATCHES else [EARLY_LOSSES, EARLY_TABLE]
            found = db.schema_check.find_differences(connection)
            assert [one.split(" that ")[0].split(":")[0] for one in found] == other
            assert db.schema_check.find_additions(connection) == []


WRITER = """
import sqlite3, sys
from contextlib import closing
for number in range(10**6):
    with closing(sqlite3.connect(sys.argv[1], timeout=60)) as connection, connection:
        connection.execute("INSERT INTO project VALUES (?, '')", (f"written {number}",))
    print(number, flush=True)
"""


def test_two_programs_upgrade_while_a_third_writes(tmp_path: Path) -> None:
    with openers(2) as running:
        for version in VERSIONS:
            path = unpack(version, tmp_path / f"{version}.db")
            writer = program(WRITER, path)
            try:
                assert line_of(writer) == "0"
                for one in running:
                    tell(one, path)
                assert [line_of(one) for one in running] == [str(RESPONSES)] * 2
                last = int(line_of(writer))
            finally:
                stop(writer)
            written = {f"written {number}" for number in range(last + 1)}
            with closing(connect(path, "write")) as connection:
                assert pragma(connection, "integrity_check") == "ok"
                names = connection.execute("SELECT name FROM project").fetchall()
                assert written <= {name for (name,) in names}
                assert db.integrity.faults(connection) == []


KILLER = """
import os, signal, sys
from pathlib import Path
import db.connection, db.schema, db.draft_files
path, last = Path(sys.argv[1]), int(sys.argv[2])
opened = db.connection._open

def die_at(place):
    def count(*_):
        nonlocal place
        place -= 1
        if place == 0:
            os.kill(os.getpid(), signal.SIGKILL)
    def open_traced(*words):
        connection = opened(*words)
        connection.set_trace_callback(count)
        return connection
    db.connection._open = open_traced
    sys.addaudithook(count)
    db.connection.connect(path, "write").close()
    os._exit(0)

for line in sys.stdin:
    child = os.fork()
    if not child:
        die_at(int(line))
    print(os.waitpid(child, 0)[1], flush=True)
"""


def test_an_upgrade_that_is_killed_at_any_point_loses_nothing(tmp_path: Path) -> None:
    """Every so many calls of the system and statements, until the upgrade lives."""
    alone, path = unpack(5, tmp_path / "alone.db"), tmp_path / "killed" / "some.db"
    path.parent.mkdir()
    before = contents(alone)
    connect(alone, "write").close()
    after = contents(alone)
    killer = program(KILLER, path, "0")
    try:
        for place in range(1, 2000, 3 if HEAVY else 11):
            unpack(5, path)
            tell(killer, str(place))
            lived = line_of(killer) == "0"
            connect(path, "write").close()
            assert contents(path) == after
            backups = [one for one in path.parent.iterdir() if one.name.endswith(".backup")]
            assert backups
            assert all(contents(one) == before for one in backups)
            db.draft_files.clear(path.parent)
            assert files(path.parent) == {path.name, *(one.name for one in backups)}
            for one in (path, *backups):
                one.unlink()
            if lived:
                break
    finally:
        stop(killer)
    assert lived
    assert place > 100


CRAMPED = """
import resource, signal, sys
from pathlib import Path
from db.connection import connect
import db.schema
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    connect(Path(sys.argv[1]), "write").close()
    print("well")
except Exception as error:
    print(type(error).__name__, error)
"""


def test_an_upgrade_without_room_changes_nothing(tmp_path: Path) -> None:
    for part in (0, 4, 12):
        path = unpack(5, tmp_path / f"{part}.db")
        before, size = contents(path), path.stat().st_size
        cramped = program(CRAMPED, path, str(size * part // 20))
        said = line_of(cramped)
        stop(cramped)
        assert said.startswith("DatabaseError ")
        assert str(path) in said
        assert contents(path) == before
        connect(path, "write").close()
        assert contents(path.with_name(f"{path.name}.schema5.backup")) == before
