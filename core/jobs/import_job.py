"""The job that brings a file in, and what can be said of a file before."""

from dataclasses import dataclass
from pathlib import Path

from core.errors import LostkeysError
from core.jobs.job_run import JobResult, JobRun
from core.project import Project
from core.specs.file_specs import ImportingSpec
from core.transfer import ImportReport, import_file
from core.transfer.formats import AUTO
from core.transfer.imports import open_file
from core.transfer.log_files import SamplePool

IMPORT = "import"
"""Its stage."""

MOST_TRIED = 16_000_000
"""Bytes of a file, and of a database, up to which an import is rehearsed while one waits."""


def run(work: JobRun, spec: ImportingSpec) -> JobResult:
    """Read files and land their rows; the result's details are the `ImportReport`, of several all.

    Where not a single row could land, a lenient one is in vain, another raises `LostkeysError`.
    """
    pool: SamplePool = {}
    reports = [_import(work, spec, Path(file), pool) for file in (spec.file, *spec.more)]
    bad = sum(report.bad for report in reports)
    said = "; ".join(map(summary, reports))
    details = tuple(reports) if spec.more else reports[0]
    if all(report.bad and report.bad == report.read for report in reports):
        said = f"nothing of {spec.file} could be used: {first_problem(reports[0])}"
        work.control.counters.reach(IMPORT, 0, reports[0].read)
        if spec.lenient:
            return JobResult(said, bad, details, in_vain=True)
        raise LostkeysError(said)
    return JobResult(said, bad, details)


def _import(work: JobRun, spec: ImportingSpec, file: Path, pool: SamplePool) -> ImportReport:
    work.control.counters.expect(IMPORT, 0)

    def progress(done: int, total: int) -> None:
        work.reach(IMPORT, done, total)

    return import_file(work.project, file, spec.format, False, progress, spec.words, pool)


@dataclass(frozen=True, slots=True)
class Glance:
    """What a file is: its kind and size; `report` of a rehearsal, None where it is too large."""

    kind: str
    size: int
    report: ImportReport | None


def glance(path: Path, file: Path, format: str = AUTO) -> Glance:  # noqa: A002
    """What importing a file into the database at `path` would do; nothing is written.

    `format` is one of those of an import. Raises `LostkeysError` where the file cannot be imported.
    """
    source, kind = open_file(file, format)
    there = path.exists() and path.stat().st_size > 0
    if source.size > MOST_TRIED or (there and path.stat().st_size > MOST_TRIED):
        return Glance(kind, source.size, None)
    if not there:
        return Glance(kind, source.size, import_file(None, file, format, dry_run=True))
    with Project(path, "read") as project:
        return Glance(kind, source.size, import_file(project, file, format, dry_run=True))


def summary(report: ImportReport, would: str = "") -> str:
    """What an import came to (or `would`), in one line."""
    noun = {"wikiprofile": "facts", "lake": "rows"}.get(report.format, report.format)
    said = f"{report.added:,} {noun if report.added != 1 else noun[:-1]}{would} added"
    if report.unchanged:
        said += f", {report.unchanged:,} there already"
    if report.bad:
        said += f", {report.bad:,} bad ({first_problem(report)})"
    return "; ".join([said, *report.notices[:1]])


def first_problem(report: ImportReport) -> str:
    """The first row that could not be used, and why."""
    problem = report.problems[0]
    return f"{report.unit} {problem.line}: {problem.reason}"
