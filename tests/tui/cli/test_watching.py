"""What is said while a job is followed, and what is left to its end."""

from datetime import datetime
from typing import cast

import pytest

from core.errors import LostkeysError
from core.jobs.job_progress import State
from core.jobs.job_run import JobResult
from core.jobs.job_service import Jobs
from core.jobs.job_view import JobView, LogLine
from tui.cli.job_follower import follow

WHY = "HTTP 401: wrong key"


class Failing:
    """A job that has said in its log why it fails, and is over a look later."""

    def __init__(self) -> None:
        self._over = iter((False, True))
        self._lines = [
            LogLine(number, 1, datetime(2026, 1, 1), kind, text)  # noqa: DTZ001
            for number, (kind, text) in enumerate((("warn", "it thinks"), ("fail", WHY)), 1)
        ]

    def wait(self, job: int, seconds: float) -> bool:
        return next(self._over)

    def log(self, job: int, after: int) -> list[LogLine]:
        return [line for line in self._lines if line.id > after]

    def view(self, job: int) -> JobView:
        return JobView(job, "grade", "grade", State.RUNNING)

    def progress(self) -> None:
        return None

    def result(self, job: int) -> JobResult:
        raise LostkeysError(WHY)


def test_what_ends_a_job_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(LostkeysError, match=WHY):
        follow(cast(Jobs, Failing()), 1)
    said = capsys.readouterr()
    assert "it thinks" in said.err
    assert WHY not in said.out + said.err
