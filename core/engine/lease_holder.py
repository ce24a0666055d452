"""Keeping a lease alive, and taking over what others can no longer do."""

import sqlite3
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

import db.leases
from core.engine.lease_liveness import BEAT_EVERY, TAKEN_AFTER, Liveness
from db.connection import write_transaction
from db.leases import Lease


class LeaseHolder:
    """Holds a lease for one job. All calls come from the thread that owns the connection.

    `claim` and `release` belong inside a transaction; `beat` and `close` open one if none is open.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        patience: float = TAKEN_AFTER,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._connection = connection
        self._held: defaultdict[str, set[int]] = defaultdict(set)
        self._others = Liveness(patience, clock)
        self._clock, self._beaten = clock, clock()
        with self._transaction():
            self.lease: Lease = db.leases.take(connection)

    def claim(self, stage: str, items: Iterable[int]) -> list[int]:
        """Claim those of these items that nobody has claimed; gives them."""
        items = list(items)
        if not items:
            return []
        self._hold()
        got = db.leases.claim(self._connection, self.lease, stage, items)
        self._held[stage].update(got)
        return got

    def release(self, stage: str, items: Sequence[int]) -> None:
        """Give up claims: the items are done, or others may have them."""
        if not items:
            return
        db.leases.release(self._connection, self.lease, stage, items)
        self._held[stage].difference_update(items)

    @property
    def is_due(self) -> bool:
        """Whether the lease is to be raised again: it was not just now."""
        return self._clock() - self._beaten >= BEAT_EVERY

    def defer(self) -> None:
        """Count the lease as raised now, whether the file lets it be or not: it is due later."""
        self._beaten = self._clock()

    def beat(self) -> None:
        """Raise the counter, and take away leases whose owners are gone."""
        with self._transaction():
            self._hold()
            self._watch()

    def close(self) -> None:
        """Give the lease back with all its claims."""
        with self._transaction():
            db.leases.end(self._connection, self.lease)
        self._held.clear()

    def _hold(self) -> None:
        """Raise the counter; where the lease was taken from us, take another.

        That happens to a program that slept too long. What it was busy with is claimed again,
        as far as nobody else has claimed it since.
        """
        if db.leases.beat(self._connection, self.lease):
            return
        self.lease = db.leases.take(self._connection)
        for stage, items in self._held.items():
            items.intersection_update(
                db.leases.claim(self._connection, self.lease, stage, list(items))
            )

    def _watch(self) -> None:
        """Look at the leases of others, and take away those that have stood still for long."""
        beats = db.leases.beats(self._connection)
        beats.pop(self.lease.id, None)
        self._others.look(beats)
        self._others.take_away_all(self._connection)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        if self._connection.in_transaction:
            yield
        else:
            with write_transaction(self._connection):
                yield
