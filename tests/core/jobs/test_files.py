"""Importing and exporting as jobs; what can be said of a file before."""

import json
from pathlib import Path

import pytest

from core.demo import demo_setup as demo
from core.errors import LostkeysError
from core.jobs.glance_child import glance
from core.jobs.import_job import look_at_files
from core.jobs.job_list import list_jobs
from core.jobs.job_progress import State
from core.jobs.job_service import Jobs
from core.project import OpenProject
from core.specs.file_specs import ExportingSpec, ImportingSpec
from tests.core.jobs.making import ended, prepared
from tests.core.making import new_project

FACT = {
    "fact_id": "1",
    "subject": "France",
    "object": "Paris",
    "direct": "What is the capital of France?",
}


def lines(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_an_import_lands_and_counts_rows(path: Path, tmp_path: Path) -> None:
    file = lines(tmp_path / "facts.jsonl", FACT, {**FACT, "fact_id": ""})
    jobs = Jobs(path)
    view = ended(jobs, jobs.start(ImportingSpec(str(file))))
    assert view.state is State.FINISHED
    assert view.reason == "1 fact added, 1 bad (line 2: missing: fact_id)"
    progress = jobs.progress()
    assert progress is not None
    assert (progress.done, progress.wanted, progress.failed) == (1, 2, 1)
    assert jobs.result(view.id).failed == 1
    with OpenProject(path, "read") as project:
        (stored,) = list_jobs(project)
        assert (stored.kind, stored.name, stored.reason) == (
            "import",
            "facts.jsonl",
            view.reason,
        )


@pytest.mark.parametrize("content", ["", "{", '{"task": 1}\n', '{"fact_id": "", "direct": "?"}\n'])
def test_an_import_of_nothing_fails_in_one_line_and_leaves_no_file(
    path: Path, tmp_path: Path, content: str
) -> None:
    file = tmp_path / "facts.jsonl"
    file.write_text(content)
    jobs = Jobs(path)
    view = ended(jobs, jobs.start(ImportingSpec(str(file))))
    assert view.state is State.FAILED
    assert str(file) in view.reason
    assert not path.exists()


def test_of_several_files_a_broken_one_stops_no_other(path: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text("{")
    good = lines(tmp_path / "facts.jsonl", FACT)
    jobs = Jobs(path)
    job = jobs.start(ImportingSpec(str(broken), more=(str(good),)))
    assert ended(jobs, job).state is State.FINISHED
    result = jobs.result(job)
    assert result.failed == 1
    assert str(broken) in result.said
    with OpenProject(path, "read") as project:
        assert len(project.index) == 1
    alone = ended(jobs, jobs.start(ImportingSpec(str(broken), more=(str(tmp_path / "no.csv"),))))
    assert (alone.state, str(broken) in alone.reason) == (State.FAILED, True)


def test_several_files_are_told_as_one_and_counted_together(path: Path, tmp_path: Path) -> None:
    (tmp_path / "1.jsonl").write_text("{")
    lines(tmp_path / "2.jsonl", FACT)
    lines(tmp_path / "3.jsonl", {**FACT, "fact_id": "2"}, {**FACT, "fact_id": "3"})
    every = tmp_path / "*.jsonl"
    tried = glance(path, every).report
    assert tried is not None
    assert (tried.format, tried.added) == ("facts", 3)
    jobs = Jobs(path)
    job = jobs.start(ImportingSpec(str(every)))
    assert ended(jobs, job).state is State.FINISHED
    said = jobs.result(job).said
    assert said.startswith("3 facts added; ")
    assert str(tmp_path / "1.jsonl") in said
    progress = jobs.progress()
    assert progress is not None
    assert progress.done == progress.wanted == 3


def test_an_import_whose_every_row_is_bad_has_failed_and_goes_on_when_mended(
    path: Path, tmp_path: Path
) -> None:
    prepared(path, 1)
    file = lines(tmp_path / "facts.jsonl", {**FACT, "fact_id": ""}, {"fact_id": "2"})
    jobs, spec = Jobs(path), ImportingSpec(str(file), lenient=True)
    view = ended(jobs, jobs.start(spec))
    said = f"nothing of {file} could be used: line 1: missing: fact_id"
    assert (view.state, view.reason) == (State.FAILED, said)
    assert jobs.result(view.id).failed == 2
    assert jobs.log(view.id)[-1].kind == "fail"
    with OpenProject(path, "read") as project:
        assert (list_jobs(project)[0].state, list_jobs(project)[0].reason) == (State.FAILED, said)
    lines(file, FACT)
    end = ended(jobs, jobs.start(spec))
    assert (end.state, end.id) == (State.FINISHED, view.id)


def test_a_stopped_import_keeps_whole_batches_and_goes_on(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.transfer.fact_rows.FACTS_AT_ONCE", 3)
    monkeypatch.setattr("core.jobs.job_service.TELL_EVERY", 0.0)
    file = lines(tmp_path / "facts.jsonl", *({**FACT, "fact_id": str(n)} for n in range(10)))

    def stop_half_way() -> None:
        progress = jobs.progress()
        if progress is not None and progress.done > 2 * progress.wanted // 3 > 0:
            jobs.stop()

    jobs = Jobs(path, stop_half_way)
    stopped = ended(jobs, jobs.start(ImportingSpec(str(file))))
    assert stopped.state is State.STOPPED
    with OpenProject(path, "read") as project:
        landed = len(project.index)
    assert 0 < landed < 10
    later = Jobs(path)
    end = ended(later, later.start(ImportingSpec(str(file))))
    assert (end.state, end.id) == (State.FINISHED, stopped.id)
    with OpenProject(path, "read") as project:
        assert len(project.index) == 10


def test_an_export_is_a_job(path: Path, tmp_path: Path) -> None:
    jobs, file = Jobs(prepared(path, 3)), tmp_path / "out.csv"
    view = ended(jobs, jobs.start(ExportingSpec("facts", str(file))))
    assert (view.state, view.reason) == (State.FINISHED, f"3 rows of facts in {file}")
    assert len(file.read_text().splitlines()) == 4
    unwritable = ended(jobs, jobs.start(ExportingSpec("facts", str(tmp_path / "no" / "x.csv"))))
    assert unwritable.state is State.FAILED
    assert "no is not a folder" in unwritable.reason


def test_a_glance_says_what_an_import_would_do_and_writes_nothing(
    path: Path, tmp_path: Path
) -> None:
    file = lines(tmp_path / "facts.jsonl", FACT)
    found = glance(path, file)
    assert (found.kind, found.size) == ("facts", file.stat().st_size)
    assert found.report is not None
    assert found.report.added == 1
    assert not path.exists()
    with new_project(path) as project:
        demo.prepare(project, 1)
    known = glance(path, file)
    assert known.report is not None
    assert known.report.added == 1
    with OpenProject(path, "read") as project:
        assert len(project.index) == 1


def test_a_glance_at_a_large_file_only_says_its_kind(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.jobs.import_job.MOST_TRIED", 10)
    found = look_at_files(path, lines(tmp_path / "facts.jsonl", FACT))
    assert (found.kind, found.report) == ("facts", None)


def test_a_glance_at_no_data_raises(path: Path, tmp_path: Path) -> None:
    with pytest.raises(LostkeysError, match="must end in one of"):
        glance(path, lines(tmp_path / "notes.docx", FACT))
