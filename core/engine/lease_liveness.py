"""Whose program is gone: leases that nobody raises any more.

Nobody's clock but one's own is asked: a lease is looked at again and again.
"""

import sqlite3
import time
from collections.abc import Callable, Collection, Mapping

from db import leases

PATIENCE = 5.0
"""Seconds after which a lease that stands still has lost its owner, who raises it each second."""

LOOK = 0.25


class Liveness:
    """Remembers how leases stood, and since when."""

    def __init__(
        self, patience: float = PATIENCE, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._patience, self._clock = patience, clock
        self._seen: dict[int, tuple[int, float]] = {}
        self._raised: set[int] = set()

    def look(self, beats: Mapping[int, int]) -> None:
        """Take in how all leases stand now."""
        now = self._clock()
        for lease, beat in beats.items():
            before = self._seen.get(lease)
            if before is None or before[0] != beat:
                self._seen[lease] = beat, now
                if before is not None:
                    self._raised.add(lease)
        for lease in self._seen.keys() - beats.keys():
            del self._seen[lease]
            self._raised.discard(lease)

    def is_gone(self, lease: int | None) -> bool:
        """Whether a lease has no owner any more, as far as can be told by now."""
        if lease is None or lease not in self._seen:
            return True
        return self._clock() - self._seen[lease][1] >= self._patience

    def is_owned(self, lease: int | None) -> bool:
        """Whether a lease has been seen to be raised, and not long ago."""
        return lease in self._raised and not self.is_gone(lease)

    def take_away(self, connection: sqlite3.Connection, lease: int | None) -> None:
        """End a lease whose owner is gone: what it had claimed is free. In a transaction."""
        if lease in self._seen and self.is_gone(lease):
            leases.take_away(connection, lease, self._seen[lease][0])

    def is_sure(self, lease: int | None) -> bool:
        """Whether a lease has been seen to be raised, or has stood still for long enough."""
        return lease in self._raised or self.is_gone(lease)


def watched(
    connection: sqlite3.Connection,
    held: Collection[int],
    sleep: Callable[[float], object] = time.sleep,
) -> Liveness:
    """Look at these leases until it is known of each whether it has an owner.

    About a second where all have one, `PATIENCE` where one has none; at once for none at all.
    """
    liveness = Liveness()
    liveness.look(leases.beats(connection))
    while not all(map(liveness.is_sure, held)):
        sleep(LOOK)
        liveness.look(leases.beats(connection))
    return liveness
