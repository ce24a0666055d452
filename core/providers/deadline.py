"""When a request is given up: by the wall clock, whatever server, transport or SDK do."""

import asyncio
from collections import deque
from collections.abc import Coroutine, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from core.providers.late_requests import LateWatch, OnLate

T = TypeVar("T")
FIRST = 300.0
"""Seconds for a request of which nothing is known: a large local model may be loaded by it."""

SLOWEST_TOKEN = 0.25
"""Seconds that a token may take, beyond that, while nothing is known."""

ENOUGH = 8
"""Replies to requests of one kind after which their latencies say something."""

REMEMBERED = 64
"""Latencies that are remembered of each kind."""

LEAST = 60.0
"""Seconds for any request, however fast others were."""

SLOWER = 20
"""A request may take so many times as long as the slowest that is remembered."""

SURELY = 4
"""The same where that is longer than what would be given without knowing anything."""

MOST_DOUBLED = 8
"""How many times a deadline grows at most while nothing keeps it."""

STEP = 5.0
"""Seconds between two looks at what has been learned since a request was sent."""

LAST_WORD = 1.0
CANCELS = 3
"""Seconds that a request has to end after each of so many cancellations."""


@dataclass(slots=True)
class Deadline:
    """What one model is given for a request. `timeout` in seconds where a person has set it.

    Without, a kind of requests has a time by its tokens until enough replies have come, then by the
    slowest of these. A deadline that was missed is doubled, as it may have been too short, until a
    reply comes. Used in one event loop.
    """

    timeout: float | None = None
    _seen: dict[Hashable, deque[float]] = field(default_factory=dict)
    _doubled: float = 1.0
    _missed: float = 0.0

    def seconds(self, kind: Hashable, tokens: int) -> float:
        """Seconds for a request of this kind, whose answers have so many tokens at most."""
        if self.timeout is not None:
            return self.timeout
        unknown, seen = FIRST + SLOWEST_TOKEN * tokens, self._seen.get(kind, ())
        if len(seen) < ENOUGH:
            return unknown * self._doubled
        slowest = max(seen)
        return min(max(LEAST, SLOWER * slowest), max(unknown, SURELY * slowest)) * self._doubled

    def median(self, kind: Hashable) -> float | None:
        """The median latency of a kind in seconds, None while too few have come."""
        seen = self._seen.get(kind, ())
        return sorted(seen)[len(seen) // 2] if len(seen) >= ENOUGH else None

    async def keep(
        self,
        kind: Hashable,
        tokens: int,
        request: Coroutine[Any, Any, T],
        late: OnLate,
    ) -> T:
        """What a request brings. Raises `TimeoutError` at the deadline, and what it raises.

        `late` is called as it becomes late, and at each look from then on: deadlines change.
        """
        loop = asyncio.get_running_loop()
        sent, watch = loop.time(), LateWatch(late)
        task = loop.create_task(request)
        while not task.done():
            age, limit = loop.time() - sent, self.seconds(kind, tokens)
            if age >= limit:
                break
            late_in = watch.look(age, self.median(kind), limit)
            await _wait(task, min(limit - age, STEP, late_in))
        else:
            if not task.cancelled() and task.exception() is None:
                self._note(kind, loop.time() - sent)
            return task.result()
        self._miss(sent, loop.time())
        return await _end_task(task, limit)

    def _note(self, kind: Hashable, seconds: float) -> None:
        self._seen.setdefault(kind, deque(maxlen=REMEMBERED)).append(seconds)
        self._doubled = 1.0

    def _miss(self, sent: float, now: float) -> None:
        """What was sent before the last doubling says nothing of the time since."""
        if sent >= self._missed:
            self._doubled = min(MOST_DOUBLED, 2 * self._doubled)
            self._missed = now


async def wait_within(seconds: float, request: Coroutine[Any, Any, T]) -> T:
    """What a request brings. Raises `TimeoutError` after these seconds, and what it raises."""
    task = asyncio.get_running_loop().create_task(request)
    await _wait(task, seconds)
    return task.result() if task.done() else await _end_task(task, seconds)


async def _wait(task: asyncio.Task[T], seconds: float) -> None:
    """Wait for a task, so long at most; it is cancelled with its waiter."""
    try:
        await asyncio.wait([task], timeout=seconds)
    except asyncio.CancelledError:
        await _cancel(task)
        raise


async def _end_task(task: asyncio.Task[T], seconds: float) -> T:
    """What a task brings that is at its end; what came in its last moment counts."""
    await _cancel(task)
    if task.done() and not task.cancelled() and task.exception() is None:
        return task.result()
    raise TimeoutError(f"no answer within {seconds:,.0f} s, the request is given up")


async def _cancel(task: asyncio.Task[Any]) -> None:
    """Cancel a task, again where that is swallowed. Who swallows it always is left alone."""
    for _ in range(CANCELS):
        task.cancel()
        done, _ = await asyncio.wait([task], timeout=LAST_WORD)
        if done:
            break
    task.add_done_callback(_forget)


def _forget(task: asyncio.Task[Any]) -> None:
    """Nobody asks any more what became of it."""
    if not task.cancelled():
        task.exception()
