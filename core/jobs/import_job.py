"""The job that brings a file in, and what can be said of a file before."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from core.engine.run_counters import StageCounts
from core.errors import LostkeysError
from core.exchange.log_spool import UnnamedModelError
from core.jobs.job_run import JobResult, JobRun
from core.project import OpenProject
from core.specs.file_specs import ImportingSpec, ImportWords
from core.stats.number_format import format_amount
from core.transfer.file_formats import AUTO, LOG_FORMATS, TABLE
from core.transfer.import_report import ImportReport, report_broken
from core.transfer.imports import Source, import_file, open_file, rehearsal
from core.transfer.log_arguments import name_arguments
from core.transfer.log_files import SamplePool
from core.transfer.row_values import NO_MODEL

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
        each = name_arguments(files, spec.words)
        named = (replace(spec, words=words) for words in each)
        pairs = zip(named, files, strict=True)
        details = tuple(_try_import(work, one, file, pool) for one, file in pairs)
    reports = details if isinstance(details, tuple) else (details,)
    for file, report in zip(files, reports, strict=True):
        for line in report.lines(file.name):
            work.control.counters.say("import", line)
    bad = sum(report.bad + (report.error is not None) for report in reports)
    said = summarise(reports)
    if all(report.is_useless for report in reports):
        if error := reports[0].error:
            raise error
        said = f"nothing of {spec.file} could be used: {first_problem(reports[0])}"
        if spec.lenient:
            return JobResult(said, bad, details, in_vain=True)
        work.control.counters.expect(IMPORT, reports[0].read)
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
    counters = work.control.counters
    stage = counters.stages.setdefault(IMPORT, StageCounts(IMPORT))
    before = stage.done

    def progress(done: int, total: int) -> None:
        work.reach(IMPORT, before + done, before + total)

    report = import_file(work.project, file, spec.format, False, progress, spec.words, pool)
    reasons = stage.reasons + Counter(one.reason for one in report.problems)
    reasons += Counter({"other rows": report.bad - len(report.problems)})
    done, failed = before + report.read - report.bad, stage.failed + report.bad
    counters.restate(IMPORT, 0, done, 0, failed, reasons)
    return report


def _try_import(work: JobRun, spec: ImportingSpec, file: Path, pool: SamplePool) -> ImportReport:
    try:
        return _import(work, spec, file, pool)
    except LostkeysError as error:
        return report_broken(error)


@dataclass(frozen=True, slots=True)
class Glance:
    """What a file is, or all that fit one name: its kind and size, and whether it is a log.

    `reports` of a rehearsal, by file; None where that would take too long.
    """

    kind: str
    size: int
    is_log: bool
    reports: tuple[tuple[Path, ImportReport], ...] | None

    @property
    def report(self) -> ImportReport | None:
        """What all files would come to."""
        return None if self.reports is None else _join([one for _, one in self.reports])

    @property
    def is_unnamed(self) -> bool:
        """Whether a log or table lacks the name of its model, without which it is of no use."""
        return any(_lacks_model(one) for _, one in self.reports or ())

    @property
    def is_table(self) -> bool:
        """Whether it is a table of any columns."""
        return TABLE in self.kind.split()

    @property
    def is_usable(self) -> bool:
        """Whether anything of it can be imported as it is."""
        return self.reports is None or not all(one.is_useless for _, one in self.reports)


def _lacks_model(report: ImportReport) -> bool:
    of_rows = report.is_useless and any(one.reason == NO_MODEL for one in report.problems)
    return of_rows or isinstance(report.error, UnnamedModelError)


def look_at_files(
    path: Path,
    file: Path,
    format: str = AUTO,  # noqa: A002
    words: ImportWords | None = None,
) -> Glance:
    """What importing a file, or all that fit one name, would do to the database at `path`.

    Nothing is written. `format` is one of those of an import. Raises `LostkeysError` where a file
    cannot be imported; of several, and where a log names no model, that is in its report.
    """
    files = expand_files(file)
    words = words or ImportWords()
    opened = list(_open_some(files, format, words))
    kinds = " and ".join(dict.fromkeys(kind for _, kind in opened))
    kind = f"{format_amount(len(files), 'file')} of {kinds}" if len(files) > 1 else kinds
    size = sum(source.size for source, _ in opened)
    is_log = any(kind in LOG_FORMATS for _, kind in opened)
    there = path.exists() and path.stat().st_size > 0
    if size > MOST_TRIED or (there and path.stat().st_size > MOST_TRIED):
        return Glance(kind, size, is_log, None)
    with ExitStack() as stack:
        project = stack.enter_context(OpenProject(path, "read")) if there else None
        copy = stack.enter_context(rehearsal(project))
        pairs = zip(files, name_arguments(files, words), strict=True)
        many = len(files) > 1
        found = tuple((one, _rehearse(copy, one, format, its, many)) for one, its in pairs)
        return Glance(kind, size, is_log, found)


def _open_some(
    files: Sequence[Path],
    format: str,  # noqa: A002
    words: ImportWords,
) -> Iterator[tuple[Source, str]]:
    """The files that can be opened. Raises `LostkeysError` where there is one file alone."""
    for file in files:
        try:
            yield open_file(file, format, words)
        except LostkeysError:
            if len(files) == 1:
                raise


def _rehearse(
    copy: OpenProject,
    file: Path,
    format: str,  # noqa: A002
    words: ImportWords,
    is_one_of_several: bool,
) -> ImportReport:
    try:
        return import_file(copy, file, format, words=words)
    except LostkeysError as error:
        if is_one_of_several or isinstance(error, UnnamedModelError):
            return report_broken(error)
        raise


def _join(reports: Sequence[ImportReport]) -> ImportReport:
    """What several imports came to, as one."""
    if len(reports) == 1:
        return reports[0]
    first = next((one for one in reports if one.error is None), reports[0])
    whole = ImportReport(first.format, first.unit)
    for one in reports:
        whole.added += one.added
        whole.unchanged += one.unchanged
        whole.bad += one.bad
        whole.problems += one.problems
        whole.unlabelled += one.unlabelled
        for text in [str(one.error)] if one.error else one.notices:
            whole.told.add(text)
    return whole


def summarise(reports: Sequence[ImportReport], would: str = "") -> str:
    """What the files of an import came to (or `would`): a part a format, then the broken ones."""
    broken = [summary(one) for one in reports if one.error is not None]
    formats = dict.fromkeys(one.format for one in reports if one.error is None)
    whole = [_join([one for one in reports if one.format == kind]) for kind in formats]
    return "; ".join([*(summary(one, would) for one in whole), *broken])


def summary(report: ImportReport, would: str = "") -> str:
    """What an import came to (or `would`), in one line."""
    if report.error is not None:
        return str(report.error)
    nouns = {
        "wikiprofile": "facts",
        "lake": "rows",
        TABLE: "rows",
        **dict.fromkeys(LOG_FORMATS, "samples"),
    }
    noun = nouns.get(report.format, report.format)
    said = f"{format_amount(report.added, noun.removesuffix('s'))}{would} added"
    if report.unchanged:
        said += f", {report.unchanged:,} there already"
    if report.bad:
        said += f", {report.bad:,} bad ({first_problem(report)})"
    if report.unlabelled:
        grader, reason, _ = report.unlabelled[0]
        values = sum(count for _, _, count in report.unlabelled)
        said += f", {format_amount(values, 'value')} without a label ({grader}: {reason})"
    return "; ".join([said, *report.notices[:1]])


def first_problem(report: ImportReport) -> str:
    """The first row that could not be used, and why."""
    problem = report.problems[0]
    return f"{report.unit} {problem.line}: {problem.reason}"
