"""Jobs from the command line: stopped, out of budget, resumed by id, left to the background."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from click.testing import CliRunner, Result

import db.integrity
from core.demo import demo_setup as demo
from core.errors import UsageError
from core.jobs.job_list import list_jobs
from core.jobs.job_progress import State
from core.jobs.job_view import JobView
from core.project import OpenProject
from core.settings.known_addresses import FILE, is_known
from tests.core.making import new_project
from tests.fakes.faults import stall
from tests.patience import PATIENCE, until
from tests.terminal import LOSTKEYS, ROOT
from tui.cli.main import cli

FACTS = 6
ANSWERS = FACTS * 10 * 2
"""With thinking off and two samples."""

Run = Callable[..., Any]


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOSTKEYS_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("LOSTKEYS_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "some.db"
    with new_project(path) as project:
        demo.prepare(project, FACTS)
    return path


@pytest.fixture
def words(fake: Any) -> tuple[str, ...]:
    """A command that asks the fake server."""
    model = f"openai:m@{fake.base_url}"
    return ("run", "--model", model, "--thinking", "off", "--samples", "2", "--unchecked")


@pytest.fixture
def lostkeys(database: Path) -> Run:
    """Run a command beside the fake server, in a thread of its own."""

    async def run(*words: str) -> Result:
        return await asyncio.to_thread(CliRunner().invoke, cli, ["--db", str(database), *words])

    return run


@asynccontextmanager
async def program(database: Path, *words: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """The real program, without a terminal."""
    started = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        LOSTKEYS,
        "--db",
        str(database),
        *words,
        stderr=asyncio.subprocess.PIPE,
        env=os.environ,
    )
    try:
        yield started
    finally:
        if started.returncode is None:
            started.kill()
        await started.wait()


def jobs_of(database: Path) -> list[JobView]:
    with OpenProject(database, "read") as project:
        return list_jobs(project)


def drawn(database: Path) -> int:
    with OpenProject(database, "read") as project:
        assert db.integrity.faults(project.connection) == []
        return project.grids.count(0)


async def test_a_dry_run_asks_nothing(fake: Any, lostkeys: Run, words: Any, database: Path) -> None:
    result = await lostkeys(*words, "--dry-run")
    assert result.exit_code == 0, result.output
    shown = [line.split()[0] for line in result.stdout.splitlines()]
    assert shown == ["questions", "answers", "time", "cost"]
    assert str(ANSWERS) in result.stdout
    assert fake.bodies == []
    assert jobs_of(database) == []


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_interrupted_it_says_what_is_kept_and_the_same_command_goes_on(
    fake: Any, lostkeys: Run, words: Any, database: Path, number: signal.Signals
) -> None:
    fake.latency = 0.3
    async with program(database, *words) as one:
        await until(lambda: drawn(database) > 0)
        one.send_signal(number)
        _, said = await asyncio.wait_for(one.communicate(), PATIENCE)
    assert one.returncode == 130
    (stopped,) = jobs_of(database)
    last = said.decode().splitlines()[-1]
    assert last.startswith("lostkeys: stopped; what was done is kept (")
    assert last.endswith(f"the same command goes on, or `lostkeys run --job {stopped.id}`")
    assert (stopped.state, stopped.lost) == (State.STOPPED, False)
    assert 0 < drawn(database) < ANSWERS
    fake.latency = 0
    result = await lostkeys(*words)
    assert result.exit_code == 0, result.output
    assert drawn(database) == ANSWERS
    assert [(one.id, one.state) for one in jobs_of(database)] == [(stopped.id, State.FINISHED)]


@pytest.mark.slow
async def test_a_killed_one_is_resumed_by_its_id_once_its_address_is_confirmed(
    fake: Any, lostkeys: Run, words: Any, database: Path, state: Path
) -> None:
    fake.latency = 0.3
    async with program(database, *words) as one:
        await until(lambda: drawn(database) > 0)
        one.kill()
    fake.latency = 0
    await asyncio.sleep(0.5)
    fake.bodies.clear()
    (document,) = json.loads((await lostkeys("jobs", "--json")).stdout)["jobs"]
    assert document["state"] == "stopped"
    assert "its program is gone" in document["reason"]
    job = str(document["id"])
    assert is_known(fake.base_url)  # one's own needs no word
    (state / FILE).unlink()
    refused = await lostkeys("run", "--job", job)
    assert refused.exit_code == 1
    assert "came out of the database: --yes sends questions there" in str(refused.exception)
    assert fake.bodies == []
    result = await lostkeys("run", "--job", job, "--yes")
    assert result.exit_code == 0, result.output
    assert drawn(database) == ANSWERS
    assert is_known(fake.base_url)
    again = await lostkeys("run", "--job", job)
    assert "is finished: there is nothing to resume" in str(again.exception)


async def test_a_budget_stops_it_and_a_larger_one_goes_on(
    fake: Any, lostkeys: Run, words: Any, database: Path, tmp_path: Path
) -> None:
    (tmp_path / "config").mkdir()
    prices = f'["openai:m@{fake.base_url}"]\ninput = 1000.0\noutput = 1000.0\n'
    (tmp_path / "config" / "prices.toml").write_text(prices)
    result = await lostkeys(*words, "--max-cost", "0.9")
    assert result.exit_code == 1
    assert "Stopped at $" in str(result.exception)
    (stopped,) = jobs_of(database)
    assert (stopped.state, stopped.max_cost) == (State.STOPPED, 0.9)
    assert stopped.cost is not None
    assert 0 < stopped.cost <= 0.9
    kept = drawn(database)
    assert 0 < kept < ANSWERS
    same = await lostkeys(*words, "--max-cost", "0.9")
    assert same.exit_code == 1, "what was spent before counts"
    assert drawn(database) - kept < 10
    more = await lostkeys(*words, "--max-cost", "1000")
    assert more.exit_code == 0, more.output
    (done,) = jobs_of(database)
    assert (done.id, done.state, done.max_cost) == (stopped.id, State.FINISHED, 1000)
    assert sum(one.answers for one in done.spends) == ANSWERS
    assert done.cost == pytest.approx(19 * sum(one.requests for one in done.spends) / 1000)


@pytest.mark.slow
async def test_a_file_that_is_removed_before_the_first_answer_ends_it(
    fake: Any, words: Any, database: Path
) -> None:
    fake.latency = 0.5
    async with program(database, *(word for word in words if word != "--unchecked")) as one:
        await until(lambda: bool(fake.bodies))
        database.unlink()
        _, said = await asyncio.wait_for(one.communicate(), PATIENCE)
    assert one.returncode == 1
    assert "was removed or replaced while the job ran" in said.decode().splitlines()[-1]


async def test_what_was_said_before_is_not_said_again(
    fake: Any, lostkeys: Run, words: Any, database: Path
) -> None:
    fake.key = "right"
    refused = await lostkeys(*words)
    assert "HTTP 401" in str(refused.exception)
    (failed,) = jobs_of(database)
    fake.key = None
    result = await lostkeys("run", "--job", str(failed.id), "--yes")
    assert result.stderr.splitlines() == [f"job {failed.id}: {ANSWERS} answers"]
    log = (await lostkeys("jobs", "log", str(failed.id))).stdout
    assert "HTTP 401" in log


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--where", "nosuchword"), "there is nothing to ask"),
        (("--only-failed",), "nothing is left that had failed"),
    ],
)
async def test_where_nothing_fits_it_is_said(
    lostkeys: Run, words: Any, more: Any, said: str
) -> None:
    result = await lostkeys(*words, *more)
    assert result.exit_code == 0, result.output
    assert said in result.stderr


@pytest.mark.parametrize("amount", ["nan", "inf", "-1", "much"])
async def test_a_budget_is_an_amount(
    lostkeys: Run, words: Any, database: Path, amount: str
) -> None:
    result = await lostkeys(*words, "--max-cost", amount)
    assert result.exit_code == 2
    assert jobs_of(database) == []


@pytest.mark.parametrize("command", ["log", "errors", "pause", "resume", "cancel"])
async def test_no_job_has_a_number_that_no_database_holds(lostkeys: Run, command: str) -> None:
    result = await lostkeys("jobs", command, "9" * 30)
    assert result.exit_code == 2
    assert "no job has so large a number" in result.output


async def test_a_budget_without_a_price_is_refused(
    fake: Any, lostkeys: Run, database: Path
) -> None:
    result = await lostkeys("sample", "--model", "openai:nobody-knows-me", "--max-cost", "1")
    assert isinstance(result.exception, UsageError)
    assert "no price is known of openai:nobody-knows-me" in str(result.exception)
    assert jobs_of(database) == []


async def test_failures_are_listed_by_reason_and_asked_again(
    fake: Any, lostkeys: Run, words: Any, database: Path
) -> None:
    def refuses(call: Any) -> bool:
        return "capital" in json.dumps(call.body).lower()

    async def too_long(call: Any) -> web.StreamResponse:
        said = "This model's maximum context length is 5 tokens"
        refusal: web.StreamResponse = call.fake.failure(400, said, "context_length_exceeded")
        return refusal

    fake.rules.append((refuses, too_long, None))
    result = await lostkeys(*words)
    assert result.exit_code == 1, result.output
    assert " failed (" in result.stderr
    shown = await lostkeys("jobs", "errors", "1")
    assert shown.exit_code == 0
    assert "such as" in shown.stdout
    fake.rules.clear()
    fake.bodies.clear()
    again = await lostkeys(*words, "--only-failed")
    assert again.exit_code == 0, again.output
    assert drawn(database) == ANSWERS
    assert all("capital" in json.dumps(body).lower() for body in fake.bodies)
    assert "nothing has failed" in (await lostkeys("jobs", "errors")).stderr


async def test_jobs_are_listed_logged_and_cancelled(
    fake: Any, lostkeys: Run, words: Any, database: Path
) -> None:
    assert "no jobs yet" in (await lostkeys("jobs")).stderr
    assert json.loads((await lostkeys("jobs", "--json")).stdout) == {"jobs": []}
    assert (await lostkeys(*words)).exit_code == 0
    assert (await lostkeys("grade", "--grader", "exact")).exit_code == 0
    graded, asked = json.loads((await lostkeys("jobs", "--json")).stdout)["jobs"]
    assert set(asked) == {
        "id",
        "kind",
        "name",
        "state",
        "reason",
        "folder",
        "unit",
        "done",
        "total",
        "labels",
        "stages",
        "spend",
        "max_cost",
        "cost",
        "created",
        "started",
        "ended",
    }
    assert (asked["kind"], asked["name"], asked["state"]) == ("run", "m", "finished")
    assert (graded["kind"], graded["name"]) == ("grade", "exact")
    counted = [asked[name] for name in ("unit", "done", "total", "labels")]
    assert counted == ["answers", ANSWERS, ANSWERS, asked["stages"][1]["done"]]
    (stage, grading) = asked["stages"]
    assert (stage["name"], stage["done"]) == ("answer, thinking off", ANSWERS)
    assert grading["name"] == "grade lexical"
    assert sum(one["answers"] for one in asked["spend"]) == ANSWERS
    table = (await lostkeys("jobs")).stdout
    assert "run m" in table
    line = next(one for one in table.splitlines() if "run m" in one)
    assert f" {ANSWERS}  of {ANSWERS} answers " in line
    log = (await lostkeys("jobs", "log", str(asked["id"]))).stdout.splitlines()
    assert log[0].endswith("job    begins")
    assert f"finished: {ANSWERS} answers" in log[-1]
    for command in ("pause", "resume", "cancel"):
        result = await lostkeys("jobs", command, str(asked["id"]))
        assert result.exit_code == 1, command
        assert "\n" not in str(result.exception)
    assert "there is no job 99" in str((await lostkeys("jobs", "log", "99")).exception)


@pytest.mark.slow
async def test_a_job_is_paused_and_cancelled_from_another_program(
    fake: Any, lostkeys: Run, words: Any, database: Path
) -> None:
    fake.latency = 0.3
    async with program(database, *words) as one:
        await until(lambda: drawn(database) > 0)
        fake.latency = 5
        (job,) = jobs_of(database)
        assert (await lostkeys("jobs", "pause", str(job.id))).exit_code == 0
        await until(lambda: jobs_of(database)[0].state is State.PAUSED)
        assert (await lostkeys("jobs", "resume", str(job.id))).exit_code == 0
        await until(lambda: jobs_of(database)[0].state is State.RUNNING)
        assert (await lostkeys("jobs", "cancel", str(job.id))).exit_code == 0
        _, said = await asyncio.wait_for(one.communicate(), PATIENCE)
    assert one.returncode == 1
    assert "cancelled; what was done is kept" in said.decode()
    assert jobs_of(database)[0].state is State.CANCELLED


LEAVING = """
import sys, time
from pathlib import Path
from core.jobs.job_service import Jobs
from core.specs.answer_specs import AnsweringSpec, GradingSpec
jobs = Jobs(Path(sys.argv[1]))
job = jobs.start(AnsweringSpec(sys.argv[2], "mine", 2, (False,), unchecked=True))
jobs.start(GradingSpec(("exact",)))
while not jobs.progress().done:
    time.sleep(0.05)
print(jobs.leave(30))
"""


@pytest.mark.slow
async def test_jobs_go_on_in_the_background_when_their_program_ends(
    fake: Any, database: Path
) -> None:
    fake.latency = 0.3
    one = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        LEAVING,
        str(database),
        f"openai:m@{fake.base_url}",
        stdout=asyncio.subprocess.PIPE,
    )
    said, _ = await asyncio.wait_for(one.communicate(), PATIENCE)
    assert said.decode().strip() == "True"
    assert 0 < drawn(database) < ANSWERS
    assert State.FINISHED not in {view.state for view in jobs_of(database)}
    fake.latency = 0
    await until(lambda: {view.state for view in jobs_of(database)} == {State.FINISHED})
    assert drawn(database) == ANSWERS
    assert sorted(view.kind for view in jobs_of(database)) == ["grade", "sample"]


async def test_a_response_that_never_ends_is_given_up_after_the_timeout(
    fake: Any, lostkeys: Run, words: tuple[str, ...], database: Path
) -> None:
    fake.when(lambda call: call.asks, stall, times=3)
    result = await lostkeys(*words, "--timeout", "0.5", "--in-flight", "2")
    assert result.exit_code == 0, result.output
    assert fake.faults["stall"] == 3
    with OpenProject(database, "read") as project:
        (job,) = list_jobs(project)
        assert job.spec is not None
        assert (job.spec.timeout, job.spec.in_flight) == (0.5, 2)  # type: ignore[union-attr]
        assert sum(one.done for one in job.stages if one.name.startswith("answer")) == ANSWERS


async def test_no_more_requests_are_out_than_asked_for(
    fake: Any, lostkeys: Run, words: tuple[str, ...]
) -> None:
    out, most = 0, 0

    async def counted(call: Any) -> web.StreamResponse:
        nonlocal out, most
        out += 1
        most = max(most, out)
        await asyncio.sleep(0.01)
        out -= 1
        return await call.answer()  # type: ignore[no-any-return]

    fake.when(lambda call: call.asks, counted)
    result = await lostkeys(*words, "--in-flight", "2")
    assert result.exit_code == 0, result.output
    assert most == 2
