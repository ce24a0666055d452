"""Whose program is gone: leases that nobody raises any more.

Nobody looks at clocks of the wall or at processes: a program raises its own counter about once a
second and watches those of others. One that it sees standing still for a while, in several looks,
belongs to nobody any more. All times of that rule stand here.
"""

import sqlite3
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from db import leases

BEAT_EVERY = 1.0
"""Seconds between two times that an owner raises its lease."""

GONE_AFTER = 5.0
"""Seconds of standing still after which a person who asks is told that an owner is gone.

The person waits for it, and decides what becomes of the job.
"""

TAKEN_AFTER = 10.0
"""Seconds of standing still after which a running job takes a lease away by itself.

Nobody waits for that, and an owner that was only slow would ask for some things twice.
"""

LOOKS = 4
"""Looks that these seconds are spread over, at the least.

A program that was asleep itself has seen nothing of what others did meanwhile.
"""

LOOK_EVERY = 0.25
"""Seconds between two looks of who does nothing else."""


@dataclass(slots=True)
class WatchedLease:
    """Another's counter, and the seconds that it has been seen standing still."""

    beat: int
    still: float = 0.0
    raised: bool = False
    """Whether it has been seen to be raised."""


class Liveness:
    """Remembers how leases stood, and for how long."""

    def __init__(
        self, patience: float = GONE_AFTER, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._patience, self._clock = patience, clock
        self._seen: dict[int, WatchedLease] = {}
        self._looked = clock()

    def look(self, beats: Mapping[int, int]) -> None:
        """Take in how all leases stand."""
        now = self._clock()
        passed = min(now - self._looked, self._patience / LOOKS)
        self._looked = now
        self._seen = {lease: self._watch(lease, beat, passed) for lease, beat in beats.items()}

    def _watch(self, lease: int, beat: int, passed: float) -> WatchedLease:
        before = self._seen.get(lease)
        if before is None:
            return WatchedLease(beat)
        if before.beat != beat:
            return WatchedLease(beat, raised=True)
        return WatchedLease(beat, before.still + passed, before.raised)

    def is_gone(self, lease: int | None) -> bool:
        """Whether a lease has no owner any more, as far as the looks tell."""
        seen = None if lease is None else self._seen.get(lease)
        return seen is None or seen.still >= self._patience

    def is_owned(self, lease: int | None) -> bool:
        """Whether a lease has been seen to be raised, and not long ago."""
        return self._is_raised(lease) and not self.is_gone(lease)

    def is_sure(self, lease: int | None) -> bool:
        """Whether a lease has been seen to be raised, or has stood still for long enough."""
        return self._is_raised(lease) or self.is_gone(lease)

    def _is_raised(self, lease: int | None) -> bool:
        seen = None if lease is None else self._seen.get(lease)
        return seen is not None and seen.raised

    def take_away(self, connection: sqlite3.Connection, lease: int | None) -> None:
        """End a lease whose owner is gone: what it had claimed is free. In a transaction."""
        if lease is not None and lease in self._seen and self.is_gone(lease):
            leases.take_away(connection, lease, self._seen[lease].beat)

    def take_away_all(self, connection: sqlite3.Connection) -> None:
        """End all leases whose owners are gone. In a transaction."""
        for lease in self._seen:
            self.take_away(connection, lease)


def watch_leases(
    connection: sqlite3.Connection,
    held: Collection[int],
    sleep: Callable[[float], object] = time.sleep,
) -> Liveness:
    """Look at these leases until it is known of each whether it has an owner.

    About a second where all have one, `GONE_AFTER` where one has none; at once for none at all.
    """
    liveness = Liveness()
    liveness.look(leases.beats(connection))
    while not all(map(liveness.is_sure, held)):
        sleep(LOOK_EVERY)
        liveness.look(leases.beats(connection))
    return liveness
