"""The job service: it counts, ends, stops and goes on, and says why in one line."""

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import db.checks
from core.demo import job as demo
from core.errors import LostkeysError, UsageError
from core.jobs import Control, Jobs, Progress, State, words
from core.jobs.answering import Answering
from core.jobs.importing import Importing, glance
from core.jobs.progress import WINDOW, Meter, lasting
from core.policy import Policy
from core.project import Project
from core.providers.base import FatalError, Provider, Reply, Request
from core.sampling.engine import Plan
from tests.core.sampling.scripted import Scripted, say

PATIENCE = 30.0


class Gate(Scripted):
    """Answers a number of requests, then waits for ever, as a slow server does."""

    def __init__(self, answers: int) -> None:
        super().__init__(say("Paris"))
        self.answers = answers
        self.waiting = threading.Event()
        self.closed = False

    async def draw(self, request: Request) -> Reply:
        import asyncio

        if len(self.seen) >= self.answers:
            self.waiting.set()
            await asyncio.Event().wait()
        return await super().draw(request)

    async def close(self) -> None:
        self.closed = True


class Work:
    """A job that does what a test says."""

    doing, name, unit = "doing", "something", "answers"

    def __init__(self, run: Callable[[Control], str]) -> None:
        self._run = run

    def run(self, control: Control) -> str:
        return self._run(control)


def ended(jobs: Jobs) -> Progress:
    """The job's end, waited for."""
    thread = jobs._thread
    assert thread is not None
    thread.join(PATIENCE)
    progress = jobs.progress()
    assert progress is not None
    assert progress.state is not State.RUNNING, progress
    return progress


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    made = Jobs()
    yield made
    assert made.close(PATIENCE)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "demo.db"


def asking(path: Path, provider: Provider, facts: int = 2) -> Answering:
    def prepared(project: Project) -> Plan:
        demo.prepare(project, facts)
        return demo.plan(project, 2)

    return Answering(path, "some-model", prepared, demo.GRADERS, lambda name: provider)


def drawn(path: Path) -> int:
    with Project(path, "read") as project:
        assert db.checks.faults(project.connection) == []
        return project.grids.count(0)


def test_it_draws_and_grades_and_says_what_came_of_it(jobs: Jobs, path: Path) -> None:
    jobs.start(asking(path, Scripted(say("Paris"))))
    progress = ended(jobs)
    assert (progress.state, progress.reason) == (State.FINISHED, "72 answers")
    assert progress.done == progress.wanted == 72 == drawn(path)
    with Project(path, "read") as project:
        names = {grader.name for grader in project.graders()}
        assert names == {*demo.GRADERS, "choice"}
        tally = project.tally(project.ranks(Policy()), project.models())
        assert tally.labels.sum() == tally.drawn.sum() == 72
    jobs.start(asking(path, Scripted(say("Rome"))))
    assert ended(jobs).reason == "every answer was there already"


def test_cancelled_it_keeps_what_is_answered_and_goes_on(jobs: Jobs, path: Path) -> None:
    gate = Gate(answers=5)
    jobs.start(asking(path, gate))
    assert gate.waiting.wait(PATIENCE)
    jobs.cancel()
    progress = ended(jobs)
    assert (progress.state, progress.reason) == (
        State.CANCELLED,
        "stopped; what was done is kept",
    )
    assert gate.closed
    assert 0 < progress.done == drawn(path) < 72
    jobs.start(asking(path, Scripted(say("Rome"))))
    again = ended(jobs)
    assert again.state is State.FINISHED
    assert again.wanted == 72 - progress.done
    assert drawn(path) == 72


def test_closing_stops_what_runs(path: Path) -> None:
    jobs, gate = Jobs(), Gate(answers=3)
    jobs.start(asking(path, gate))
    assert gate.waiting.wait(PATIENCE)
    assert jobs.running
    assert jobs.close(PATIENCE)
    assert gate.closed
    assert ended(jobs).state is State.CANCELLED


def test_cancelled_before_the_first_request_it_ends_too(jobs: Jobs, path: Path) -> None:
    begun, go = threading.Event(), threading.Event()

    def prepared(project: Project) -> Plan:
        begun.set()
        assert go.wait(PATIENCE)
        demo.prepare(project, 1)
        return demo.plan(project, 1)

    jobs.start(Answering(path, "m", prepared, demo.GRADERS, lambda name: Gate(answers=0)))
    assert begun.wait(PATIENCE)
    jobs.cancel()
    go.set()
    assert ended(jobs).state is State.CANCELLED


def test_an_error_travels_as_one_line(jobs: Jobs, path: Path) -> None:
    def refused(request: Request) -> Reply:
        raise FatalError("401:\n the key is wrong")

    jobs.start(asking(path, Scripted(refused)))
    progress = ended(jobs)
    assert (progress.state, progress.reason) == (State.FAILED, "401: the key is wrong")


def test_a_fault_of_the_program_is_named_and_ends_the_job_alone(jobs: Jobs) -> None:
    def broken(control: Control) -> str:
        raise RuntimeError("no\nway")

    jobs.start(Work(broken))
    assert ended(jobs).reason == "a fault of the program (RuntimeError: no way)"
    jobs.start(Work(lambda control: "well"))
    assert ended(jobs).reason == "well"


def test_one_job_at_a_time(jobs: Jobs) -> None:
    go = threading.Event()

    def waiting(control: Control) -> str:
        assert go.wait(PATIENCE)
        return "done"

    jobs.start(Work(waiting))
    with pytest.raises(UsageError, match="doing something is not through"):
        jobs.start(Work(waiting))
    go.set()
    assert ended(jobs).reason == "done"


def test_the_listener_hears_of_begin_and_end_and_not_of_every_count() -> None:
    now, heard = [100.0], list[bool]()

    def counting(control: Control) -> str:
        control.want(1000)
        for _ in range(1000):
            now[0] += 0.01
            control.add(1)
        return "counted"

    telling = Jobs(lambda: heard.append(telling.running), lambda: now[0])
    telling.start(Work(counting))
    assert ended(telling).done == 1000
    assert heard[0] is True
    assert heard[-1] is False
    assert 30 < len(heard) < 50


def test_before_the_first_job_there_is_no_progress() -> None:
    assert Jobs().progress() is None
    assert not Jobs().running
    assert Jobs().close()


def test_the_rate_is_that_of_the_last_minute() -> None:
    meter = Meter(started=0.0, wanted=10_000)
    for second in range(1, 301):
        meter.done += 1 if second <= 200 else 10
        meter.mark(float(second))
    assert meter.rate(300.0) == pytest.approx(10.0, rel=0.01)
    assert meter.left(300.0) == pytest.approx((10_000 - 1200) / 10, rel=0.01)
    assert meter.rate(300.0 + WINDOW) == pytest.approx(5.0, rel=0.02)


def test_no_time_left_before_fifty_are_done() -> None:
    meter = Meter(started=0.0, wanted=100)
    for second in range(1, 51):
        meter.done += 1
        meter.mark(float(second))
        assert (meter.left(float(second)) is None) == (meter.done < 50)
    meter.failed = 30
    assert meter.left(50.0) == pytest.approx(20.0)


def test_words_for_the_status_line() -> None:
    said = words(
        Progress(
            "answering",
            "gemma3-12b",
            "answers",
            State.RUNNING,
            12_480,
            38_700,
            rate=4.1,
            left=6_420.0,
        )
    )
    assert said.title == "answering gemma3-12b"
    assert said.count == "12,480 of 38,700"
    assert said.share == pytest.approx(0.3225, abs=1e-3)
    assert (said.rate, said.left) == ("4.1/s", "1 h 47 left")
    file = words(Progress("importing", "a.csv", "bytes", State.RUNNING, 12_000_000, 48_000_000))
    assert (file.count, file.rate, file.left) == ("12.0 of 48.0 MB", "", "")
    new = words(Progress("answering", "m", "answers", State.RUNNING))
    assert (new.count, new.share) == ("", 0.0)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.2, "1 s"), (59, "59 s"), (61, "1 min"), (3_569, "59 min"), (3_600, "1 h 00")],
)
def test_how_long_it_lasts(seconds: float, said: str) -> None:
    assert lasting(seconds) == said


# Importing

FACT = {
    "fact_id": "1",
    "subject": "France",
    "object": "Paris",
    "direct": "What is the capital of France?",
}


def lines(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_an_import_lands_and_counts_bytes(jobs: Jobs, path: Path, tmp_path: Path) -> None:
    file = lines(tmp_path / "facts.jsonl", FACT, {**FACT, "fact_id": ""})
    jobs.start(Importing(path, file))
    progress = ended(jobs)
    assert progress.state is State.FINISHED
    assert progress.reason == "1 fact added, 1 bad (line 2: missing: fact_id)"
    assert progress.done == progress.wanted == 2 * file.stat().st_size
    assert progress.failed == 1


@pytest.mark.parametrize("content", ["", "{", '{"task": 1}\n', '{"fact_id": "", "direct": "?"}\n'])
def test_an_import_of_nothing_fails_in_one_line_and_leaves_no_file(
    jobs: Jobs, path: Path, tmp_path: Path, content: str
) -> None:
    file = tmp_path / "facts.jsonl"
    file.write_text(content)
    jobs.start(Importing(path, file))
    progress = ended(jobs)
    assert progress.state is State.FAILED
    assert str(file) in progress.reason
    assert not path.exists()


def test_a_cancelled_import_keeps_whole_batches_and_goes_on(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.transfer.imports.FACTS_AT_ONCE", 3)
    file = lines(tmp_path / "facts.jsonl", *({**FACT, "fact_id": str(n)} for n in range(10)))
    jobs = Jobs()

    class Half(Importing):
        def run(self, control: Control) -> str:
            reach = control.reach

            def stop_half_way(done: int, wanted: int) -> None:
                if done > wanted // 2 + wanted // 6:
                    jobs.cancel()
                reach(done, wanted)

            control.reach = stop_half_way  # type: ignore[method-assign]
            return Importing.run(self, control)

    jobs.start(Half(path, file))
    assert ended(jobs).state is State.CANCELLED
    with Project(path, "read") as project:
        landed = len(project.index)
    assert 0 < landed < 10
    jobs.start(Importing(path, file))
    assert ended(jobs).state is State.FINISHED
    with Project(path, "read") as project:
        assert len(project.index) == 10


def test_a_glance_says_what_an_import_would_do_and_writes_nothing(
    path: Path, tmp_path: Path
) -> None:
    file = lines(tmp_path / "facts.jsonl", FACT)
    found = glance(path, file)
    assert (found.kind, found.size) == ("facts", file.stat().st_size)
    assert found.report is not None
    assert found.report.added == 1
    assert not path.exists()
    with Project(path, "create") as project:
        demo.prepare(project, 1)
    known = glance(path, file)
    assert known.report is not None
    assert known.report.added == 1
    with Project(path, "read") as project:
        assert len(project.index) == 1


def test_a_glance_at_a_large_file_only_says_its_kind(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.jobs.importing.MOST_TRIED", 10)
    found = glance(path, lines(tmp_path / "facts.jsonl", FACT))
    assert (found.kind, found.report) == ("facts", None)


def test_a_glance_at_no_data_raises(path: Path, tmp_path: Path) -> None:
    with pytest.raises(LostkeysError, match="must end in one of"):
        glance(path, lines(tmp_path / "notes.txt", FACT))
