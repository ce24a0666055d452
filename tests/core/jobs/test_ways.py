"""The ways in which a job asks: with fewer calls, in batches, kept for audit; graded afterwards."""

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from core.engine.poll_schedule import PollSchedule
from core.jobs.job_progress import State
from core.jobs.job_run import JobContext
from core.jobs.job_service import Jobs
from core.jobs.job_view import JobView
from core.project import OpenProject
from core.providers.base import Draw, Reply, Request
from core.providers.exchange_file import raw_path, read_lines
from core.scoring.policy import Policy
from core.specs.answer_specs import AnsweringSpec, GradingSpec
from tests.core.grading.making import GRADER, Grader
from tests.core.jobs.making import drawn, ended, prepared
from tests.core.sampling.scripted import Scripted
from tests.fakes.fate import Fate
from tests.fakes.openai_server import FakeOpenAI, serving
from tests.patience import PATIENCE, until

FACTS, SAMPLES = 3, 4
OFF = (False,)


@pytest.fixture
async def fake() -> AsyncIterator[FakeOpenAI]:
    async with serving() as server:
        yield server


def spec(fake: FakeOpenAI, **changes: object) -> AnsweringSpec:
    values: dict[str, object] = {"samples": SAMPLES, "thinking": OFF, "unchecked": True, **changes}
    return AnsweringSpec(f"openai:m@{fake.base_url}", "mine", **values)  # type: ignore[arg-type]


async def run(jobs: Jobs, asked: AnsweringSpec) -> JobView:
    job = jobs.start(asked)
    assert await asyncio.to_thread(jobs.wait, job, PATIENCE), jobs.view(job)
    return jobs.view(job)


async def test_a_curtailed_run_asks_for_less_and_says_so(fake: FakeOpenAI, path: Path) -> None:
    curtailed = Policy(graders=("lexical",))
    asked = spec(fake, samples=8, graders=("lexical",), curtailed=curtailed)
    view = await run(Jobs(prepared(path, FACTS)), asked)
    assert view.state is State.FINISHED, view.reason
    full = FACTS * 10 * 8
    dropped = sum(one.dropped for one in view.stages if one.name.startswith("answer"))
    assert drawn(path) + dropped == full
    assert dropped > full / 4
    assert view.reason == f"{drawn(path)} answers, {dropped} not needed"


async def test_a_batch_is_handed_in_and_taken_in(fake: FakeOpenAI, path: Path) -> None:
    jobs = Jobs(
        prepared(path, FACTS),
        means=JobContext(pace=PollSchedule(first_look=0.05, longest_look=0.1)),
    )
    view = await run(jobs, spec(fake, via="batch", graders=("lexical",)))
    assert (view.state, view.reason) == (State.FINISHED, f"{FACTS * 10 * SAMPLES} answers")
    assert drawn(path) == FACTS * 10 * SAMPLES
    assert any("batches" in call for call in fake.calls)
    assert not any("completions" in call for call in fake.calls)


async def test_a_cancelled_batch_ends_at_the_service_and_frees_its_slots(
    fake: FakeOpenAI, path: Path
) -> None:
    means = JobContext(pace=PollSchedule(first_look=0.05, longest_look=0.1))
    jobs = Jobs(prepared(path, FACTS), means=means)
    fake.batches.fates = [Fate("completed", steps=10_000)]
    job = jobs.start(spec(fake, via="batch"))
    await until(lambda: any(call.startswith("GET") and "/batches/" in call for call in fake.calls))
    jobs.cancel(job)
    assert await asyncio.to_thread(jobs.wait, job, PATIENCE)
    assert jobs.view(job).state is State.CANCELLED
    assert any(call.endswith("/cancel") for call in fake.calls)
    view = await run(jobs, spec(fake))
    assert view.state is State.FINISHED
    assert drawn(path) == FACTS * 10 * SAMPLES


async def test_what_went_over_the_wire_is_kept(fake: FakeOpenAI, path: Path) -> None:
    view = await run(Jobs(prepared(path, FACTS)), spec(fake, raw=True))
    assert view.state is State.FINISHED
    kept = [line for line in read_lines(raw_path(path)) if "samples" in line]
    assert sum(len(line["samples"]) for line in kept) == FACTS * 10 * SAMPLES


async def test_answers_that_are_there_are_graded_without_asking(
    fake: FakeOpenAI, path: Path
) -> None:
    jobs = Jobs(prepared(path, FACTS))
    assert (await run(jobs, spec(fake))).state is State.FINISHED
    asked = len(fake.bodies)
    view = await run(jobs, spec(fake, graders=("lexical", "exact")))
    assert view.state is State.FINISHED
    assert len(fake.bodies) == asked
    with OpenProject(path, "read") as project:
        counts = {one.name: project.grids.count(one.plane) for one in project.graders()}
    assert counts["lexical"] == counts["exact"] == FACTS * 6 * SAMPLES


class Held(Grader):
    """A grader that waits to be let go on once it has been tried and has graded a little."""

    def __init__(self) -> None:
        super().__init__()
        self.waits, self.go = threading.Event(), threading.Event()

    async def draw(self, request: Request) -> Reply:
        while sum(map(bool, self.answers)) > 3 and not self.go.is_set():
            self.waits.set()
            await asyncio.sleep(0.01)
        return await super().draw(request)


def test_grading_by_a_model_is_told_apart_from_answering(path: Path) -> None:
    held = Held()
    answers = Scripted(lambda request: Reply((Draw("Paris", "stop"),) * request.n, 10, 2))
    means = JobContext(lambda model: held if "judge" in model else answers)
    asked = AnsweringSpec(
        "openai:m@http://127.0.0.1:9/v1",
        "mine",
        samples=SAMPLES,
        thinking=OFF,
        graders=("lexical", GRADER),
        unchecked=True,
    )
    jobs = Jobs(prepared(path, FACTS), means=means)
    job = jobs.start(asked)
    assert held.waits.wait(PATIENCE)
    told, view = jobs.progress(), jobs.view(job)
    assert told is not None
    drawn_, graded = FACTS * 10 * SAMPLES, FACTS * 6 * SAMPLES
    assert (told.doing, told.name, told.wanted) == ("grading", "judge", graded)
    assert told.done < graded
    assert (told.unit, view.unit, view.is_last) == ("labels", "answers", True)
    assert (view.done, view.total, view.share) == (drawn_, drawn_, 1.0)
    assert view.labels is not None
    assert view.labels[0] < view.labels[1] == 2 * graded
    held.go.set()
    assert jobs.wait(job, PATIENCE)
    assert (jobs.view(job).state, jobs.view(job).share) == (State.FINISHED, 1.0)


def test_grading_counts_the_answers_that_are_meant(path: Path) -> None:
    model = Scripted(lambda request: Reply((Draw("Paris", "stop"),) * request.n, 10, 2))
    asked = AnsweringSpec(
        "embedded:smollm2-135m", "mine", samples=SAMPLES, thinking=OFF, unchecked=True
    )
    jobs = Jobs(prepared(path, FACTS), means=JobContext(lambda name: model))
    assert ended(jobs, jobs.start(asked)).done == FACTS * 10 * SAMPLES
    few = ended(jobs, jobs.start(GradingSpec(("lexical",), size=5)))
    assert (few.unit, few.done, few.total, few.labels) == ("answers", 5, 5, None)
    assert few.reason == "lexical: 5 answers graded"
    rest = ended(jobs, jobs.start(GradingSpec(("form", "exact"), sure=0.99)))
    answers = FACTS * 6 * SAMPLES
    assert [(one.done + one.dropped, one.left) for one in rest.stages] == [(answers, 0)] * 2
    assert (rest.stages[0].dropped > 0, rest.stages[1].dropped) == (True, 0)
