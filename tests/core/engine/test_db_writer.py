"""The db writer writes what waits together, and answers only for what is committed."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from core.engine.db_writer import DbWriter
from db.sqlite_errors import DatabaseError


@pytest.fixture
def table(connection: sqlite3.Connection) -> sqlite3.Connection:
    connection.execute("CREATE TABLE number (value INTEGER NOT NULL UNIQUE) STRICT")
    return connection


def put(connection: sqlite3.Connection, value: int | None) -> Callable[[], int | None]:
    def call() -> int | None:
        assert connection.in_transaction
        connection.execute("INSERT INTO number VALUES (?)", (value,))
        return value

    return call


def numbers(path: Path) -> list[int]:
    """What another connection sees."""
    with sqlite3.connect(path) as other:
        found = [value for (value,) in other.execute("SELECT value FROM number ORDER BY value")]
    other.close()
    return found


async def test_what_waits_is_committed_together(table: sqlite3.Connection, path: Path) -> None:
    statements: list[str] = []
    begun, free = threading.Event(), threading.Event()

    def hold_up() -> bool:
        begun.set()
        return free.wait()

    async with DbWriter(table, path) as db_writer:
        held = asyncio.ensure_future(db_writer.run_read(hold_up))
        await asyncio.to_thread(begun.wait)
        table.set_trace_callback(statements.append)
        writes = [asyncio.ensure_future(db_writer.write(put(table, one))) for one in range(100)]
        await asyncio.sleep(0)
        free.set()
        assert await asyncio.gather(*writes) == list(range(100))
        assert await held
        table.set_trace_callback(None)
    assert statements.count("COMMIT") == 1
    assert numbers(path) == list(range(100))


async def test_answers_come_after_the_commit(table: sqlite3.Connection, path: Path) -> None:
    async with DbWriter(table, path) as db_writer:
        assert await db_writer.write(put(table, 1)) == 1
        assert numbers(path) == [1]
        assert not await db_writer.run_read(lambda: table.in_transaction)


async def test_only_the_guilty_one_fails(table: sqlite3.Connection, path: Path) -> None:
    async with DbWriter(table, path) as db_writer:
        results = await db_writer.write_all([put(table, one) for one in (1, 2, 2, None, 3)])
        assert [one for one in results if not isinstance(one, Exception)] == [1, 2, 3]
        assert all(isinstance(results[at], sqlite3.IntegrityError) for at in (2, 3))
        with pytest.raises(sqlite3.IntegrityError):
            await db_writer.write(put(table, 3))
        with pytest.raises(ZeroDivisionError):
            await db_writer.run_read(lambda: 1 / 0)
        assert await db_writer.write(put(table, 4)) == 4
    assert numbers(path) == [1, 2, 3, 4]


async def test_a_locked_database_is_waited_for(table: sqlite3.Connection, path: Path) -> None:
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    said: list[str] = []

    def told(line: str) -> None:
        said.append(line)
        other.execute("ROLLBACK")

    async with DbWriter(table, path, told) as db_writer:
        assert await db_writer.write(put(table, 1)) == 1
    other.close()
    assert len(said) == 1
    assert str(path) in said[0]
    assert "is locked by another program" in said[0]


async def test_not_for_ever(table: sqlite3.Connection, path: Path) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    async with DbWriter(table, path, patience=0.0) as db_writer:
        with pytest.raises(DatabaseError, match="is locked by another program"):
            await db_writer.write(put(table, 1))
        other.execute("ROLLBACK")
        with pytest.raises(DatabaseError):  # the job is to stop: nothing is written after
            await db_writer.write(put(table, 2))
    other.close()
    assert numbers(path) == []


async def test_a_replaced_file_is_noticed(table: sqlite3.Connection, path: Path) -> None:
    async with DbWriter(table, path) as db_writer:
        await db_writer.write(put(table, 1))
        path.rename(path.with_suffix(".old"))
        path.write_bytes(b"")
        with pytest.raises(DatabaseError, match="was removed or replaced"):
            await db_writer.write(put(table, 2))


async def test_duties(table: sqlite3.Connection, path: Path) -> None:
    beats, enough = 0, threading.Event()
    broken: list[str] = []

    def beat() -> None:
        nonlocal beats
        assert not table.in_transaction
        beats += 1
        if beats == 2:
            raise sqlite3.OperationalError("passes")
        enough.set()

    async with DbWriter(table, path) as db_writer:
        db_writer.every(0.01, beat)
        assert await asyncio.to_thread(enough.wait, 10)
        while not broken:
            try:
                await db_writer.run_read(lambda: None)
            except DatabaseError as error:
                broken.append(str(error))
    assert "passes" in broken[0]
    assert beats == 2


async def test_what_was_ordered_is_done_before_the_end(
    table: sqlite3.Connection, path: Path
) -> None:
    db_writer = DbWriter(table, path)
    free = threading.Event()
    held = asyncio.ensure_future(db_writer.run_read(free.wait))
    write = asyncio.ensure_future(db_writer.write(put(table, 1)))
    await asyncio.sleep(0)
    write.cancel()
    free.set()
    await db_writer.close()
    assert numbers(path) == [1]
    assert await held
