"""Jobs of other programs: who holds them, steering them, taking them over."""

import asyncio
import os
import signal
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

import db.job_rows
from core.engine.lease_liveness import Liveness
from core.engine.run_counters import Spend
from core.errors import LostkeysError
from core.jobs import remote_control
from core.jobs.followed_job import FollowedJob
from core.jobs.job_control import Control
from core.jobs.job_list import LOST, find_loss, list_jobs, read_log, watched_jobs
from core.jobs.job_progress import State
from core.jobs.job_row import JobRow
from core.jobs.job_service import Jobs
from core.jobs.start_options import read_options
from core.project import OpenProject
from core.settings.preferences import Settings
from core.specs.answer_specs import GradingSpec
from core.views.lens import Lens
from core.views.session import Session
from db.connection import write_transaction
from tests.core.jobs.making import ANSWERS, DEMO, Gate, asking, drawn, ended
from tests.core.sampling.scripted import Scripted, say
from tests.db.making import line_of, program, stop
from tests.patience import PATIENCE, wait_until
from tests.tui.seeing import text
from tui.app.app import LostkeysApp
from tui.cli.job_follower import follow_other

pytestmark = pytest.mark.slow

OWNER = """
import sys, time
from pathlib import Path
from core.jobs.job_service import Jobs
from tests.core.jobs.making import DEMO, Gate, asking
from tests.patience import PATIENCE
gate = Gate(answers=4)
jobs = Jobs(Path(sys.argv[1]), means=asking(gate))
job = jobs.start(DEMO)
assert gate.waiting.wait(PATIENCE)
while jobs.view(job).id < 0 or not jobs.log(job):
    time.sleep(0.01)
print(jobs.view(job).id, flush=True)
jobs.wait(job)
print(jobs.view(job).state, flush=True)
"""


def states(path: Path) -> list[tuple[State, bool]]:
    with OpenProject(path, "read") as project:
        views = list_jobs(project, watched_jobs(project.connection))
        return [(one.state, one.lost) for one in views]


def log(path: Path, job: int) -> list[str]:
    """What the log of a job says of its course."""
    with OpenProject(path, "read") as project:
        lines = read_log(project, job)
    return [one.text for one in lines if one.kind in ("job", "fail")]


def stored_state(path: Path, job: int) -> str:
    with OpenProject(path, "read") as project:
        row = db.job_rows.get(project.connection, job)
        assert row is not None
        return row.state


def test_a_job_of_another_program_is_paused_goes_on_and_is_cancelled(path: Path) -> None:
    other = program(OWNER, path)
    try:
        job = int(line_of(other))
        assert states(path) == [(State.RUNNING, False)]
        here = Jobs(path)
        here.pause(job)
        wait_until(lambda: stored_state(path, job) == "paused")
        assert states(path) == [(State.PAUSED, False)]
        with pytest.raises(LostkeysError, match="not running"):
            here.pause(job)
        assert here.resume(job) == job
        wait_until(lambda: stored_state(path, job) == "running")
        wait_until(lambda: log(path, job) == ["begins", "paused", "goes on after the pause"])
        with pytest.raises(LostkeysError, match="running in another program"):
            here.resume(job)
        here.cancel(job)
        assert line_of(other) == "cancelled"
    finally:
        stop(other)
    assert states(path) == [(State.CANCELLED, False)]
    with pytest.raises(LostkeysError, match="cancelled already"):
        here.cancel(job)


def test_a_killed_program_is_noticed_and_its_job_goes_on_here(path: Path) -> None:
    other = program(OWNER, path)
    job = int(line_of(other))
    os.kill(other.pid, signal.SIGKILL)
    stop(other)
    assert states(path) == [(State.STOPPED, True)]
    with OpenProject(path, "read") as project:
        assert find_loss(project.connection, job)
    kept = drawn(path)
    here = Jobs(path, means=asking(Scripted(say("Rome"))))
    end = ended(here, here.resume(job))
    assert (end.state, end.id) == (State.FINISHED, job)
    assert end.reason == f"{ANSWERS} answers, {kept} of them there before"
    assert (end.done, end.total, end.share) == (ANSWERS, ANSWERS, 1.0)
    assert log(path, job) == ["begins", LOST, "goes on", f"finished: {end.reason}"]
    assert drawn(path) == ANSWERS


def test_a_killed_programs_job_can_be_cancelled(path: Path) -> None:
    other = program(OWNER, path)
    job = int(line_of(other))
    stop(other)
    Jobs(path).cancel(job)
    assert states(path) == [(State.CANCELLED, False)]


def test_the_screen_writes_once_that_a_program_is_gone(path: Path) -> None:
    other = program(OWNER, path)
    job = int(line_of(other))
    stop(other)
    session = Session(path)
    try:
        session.open(Lens())
        wait_until(lambda: session.jobs.list_jobs()[0].lost)
        session.jobs.list_jobs()
        assert log(path, job) == ["begins", LOST]
    finally:
        session.close()


def test_the_same_command_in_two_programs_makes_two_jobs(path: Path) -> None:
    other = program(OWNER, path)
    try:
        job = int(line_of(other))
        gate = Gate(answers=0)
        here = Jobs(path, means=asking(gate))
        mine = here.start(DEMO)
        wait_until(lambda: here.view(mine).id > 0)
        assert here.view(mine).id != job
        with pytest.raises(LostkeysError, match="running in another program"):
            here.resume(job)
        assert here.close(PATIENCE)
    finally:
        stop(other)


def test_a_wish_for_nobody_is_refused(path: Path) -> None:
    jobs = Jobs(path, means=asking(Scripted(say("Paris"))))
    job = ended(jobs, jobs.start(DEMO)).id
    with pytest.raises(LostkeysError, match="not running"):
        remote_control.pause(path, job)
    with pytest.raises(LostkeysError, match="is finished: there is nothing to resume"):
        remote_control.resume(path, job)
    with pytest.raises(LostkeysError, match="there is no job 99"):
        remote_control.cancel(path, 99)


def test_who_slept_takes_its_job_back_or_goes_on_with_another(project: OpenProject) -> None:
    """The lease is taken from a program that slept; the row may have gone to someone else."""
    connection, spec = project.connection, GradingSpec(("exact",))
    with JobRow(connection, Control(), spec) as holder:
        holder.begin()
        mine = holder.job
        with write_transaction(connection):
            connection.execute("DELETE FROM lease")
        holder.beat()
        assert holder.job == mine
        row = db.job_rows.get(connection, mine)
        assert row is not None
        assert (row.state, row.lease) == ("running", holder.lease_holder.lease.id)
        with write_transaction(connection):
            connection.execute("DELETE FROM lease")
        with JobRow(connection, Control(), spec, job=mine) as taker:
            assert taker.job == mine
            holder.control.counters.expect("grade exact", 5)
            holder.beat()
            assert holder.job != mine
            assert {one.id: one.state for one in db.job_rows.list_jobs(connection)} == {
                mine: "waiting",
                holder.job: "running",
            }
            assert list(db.job_rows.stages(connection)) == [holder.job]


@pytest.mark.parametrize("is_held", [False, True], ids=["free", "held by another"])
def test_who_slept_writes_what_it_spent_once(project: OpenProject, is_held: bool) -> None:
    connection, spec = project.connection, GradingSpec(("exact",))
    with JobRow(connection, Control(), spec) as holder, ExitStack() as others:
        holder.begin()
        spend = partial(holder.counters.spend, "s", "m")
        spend(Spend(5, 40, 500, 50, 1.25, 2.0))
        holder.beat()
        with write_transaction(connection):
            connection.execute("DELETE FROM lease")
        if is_held:
            others.enter_context(JobRow(connection, Control(), spec, job=holder.job))
        holder.beat()
        spend(Spend(1, 8, 100, 10, 0.25, 1.0))
        holder.beat()
        rows = [one for rows in db.job_rows.read_spends(connection).values() for one in rows]
        assert len(rows) == 1 + is_held
        assert sum(one.cost or 0.0 for one in rows) == 1.5
        assert sum(one.requests for one in rows) == 6
        assert sum(one.input_tokens + one.output_tokens for one in rows) == 660


def test_progress_is_written_once_and_added_up(project: OpenProject) -> None:
    control = Control()
    assert read_options(project).last_cost is None
    with JobRow(project.connection, control, GradingSpec(("exact",))) as holder:
        counters = control.counters
        counters.expect("s", 10)
        counters.spend("s", "m", Spend(1, 8, 100, 10, None, 1.0))
        counters.say("warn", "look")
        holder.beat()
        holder.beat()
        counters.spend("s", "m", Spend(1, 8, 100, 10, 0.5, 1.0))
        holder.beat()
        holder.finish(State.STOPPED, "why")
        (spend,) = db.job_rows.read_spends(project.connection)[holder.job]
        assert (spend.requests, spend.answers, spend.cost) == (2, 16, 0.5)
        assert [one.text for one in db.job_rows.events(project.connection)] == ["look"]
    with JobRow(project.connection, Control(), GradingSpec(("exact",))) as again:
        assert again.job == holder.job
        assert again.cost == 0.5
        assert not again.lines, "it was said before"
        again.control.counters.spend("s", "m", Spend(1, 1, 1, 1, 0.25))
        again.beat()
        (spend,) = db.job_rows.read_spends(project.connection)[holder.job]
        assert (spend.requests, spend.cost) == (3, 0.75)
    with JobRow(project.connection, Control(), GradingSpec(("lexical",))) as free:
        free.control.counters.spend("s", "m", Spend(1, 1, 1, 1, 0.0))
        free.beat()
    assert read_options(project).last_cost == 0.75


def test_liveness_needs_looks_not_clocks() -> None:
    now = [0.0]
    seen = Liveness(patience=4.0, clock=lambda: now[0])
    seen.look({1: 5, 2: 7})
    assert not seen.is_gone(1)
    assert seen.is_gone(9)
    assert seen.is_gone(None)
    for second in range(1, 5):
        now[0] = float(second)
        seen.look({1: 5, 2: 7 + second})
    assert (seen.is_gone(1), seen.is_gone(2)) == (True, False)
    assert seen.is_sure(2)
    seen.look({2: 20})
    assert seen.is_gone(1)


def test_a_watcher_that_slept_holds_nobody_for_gone() -> None:
    now = [0.0]
    seen = Liveness(clock=lambda: now[0])
    seen.look({1: 5})
    now[0] = 1_000_000.0  # the whole machine was asleep
    seen.look({1: 5})
    assert not seen.is_gone(1)
    seen.look({1: 6})
    assert seen.is_owned(1)


def test_a_job_that_another_program_works_on_is_found_by_its_spec(tmp_path: Path) -> None:
    path = tmp_path / "demo.db"
    gate = Gate(answers=4)
    jobs = Jobs(path, means=asking(gate))
    job = jobs.start(DEMO)
    assert gate.waiting.wait(PATIENCE)
    with OpenProject(path, "read") as project:
        held = remote_control.find_running(project.connection, DEMO)
        assert held == jobs.view(job).id
        assert remote_control.find_running(project.connection, GradingSpec(("exact",))) is None
        gate.open()
        view = follow_other(project, FollowedJob(held))
        assert view is not None
        assert view.state is State.FINISHED
        ended(jobs, job)
        assert remote_control.find_running(project.connection, DEMO) is None
    assert len(states(path)) == 1


async def test_the_screen_shows_how_far_a_followed_job_is(tmp_path: Path) -> None:
    path = tmp_path / "demo.db"
    gate = Gate(answers=4)
    jobs = Jobs(path, means=asking(gate))
    job = jobs.start(DEMO)
    assert gate.waiting.wait(PATIENCE)
    app = LostkeysApp(path, Settings(name="mira"), followed=FollowedJob(jobs.view(job).id))
    async with app.run_test(size=(120, 40)) as pilot:
        async with asyncio.timeout(PATIENCE):
            while (now := app.jobs.progress) is None or not now.wanted:
                await pilot.pause(0.05)
            assert now.doing == "answering"
            assert "another program" not in text(app)
            gate.open()
            while "is over" not in (app.status.said.text if app.status.said else ""):
                await pilot.pause(0.05)
        assert app.jobs.progress is None
    ended(jobs, job)
    assert len(states(path)) == 1
