"""However the engine is stopped: what had arrived is written, the rest is left to ask again."""

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from core.engine.work_source import ItemResult
from core.providers.base import Reply, Request
from db.sqlite_errors import DatabaseError
from tests.core.engine.scripted import Ask, Numbers, Scripted, Stage, say
from tests.core.engine.timeless import run

Make = Callable[..., Stage]


def test_cancelled(stage: Make) -> None:
    made, server = stage(100), Scripted()
    arrived: list[int] = []

    def script(request: Request) -> Reply:
        arrived.append(int(request.text or 0))
        return say()(request)

    server.script = script

    async def cancelled() -> None:
        task = asyncio.ensure_future(made.run(server))
        asyncio.get_running_loop().call_later(3.5, task.cancel)
        with pytest.raises(asyncio.CancelledError):
            await task

    run(cancelled)
    assert len(arrived) == 24
    assert made.work.said() == Counter(arrived)
    assert made.counts == (76, 0, 24, 0)
    assert server.dropped == 8


def test_cancelled_in_the_moment_in_which_answers_come(stage: Make) -> None:
    made, server = stage(100), Scripted()

    async def cancelled() -> None:
        task = asyncio.ensure_future(made.run(server))

        def script(request: Request) -> Reply:
            if request.text == "3":
                asyncio.get_running_loop().call_soon(task.cancel)
            return say()(request)

        server.script = script
        with pytest.raises(asyncio.CancelledError):
            await task

    run(cancelled)
    said = made.work.said()
    assert set(said) >= {0, 1, 2, 3}
    assert made.counts == (100 - len(said), 0, len(said), 0)


def test_one_guilty_answer_takes_no_other_with_it(stage: Make) -> None:
    class Picky(Numbers):
        def take(self, item: Ask, reply: Reply) -> ItemResult[Ask]:
            taken = super().take(item, reply)
            if item.number == 5:
                raise ZeroDivisionError("a fault")
            return taken

    made = stage(8)
    made.work = Picky(made.connection, 8)
    with pytest.raises(ZeroDivisionError):
        run(lambda: made.run(Scripted()))
    assert made.work.said() == Counter({0, 1, 2, 3, 4, 6, 7})
    assert made.counts == (1, 0, 7, 0)


def test_a_database_that_is_removed(stage: Make, path: Path) -> None:
    made, server = stage(1000), Scripted()

    def script(request: Request) -> Reply:
        if request.text == "50":
            path.unlink()
        return say()(request)

    server.script = script
    with pytest.raises(DatabaseError, match="was removed or replaced while the job ran") as caught:
        run(lambda: made.run(server))
    assert str(path) in str(caught.value)
    assert len(server.sent) < 100
    waiting, running, done, failed = made.counts
    assert (waiting + done, running, failed) == (1000, 0, 0)


def test_a_disk_that_is_full(stage: Make, connection: sqlite3.Connection) -> None:
    made, server = stage(5000), Scripted(say("x" * 1000))
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages + 20}")
    with pytest.raises(DatabaseError, match="the disk is full"):
        run(lambda: made.run(server))
    said = made.work.said()
    assert 0 < len(said) < 100
    assert set(said.values()) == {1}
    assert made.counts == (5000 - len(said), 0, len(said), 0)


def test_a_database_that_is_locked_for_a_moment(stage: Make, path: Path) -> None:
    """Answers wait until it is free; nothing is asked twice."""
    made, server = stage(200), Scripted()
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    calls = 0

    def script(request: Request) -> Reply:
        if request.text == "20":
            other.execute("BEGIN IMMEDIATE")
        return say()(request)

    def told(line: str) -> None:
        nonlocal calls
        calls += 1
        assert "is locked by another program" in line
        other.execute("ROLLBACK")

    server.script = script
    made.told = told
    run(lambda: made.run(server))
    other.close()
    assert calls == 1
    assert made.work.said() == Counter(range(200))
    assert made.counts == (0, 0, 200, 0)
    assert len(server.sent) == 200


def test_a_database_that_stays_locked(stage: Make, path: Path) -> None:
    made, server = stage(50_000), Scripted(seconds=0.01)
    other = sqlite3.connect(path, isolation_level=None)

    def script(request: Request) -> Reply:
        if request.text == "20":
            other.execute("BEGIN IMMEDIATE")
        return say()(request)

    server.script = script
    with pytest.raises(DatabaseError, match="is locked by another program"):
        run(lambda: made.run(server))
    other.close()
    waiting, running, done, failed = made.counts
    assert (waiting + done, running, failed) == (50_000, 0, 0)
    assert made.work.said() == Counter(range(done))


def test_what_went_over_the_wire_is_kept_after_the_commit(stage: Make) -> None:
    kept: list[tuple[Sequence[int], str, int]] = []

    class Raw:
        def append(
            self, samples: Sequence[int], stage: str, request: Request, reply: Reply
        ) -> None:
            assert not made.connection.in_transaction
            assert made.work.said()[int(request.text or 0)] == 2
            kept.append((samples, stage, len(reply.draws)))

    made = stage(20, n=2, raw=Raw())
    run(lambda: made.run(Scripted()))
    assert kept == [((0, 1), "answer", 2)] * 20
