"""A session tells of the file's jobs, and sets answers aside."""

from pathlib import Path

import pytest

import db.job_rows
from core.errors import LostkeysError
from core.jobs.job_progress import State
from core.project import OpenProject
from core.specs.answer_specs import AnsweringSpec
from core.specs.stored_specs import as_json
from core.views.session import Session
from core.vocabulary import TASKS
from db.connection import write_transaction
from tests.tui.sample import sample_project

SPEC = AnsweringSpec("openai:gemma3-4b", "gemma3-4b")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return sample_project(tmp_path / "sample.db")


def test_jobs_and_their_log(path: Path) -> None:
    session = Session(path)
    session.open()
    assert session.jobs.list_jobs() == []
    with OpenProject(path, "write") as project, write_transaction(project.connection):
        job = db.job_rows.create(project.connection, "sample", "gemma3-4b", as_json(SPEC))
        db.job_rows.set_state(project.connection, job, "failed", "no such model")
        db.job_rows.add_event(project.connection, job, "fail", "no such model")
    (view,) = session.jobs.list_jobs()
    assert (view.id, view.state, view.reason, view.spec) == (
        job, State.FAILED, "no such model", SPEC,
    )  # fmt: skip
    (line,) = session.jobs.log(job)
    assert line.text == "no such model"
    assert session.jobs.log(job, line.id) == []
    assert session.jobs.errors(job) == []
    session.close()


def test_where_there_is_no_database_there_are_no_jobs(tmp_path: Path) -> None:
    session = Session(tmp_path / "none.db")
    session.open()
    assert session.jobs.list_jobs() == []
    assert session.jobs.log(1) == []
    assert not session.exists


def test_a_job_whose_file_is_gone_is_told_in_one_line(path: Path) -> None:
    session = Session(path)
    session.open()
    path.unlink()
    with pytest.raises(LostkeysError, match="is gone"):
        session.jobs.list_jobs()
    session.close()


@pytest.mark.slow
def test_answers_are_set_aside(path: Path) -> None:
    session = Session(path)
    before = session.open()
    count = session.jobs.discardable("gemma3-4b", (True,), TASKS)
    assert count > 0
    done, snapshot = session.jobs.discard("gemma3-4b", (True,), TASKS, "a test")
    assert done == count
    assert snapshot is not before
    assert session.jobs.discardable("gemma3-4b", (True,), TASKS) == 0
    assert session.jobs.discardable("gemma3-4b", (False,), TASKS) > 0
    with pytest.raises(LostkeysError, match="no responses of a model named other"):
        session.jobs.discardable("other", (True,), TASKS)
    session.close()
