"""How fast the engine fills slots, against a bare loop over the same client.

Both ask the same questions of a server in a process of its own, as many at once; the engine also
makes the requests, and commits every answer to a database on disk before it counts as done.
Then the memory that it takes with many slots waiting, against few.
Run it: `uv run python -m tests.bench.engine [--facts N] [--runs N]`.
"""

import argparse
import asyncio
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import db.facts
import db.responses
from core.engine.db_writer import DbWriter
from core.engine.engine import Engine
from core.engine.lease_holder import LeaseHolder
from core.engine.lease_liveness import BEAT_EVERY
from core.engine.model_channel import MOST_AT_ONCE, Concurrency, Limits, ModelChannel
from core.engine.run_counters import RunCounters
from core.project import OpenProject
from core.providers.base import Draw, Provider, Reply, Request
from core.providers.openai_compatible import OpenAICompatible
from core.sampling.sample_plan import Plan
from core.sampling.sample_work import SampleWork
from core.vocabulary import ENCODING, KNOWLEDGE
from db.connection import write_transaction
from tests.bench.answering_server import serving
from tests.bench.generator import fact
from tests.bench.timing import empty_caches

MODEL = "bench"
LATENCIES = (0.0, 0.05)
DRAWS = (1, 8)


@dataclass(frozen=True)
class Figures:
    """Requests a second of the engine and of the bare loop, in one setting."""

    latency: float
    draws: int
    engine: float
    bare: float

    @property
    def ratio(self) -> float:
        return self.engine / self.bare

    def __str__(self) -> str:
        return (
            f"{1000 * self.latency:3.0f} ms, n = {self.draws}: engine {self.engine:6,.0f} requests "
            f"a second ({self.engine * self.draws:7,.0f} answers), bare loop {self.bare:6,.0f}; "
            f"{100 * self.ratio:.0f} %"
        )


@contextmanager
def project(folder: Path, facts: int) -> Iterator[OpenProject]:
    """A new project with made-up facts."""
    path = folder / f"{time.monotonic_ns()}.db"
    random = np.random.default_rng(1)
    with OpenProject(path, "create") as made:
        with write_transaction(made.connection):
            db.facts.insert(made.connection, [fact(number, random) for number in range(facts)])
        made.refresh()
        yield made


def work(
    made: OpenProject, address: str, draws: int, counters: RunCounters
) -> tuple[SampleWork, LeaseHolder]:
    """The six questions with free answers of every fact, without thinking."""
    everything = np.ones(len(made.index), np.bool_)
    plan = Plan(
        f"openai:{MODEL}@{address}", MODEL, draws, everything, (False,), ENCODING + KNOWLEDGE
    )
    lease_holder = LeaseHolder(made.connection)
    return SampleWork(made, plan, lease_holder, counters), lease_holder


def requests(folder: Path, address: str, facts: int, draws: int) -> list[Request]:
    """What the engine is going to ask."""
    with project(folder, facts) as made:
        answering, lease_holder = work(made, address, draws, RunCounters())
        asks = answering.next(10 * facts) or ()
        lease_holder.close()
        return [ask.request for ask in asks]


async def bare(address: str, asked: Sequence[Request]) -> float:
    """Seconds of a loop that throws the answers away."""
    waiting = list(asked)
    client = OpenAICompatible(MODEL, address)

    async def ask() -> None:
        while waiting:
            await client.draw(waiting.pop())

    began = time.perf_counter()
    await asyncio.gather(*(ask() for _ in range(MOST_AT_ONCE)))
    seconds = time.perf_counter() - began
    await client.close()
    return seconds


async def engine(address: str, folder: Path, facts: int, draws: int) -> float:
    """Seconds of the engine, from an open project to the last commit."""
    counters = RunCounters()
    client = OpenAICompatible(MODEL, address)
    empty_caches()
    with project(folder, facts) as made:
        began = time.perf_counter()
        async with DbWriter(made.connection, made.path) as db_writer:
            answering, lease_holder = await db_writer.run_read(
                lambda: work(made, address, draws, counters)
            )
            db_writer.every(BEAT_EVERY, lease_holder.beat)
            limits = Limits(Concurrency(8, MOST_AT_ONCE))
            channel = ModelChannel(client, MODEL, limits)
            await Engine(db_writer, answering, {answering.recipe.model: channel}, counters).run()
            await db_writer.run_read(lease_holder.close)
        seconds = time.perf_counter() - began
        filled = made.connection.execute("SELECT count(*) FROM response").fetchone()[0]
        assert filled == 6 * facts * draws, filled
    await client.close()
    return seconds


def measure(latency: float, draws: int, facts: int, runs: int) -> Figures:
    """Both in turn, the best of each."""
    with serving(latency) as address, TemporaryDirectory() as folder:
        asked = requests(Path(folder), address, facts, draws)
        pairs = [
            (
                asyncio.run(engine(address, Path(folder), facts, draws)),
                asyncio.run(bare(address, asked)),
            )
            for _ in range(runs)
        ]
    count = len(asked)
    return Figures(
        latency, draws, count / min(a for a, _ in pairs), count / min(b for _, b in pairs)
    )


class Silent(Provider):
    """Answers so many requests, then never again."""

    def __init__(self, answered: int) -> None:
        self._left = answered
        self.silent = asyncio.Event()

    async def draw(self, request: Request) -> Reply:
        if self._left == 0:
            self.silent.set()
            await asyncio.Event().wait()
        self._left -= 1
        return Reply(tuple(Draw("some answer", "stop") for _ in range(request.n)), 40, 15)


async def wait_with(folder: Path, slots: int) -> None:
    """Begin a run over so many slots, and stop it soon."""
    facts, counters, provider = round(slots / 48), RunCounters(), Silent(answered=5)
    with project(folder, facts) as made:
        async with DbWriter(made.connection, made.path) as db_writer:
            answering, lease_holder = work(made, "http://127.0.0.1:9/v1", 8, counters)
            channels = {answering.recipe.model: ModelChannel(provider, MODEL)}
            run = asyncio.ensure_future(Engine(db_writer, answering, channels, counters).run())
            await provider.silent.wait()
            run.cancel()
            await asyncio.gather(run, return_exceptions=True)
            await db_writer.run_read(lease_holder.close)


def held(slots: int) -> float:
    """Megabytes that a process takes at most that runs with so many slots waiting."""
    child = subprocess.run(
        [sys.executable, "-m", "tests.bench.engine", "--wait-with", str(slots)],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
        check=True,
        text=True,
    )
    return float(child.stdout)


def print_held(slots: int) -> None:
    with TemporaryDirectory() as folder:
        asyncio.run(wait_with(Path(folder), slots))
    print(most_held())


def most_held() -> float:
    """Megabytes that this process has taken at most.

    Linux counts into `ru_maxrss` what the process that started this one took.
    """
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = [one for one in status.read_text().splitlines() if one.startswith("VmHWM")]
        return int(line.split()[1]) / 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1024 * 1024 if sys.platform == "darwin" else 1024)


def main() -> None:
    """Print the figures of every setting, then the memory."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--facts", type=int, default=359, help="2,154 questions")
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--wait-with", type=int, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.wait_with is not None:
        print_held(chosen.wait_with)
        return
    for latency in LATENCIES:
        for draws in DRAWS:
            figures = measure(latency, draws, chosen.facts, chosen.runs)
            print(figures, flush=True)
    few, many = held(1_000), held(100_000)
    print(f"100,000 slots waiting: {many:.0f} MB, 1,000: {few:.0f} MB; {many / few:.2f} times")


if __name__ == "__main__":
    main()
