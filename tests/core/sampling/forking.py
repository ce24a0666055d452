"""Runs of everything in a database, for a program that forks them; `tests.forker` does."""

import asyncio
import os
from contextlib import suppress
from pathlib import Path

import numpy as np

from core.engine.lease_holder import LeaseHolder
from core.engine.run_counters import RunCounters
from core.errors import ProviderError
from core.project import OpenProject
from core.providers.base import Request
from core.providers.registry import open_provider
from core.sampling.sample_plan import Plan
from prompts import Message
from tests.core.sampling.filling import Running

HASTE = 0.2
BEAT_EVERY = 0.05
SAMPLES = 8


def acknowledged(done: Path) -> int | None:
    """How many answers a run counts as done; None before it knows what it is to ask."""
    said = done.read_bytes() if done.exists() else b""
    return int.from_bytes(said, "little") if said else None


def plan_of(project: OpenProject, model: str) -> Plan:
    """Everything about every fact."""
    return Plan(model, "m", SAMPLES, np.ones(len(project.index), np.bool_))


def fill_all(path: str, model: str, done: str, patience: float = HASTE) -> None:
    """Draw all that is missing. `done` is to hold how much counts as done.

    `patience` are the seconds after which another run that stands still counts as gone.
    """
    asyncio.run(_fill(path, model, done, patience))


async def _fill(path: str, model: str, done: str, patience: float) -> None:
    file = os.open(done, os.O_WRONLY | os.O_CREAT)

    def told(counters: RunCounters) -> None:
        count = sum(stage.done for stage in counters.stages.values())
        os.pwrite(file, count.to_bytes(8, "little"), 0)

    with OpenProject(path, "write") as project:
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


def warm_up() -> None:
    """Have the SDK there before the first fork."""
    asyncio.run(_ask_nobody())
