"""Rates, time left, and the words for them."""

from dataclasses import replace

import pytest

from core.jobs.job_progress import HALF_MINUTES, WINDOW, JobProgress, Meter, State, format_progress
from core.jobs.job_view import JobStage, JobView, phase_of, phases
from core.stats.number_format import format_duration


def test_the_rate_is_that_of_the_last_minute() -> None:
    meter, done = Meter(started=0.0), 0
    for second in range(1, 301):
        done += 1 if second <= 200 else 10
        meter.mark(float(second), done)
    assert meter.rate(300.0) == pytest.approx(10.0, rel=0.02)
    assert meter.estimate_left(300.0, 10_000 - done) == pytest.approx(
        (10_000 - 1200) / 10, rel=0.02
    )
    assert meter.rate(300.0 + WINDOW) == pytest.approx(0.0, abs=0.2)


def test_half_minutes_are_kept_apart() -> None:
    meter, done = Meter(started=1000.0), 0
    for second in range(1, 151):
        done += second // 31
        meter.mark(1000.0 + second, done)
    rates = meter.rates(1150.0)
    assert len(rates) == 5
    assert rates == tuple(sorted(rates))
    assert sum(rate * 30 for rate in rates) == pytest.approx(done, abs=10)
    assert rates[-1] == pytest.approx(4.0, rel=0.1)


def test_the_oldest_half_minutes_go() -> None:
    meter = Meter(started=0.0)
    for second in range(1, 3001):
        meter.mark(float(second), 2 * second)
    assert meter.rates(3000.0) == pytest.approx([2.0] * HALF_MINUTES)
    assert len(meter._past) < 30 * (HALF_MINUTES + 3)
    assert meter.rates(29.0) == ()


def test_no_time_left_before_fifty_are_done() -> None:
    meter = Meter(started=0.0)
    for second in range(1, 51):
        meter.mark(float(second), second)
        assert (meter.estimate_left(float(second), 100 - second) is None) == (second < 50)
    assert meter.estimate_left(50.0, 20) == pytest.approx(20.0)


def test_words_for_the_status_line() -> None:
    said = format_progress(
        JobProgress(
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
    file = format_progress(JobProgress("importing", "a.csv", "rows", State.RUNNING, 12_000, 48_000))
    assert (file.count, file.rate, file.left) == ("12,000 of 48,000", "", "")
    new = format_progress(JobProgress("answering", "m", "answers", State.RUNNING))
    assert (new.count, new.share) == ("", 0.0)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.2, "1 s"), (59, "59 s"), (61, "1 min"), (3_569, "59 min"), (3_600, "1 h 00")],
)
def test_how_long_it_lasts(seconds: float, said: str) -> None:
    assert format_duration(seconds) == said


OFF, ON = JobStage("answer, thinking off", done=40), JobStage("answer, thinking on", 10, 2, 28)
LOCAL, GRADER = JobStage("grade lexical", 12, 0, 68), JobStage("grade llm:openai:m", 80)


def test_answers_come_first_and_then_each_model_that_grades_them() -> None:
    judge = replace(GRADER, name="grade judge:openai:m")
    assert phases([OFF, ON, LOCAL, GRADER, judge]) == [[OFF, ON], [GRADER], [judge]]
    assert phases([LOCAL, GRADER]) == [[LOCAL, GRADER]]
    assert phases(list[JobStage]()) == []


def test_the_phase_is_the_first_that_is_not_done() -> None:
    drawn, graded = replace(ON, waiting=0, running=0), replace(GRADER, waiting=0, done=80)
    assert phase_of([OFF, ON, GRADER]) == [OFF, ON]
    assert phase_of([OFF, drawn, GRADER]) == [GRADER]
    assert phase_of([OFF, drawn, graded]) == [graded]
    assert phase_of([OFF, drawn, LOCAL]) == [OFF, drawn]
    assert phase_of(list[JobStage]()) == []


def test_a_job_counts_answers_with_labels_beside_them() -> None:
    view = JobView(1, "run", "m", State.RUNNING, stages=(OFF, ON, LOCAL, GRADER))
    assert (view.unit, view.done, view.total, view.labels) == ("answers", 68, 80, (68, 160))
    assert view.share == pytest.approx(68 / 80)
    assert view.first == (OFF, ON)
    assert not view.is_last
    assert replace(view, stages=(OFF, ON, LOCAL)).is_last
    assert replace(view, stages=(OFF, ON, LOCAL)).share == pytest.approx(68 / 80)
