"""The job that brings a file in, and what can be said of a file before."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from core.errors import LostkeysError
from core.jobs.job_run import JobResult, JobRun
from core.project import Project
from core.specs.file_specs import ImportingSpec
from core.transfer import ImportReport, import_file, rehearsal
from core.transfer.formats import AUTO, LOG_FORMATS
from core.transfer.import_report import report_broken
from core.transfer.imports import open_file
from core.transfer.log_files import SamplePool

IMPORT = "import"
"""Its stage."""

MOST_TRIED = 16_000_000
"""Bytes of a file, and of a database, up to which an import is rehearsed while one waits."""


def run(work: JobRun, spec: ImportingSpec) -> JobResult:
    """Read files and land their rows; the result's details are the `ImportReport`, of several all.

    Of several files a broken one stops no other. Where not a single row could land, a lenient one
    is in vain, another raises `LostkeysError`.
    """
    pool: SamplePool = {}
    files = [one for file in (spec.file, *spec.more) for one in expand_files(Path(file))]
    if len(files) == 1:
        details: ImportReport | tuple[ImportReport, ...] = _import(work, spec, files[0], pool)
    else:
        details = tuple(_try_import(work, spec, file, pool) for file in files)
    reports = details if isinstance(details, tuple) else (details,)
    bad = sum(report.bad + (report.error is not None) for report in reports)
    said = "; ".join(map(summary, reports))
    if all(report.is_useless for report in reports):
        if error := reports[0].error:
            raise error
        said = f"nothing of {spec.file} could be used: {first_problem(reports[0])}"
        work.control.counters.reach(IMPORT, 0, reports[0].read)
        if spec.lenient:
            return JobResult(said, bad, details, in_vain=True)
        raise LostkeysError(said)
    return JobResult(said, bad, details)


def expand_files(path: Path) -> list[Path]:
    """The files that a path means: with a `*` in its name all that fit, by name.

    Raises `LostkeysError` where none does.
    """
    if "*" not in path.name or path.exists():
        return [path]
    found = sorted(one for one in path.parent.glob(path.name) if one.is_file())
    if not found:
        raise LostkeysError(f"{path}: no file is named so: check the name")
    return found


def _import(work: JobRun, spec: ImportingSpec, file: Path, pool: SamplePool) -> ImportReport:
    work.control.counters.expect(IMPORT, 0)

    def progress(done: int, total: int) -> None:
        work.reach(IMPORT, done, total)

    return import_file(work.project, file, spec.format, False, progress, spec.words, pool)


def _try_import(work: JobRun, spec: ImportingSpec, file: Path, pool: SamplePool) -> ImportReport:
    try:
        return _import(work, spec, file, pool)
    except LostkeysError as error:
        return report_broken(error)


@dataclass(frozen=True, slots=True)
class Glance:
    """What a file is: its kind and size; `report` of a rehearsal, None where it is too large."""

    kind: str
    size: int
    report: ImportReport | None


def glance(path: Path, file: Path, format: str = AUTO) -> Glance:  # noqa: A002
    """What importing a file, or all that fit one name, would do to the database at `path`.

    Nothing is written. `format` is one of those of an import. Raises `LostkeysError` where a file
    cannot be imported.
    """
    files = expand_files(file)
    opened = [open_file(one, format) for one in files]
    kinds = " and ".join(dict.fromkeys(kind for _, kind in opened))
    kind = f"{len(files):,} files of {kinds}" if len(files) > 1 else kinds
    size = sum(source.size for source, _ in opened)
    there = path.exists() and path.stat().st_size > 0
    if size > MOST_TRIED or (there and path.stat().st_size > MOST_TRIED):
        return Glance(kind, size, None)
    with ExitStack() as stack:
        project = stack.enter_context(Project(path, "read")) if there else None
        copy = stack.enter_context(rehearsal(project))
        return Glance(kind, size, _joined([import_file(copy, one, format) for one in files]))


def _joined(reports: Sequence[ImportReport]) -> ImportReport:
    """What several imports came to, as one."""
    first, *rest = reports
    for one in rest:
        first.added += one.added
        first.unchanged += one.unchanged
        first.bad += one.bad
        first.problems += one.problems
        first.unlabelled += one.unlabelled
        first.notices += one.notices
    return first


def summary(report: ImportReport, would: str = "") -> str:
    """What an import came to (or `would`), in one line."""
    if report.error is not None:
        return str(report.error)
    nouns = {"wikiprofile": "facts", "lake": "rows", **dict.fromkeys(LOG_FORMATS, "samples")}
    noun = nouns.get(report.format, report.format)
    said = f"{report.added:,} {noun if report.added != 1 else noun[:-1]}{would} added"
    if report.unchanged:
        said += f", {report.unchanged:,} there already"
    if report.bad:
        said += f", {report.bad:,} bad ({first_problem(report)})"
    if report.unlabelled:
        grader, reason, _ = report.unlabelled[0]
        values = sum(count for _, _, count in report.unlabelled)
        said += f", {values:,} values no labels ({grader}: {reason})"
    return "; ".join([said, *report.notices[:1]])


def first_problem(report: ImportReport) -> str:
    """The first row that could not be used, and why."""
    problem = report.problems[0]
    return f"{report.unit} {problem.line}: {problem.reason}"
