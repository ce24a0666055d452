"""What went wrong in a job is read by its model, and of no other job."""

from pathlib import Path

import db.failures
import db.model_rows
import db.served_models
from core.jobs.job_list import JobTrouble, trouble
from core.jobs.job_progress import State
from core.jobs.job_view import JobView
from core.project import OpenProject
from core.specs.answer_specs import AnsweringSpec
from db.connection import write_transaction
from db.slot_ids import slot
from tests.tui.sample import sample_project


def view(label: str) -> JobView:
    spec = AnsweringSpec(f"openai:{label}@http://localhost/v1", label)
    return JobView(1, "run", label, State.FINISHED, spec=spec)


def test_errors_and_served_names_are_those_of_the_model(tmp_path: Path) -> None:
    path = sample_project(tmp_path / "sample.db")
    with OpenProject(path, "write") as project:
        connection = project.connection
        settings = db.model_rows.settings(connection)
        setting = next(key for key, (label, _) in settings.items() if label == "gemma3-4b")
        question = int(project.index.questions[0, 0])
        with write_transaction(connection):
            db.failures.record_failure(
                connection, [slot(question, setting, 20), slot(question, setting, 21)], "HTTP 500"
            )
            names = [("q4", "fp_1"), ("q8", "fp_2")]
            db.served_models.ensure(connection, "gemma3-4b", names)
        found = trouble(project, view("gemma3-4b"))
        assert [(one.reason, one.count) for one in found.errors] == [("HTTP 500", 2)]
        assert [(one.name, one.fingerprint) for one in found.served] == names
        assert trouble(project, view("gemma3-27b")) == JobTrouble()
        assert trouble(project, JobView(1, "import", "x", State.FINISHED)) == JobTrouble()
