"""The db writer: the one thread that owns the database connection of a job.

What waits to be written goes into one transaction together (group commit), so that many answers
share one wait for the disk, and the event loop never waits for it at all.
"""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, TypeVar, cast

from core.errors import LostkeysError
from db.connection import write_transaction
from db.sqlite_errors import DatabaseError, explain

T = TypeVar("T")

LOCKED_PATIENCE = 300.0
"""Seconds that another program may keep the database locked before the job stops."""

LOCKED_WAIT = 0.5
"""Seconds between two tries; SQLite itself waits in each."""

_LOCKED = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_BROKEN = {
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
}
"""Results that say something of the file, not of the statement."""

Call = Callable[[], T]


class DbWriter:
    """Reads and writes for a job, in order, in a thread of its own. An async context manager.

    connection: the job's, which nobody else uses meanwhile. path: its file, watched: one that is
    removed or replaced ends the work, as nothing that is written then could be found.
    told: called with a line when the database is locked for long, from the db writer's thread.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path | str | None = None,
        told: Callable[[str], object] = lambda line: None,
        patience: float = LOCKED_PATIENCE,
    ) -> None:
        self._connection, self._told, self._patience = connection, told, patience
        self._path = None if path is None else Path(path)
        self._file = _identity(self._path)
        self._orders: SimpleQueue[_Order | None] = SimpleQueue()
        self._duties: list[_Duty] = []
        self._broken: BaseException | None = None
        self._waiting = 0
        self._thread = threading.Thread(target=self._work, name="db-writer", daemon=True)
        self._thread.start()

    async def __aenter__(self) -> "DbWriter":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    @property
    def waiting(self) -> int:
        """Calls that have been ordered and are not through."""
        return self._waiting

    async def run_read(self, call: Call[T]) -> T:
        """What `call` gives, outside of any transaction (it may open its own).

        Raises what it raises; `DatabaseError` where the database can no longer be used.
        """
        (result,) = await self._order([call], writes=False)
        return cast(T, _value(result))

    async def write(self, call: Call[T]) -> T:
        """What `call` gives, made inside the next group commit and given after it.

        `call` is made again where the transaction had to be undone because of another. Raises as
        `run_read` does; nothing of the call is written then.
        """
        (result,) = await self.write_all([call])
        return cast(T, _value(result))

    async def write_all(self, calls: Sequence[Call[T]]) -> list[T | Exception]:
        """As `write` for many calls; the exception in place of the result of each that failed.

        Raises `DatabaseError` where the database can no longer be used.
        """
        return await self._order(calls, writes=True)

    def every(self, seconds: float, duty: Callable[[], object]) -> None:
        """Do something about that often, outside of any transaction, from now until the end.

        A duty that finds the database locked is tried again next time; any other error breaks the
        db writer, and comes out of the next read or write.
        """
        self._duties.append(_Duty(seconds, duty, time.monotonic() + seconds))
        self._orders.put(_Order((), False, None))

    async def close(self) -> None:
        """Do what was ordered, then end the thread. The connection stays open."""
        self._orders.put(None)
        await asyncio.to_thread(self._thread.join)

    async def _order(self, calls: Sequence[Call[T]], writes: bool) -> list[T | Exception]:
        future = asyncio.get_running_loop().create_future()
        order = _Order(tuple(calls), writes, future)
        self._waiting += 1
        self._orders.put(order)
        try:
            await future  # if that is cancelled, the order is carried out all the same
        finally:
            self._waiting -= 1
        return cast(list[T | Exception], order.results)

    # In the thread.

    def _work(self) -> None:
        ending = False
        while not ending:
            orders, ending = self._collect()
            self._carry_out([order for order in orders if order.writes], self._write)
            for order in orders:
                if not order.writes:
                    self._carry_out([order], self._run_reads)
            self._do_duties()

    def _collect(self) -> tuple[list["_Order"], bool]:
        """What has been ordered; waits until something is, or a duty is due."""
        orders: list[_Order] = []
        due = min((duty.due for duty in self._duties), default=None)
        try:
            order = self._orders.get(timeout=None if due is None else max(0.0, due - _now()))
            while order is not None:
                orders.append(order)
                order = self._orders.get_nowait()
        except Empty:
            return orders, False
        return orders, True

    def _carry_out(self, orders: list["_Order"], do: Callable[[list["_Order"]], None]) -> None:
        """Do it, again and again while the database is locked; then answer the orders."""
        if not orders:
            return
        since, said = _now(), False
        while self._broken is None:
            try:
                do(orders)
                break
            except sqlite3.Error as error:
                if not _is(error, _LOCKED) or _now() - since > self._patience:
                    self._broken = self._explain_error(error)
                elif not said:
                    self._told(
                        f"{self._explain_error(error)}; until then answers are kept and wait"
                    )
                    said = True
                time.sleep(LOCKED_WAIT if self._broken is None else 0)
            except LostkeysError as error:
                self._broken = error
        for order in orders:
            order.answer(self._broken)

    def _run_reads(self, orders: list["_Order"]) -> None:
        for order in orders:
            order.results = [_attempt(call) for call in order.calls]

    def _write(self, orders: list["_Order"]) -> None:
        """All in one transaction; each in its own where one of them fails."""
        try:
            with write_transaction(self._connection):
                for order in orders:
                    order.results = [call() for call in order.calls]
        except Exception as error:
            if _is(error, _LOCKED | _BROKEN):
                raise
            for order in orders:
                order.results = [self._write_alone(call) for call in order.calls]
        self._check_file()

    def _write_alone(self, call: Call[Any]) -> Any:
        def write() -> Any:
            with write_transaction(self._connection):
                return call()

        return _attempt(write)

    def _do_duties(self) -> None:
        now = _now()
        for duty in self._duties:
            if duty.due > now or self._broken is not None:
                continue
            try:
                duty.call()
                self._check_file()
            except Exception as error:
                if not _is(error, _LOCKED):
                    self._broken = self._explain_error(error)
            duty.due = _now() + duty.seconds

    def _check_file(self) -> None:
        if self._path is not None and _identity(self._path) != self._file:
            raise DatabaseError(
                f"{self._path} was removed or replaced while the job ran: nothing more is written; "
                "put the file back and start again"
            )

    def _explain_error(self, error: Exception) -> Exception:
        if isinstance(error, sqlite3.Error):
            return explain(error, self._path or "the database")
        return error


@dataclass(slots=True)
class _Order:
    """Calls that are answered together."""

    calls: tuple[Call[Any], ...]
    writes: bool
    future: "asyncio.Future[None] | None"
    results: list[Any] | None = None

    def answer(self, broken: BaseException | None) -> None:
        if self.future is None:
            return
        try:
            self.future.get_loop().call_soon_threadsafe(_settle, self.future, broken)
        except RuntimeError:
            return  # the loop has ended: nobody waits


@dataclass(slots=True)
class _Duty:
    """Something done about every `seconds`, next at `due`."""

    seconds: float
    call: Callable[[], object]
    due: float


_now = time.monotonic


def _settle(future: "asyncio.Future[None]", broken: BaseException | None) -> None:
    if future.done():
        return
    if broken is None:
        future.set_result(None)
    else:
        future.set_exception(broken)


def _attempt(call: Call[Any]) -> Any:
    """What a call gives, or the exception that it raised if that does not concern the file."""
    try:
        return call()
    except Exception as error:
        if _is(error, _LOCKED | _BROKEN):
            raise
        return error


def _value(result: Any) -> Any:
    if isinstance(result, Exception):
        raise result
    return result


def _is(error: BaseException, codes: set[int]) -> bool:
    """Whether an error is one of SQLite's with one of these (primary) result codes."""
    return isinstance(error, sqlite3.Error) and (
        getattr(error, "sqlite_errorcode", 0) & 0xFF in codes
    )


def _identity(path: Path | None) -> tuple[int, int] | None:
    try:
        found = path.stat() if path is not None else None
    except OSError:
        return None
    return None if found is None else (found.st_dev, found.st_ino)
