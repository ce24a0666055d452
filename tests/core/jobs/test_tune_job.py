"""Fine-tuning at a service: nothing is uploaded or started twice, whenever a program ends."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web
from click.testing import CliRunner, Result

from core.engine.poll_schedule import PollSchedule
from core.jobs.job_progress import State
from core.jobs.job_run import JobContext
from core.jobs.job_service import Jobs
from core.jobs.job_view import JobView
from core.specs.file_specs import TuningSpec
from tests.core.making import new_project
from tests.db.making import program
from tests.fakes.openai_server import FakeOpenAI, serving
from tests.fakes.service import Call
from tests.patience import PATIENCE, until
from tui.cli.main import cli

QUICK = JobContext(pace=PollSchedule(first_look=0.01, longest_look=0.02))


@pytest.fixture
async def fake() -> AsyncIterator[FakeOpenAI]:
    async with serving() as server:
        yield server


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "some.db"
    new_project(made).close()
    return made


def examples(folder: Path, count: int = 12, name: str = "f.jsonl") -> str:
    lines = [
        {
            "messages": [
                {"role": "user", "content": f"{name} {n}?"},
                {"role": "assistant", "content": "x"},
            ]
        }
        for n in range(count)
    ]
    file = folder / name
    file.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    return str(file)


def a_spec(fake: FakeOpenAI, folder: Path, suffix: str = "mine") -> TuningSpec:
    validation = examples(folder, name="v.jsonl")
    model = f"openai:m@{fake.base_url}"
    return TuningSpec(model, examples(folder), validation, 3, suffix, 0.5, 8, 42)


async def run(jobs: Jobs, job: int) -> JobView:
    assert await asyncio.to_thread(jobs.wait, job, PATIENCE), jobs.view(job)
    return jobs.view(job)


async def test_a_model_comes_of_it(fake: FakeOpenAI, path: Path, tmp_path: Path) -> None:
    jobs = Jobs(path, means=QUICK)
    spec = a_spec(fake, tmp_path)
    view = await run(jobs, jobs.start(spec))
    new = "the new model is openai:ft:m:org:mine:ftjob-0"
    assert (view.state, view.reason) == (State.FINISHED, f"{new}@{fake.base_url}")
    (made,) = fake.tunings.made.values()
    files = fake.batches.files
    assert files[made["training_file"]] == Path(spec.file).read_bytes()
    assert files[made["validation_file"]] == Path(spec.validation or "").read_bytes()
    assert made["method"]["supervised"]["hyperparameters"] == {
        "n_epochs": 3,
        "learning_rate_multiplier": 0.5,
        "batch_size": 8,
    }
    assert made["seed"] == 42
    (stage,) = view.stages
    assert (stage.done, stage.waiting) == (5, 0)
    said = [one.text for one in jobs.log(view.id)]
    assert said.count("Step 3/5: training loss=0.5") == 1
    assert "ftjob-0: running" in said


@pytest.mark.parametrize("calls", range(1, 9))
async def test_a_job_that_stops_at_any_moment_goes_on(
    fake: FakeOpenAI, path: Path, tmp_path: Path, calls: int
) -> None:
    """The service does what it is asked at that moment, and the program never hears of it."""
    spec = a_spec(fake, tmp_path)
    stuck = asyncio.Event()

    async def never_told(call: Call) -> web.StreamResponse:
        answer = await call.answer()
        stuck.set()
        await asyncio.sleep(PATIENCE)
        return answer

    fake.when(lambda call: len(fake.calls) == calls, never_told, 1)
    first = Jobs(path, means=QUICK)
    job = first.start(spec)
    await asyncio.wait_for(stuck.wait(), PATIENCE)
    assert await asyncio.to_thread(first.close, PATIENCE)
    stopped = first.view(job)
    assert stopped.state is State.STOPPED
    second = Jobs(path, means=QUICK)
    view = await run(second, second.start_stored(stopped.id, spec))
    assert view.state is State.FINISHED, view.reason
    assert len(fake.tunings.made) == 1
    assert len(fake.batches.uploads) == 2


async def test_another_job_is_another_one(fake: FakeOpenAI, path: Path, tmp_path: Path) -> None:
    jobs = Jobs(path, means=QUICK)
    spec = a_spec(fake, tmp_path)
    for _ in range(2):
        assert (await run(jobs, jobs.start(spec))).state is State.FINISHED
    assert len(fake.tunings.made) == 2
    assert len(fake.batches.uploads) == 4


async def test_a_cancelled_job_ends_at_the_service(
    fake: FakeOpenAI, path: Path, tmp_path: Path
) -> None:
    fake.tunings.steps = 100_000
    jobs = Jobs(path, means=QUICK)
    job = jobs.start(a_spec(fake, tmp_path))
    await until(lambda: any(one["status"] == "running" for one in fake.tunings.made.values()))
    jobs.cancel(job)
    assert (await run(jobs, job)).state is State.CANCELLED
    assert [one["status"] for one in fake.tunings.made.values()] == ["cancelled"]


async def test_a_service_that_is_down_is_asked_again(
    fake: FakeOpenAI, path: Path, tmp_path: Path
) -> None:
    async def broken(call: Call) -> web.StreamResponse:
        await call.answer()
        return web.Response(status=503, text="busy")

    fake.when(lambda call: call.path == "/v1/fine_tuning/jobs", broken, 2)
    fake.when(lambda call: call.path == "/v1/files", broken, 2)
    jobs = Jobs(path, means=QUICK)
    view = await run(jobs, jobs.start(a_spec(fake, tmp_path)))
    assert view.state is State.FINISHED, view.reason
    assert (len(fake.tunings.made), len(fake.batches.uploads)) == (1, 2)


async def test_what_comes_to_nothing_says_why(fake: FakeOpenAI, path: Path, tmp_path: Path) -> None:
    fake.tunings.fails = "the loss is not a number"
    jobs = Jobs(path, means=QUICK)
    view = await run(jobs, jobs.start(a_spec(fake, tmp_path)))
    assert view.state is State.FAILED
    assert "it failed: the loss is not a number" in view.reason
    few = TuningSpec(f"openai:m@{fake.base_url}", examples(tmp_path, 9, "few.jsonl"))
    before = len(fake.calls)
    view = await run(jobs, jobs.start(few))
    assert "few.jsonl: fewer than 10 examples" in view.reason
    assert len(fake.calls) == before
    gemini = TuningSpec("gemini:gemini-2.5-flash", examples(tmp_path))
    assert "cannot be fine-tuned from here" in (await run(jobs, jobs.start(gemini))).reason


async def test_a_host_without_fine_tuning_says_so(path: Path, tmp_path: Path) -> None:
    async with serving() as bare:

        async def missing(call: Call) -> web.StreamResponse:
            return web.Response(status=404, text="404 page not found")

        bare.when(lambda call: "fine_tuning" in call.path, missing)
        jobs = Jobs(path, means=QUICK)
        view = await run(jobs, jobs.start(a_spec(bare, tmp_path)))
        assert view.state is State.FAILED
        assert "no fine-tuning at 127.0.0.1" in view.reason


async def test_the_command_ends_with_the_new_name(
    fake: FakeOpenAI, path: Path, tmp_path: Path
) -> None:
    fake.tunings.steps = 0

    async def tune(*words: str) -> Result:
        asked = ["--db", str(path), "fact-bench", "tune", *words]
        return await asyncio.to_thread(CliRunner().invoke, cli, asked)

    unasked = await tune(examples(tmp_path), "--model", f"openai:m@{fake.base_url}")
    told = "12 examples of f.jsonl, questions with answers, go to 127.0.0.1: --yes sends them"
    assert str(unasked.exception) == told
    assert not fake.calls
    result = await tune(examples(tmp_path), "--model", f"openai:m@{fake.base_url}", "--yes")
    assert (result.exit_code, result.exception) == (0, None)
    assert f"the new model is openai:ft:m:org::ftjob-0@{fake.base_url}" in result.stderr
    assert "tune needs a FILE of examples and --model" in str((await tune()).exception)
    assert "as it was started" in str((await tune("f.jsonl", "--job", "1")).exception)
    assert "job 1 is finished" in str((await tune("--job", "1")).exception)
    few = await tune(examples(tmp_path, 3, "few.jsonl"), "--model", "openai:m@http://h:1/v1")
    assert "few.jsonl: fewer than 10 examples" in str(few.exception)


@pytest.mark.slow
@pytest.mark.parametrize("calls", [2, 4, 5, 7])
async def test_a_killed_program_leaves_nothing_to_be_done_twice(
    fake: FakeOpenAI, path: Path, tmp_path: Path, calls: int
) -> None:
    spec = a_spec(fake, tmp_path)
    code = (
        "import sys; from pathlib import Path; from core.jobs.job_service import Jobs\n"
        "from core.jobs.job_run import JobContext; from core.specs.file_specs import TuningSpec\n"
        "from core.engine.poll_schedule import PollSchedule\n"
        "means = JobContext(pace=PollSchedule(first_look=0.01, longest_look=0.02))\n"
        "jobs = Jobs(Path(sys.argv[1]), means=means)\n"
        "jobs.wait(jobs.start(TuningSpec(*sys.argv[2:5])))\n"
    )
    stuck = asyncio.Event()

    async def never_told(call: Call) -> web.StreamResponse:
        answer = await call.answer()
        stuck.set()
        await asyncio.sleep(PATIENCE)
        return answer

    fake.when(lambda call: len(fake.calls) == calls, never_told, 1)
    other = program(code, path, spec.model, spec.file, spec.validation or "")
    await asyncio.wait_for(stuck.wait(), PATIENCE)
    os.kill(other.pid, signal.SIGKILL)
    await asyncio.to_thread(other.communicate)
    jobs = Jobs(path, means=QUICK)
    asked = TuningSpec(spec.model, spec.file, spec.validation)
    view = await run(jobs, jobs.start_stored(1, asked))
    assert view.state is State.FINISHED, view.reason
    assert (len(fake.tunings.made), len(fake.batches.uploads)) == (1, 2)
