"""How an engine for batches takes its time."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from core.engine.retry import RETRY, Breaker, OutageError
from core.engine.run_counters import RunCounters
from core.providers.base import FatalError, TransientError
from core.providers.batch_service import LongResultsError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PollSchedule:
    """Times in seconds.

    first_look and longest_look: between two looks at what is out, longer each time. ask_again:
    until a work whose rest is with others is asked again. patience: in vain at a service before
    the job stops. looks: at the list of batches, without finding one, before it counts as never
    handed in. most_lines: in one batch; rounds: batches that an item may be in, all in vain.
    """

    first_look: float = 10.0
    longest_look: float = 300.0
    ask_again: float = 1.0
    patience: float = 3_600.0
    looks: int = 3
    most_lines: int = 20_000
    rounds: int = 4
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep


PACE = PollSchedule()


class Patience:
    """Waits for a service that cannot be reached or refuses, and loses patience after long."""

    def __init__(self, pace: PollSchedule, counters: RunCounters) -> None:
        self._pace, self._counters = pace, counters
        self._vain = 0.0
        self._breaker = Breaker(RETRY)

    async def ask(self, asked: Callable[[], Awaitable[T]]) -> T:
        """What a service says, asked again and again while it cannot be reached.

        Raises `OutageError` where that has been so for too long, and `FatalError` where it refuses
        before it ever answered, or many times in a row; at once for results that are too long.
        """
        while True:
            try:
                said = await asked()
            except TransientError as error:
                await self.wait(error)
            except LongResultsError:
                raise
            except FatalError as error:
                if self._breaker.note_denial():
                    raise
                self._counters.say("warn", f"{error}; asked again")
                await self._pace.sleep(self._pace.first_look)
            else:
                self.note_answer()
                return said

    def note_answer(self) -> None:
        """A service did what it was asked for."""
        self._vain = 0.0
        self._breaker.note_answer(asyncio.get_running_loop().time())

    async def wait(self, error: TransientError) -> None:
        """Wait after a failure, longer each time it is the next in a row."""
        wait = max(self._vain, self._pace.first_look, error.retry_after or 0.0)
        wait = min(wait, self._pace.longest_look)
        if not self._vain:
            self._counters.say(
                "warn", f"{error}; asked again, what is with the service goes on meanwhile"
            )
        self._vain += wait
        if self._vain > self._pace.patience:
            raise OutageError(
                f"{error}; the batches stay with the service: run the same command again to resume"
            )
        await self._pace.sleep(wait)
