"""The Jobs screen with made-up jobs, at a time that stands still."""

from pathlib import Path

import pytest

from core.jobs.job_view import JobView, LogLine
from core.views.job_reader import JobReader
from tests.tui.sample import sample_project
from tests.tui.screens.jobs.making import NOW, VIEWS, log_lines
from tui.screens.jobs import widgets


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_project(tmp_path_factory.mktemp("jobs") / "sample.db")


class File:
    """What the file holds of jobs."""

    def __init__(self) -> None:
        self.jobs: list[JobView] = [one for one in VIEWS if not one.here]
        self.lines: list[LogLine] = log_lines()


@pytest.fixture
def file(monkeypatch: pytest.MonkeyPatch) -> File:
    found = File()

    def log(filed: JobReader, job: int, after: int = 0) -> list[LogLine]:
        return [one for one in found.lines if one.job == job and one.id > after]

    monkeypatch.setattr(JobReader, "list_jobs", lambda filed: list(found.jobs))
    monkeypatch.setattr(JobReader, "log", log)
    monkeypatch.setattr(widgets, "_now", lambda: NOW)
    return found
