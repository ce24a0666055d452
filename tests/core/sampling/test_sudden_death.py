"""Killed at any moment, alone or beside another program: nothing is lost, nothing comes twice.

With `LOSTKEYS_HEAVY` set one is killed more often, over more facts.
"""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import db.facts
import db.integrity
import db.leases
from core.engine.lease_liveness import TAKEN_AFTER
from core.project import OpenProject
from core.sampling.sample_plan import count_missing
from db.connection import write_transaction
from tests.core.sampling import forking
from tests.core.sampling.forking import acknowledged, plan_of
from tests.core.sampling.scripted import capital
from tests.effort import HEAVY
from tests.fakes.process import Running, running
from tests.forker import Forker, forker_of
from tests.patience import PATIENCE, wait_until

pytestmark = pytest.mark.slow

FACTS, KILLS = (150, 100) if HEAVY else (60, 20)
LONGEST_LIFE = 0.15
"""Seconds that a run is left to live: after its start, once it asks, or after its first answers."""

FLYING = 64 * 8
"""Answers that can be on their way when a run is killed."""

CALM = 3.0
"""Seconds after which a run takes over from another that only seems to stand still on a busy
machine if it is asleep for that long: such a run would be asked for twice."""

Answers = dict[int, str]


@pytest.fixture(scope="module")
def forker() -> Iterator[Forker]:
    with forker_of(forking.__name__) as forker:
        yield forker


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Running]:
    log = tmp_path / "server.jsonl"
    with running("openai_server", log, "--latency", "0.02") as server:
        yield server


def insert(project: OpenProject, count: int) -> None:
    facts = [capital(number, f"Country {number}", f"City {number}") for number in range(count)]
    with write_transaction(project.connection):
        db.facts.insert(project.connection, facts)
    project.refresh()


def await_sign(done: Path, which: int, before: int) -> None:
    """Wait for nothing, for a run to begin to ask, or (mostly) for its first new answers."""
    if which == 1:
        wait_until(lambda: acknowledged(done) is not None)
    if which > 1:
        wait_until(lambda: (acknowledged(done) or 0) > before)


def answers(project: OpenProject) -> Answers:
    return dict(project.connection.execute("SELECT id, text FROM response"))


def check_whole(project: OpenProject, server: Running, model: str) -> None:
    """Every slot has one answer, which went out once and stands nowhere else."""
    project.refresh()
    plan = plan_of(project, model)
    stored = answers(project)
    assert count_missing(project, plan) == 0
    assert len(stored) == len(project.index) * (10 + 8) * plan.samples
    assert len(set(stored.values())) == len(stored)
    assert set(stored.values()) <= server.sent().keys()
    assert db.integrity.faults(project.connection) == []
    assert not db.integrity.grids_are_stale(project.connection)
    for table in ("claim", "failure"):
        assert project.connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def test_killed_at_many_moments(
    project: OpenProject, server: Running, forker: Forker, tmp_path: Path
) -> None:
    insert(project, FACTS)
    model = f"openai:some-model@{server.base_url}"
    random = np.random.default_rng(11)
    before: Answers = {}
    fruitful = 0
    done = tmp_path / "done"
    for number in range(KILLS):
        done.unlink(missing_ok=True)
        run = forker.start("fill_all", project.path, model, done)
        await_sign(done, number % 5, len(before))
        time.sleep(float(random.uniform(0, LONGEST_LIFE)))
        os.kill(run, signal.SIGKILL)
        assert forker.wait(run) == signal.SIGKILL, "it was through: there was nothing to kill"
        now = answers(project)
        assert before.items() <= now.items()
        assert (acknowledged(done) or 0) <= len(now)
        fruitful += len(now) > len(before)
        before = now
    assert fruitful >= KILLS * 3 // 5
    assert len(before) < len(project.index) * 18 * forking.SAMPLES
    assert sum(server.sent().values()) <= len(before) + KILLS * FLYING
    assert forker.wait(forker.start("fill_all", project.path, model, done)) == 0
    assert before.items() <= answers(project).items()
    check_whole(project, server, model)


def test_two_programs_ask_for_no_slot_twice(
    project: OpenProject, server: Running, forker: Forker, tmp_path: Path
) -> None:
    insert(project, 30)
    model = f"openai:some-model@{server.base_url}"
    done = [tmp_path / f"done{number}" for number in range(2)]
    runs = [forker.start("fill_all", project.path, model, one, PATIENCE) for one in done]
    assert [forker.wait(run) for run in runs] == [0, 0]
    check_whole(project, server, model)
    assert sum(server.asked().values()) == len(answers(project))
    assert server.sent().keys() == set(answers(project).values())


def test_who_is_left_takes_over_from_who_was_killed(
    project: OpenProject, server: Running, forker: Forker, tmp_path: Path
) -> None:
    insert(project, 30)
    model = f"openai:some-model@{server.base_url}"
    done = tmp_path / "done"
    killed = forker.start("fill_all", project.path, model, done, TAKEN_AFTER)
    wait_until(lambda: bool(acknowledged(done)))
    other = forker.start("fill_all", project.path, model, tmp_path / "other", CALM)
    wait_until(lambda: len(db.leases.beats(project.connection)) > 1)
    os.kill(killed, signal.SIGKILL)
    assert forker.wait(killed) == signal.SIGKILL
    assert forker.wait(other) == 0
    check_whole(project, server, model)
    assert sum(server.asked().values()) <= len(answers(project)) + FLYING
