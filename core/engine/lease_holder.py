"""Keeping a lease alive, and taking over what others can no longer do.

Nobody looks at clocks of the wall or at processes: a program raises its own counter about once a
second and watches those of others. One that it sees standing still for a while, in several looks,
belongs to nobody any more.
"""

import sqlite3
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import db.leases
from db.connection import writing
from db.leases import Lease

BEAT_EVERY = 1.0
"""Seconds between two beats."""

PATIENCE = 10.0
"""Seconds that a counter is seen standing still before its lease is taken away."""

LOOKS = 4
"""Looks that these seconds are spread over, at the least.

A program that was asleep itself has seen nothing of what others did meanwhile.
"""


@dataclass(slots=True)
class _Watched:
    """Another's counter, and the seconds that it has been seen standing still."""

    beat: int
    still: float = 0.0


class LeaseHolder:
    """Holds a lease for one job. All calls come from the thread that owns the connection.

    `claim` and `release` belong inside a transaction; `beat` and `close` open one if none is open.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        patience: float = PATIENCE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._connection, self._patience, self._clock = connection, patience, clock
        self._held: defaultdict[str, set[int]] = defaultdict(set)
        self._others: dict[int, _Watched] = {}
        self._looked = clock()
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
        now = self._clock()
        passed = min(now - self._looked, self._patience / LOOKS)
        self._looked = now
        beats = db.leases.beats(self._connection)
        beats.pop(self.lease.id, None)
        self._others = {
            lease: self._seen(lease, beat, passed)
            for lease, beat in beats.items()
            if not self._gone(lease, beat, passed)
        }

    def _seen(self, lease: int, beat: int, passed: float) -> _Watched:
        before = self._others.get(lease)
        if before is None or before.beat != beat:
            return _Watched(beat)
        return _Watched(beat, before.still + passed)

    def _gone(self, lease: int, beat: int, passed: float) -> bool:
        """Take a lease away that has been seen standing still for long enough."""
        seen = self._seen(lease, beat, passed)
        return seen.still >= self._patience and db.leases.take_away(self._connection, lease, beat)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        if self._connection.in_transaction:
            yield
        else:
            with writing(self._connection):
                yield
