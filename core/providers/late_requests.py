"""When a request is late: long enough under way for a person to be told of it.

A late request is not given up (`deadline.py` says when it is). It has a mark on Jobs and a line in
the log, and who asked is told of it at each look from then on: its deadline may change.
"""

import math
from collections.abc import Callable

OnLate = Callable[[float, float, float], object]
"""Takes the age, the median latency and the deadline of a late request, all in seconds."""

LATE_AFTER = 5.0
"""Seconds after which a request may be late."""

LATE = 10
"""A request is late after so many times the median latency of its kind, if that is longer."""


class LateWatch:
    """Watches one request, and tells of it once it is late."""

    def __init__(self, tell: OnLate) -> None:
        self._tell = tell
        self._is_late = False

    def look(self, age: float, median: float | None, deadline: float) -> float:
        """Tell of the request if it is late; gives the seconds in which it will be.

        They are infinite for one that is late already, and where no median is known: then nothing
        says what is usual.
        """
        if median is None:
            return math.inf
        late_at = max(LATE_AFTER, LATE * median)
        if not self._is_late and age < late_at:
            return late_at - age
        self._tell(age, median, deadline)
        self._is_late = True
        return math.inf
