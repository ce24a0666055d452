"""Databases for tests of the queries."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

import db.connection
from db.connection import connect
from tests.db.making import line_of, program, put_empty, stop


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a database may be made."""
    return tmp_path / "some.db"


@pytest.fixture
def connection(path: Path) -> Iterator[sqlite3.Connection]:
    """An empty database, open for writing."""
    put_empty(path)
    with closing(connect(path, "write")) as made:
        yield made


HOLDER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
for statement in sys.argv[2:]:
    connection.execute(statement).fetchall()
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Lets another program hold a file by some statements."""
    monkeypatch.setattr(db.connection, "BUSY_SECONDS", 0.05)
    holders = []

    def hold(path: Path, *statements: str) -> None:
        holders.append(program(HOLDER, path, *statements))
        assert line_of(holders[-1]) == "held"

    yield hold
    for one in holders:
        stop(one)
