"""A database on disk for an engine to write to."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.core.engine.batching import fake, place
from tests.core.engine.scripted import Numbers, Stage

__all__ = ["fake", "place"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "numbers.db"


@pytest.fixture
def connection(path: Path) -> Iterator[sqlite3.Connection]:
    made = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=0.1)
    made.execute("PRAGMA journal_mode = WAL")
    yield made
    made.close()


@pytest.fixture
def stage(connection: sqlite3.Connection, path: Path) -> Callable[..., Stage]:
    """An engine's stage over so many numbers with so many answers each."""

    def make(count: int, n: int = 1, **options: object) -> Stage:
        work = Numbers(connection, count, n)
        return Stage(connection, work, path=path, **options)  # type: ignore[arg-type]

    return make
