"""Jobs on small databases, with models that answer from a script or keep one waiting."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import db.integrity
from core.demo import demo_setup as demo
from core.jobs.job_run import JobContext
from core.jobs.job_service import Jobs
from core.jobs.job_view import JobView
from core.project import OpenProject
from core.providers.base import Provider, Reply, Request
from core.specs.answer_specs import DemoSpec
from tests.core.making import new_project
from tests.core.sampling.scripted import Scripted, say
from tests.patience import PATIENCE

DEMO = DemoSpec(facts=2, samples=2)
ANSWERS = 72
"""What the demo asks for with two facts and two samples."""


class Gate(Scripted):
    """Answers a number of requests, then waits until it is opened, as a slow server does."""

    def __init__(self, answers: int) -> None:
        super().__init__(say("Paris"))
        self.answers = answers
        self.waiting = threading.Event()
        self.closed = False

    async def draw(self, request: Request) -> Reply:
        while len(self.seen) >= self.answers:
            self.waiting.set()
            await asyncio.sleep(0.01)
        return await super().draw(request)

    async def close(self) -> None:
        self.closed = True

    def open(self) -> None:
        """Let it answer all."""
        self.answers = 1_000_000


def asking(provider: Provider, on_fact: Callable[[int], object] = lambda fact: None) -> JobContext:
    """The way to this provider, whatever model is asked for."""
    return JobContext(lambda name: provider, on_fact=on_fact)


def ended(jobs: Jobs, job: int) -> JobView:
    """A job at its end, waited for."""
    assert jobs.wait(job, PATIENCE), jobs.view(job)
    return jobs.view(job)


def drawn(path: Path) -> int:
    """How many answers there are; the file is in order."""
    with OpenProject(path, "read") as project:
        assert db.integrity.faults(project.connection) == []
        return project.grids.count(0)


def prepared(path: Path, facts: int = 2) -> Path:
    """A database with some of the demo's facts."""
    with new_project(path) as project:
        demo.prepare(project, facts)
    return path
