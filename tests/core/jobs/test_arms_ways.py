"""Arms asked of a server in its own wire format: in batches, at either endpoint, with a judge."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import db.arms
from core.engine.poll_schedule import PollSchedule
from core.fact_bench.bench_evidence import BenchChoice, BenchEvidence
from core.jobs.job_progress import State
from core.jobs.job_run import JobContext
from core.jobs.job_service import Jobs
from core.jobs.job_view import JobView
from core.project import OpenProject
from core.specs.answer_specs import ArmsSpec
from tests.core.jobs.test_arms_job import COUNT, path
from tests.fakes.openai_server import FakeOpenAI, serving
from tests.patience import PATIENCE

__all__ = ["path"]

QUICK = JobContext(pace=PollSchedule(first_look=0.05, longest_look=0.1))


def says(prompt: str, index: int) -> str:
    """Right about even subjects, in a sentence; as a judge, right about what is right."""
    _, _, last = prompt.rpartition("Question: ")
    if found := re.search(r'Right answers: .*?"(Bo \d+)".*\nResponse: "(.*)"', last):
        return "yes" if f" {found[1]}." in found[2] else "no"
    asked = re.search(r"father of S(\d+)", last)
    if asked is None:  # a model is tried before it is used
        return "Paris"
    return "Nobody knows that." if int(asked[1]) % 2 else f"The father is Bo {asked[1]}."


@pytest.fixture
async def fake() -> AsyncIterator[FakeOpenAI]:
    async with serving() as server:
        server.says = says
        yield server


async def run(fake: FakeOpenAI, path: Path, *modes: str, **said: object) -> JobView:
    jobs = Jobs(path, means=QUICK)
    values: dict[str, object] = {"graders": ("em",), "unchecked": True, **said}
    spec = ArmsSpec(f"openai:m@{fake.base_url}", "m", modes, **values)  # type: ignore[arg-type]
    job = jobs.start(spec)
    assert await asyncio.to_thread(jobs.wait, job, PATIENCE), jobs.view(job)
    return jobs.view(job)


def answers(path: Path, mode: str) -> int:
    with OpenProject(path, "read") as project:
        evidence = BenchEvidence(project, BenchChoice(known_by="em"))
        (arm,) = [one for one in evidence.every_arm if str(one.arm.mode) == mode]
        return int(evidence.scores(arm).answered.sum())


async def test_arms_go_through_batches_one_after_another(fake: FakeOpenAI, path: Path) -> None:
    view = await run(fake, path, "zero-shot", "2-shot", via="batch")
    assert view.state is State.FINISHED, view.reason
    assert not any("completions" in call for call in fake.calls)
    assert sum(call == "POST /v1/batches" for call in fake.calls) == 2
    assert answers(path, "zero-shot") == answers(path, "2-shot") == COUNT * 3 // 4


async def test_what_is_known_is_asked_at_once_and_the_arm_in_a_batch(
    fake: FakeOpenAI, path: Path
) -> None:
    view = await run(fake, path, "2-shot:known", via="batch", known_by="lexical")
    assert view.state is State.FINISHED, view.reason
    assert fake.asked_at("chat/completions")
    assert sum(call == "POST /v1/batches" for call in fake.calls) == 1
    assert answers(path, "2-shot:known") == COUNT * 3 // 4


@pytest.mark.parametrize(
    ("endpoint", "raw", "chat"),
    [("raw", "zero-shot", ""), ("chat", "", "2-shot"), ("auto", "2-shot", "zero-shot")],
)
async def test_the_endpoint_that_is_named_is_the_one_that_is_asked(
    fake: FakeOpenAI, path: Path, endpoint: str, raw: str, chat: str
) -> None:
    fake.templates = False
    for mode in filter(None, (raw, chat)):
        fake.bodies.clear()
        fake.paths.clear()
        view = await run(fake, path, mode, endpoint=endpoint, unchecked=False)
        assert view.state is State.FINISHED, view.reason
        asked = [
            body
            for body in fake.asked_at("completions")
            if "father of" in body["prompt"] and not body["temperature"]
        ]
        assert len(asked) == (COUNT * 3 // 4 if mode == raw else 0)
        if mode == chat:
            assert len(fake.asked_at("chat/completions")) >= COUNT * 3 // 4


async def test_a_model_that_judges_says_what_is_known(fake: FakeOpenAI, path: Path) -> None:
    judge = f"judge:openai:m@{fake.base_url}"
    view = await run(fake, path, "2-shot:known", "2-shot:unknown", known_by=judge)
    assert view.state is State.FINISHED, view.reason
    with OpenProject(path, "read") as project:
        arms = db.arms.read_set_arms(project.connection, "some")
    for name, is_known in (("known", True), ("unknown", False)):
        arm = arms[f"m#2-shot:{name}"]
        assert arm.known_by == judge
        numbers = [int(one.question.partition(" S")[2].rstrip("?")) for one in arm.exemplars]
        assert {number % 2 == 0 for number in numbers} == {is_known}
    again = len(fake.bodies)
    assert (await run(fake, path, "2-shot:known", known_by=judge)).state is State.FINISHED
    assert len(fake.bodies) == again
