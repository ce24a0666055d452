"""Answers that another program brings are noticed, one's own are not taken for them."""

from dataclasses import replace

import pytest

from core.demo import demo_setup as demo
from core.jobs.external_activity import ECHO, QUIET, ExternalActivity
from core.jobs.followed_job import FollowedJob
from core.jobs.job_progress import State, format_progress
from core.jobs.job_view import JobStage, JobView
from core.project import OpenProject
from core.specs.answer_specs import DemoSpec
from tests.core.sampling.filling import fill
from tests.core.sampling.scripted import Scripted, say


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def others(clock: Clock) -> ExternalActivity:
    return ExternalActivity(clock)


def test_growth_is_noticed_and_forgotten_when_it_stops(
    others: ExternalActivity, clock: Clock
) -> None:
    others.take({"a": 10, "b": 7}, here=False)
    assert others.progress() is None
    for second in range(1, 6):
        clock.now += 1
        others.take({"a": 10, "b": 7 + 4 * second}, here=False)
    progress = others.progress()
    assert progress is not None
    said = format_progress(progress)
    assert (said.title, said.count) == ("another program answers b", "")
    assert progress.rate == pytest.approx(4.0)
    clock.now += QUIET + 0.1
    assert others.progress() is None


def test_what_is_there_already_is_no_growth(others: ExternalActivity) -> None:
    for _ in range(3):
        others.take({"a": 10}, here=False)
    assert others.progress() is None


def test_a_new_model_counts(others: ExternalActivity) -> None:
    others.take({}, here=False)
    others.take({"new": 3}, here=False)
    progress = others.progress()
    assert progress is not None
    assert progress.name == "new"


def test_a_job_here_too_short_to_be_seen_is_not_another_program(
    others: ExternalActivity, clock: Clock
) -> None:
    others.take({"a": 10}, here=False)
    others.end_here()
    clock.now += ECHO / 2
    others.take({"a": 10, "b": 20}, here=False)
    assert others.progress() is None
    clock.now += ECHO
    others.take({"a": 10, "b": 30}, here=False)
    assert others.progress() is not None


def test_a_job_here_is_not_another_program(others: ExternalActivity, clock: Clock) -> None:
    others.take({"a": 10}, here=False)
    others.take({"a": 20}, here=True)
    clock.now += ECHO / 2
    others.take({"a": 25}, here=False)
    assert others.progress() is None
    clock.now += ECHO
    others.take({"a": 30}, here=False)
    assert others.progress() is not None


def test_what_was_written_here_is_not_another_program(others: ExternalActivity) -> None:
    others.take({"a": 10}, here=False)
    others.pass_over({"a": 4})
    others.pass_over({"a": 10})
    assert others.progress() is None
    others.take({"a": 12}, here=False)
    assert others.progress() is not None


def test_a_job_that_is_followed_is_as_far_as_its_row_says(clock: Clock) -> None:
    followed = FollowedJob(3, clock)
    assert followed.progress() is None
    for second in range(5):
        stages = (JobStage("answer, thinking off", 90 - 10 * second, 0, 10 + 10 * second),)
        view = JobView(3, "demo", "m", State.RUNNING, spec=DemoSpec(), stages=stages)
        followed.take(view)
        clock.now += 1
    progress = followed.progress()
    assert progress is not None
    assert (progress.doing, progress.unit) == ("answering", "answers")
    assert (progress.done, progress.wanted) == (50, 100)
    assert progress.rate == pytest.approx(8.0)
    followed.take(replace(view, state=State.FINISHED))
    assert followed.progress() is None


def test_discarded_answers_are_no_growth(others: ExternalActivity) -> None:
    others.take({"a": 10}, here=False)
    others.take({"a": 4}, here=False)
    assert others.progress() is None


def test_answers_are_counted_over_both_settings(project: OpenProject) -> None:
    demo.prepare(project, 2)
    plan = demo.plan(project, 3)
    fill(project, Scripted(say("Paris")), plan)
    project.refresh()
    assert project.tally((), project.models()).answers == {demo.MODEL: 2 * (10 + 8) * 3}
