"""A clock that jumps back and forth during a run loses no answer and counts nothing twice."""

import sqlite3
import time
from contextlib import closing
from datetime import datetime, timedelta, tzinfo
from itertools import cycle
from pathlib import Path
from typing import Self

import pytest

import core.engine.dispatcher
import core.jobs.job_thread
import core.providers.provider_errors
import db.connection
from core.jobs.job_list import list_jobs
from core.jobs.job_progress import State
from core.jobs.job_service import Jobs
from core.project import OpenProject
from core.providers.base import Reply, Request, TransientError
from tests.core.jobs.making import ANSWERS, DEMO, Gate, asking, drawn, ended
from tests.core.sampling.scripted import Scripted, say
from tests.patience import PATIENCE

JUMPS = cycle((0, 40, -40, 400, -4000, 1))
"""How many days the clock is wrong by, each time that somebody looks."""


class Jumping(datetime):
    """What time it is, by such a clock."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return super().now(tz) + timedelta(days=next(JUMPS))


def write_time(*said: str | None) -> str | None:
    """SQLite's function of that name, with this clock for what time it is."""
    form, *rest = said if len(said) > 1 else (*said, f"{Jumping.now():%Y-%m-%d %H:%M:%S.000}")
    marks = ", ".join("?" * (1 + len(rest)))
    with closing(sqlite3.connect(":memory:")) as memory:
        found: str | None
        (found,) = memory.execute(f"SELECT strftime({marks})", (form, *rest)).fetchone()
    return found


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of Python, and that of SQLite where statements ask for it, jump."""
    told, opened = time.time, db.connection._open

    def open_jumping(*words: object) -> sqlite3.Connection:
        connection: sqlite3.Connection = opened(*words)  # type: ignore[arg-type]
        connection.create_function("strftime", -1, write_time)
        return connection

    monkeypatch.setattr(db.connection, "_open", open_jumping)
    monkeypatch.setattr(time, "time", lambda: told() + 86_400 * next(JUMPS))
    for module in (core.engine.dispatcher, core.jobs.job_thread, core.providers.provider_errors):
        monkeypatch.setattr(module, "datetime", Jumping)


class Hurried(Scripted):
    """Asks for a moment now and then, as servers do that get too many requests."""

    async def draw(self, request: Request) -> Reply:
        if not len(self.seen) % 5:
            self.seen.append(request)
            raise TransientError("too many requests", retry_after=0.01, status=429)
        return await super().draw(request)


@pytest.mark.slow
def test_a_run_under_a_jumping_clock_stores_what_any_run_stores(path: Path, clock: None) -> None:
    gate = Gate(answers=5)
    jobs = Jobs(path, means=asking(gate))
    jobs.start(DEMO)
    assert gate.waiting.wait(PATIENCE)
    assert jobs.close(PATIENCE)
    assert 0 < drawn(path) < ANSWERS
    later = Jobs(path, means=asking(Hurried(say("Paris"))))
    view = ended(later, later.start(DEMO))
    assert (view.state, drawn(path)) == (State.FINISHED, ANSWERS), view.reason
    with OpenProject(path, "read") as project:
        (stored,) = list_jobs(project)
        assert sum(one.answers for one in stored.spends) == ANSWERS
        read = project.connection.execute
        assert read("SELECT count(*) FROM lease").fetchone() == (0,)
        assert read("SELECT count(*) FROM run WHERE NOT done").fetchone() == (0,)
        times = [at for (at,) in read("SELECT at FROM run ORDER BY id")]
        assert times == sorted(times)
