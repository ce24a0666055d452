"""A plan that is filled by batches: the database, the program and how it dies."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest

import db.facts
import db.job_rows
from core.engine.batch_engine import BatchEngine
from core.engine.batch_requests import BatchRun
from core.engine.db_writer import DbWriter
from core.engine.lease_holder import LeaseHolder
from core.engine.model_channel import ModelChannel
from core.engine.poll_schedule import PollSchedule
from core.engine.run_counters import RunCounters
from core.pricing import Budget, Price
from core.project import OpenProject
from core.providers.openai_batches import OpenAIBatches
from core.sampling.sample_plan import Plan
from core.sampling.sample_work import SampleWork
from db.connection import write_transaction
from tests.core.making import new_project
from tests.core.sampling.scripted import MODEL, capital
from tests.fakes.openai_server import FakeOpenAI
from tests.fakes.service import Fake, listening
from tests.patience import PATIENCE

T = TypeVar("T")

SAMPLES = 4
SLOTS = 2 * (10 + 8) * SAMPLES
REQUESTS = 2 * ((6 + 4 * 4) + (4 + 4 * 4))
"""Multiple choice shows four orders, one answer each."""

KEY = "sk-very-secret-0123456789"
PRICE = Price(1.0, 2.0, batch=0.5)


WHILE_OUT = 5
"""The step at which a program has handed its first batch in and waits."""


class Killed(BaseException):
    """The program dies here."""


@dataclass
class Steps:
    """Counts what a program does to the outside, and kills it at one step. Waits take no time."""

    deadly: int = -1
    count: int = 0
    waits: list[float] = field(default_factory=list)

    def step(self) -> None:
        self.count += 1
        if self.count == self.deadly:
            raise Killed

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.step()
        await asyncio.sleep(0)


class MortalClerk(DbWriter):
    """Dies before or after a write."""

    steps = Steps()

    async def write_all(self, calls: Sequence[Callable[[], Any]]) -> list[Any]:
        self.steps.step()
        results = await super().write_all(calls)
        self.steps.step()
        return results


class Mortal(OpenAIBatches):
    """Dies before or after whatever is said to the service."""

    steps: Steps

    async def submit(self, token: str, kind: str, lines: Sequence[bytes]) -> str:
        return await self._mortally(super().submit(token, kind, lines))

    async def results(self, name: str) -> Any:
        return await self._mortally(super().results(name))

    async def find(self, token: str) -> str | None:
        return await self._mortally(super().find(token))

    async def _mortally(self, doing: Coroutine[Any, Any, T]) -> T:
        try:
            self.steps.step()
        except Killed:
            doing.close()
            raise
        done = await doing
        self.steps.step()
        return done


@dataclass
class Place:
    """A database with facts and a job that asks all about them."""

    path: Path
    job: int
    slots: int = SLOTS

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        connection = sqlite3.connect(self.path)
        found = connection.execute(query).fetchall()
        connection.close()
        return found

    def texts(self) -> list[str]:
        return [text for (text,) in self.rows("SELECT text FROM response")]

    def check_filled(self, fake: Fake) -> None:
        """Every slot is there once, by a text that was sent; nothing is left behind."""
        texts = self.texts()
        assert len(texts) == len(set(texts)) == self.slots
        assert set(texts) <= set(fake.sent)
        assert self.rows("SELECT * FROM claim") == []
        assert {state for (state,) in self.rows("SELECT state FROM batch")} <= {
            "collected",
            "failed",
            "cancelled",
        }


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return made_at(tmp_path / "some.db")


def made_at(path: Path, count: int = 2) -> Place:
    with new_project(path) as project:
        facts = [capital(1, "France", "Paris"), capital(2, "Italy", "Rome")]
        with write_transaction(project.connection):
            db.facts.insert(project.connection, facts[:count])
            job = db.job_rows.create(project.connection, "sample", "m", "{}")
    return Place(path, job, SLOTS * count // 2)


@pytest.fixture
async def fake() -> AsyncIterator[FakeOpenAI]:
    server = FakeOpenAI(unique=True)
    async with listening(server):
        yield server


async def run(
    place: Place,
    service: Any,
    steps: Steps | None = None,
    counters: RunCounters | None = None,
    budget: Budget | None = None,
    price: Price | None = PRICE,
    do: Callable[[Any], Awaitable[object]] = lambda engine: engine.run(),
    **pace: Any,
) -> RunCounters:
    """One program from its start to its end, or its death."""
    counters, steps = counters or RunCounters(), steps or Steps()
    with OpenProject(place.path, "write") as project:
        lease_holder = LeaseHolder(project.connection, patience=0)
        lease_holder.beat()
        lease_holder.beat()  # has now seen whoever died standing still
        facts = np.ones(len(project.index), np.bool_)
        work = SampleWork(
            project, Plan(MODEL, "m", SAMPLES, facts), lease_holder, counters, job=place.job
        )
        db_writer = MortalClerk(project.connection, project.path)
        db_writer.steps = steps
        async with db_writer:
            run = BatchRun(
                db_writer,
                work,
                {MODEL: ModelChannel(service, MODEL, price=price)},
                counters,
                project.connection,
                lease_holder,
                place.job,
                budget,
                pace=PollSchedule(sleep=steps.sleep, **pace),
            )
            engine = BatchEngine(run)
            try:
                await do(engine)
            finally:
                await service.close()
        work.close()
        lease_holder.close()
    return counters


def of(fake: FakeOpenAI, steps: Steps | None = None) -> OpenAIBatches:
    if steps is None:
        return OpenAIBatches("m", fake.base_url, KEY, timeout=PATIENCE)
    service = Mortal("m", fake.base_url, KEY, timeout=PATIENCE)
    service.steps = steps
    return service


def said(counters: RunCounters) -> str:
    return "\n".join(event.text for event in counters.unsaved)
