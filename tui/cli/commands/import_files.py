"""`lostkeys import`."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.errors import UsageError
from tui.cli.import_options import word_options
from tui.cli.options import database_option, json_option, split_names
from tui.cli.standard_streams import open_inputs
from tui.cli.terminal_text import error_line, one_line, print_error, print_json

if TYPE_CHECKING:
    from core.specs.file_specs import ImportWords
    from core.transfer.import_report import ImportReport


MOST_LINES = 20
"""Lines that are printed of an import, its summary among them."""


@click.command("import")
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE..."
)
@click.option("--format", "format_", default="auto", show_default=True, metavar="F")
@click.option("--dry-run", is_flag=True, help="Show what would happen, and stop.")
@click.option("--counts-only", is_flag=True, help="Lake: import counts instead of responses.")
@click.option(
    "--keep", "keeps", multiple=True, metavar="F", help="Lake: also import responses that match F."
)
@click.option("--grader", metavar="L", help="Lake: the graders whose labels --counts-only counts.")
@click.option("--verbose", is_flag=True, help="List every bad row instead of grouping them.")
@word_options
@json_option
@database_option
def import_command(
    database: Path,
    files: tuple[Path, ...],
    format_: str,
    dry_run: bool,
    counts_only: bool,
    keeps: tuple[str, ...],
    grader: str | None,
    verbose: bool,
    as_json: bool,
    words: "ImportWords",
) -> None:
    """Import facts, triples, documents, responses, labels, runs, scores, or logs of other tools.

    Formats: auto (by extension and content), wikiprofile, facts, documents, responses, labels,
    runs, triples, zp-scores, zp-positions, zp-models, zp-templates, zp-reference; logs are
    inspect, lm-eval, helm, every-eval-ever and promptfoo. Files are CSV (separated by , ; TAB or
    |), TSV, JSONL and JSON, also packed (.gz, .bz2, .xz, .zst), workbooks (.xlsx, .xls, .ods),
    Parquet, Arrow and Feather; - is standard input. A folder or file of .txt, .md, .html or .pdf
    is imported as documents.

    A file that cannot be read to its end adds nothing. Bad rows are reported, the good ones are
    added, and the exit code is 1. Importing a file again changes nothing. The report has at most
    twenty lines; --verbose, --json and the log of the job have all of it.

    For a table with any columns, --map says what they are:
    direct=Question,direct_answer=Gold,model=Model,response=Answer,grades.human:eva=ok. A wide
    table, with one row for each subject, becomes triples with --subject and --property.
    """
    if counts_only:
        if dry_run or len(files) != 1 or format_ not in ("auto", "lake"):
            raise UsageError("--counts-only takes one lake, and no --dry-run")
        _import_counts(files[0], database, grader, keeps, as_json)
        return
    if keeps or grader:
        raise UsageError("--keep and --grader go with --counts-only: add it, or leave them out")
    from core.exchange.score_labels import parse_words
    from core.jobs.import_job import expand_files
    from core.transfer.file_formats import check_format

    check_format(format_)
    parse_words(words.words)
    files = tuple(one for file in files for one in expand_files(file))
    code = 0
    found: list[tuple[Path, ImportReport]] = []
    verb = "would add" if dry_run else "added"
    is_told_at_once = verbose or len(files) == 1
    take = _rehearse_imports if dry_run else _run_imports
    try:
        with open_inputs(files) as named:
            shown = dict(zip(named, files, strict=True))
            for path, report in take(database, named, format_, words):
                found.append((shown[path], report))
                if is_told_at_once and not as_json:
                    show_reports(found[-1:], verb, verbose)
                code = max(code, _exit_code(report))
    finally:
        if as_json and found:
            _print_documents(found)
        elif not is_told_at_once:
            show_reports(found, verb)
    if code:
        raise click.exceptions.Exit(code)


def _print_documents(found: "list[tuple[Path, ImportReport]]") -> None:
    for _, report in found:
        if report.error is not None:
            print_error(str(report.error))
    print_json({"files": [report.as_json(file.name) for file, report in found]})


def _exit_code(report: "ImportReport") -> int:
    return report.error.exit_code if report.error is not None else min(report.bad, 1)


def _import_counts(
    lake: Path, database: Path, grader: str | None, keeps: tuple[str, ...], as_json: bool
) -> None:
    """Take a lake in as counts, and say what came of it."""
    from dataclasses import asdict

    from core.scoring.policy import Policy
    from core.stats.number_format import format_amount
    from core.transfer.lake_count_import import import_counts

    policy = Policy(graders=tuple(split_names(grader)) if grader else None)
    found = import_counts(lake, database, policy, keeps)
    if as_json:
        print_json({"lake": str(lake), **asdict(found)})
        return
    click.echo(
        f"{one_line(str(lake))}: {format_amount(found.facts, 'fact')}, "
        f"{format_amount(found.answers, 'answer')} counted by "
        f"{one_line(','.join(found.graders))}, {found.kept:,} of them kept",
        err=True,
    )


def _run_imports(
    database: Path, files: tuple[Path, ...], format_: str, words: "ImportWords"
) -> "Iterator[tuple[Path, ImportReport]]":
    """Import the files, one job each; in one job where samples follow those of files before."""
    from core.errors import LostkeysError
    from core.jobs.job_service import Jobs
    from core.specs.file_specs import ImportingSpec
    from core.transfer.import_report import ImportReport, report_broken
    from core.transfer.log_arguments import name_arguments
    from tui.cli.job_follower import InterruptedJobError, follow

    jobs = Jobs(database)
    pairs = zip(files, name_arguments(files, words), strict=True)
    for group, its in [(files, words)] if words.pool else [((one,), its) for one, its in pairs]:
        first, *more = map(str, group)
        spec = ImportingSpec(first, format_, lenient=True, words=its, more=tuple(more))
        try:
            details = follow(jobs, jobs.start(spec)).details
        except LostkeysError as error:
            if len(files) == 1 or len(group) > 1 or isinstance(error, InterruptedJobError):
                raise
            details = report_broken(error)
        reports = details if isinstance(details, tuple) else (details,)
        for file, report in zip(group, reports, strict=True):
            assert isinstance(report, ImportReport)
            yield file, report


def _rehearse_imports(
    database: Path, files: tuple[Path, ...], format_: str, words: "ImportWords"
) -> "Iterator[tuple[Path, ImportReport]]":
    """What importing the files would do, one after another, on a passing copy."""
    from core.errors import LostkeysError
    from core.project import OpenProject
    from core.transfer.import_report import report_broken
    from core.transfer.imports import import_file, rehearsal
    from core.transfer.log_arguments import name_arguments
    from core.transfer.log_files import SamplePool

    with ExitStack() as stack:
        there = stack.enter_context(OpenProject(database, "read")) if database.exists() else None
        project = stack.enter_context(rehearsal(there))
        pool: SamplePool = {}
        for file, its in zip(files, name_arguments(files, words), strict=True):
            try:
                report = import_file(project, file, format_, words=its, pool=pool)
            except LostkeysError as error:
                if len(files) == 1:
                    raise
                report = report_broken(error)
            yield file, report


def show_report(file: Path, report: "ImportReport", verb: str) -> None:
    """Say what became of a file's rows (`verb`: added, or would add), and what is wrong."""
    show_reports([(file, report)], verb)


def show_reports(
    found: "list[tuple[Path, ImportReport]]", verb: str, verbose: bool = False
) -> None:
    """Say of files what became of their rows, the summary last.

    Where that is too much, alike things of all files are said once, and one summary is of all.
    """
    from core.transfer.import_report import group_lines

    lines: list[str] = []
    for file, report in found:
        name = one_line(str(file))
        if report.error is not None:
            lines.append(error_line(str(report.error)))
            continue
        whole = report.lines(name)
        told = whole if verbose else report.lines(name, MOST_LINES - 1)
        lines += map(one_line, told)
        lines.append(f"{name}: {_summarise([report], verb)}{_MORE if told != whole else ''}")
    if len(lines) > MOST_LINES and len(found) > 1 and not verbose:
        broken = [error_line(str(report.error)) for _, report in found if report.error is not None]
        read = [(one_line(str(file)), report) for file, report in found if report.error is None]
        lines = [*broken, *map(one_line, group_lines(read))]
        if len(lines) >= MOST_LINES:
            rest = len(lines) - MOST_LINES + 2
            lines[MOST_LINES - 2 :] = [f"and {rest:,} more lines"]
        lines.append(f"{len(read):,} files: {_summarise([one for _, one in read], verb)}{_MORE}")
    for line in lines:
        click.echo(line, err=True)


_MORE = "; --verbose names every row"


def _summarise(reports: "list[ImportReport]", verb: str) -> str:
    from core.stats.number_format import format_amount

    formats = " and ".join(dict.fromkeys(one.format for one in reports)) or "nothing"
    return (
        f"{formats}, {format_amount(sum(one.read for one in reports), 'row')} read, "
        f"{verb} {sum(one.added for one in reports):,}, "
        f"{sum(one.unchanged for one in reports):,} there already, "
        f"{sum(one.bad for one in reports):,} bad"
    )


def print_problems(name: str, report: "ImportReport") -> None:
    """Say of a file, by its shown name, what was not as expected, and which rows are bad."""
    for line in report.lines(name, MOST_LINES):
        click.echo(one_line(line), err=True)
