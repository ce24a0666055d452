"""The job service: jobs count, end, wait for each other, pause, stop and go on."""

import json
import threading
from pathlib import Path

import pytest

from core.demo import demo_setup as demo
from core.errors import LostkeysError, UsageError
from core.jobs.job_list import list_jobs, read_log
from core.jobs.job_progress import State
from core.jobs.job_service import Jobs
from core.project import OpenProject
from core.providers.base import FatalError, Reply, Request
from core.scoring.policy import Policy
from core.specs.answer_specs import AnsweringSpec, DemoSpec, GradingSpec
from core.specs.build_specs import BuildingSpec
from core.specs.file_specs import ImportingSpec
from tests.core.jobs.making import ANSWERS, DEMO, Gate, asking, drawn, ended, prepared
from tests.core.making import new_project
from tests.core.sampling.scripted import Scripted, say
from tests.patience import PATIENCE

MODEL = demo.MODEL


def test_it_draws_and_grades_and_says_what_came_of_it(path: Path) -> None:
    facts: list[int] = []
    jobs = Jobs(path, means=asking(Scripted(say("Paris")), facts.append))
    first = jobs.start(DEMO)
    assert first < 0
    view = ended(jobs, first)
    assert (view.state, view.reason) == (State.FINISHED, "72 answers")
    assert drawn(path) == ANSWERS
    assert sum(one.done for one in view.stages if one.name.startswith("answer")) == ANSWERS
    assert view.id > 0
    assert jobs.view(view.id) == jobs.view(first)
    assert len(facts) == 2
    with OpenProject(path, "read") as project:
        assert {grader.name for grader in project.graders()} == {*demo.GRADERS, "choice"}
        tally = project.tally(project.ranks(Policy()), project.models())
        assert tally.labels.sum() == tally.drawn.sum() == ANSWERS
        (stored,) = list_jobs(project)
        assert (stored.kind, stored.state, stored.id) == ("demo", State.FINISHED, view.id)
        assert [(one.name, one.done) for one in stored.stages] == [
            (one.name, one.done) for one in view.stages
        ]
        assert {(one.model, one.answers) for one in stored.spends} == {(MODEL, 40), (MODEL, 32)}
        assert [line.text for line in read_log(project, view.id)][-1] == "finished: 72 answers"
    assert jobs.log(view.id)[0].text == "begins"
    again = ended(jobs, jobs.start(DEMO))
    assert again.reason == "every answer was there already"
    assert again.id != view.id, "a job that is finished is not begun again"


def test_stopped_it_keeps_what_is_answered_and_the_same_job_goes_on(path: Path) -> None:
    gate = Gate(answers=5)
    jobs = Jobs(path, means=asking(gate))
    job = jobs.start(DEMO)
    assert gate.waiting.wait(PATIENCE)
    assert jobs.close(PATIENCE)
    view = ended(jobs, job)
    assert (view.state, view.reason) == (State.STOPPED, "stopped; what was done is kept")
    assert gate.closed
    kept = drawn(path)
    assert 0 < kept < ANSWERS
    later = Jobs(path, means=asking(Scripted(say("Rome"))))
    end = ended(later, later.start(DEMO))
    assert (end.state, end.id) == (State.FINISHED, view.id)
    assert end.reason == f"{ANSWERS} answers, {kept} of them there before"
    assert end.done == ANSWERS
    lines = [one.text for one in later.log(end.id) if one.kind == "job"]
    assert lines == ["goes on", f"finished: {end.reason}"]
    assert drawn(path) == ANSWERS
    answers = sum(one.answers for one in end.spends)
    assert answers == ANSWERS, "what it had used before counts as well"


def test_cancelled_it_is_not_taken_up_again(path: Path) -> None:
    gate = Gate(answers=3)
    jobs = Jobs(path, means=asking(gate))
    job = jobs.start(DEMO)
    assert gate.waiting.wait(PATIENCE)
    jobs.cancel(job)
    cancelled = ended(jobs, job)
    assert cancelled.state is State.CANCELLED
    gate.open()
    assert ended(jobs, jobs.start(DEMO)).id != cancelled.id
    assert drawn(path) == ANSWERS


def test_a_paused_job_begins_nothing_and_goes_on(path: Path) -> None:
    gate = Gate(answers=0)
    jobs = Jobs(path, means=asking(gate))
    job = jobs.start(DEMO)
    assert gate.waiting.wait(PATIENCE)
    jobs.pause(job)
    gate.open()
    assert not jobs.wait(job, 1.5)
    asked = len(gate.seen)
    assert jobs.view(job).state is State.PAUSED
    assert not jobs.wait(job, 0.5)
    assert len(gate.seen) == asked
    with OpenProject(path, "read") as project:
        assert [one.state for one in list_jobs(project)] == [State.PAUSED]
    jobs.resume(job)
    assert ended(jobs, job).state is State.FINISHED
    assert drawn(path) == ANSWERS


def test_one_runs_and_the_others_wait(path: Path) -> None:
    gate = Gate(answers=2)
    jobs = Jobs(prepared(path), means=asking(gate))
    first = jobs.start(DEMO)
    assert gate.waiting.wait(PATIENCE)
    second = jobs.start(GradingSpec(("exact",)))
    third = jobs.start(GradingSpec(("lexical",)))
    assert not jobs.wait(second, 1.0)
    assert [one.state for one in jobs.views()] == [State.WAITING, State.WAITING, State.RUNNING]
    with OpenProject(path, "read") as project:
        assert len(list_jobs(project)) == 3
    jobs.cancel(third)
    gate.open()
    assert ended(jobs, second).state is State.FINISHED
    assert ended(jobs, third).state is State.CANCELLED
    assert ended(jobs, first).started is not None
    assert not jobs.running


def test_stopped_before_the_first_request_it_ends_too(path: Path) -> None:
    jobs = Jobs(path, means=asking(Gate(answers=0)))
    job = jobs.start(DEMO)
    jobs.stop()
    assert ended(jobs, job).state is State.STOPPED


def test_an_error_travels_as_one_line(path: Path) -> None:
    def refused(request: Request) -> Reply:
        raise FatalError("401:\n the key is wrong")

    jobs = Jobs(path, means=asking(Scripted(refused)))
    job = jobs.start(DEMO)
    view = ended(jobs, job)
    assert (view.state, view.reason) == (State.FAILED, "401: the key is wrong")
    with pytest.raises(FatalError):
        jobs.result(job)
    assert [(line.kind, line.text) for line in jobs.log(job)][-1] == ("fail", view.reason)


def test_a_fault_of_the_program_is_named_and_ends_the_job_alone(path: Path) -> None:
    def broken(request: Request) -> Reply:
        raise RuntimeError("no\nway")

    jobs = Jobs(path, means=asking(Scripted(broken)))
    view = ended(jobs, jobs.start(DEMO))
    assert view.state is State.FAILED
    assert "a fault of the program (RuntimeError: no way)" in view.reason
    imported = ended(jobs, jobs.start(GradingSpec(("exact",))))
    assert imported.state is State.FINISHED


def test_what_fails_is_asked_again_alone(path: Path) -> None:
    from core.providers.base import UnanswerableError

    def refusing(request: Request) -> Reply:
        if "capital" in str(request.messages).lower():
            raise UnanswerableError("the prompt is too long")
        return say("Paris")(request)

    spec = AnsweringSpec(MODEL, MODEL, 1, thinking=(False,), graders=("exact",))
    jobs = Jobs(prepared(path, 8), means=asking(Scripted(refusing)))
    first = ended(jobs, jobs.start(spec))
    failed = sum(one.failed for one in first.stages)
    assert failed > 0
    assert f"{failed} failed ({failed}: the prompt is too long)" in first.reason
    with OpenProject(path, "read") as project:
        from core.jobs.job_list import errors

        (group,) = errors(project, first.id)
        assert (group.reason, group.count) == ("the prompt is too long", failed)
    later = Jobs(path, means=asking(Scripted(say("Paris"))))
    end = ended(later, later.retry(first.id))
    assert end.reason == f"{failed} answers"
    assert drawn(path) == 80


def test_wrong_words_leave_no_trace(path: Path) -> None:
    jobs = Jobs(prepared(path))
    view = ended(jobs, jobs.start(AnsweringSpec("nobody:knows", "x")))
    assert view.state is State.FAILED
    assert "no model is called" in view.reason
    with OpenProject(path, "read") as project:
        assert list_jobs(project) == []


def test_without_a_database_it_fails_in_one_line(path: Path) -> None:
    jobs = Jobs(path)
    view = ended(jobs, jobs.start(GradingSpec(("exact",))))
    assert view.state is State.FAILED
    assert "does not exist" in view.reason
    assert not path.exists()


def test_the_listener_hears_of_begin_and_end_and_not_of_every_count(path: Path) -> None:
    heard: list[bool] = []
    jobs = Jobs(path, lambda: heard.append(jobs.running), means=asking(Scripted(say("Paris"))))
    assert ended(jobs, jobs.start(DemoSpec(20, 1))).state is State.FINISHED
    assert jobs.close(PATIENCE)
    assert heard[0] is True
    assert heard[-1] is False
    assert len(heard) < 20 * 18


def test_before_the_first_job_there_is_nothing(path: Path) -> None:
    jobs = Jobs(path)
    assert jobs.progress() is None
    assert (jobs.running, jobs.views()) == (False, [])
    assert jobs.close()
    with pytest.raises(UsageError, match="job 7 is not one of this program"):
        jobs.view(7)
    with pytest.raises(LostkeysError, match="does not exist"):
        jobs.pause(7)


def test_the_queue_is_handed_from_thread_to_thread_in_order(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "facts.jsonl"
    file.write_text('{"fact_id": "1", "subject": "s", "object": "o", "direct": "?"}\n')
    jobs = Jobs(path)
    numbers = [jobs.start(ImportingSpec(str(file))) for _ in range(4)]
    views = [ended(jobs, number) for number in numbers]
    assert [view.reason for view in views] == ["1 fact added"] + 3 * [
        "0 facts added, 1 there already"
    ]
    starts = [view.started for view in views]
    assert starts == sorted(starts, key=lambda one: one is not None and one.timestamp())
    assert threading.active_count() < 20


def test_a_database_that_goes_while_it_runs_ends_the_job_in_one_line(path: Path) -> None:
    gate = Gate(answers=3)
    jobs = Jobs(path, means=asking(gate))
    job = jobs.start(DEMO)
    assert gate.waiting.wait(PATIENCE)
    path.unlink()
    gate.open()
    view = ended(jobs, job)
    assert view.state is State.FAILED
    assert f"{path} was removed or replaced while the job ran" in view.reason
    assert not path.exists()


def test_what_follows_an_import_waits_for_the_file_that_it_makes(tmp_path: Path) -> None:
    file = tmp_path / "pages.jsonl"
    file.write_text('{"id": "a", "text": "Too short."}\n')
    jobs = Jobs(tmp_path / "new.db")
    first = jobs.start(ImportingSpec(str(file), "documents"))
    second = jobs.start(BuildingSpec())
    assert jobs.wait(second, PATIENCE)
    assert jobs.result(first).said == "1 document added"
    assert jobs.result(second).said == "0 facts built, 1 dropped on the way (1 fewer than 12 words)"


def test_a_build_without_result_says_why_each_time(tmp_path: Path) -> None:
    file = tmp_path / "pages.jsonl"
    rows = (f'{{"id": "{at}", "text": "Too short, page {at}."}}\n' for at in range(3))
    file.write_text("".join(rows))
    jobs = Jobs(tmp_path / "new.db")
    jobs.start(ImportingSpec(str(file), "documents"))
    said = [ended(jobs, jobs.start(BuildingSpec())).reason for _ in range(2)]
    assert said == [
        "0 facts built, 3 dropped on the way (3 fewer than 12 words)",
        "nothing to do that was not done before; dropped before: 3 fewer than 12 words",
    ]


@pytest.mark.parametrize(
    ("name", "text", "format_", "says"),
    [
        ("nosuch.csv", None, "auto", "does not exist"),
        ("facts.doc", "x", "auto", "the name must end in"),
        ("facts.jsonl", '{"fact_id": "1", "object": "o"}\n{"fact', "facts", "not valid JSON"),
        ("facts.jsonl", '{"fact_id": "1", "object": "o"}\n', "nonsense", "no format"),
        ("facts.jsonl", '{"fact_id": "1", "object": "o"}\n', "responses", "nothing of"),
    ],
)
def test_a_mistyped_import_is_no_job(
    path: Path, tmp_path: Path, name: str, text: str | None, format_: str, says: str
) -> None:
    with new_project(path):
        pass
    if text is not None:
        (tmp_path / name).write_text(text)
    jobs = Jobs(path)
    view = ended(jobs, jobs.start(ImportingSpec(str(tmp_path / name), format_)))
    assert view.state is State.FAILED
    assert view.void
    assert says in view.reason
    with OpenProject(path, "read") as project:
        assert list_jobs(project) == []
        assert project.connection.execute("SELECT count(*) FROM event").fetchone() == (0,)


def test_an_import_counts_rows(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "facts.jsonl"
    rows = [{"fact_id": str(n), "subject": "s", "object": "o", "direct": "?"} for n in range(7)]
    file.write_text("".join(json.dumps(row) + "\n" for row in [*rows, {"fact_id": ""}]))
    jobs = Jobs(path)
    view = ended(jobs, jobs.start(ImportingSpec(str(file))))
    now = jobs.progress()
    assert now is not None
    assert (now.done, now.wanted, now.failed, now.unit) == (7, 8, 1, "rows")
    assert [(stage.done, stage.failed) for stage in view.stages] == [(7, 1)]
    with OpenProject(path, "read") as project:
        [stored] = list_jobs(project)
        assert [(stage.done, stage.failed) for stage in stored.stages] == [(7, 1)]
