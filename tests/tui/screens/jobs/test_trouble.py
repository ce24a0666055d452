"""What went wrong in a job, in lines."""

from dataclasses import replace
from datetime import timedelta

import pytest

from core.engine.run_counters import LateRequest
from core.engine.served_names import ADVICE
from core.jobs.job_list import ErrorGroup, JobTrouble
from core.jobs.job_progress import State
from core.jobs.job_view import JobStage, StoredServed
from tests.tui.screens.jobs.making import GRADE, NOW, OFF, PROFILE
from tui.screens.jobs.render_trouble import TroubleContext, kinds, lines
from tui.theme.look import look_named

LOOK = look_named("dark")
NONE = JobTrouble()
QUIET = replace(PROFILE, stages=(JobStage(OFF, 10),))


def texts(*of: object, width: int = 50) -> list[str]:
    view, trouble, served = of
    context = TroubleContext(width, NOW, LOOK)
    return [line.text.rstrip() for line in lines(view, trouble, served, context)]  # type: ignore[arg-type]


def group(reason: str, count: int) -> ErrorGroup:
    return ErrorGroup(reason, count, "m", "an example", "f1", "direct")


def served(name: str, fingerprint: str, day: int) -> StoredServed:
    return StoredServed(name, fingerprint, f"2026-07-{day} 10:00:00")


def test_a_job_without_trouble_says_so() -> None:
    found = [line for line in texts(QUIET, NONE, ()) if "─" not in line]
    assert found == [
        *("none", "", "none is out for 10 times the median", "", "the server gives no name")
    ]


def test_errors_are_counted_by_kind_once() -> None:
    stage = JobStage(OFF, 10, failed=9, reasons={"no answer within 600 s": 9})
    grade = JobStage(GRADE, 5, failed=3, reasons={"no readable label 3 times": 3})
    dropped = JobStage("filter", 5, dropped=3, reasons={"not unique": 3})
    view = replace(PROFILE, stages=(stage, grade, dropped))
    trouble = JobTrouble((group("no answer within 600 s", 7), group("HTTP 500", 41)))
    assert kinds(view, trouble).most_common() == [
        *(("HTTP 500", 41), ("no answer within 600 s", 9), ("no readable label 3 times", 3))
    ]
    assert texts(view, trouble, ())[1].split()[:3] == ["HTTP", "500", "41"]


def test_requests_that_are_made_again_are_counted_and_a_pause_says_how_long() -> None:
    resumes = NOW + timedelta(seconds=11.2)
    stages = (
        JobStage(OFF, 10, retried={"HTTP 500": 3, "rate limit": 40}, resumes=resumes),
        JobStage(GRADE, 5, retried={"m at https://x/v1: rate limit": 2}),
    )
    view = replace(PROFILE, stages=stages)
    found = texts(view, NONE, ())
    assert found[0].startswith("errors by kind ")
    assert found[1:3] == ["none", ""]
    assert found[3].startswith("asked again ")
    assert found[4] == "waiting 12 s"
    assert [line.split()[:-1] for line in found[5:7]] == [
        ["rate", "limit", "42"],
        ["HTTP", "500", "3"],
    ]
    later = TroubleContext(50, NOW + timedelta(seconds=12), LOOK)
    assert not any("waiting" in line.text for line in lines(view, NONE, (), later))
    assert not any("waiting" in line for line in texts(replace(view, state=State.PAUSED), NONE, ()))


def test_slow_requests_have_age_deadline_and_stage() -> None:
    late = LateRequest(OFF, NOW - timedelta(seconds=400), 600.0)
    found = texts(replace(QUIET, late=(late,)), NONE, ())
    assert "7 min    deadline 10 min  answer, thinking off" in found


def test_served_models_are_marked_where_they_change() -> None:
    trouble = JobTrouble((), (served("gemma-q4", "fp_1", 19), served("gemma-q8", "fp_2", 20)))
    found = texts(QUIET, trouble, (f"asked for gemma, served by gemma-q8{ADVICE}",))
    assert found[-3].split() == ["gemma-q4", "fp_1", "2026-07-19"]
    assert found[-2].split() == ["≠", "gemma-q8", "fp_2", "2026-07-20"]
    assert found[-1] == "asked for gemma, served by gemma-q8"


@pytest.mark.parametrize("width", [22, 40])
def test_hostile_names_fit_and_are_inert(width: int) -> None:
    bad = "\x1b[2J\u202e" * 40
    trouble = JobTrouble((group(bad, 3),), (served(bad, bad, 19),))
    context = TroubleContext(width, NOW, LOOK)
    found = lines(QUIET, trouble, (bad,), context)
    assert all(line.width <= width and line.text.isprintable() for line in found)
