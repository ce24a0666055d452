"""Runs in programs of their own, which begin at once and can be killed.

The program that forks them has everything imported: `python -m tests.core.sampling.forking`. Each
line that it reads is an order, each line that it writes the answer.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from core.engine.lease_holder import LeaseHolder
from core.engine.run_counters import RunCounters
from core.errors import ProviderError
from core.project import Project
from core.providers.base import Request
from core.providers.registry import open_provider
from core.sampling.plan import Plan
from prompts import Message
from tests.core.sampling.filling import Running

ROOT = Path(__file__).resolve().parents[3]
HASTE = 0.2
BEAT_EVERY = 0.05
SAMPLES = 8


class Forker:
    """Starts runs of everything in a database, and tells how they ended."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def start(self, path: Path, model: str, done: Path, patience: float = HASTE) -> int:
        """Begin a run; gives its process id. `done` is to hold how much counts as done.

        `patience` are the seconds after which another run that stands still counts as gone.
        """
        order = {"path": str(path), "model": model, "done": str(done), "patience": patience}
        return self._order(order)

    def wait(self, run: int) -> int:
        """Wait for the end of a run; gives its exit status, as `os.waitpid` has it."""
        return self._order({"wait": run})

    def _order(self, order: dict[str, object]) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


@contextmanager
def forker() -> Iterator[Forker]:
    """The program that forks; it ends at the end."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.core.sampling.forking"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Forker(process)
        assert process.stdin is not None
        process.stdin.close()


def acknowledged(done: Path) -> int | None:
    """How many answers a run counts as done; None before it knows what it is to ask."""
    said = done.read_bytes() if done.exists() else b""
    return int.from_bytes(said, "little") if said else None


def plan_of(project: Project, model: str) -> Plan:
    """Everything about every fact."""
    return Plan(model, "m", SAMPLES, np.ones(len(project.index), np.bool_))


async def _run(path: str, model: str, done: str, patience: float) -> None:
    file = os.open(done, os.O_WRONLY | os.O_CREAT)

    def told(counters: RunCounters) -> None:
        count = sum(stage.done for stage in counters.stages.values())
        os.pwrite(file, count.to_bytes(8, "little"), 0)

    with Project(path, "write") as project:
        provider = open_provider(model)
        lease_holder = LeaseHolder(project.connection, patience)
        running = Running(lease_holder=lease_holder, beat_every=BEAT_EVERY, told=told)
        await running.fill(project, provider, plan_of(project, model))
        await provider.close()


async def _ask_nobody() -> None:
    """Have the SDK import what it needs to send a request."""
    provider = open_provider("openai:nobody@http://127.0.0.1:9/v1")
    with suppress(ProviderError):
        await provider.draw(Request(1, 8, 1.0, 1.0, messages=(Message("user", "Hello?"),)))
    await provider.close()


def _serve() -> None:
    asyncio.run(_ask_nobody())
    for line in sys.stdin:
        order = json.loads(line)
        if "wait" in order:
            print(os.waitpid(order["wait"], 0)[1], flush=True)
        elif run := os.fork():
            print(run, flush=True)
        else:
            status = 1
            try:
                asyncio.run(_run(**order))
                status = 0
            finally:
                os._exit(status)


if __name__ == "__main__":
    _serve()
