"""A work over numbers in a table, and providers that answer from a script."""

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.engine.db_writer import DbWriter
from core.engine.engine import Engine, Raw
from core.engine.model_channel import Concurrency, Limits, ModelChannel
from core.engine.retry import RETRY, Retry
from core.engine.run_counters import RunCounters
from core.engine.work_source import ItemResult
from core.pricing import Budget, Price
from core.providers.base import Draw, Provider, Reply, Request
from tests.core.engine.timeless import mind

STAGE = "answer"


def request(number: int, n: int = 1) -> Request:
    return Request(n, 20, 1.0, 1.0, text=str(number), samples=tuple(range(n)))


def say(text: str = "yes", tokens: int | None = 1) -> Callable[[Request], Reply]:
    return lambda request: Reply(
        tuple(Draw(text, "stop") for _ in range(request.n)), tokens, tokens
    )


@dataclass(frozen=True, slots=True)
class Ask:
    """One number, and how many answers to it are wanted."""

    number: int
    n: int = 1
    channel: str = "model"
    stage: str = STAGE

    @property
    def things(self) -> int:
        return self.n

    @property
    def request(self) -> Request:
        return request(self.number, self.n)


class Numbers:
    """Wants `n` answers to each number from 0; keeps them in a table of its own."""

    def __init__(self, connection: sqlite3.Connection, count: int, n: int = 1) -> None:
        self.connection, self.count, self.n = connection, count, n
        self.at = 0
        self.asked: list[int] = []
        self.failed: dict[int, str] = {}
        self.chosen: Callable[[int], str] = lambda number: "model"
        connection.execute(
            "CREATE TABLE IF NOT EXISTS said (number INTEGER, text TEXT NOT NULL) STRICT"
        )

    def next(self, most: int) -> Sequence[Ask] | None:
        assert not self.connection.in_transaction
        self.asked.append(most)
        if self.at >= self.count:
            return None
        first, self.at = self.at, min(self.count, self.at + most)
        return [Ask(number, self.n, self.chosen(number)) for number in range(first, self.at)]

    def take_all(self, replies: Sequence[tuple[Ask, Reply]]) -> Sequence[ItemResult[Ask]]:
        assert self.connection.in_transaction
        return [self.take(item, reply) for item, reply in replies]

    def take(self, item: Ask, reply: Reply) -> ItemResult[Ask]:
        self.connection.executemany(
            "INSERT INTO said VALUES (?, ?)", [(item.number, draw.text) for draw in reply.draws]
        )
        done = min(item.n, len(reply.draws))
        rest = [Ask(item.number, item.n - done, item.channel)] if done < item.n else []
        return ItemResult(rest, done)

    def fail(self, item: Ask, reason: str, refused: bool) -> ItemResult[Ask]:
        assert self.connection.in_transaction
        self.failed[item.number] = reason
        return ItemResult(failed=item.n, reason=reason)

    def said(self) -> Counter[int]:
        """How many answers there are to each number."""
        return Counter(number for (number,) in self.connection.execute("SELECT number FROM said"))


Script = Callable[[Request], Reply]


class Scripted(Provider):
    """Answers after `seconds`; notes what was sent when, and how much was in flight at most."""

    def __init__(self, script: Script | None = None, seconds: float = 1.0) -> None:
        self.script, self.seconds = script or say(), seconds
        self.sent: list[tuple[float, Request]] = []
        self.in_flight = self.most = self.dropped = 0

    async def draw(self, request: Request) -> Reply:
        self.sent.append((asyncio.get_running_loop().time(), request))
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)
        try:
            await asyncio.sleep(self.seconds)
            return self.script(request)
        except asyncio.CancelledError:
            self.dropped += 1
            raise
        finally:
            self.in_flight -= 1

    @property
    def times(self) -> list[float]:
        """When each request was sent, from the first one on."""
        return [at - self.sent[0][0] for at, _ in self.sent]


@dataclass
class Stage:
    """An engine with all that belongs to it."""

    connection: sqlite3.Connection
    work: Numbers
    counters: RunCounters = field(default_factory=RunCounters)
    path: Path | None = None
    raw: Raw | None = None
    budget: Budget | None = None
    retry: Retry = RETRY
    price: Price | None = None
    limits: Callable[[], Limits] = lambda: Limits(Concurrency(8, 8))
    told: Callable[[str], object] = lambda line: None
    engine: Engine[Ask] | None = None

    async def run(self, *providers: Provider, also: Callable[[], None] = lambda: None) -> None:
        """Run to the end in a timeless loop; the channels are called model and model1.

        `also` is called once the engine is made.
        """
        self.counters.expect(STAGE, self.work.count * self.work.n)
        channels = {
            f"model{number or ''}": ModelChannel(
                provider, f"model{number or ''}", self.limits(), self.price
            )
            for number, provider in enumerate(providers)
        }
        async with DbWriter(self.connection, self.path, self.told, patience=1.0) as db_writer:
            mind(lambda: db_writer.waiting > 0)
            self.engine = Engine(
                db_writer, self.work, channels, self.counters, self.budget, self.raw, self.retry
            )
            also()
            await self.engine.run()

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """Waiting, running, done and failed."""
        one = self.counters.stages[STAGE]
        return one.waiting, one.running, one.done, one.failed

    @property
    def log(self) -> list[str]:
        """The lines of the log."""
        return [event.text for event in self.counters.unsaved]
