"""`lostkeys import` and `lostkeys export`."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.errors import UsageError
from core.scoring.policy import Policy
from tui.cli.options import database_option, list_options, names
from tui.cli.progress_bar import progress
from tui.cli.terminal_text import one_line

if TYPE_CHECKING:
    from core.transfer import ImportReport
    from core.views.list_file import ListWords
    from core.views.saved_views import SavedView

EXPORTED = ("facts", "responses", "labels", "profiles", "adjudications", "reviews")


@click.command("import")
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE..."
)
@click.option("--format", "format_", default="auto", show_default=True, metavar="F")
@click.option("--dry-run", is_flag=True, help="Report what would happen, write nothing.")
@database_option
def import_command(database: Path, files: tuple[Path, ...], format_: str, dry_run: bool) -> None:
    """Import facts, documents, responses or labels from CSV, TSV, JSONL, JSON or Parquet files.

    Formats: auto (by extension and content), wikiprofile, facts, documents, responses, labels. A
    folder of .txt and .md files is imported as documents, so is one such file. A file that
    cannot be read to its end lands nothing; bad rows are reported and the good ones land.
    Importing a file again changes nothing.
    """
    bad = 0
    for file, report in (_rehearsed if dry_run else _landed)(database, files, format_):
        _show(file, report, "would add" if dry_run else "added")
        bad += report.bad
    if bad:
        raise click.exceptions.Exit(1)


def _landed(
    database: Path, files: tuple[Path, ...], format_: str
) -> "Iterator[tuple[Path, ImportReport]]":
    """Import the files, one job each."""
    from core.jobs import Jobs
    from core.specs import ImportingSpec
    from core.transfer import ImportReport
    from tui.cli.job_follower import follow

    jobs = Jobs(database)
    for file in files:
        spec = ImportingSpec(str(file), format_, lenient=True)
        report = follow(jobs, jobs.start(spec)).details
        assert isinstance(report, ImportReport)
        yield file, report


def _rehearsed(
    database: Path, files: tuple[Path, ...], format_: str
) -> "Iterator[tuple[Path, ImportReport]]":
    """What importing the files would do, one after another, on a passing copy."""
    from core.project import Project
    from core.transfer import import_file, rehearsal

    with ExitStack() as stack:
        there = stack.enter_context(Project(database, "read")) if database.exists() else None
        project = stack.enter_context(rehearsal(there))
        for file in files:
            yield file, import_file(project, file, format_)


def _show(file: Path, report: "ImportReport", verb: str) -> None:
    name = one_line(str(file))
    click.echo(
        f"{name}: {report.format}, {report.read:,} rows read, {verb} {report.added:,}, "
        f"{report.unchanged:,} there already, {report.bad:,} bad",
        err=True,
    )
    for notice in report.notices:
        click.echo(f"{name}: {one_line(notice)}", err=True)
    for problem in report.problems:
        click.echo(f"{name}, {report.unit} {problem.line}: {one_line(problem.reason)}", err=True)
    if more := report.bad - len(report.problems):
        click.echo(f"{name}: and {more:,} more bad rows", err=True)


@click.command("export")
@click.argument("what", type=click.Choice(EXPORTED))
@click.option("-o", "--output", "file", required=True, type=click.Path(path_type=Path))
@click.option("--excel-safe", is_flag=True, help="Quote cells that a spreadsheet would run.")
@click.option("--with-rejected", is_flag=True, help="Facts that a review rejected, too.")
@click.option("--sort", metavar="F[-]", help="Facts in this order of the list, turned with -.")
@click.option("--columns", metavar="A,B", help="Of facts these columns, as the list has them.")
@list_options
def export_command(
    database: Path,
    what: str,
    file: Path,
    excel_safe: bool,
    with_rejected: bool,
    sort: str | None,
    columns: str | None,
    models: list[str] | None,
    where: str | None,
    policy: Policy,
    view: "SavedView | None",
) -> None:
    """Write facts, responses, labels or profiles to a CSV, TSV, JSONL, Parquet or Markdown file.

    Adjudications are people's labels with note, time and history; they are imported as labels.
    Reviews are what people said of questions. Facts that a review rejected are left out but of
    these two: --with-rejected writes them too, --where rejected writes them alone.
    What is written can be imported again and is then the same. The policy options matter for
    profiles, and for --where 'profile:...'.

    With --sort, --columns or --view the facts are written as their list shows them, with a
    .meta.json beside that says which list it is. Orders: title, subject, views, profile, topic,
    differs, imported, match. Columns: profile, title, subject, object, topic, type, views,
    marks, note, number, id, g.TASK, g.TASK.on, profile:MODEL.
    """
    from core.project import Project
    from core.transfer import Subset, export
    from core.views.where import resolve_where

    if sort is not None or columns is not None or (view is not None and what == "facts"):
        if what != "facts" or with_rejected:
            raise UsageError("--sort and --columns are for `export facts` without --with-rejected")
        words = _list_words(where, sort, columns, view)
        _export_list(database, file, words, models, policy, excel_safe)
        return
    where = resolve_where(database, where, models, policy)

    with Project(database, "read") as project, progress(what) as shown:
        task = shown.add_task(f"exporting {what}", total=None)
        written = export(
            project,
            what,
            file,
            excel_safe,
            lambda done, total: shown.update(task, completed=done, total=total),
            Subset(models, where, policy, with_rejected),
        )
    click.echo(f"{one_line(str(file))}: {written:,} rows of {what}", err=True)


def _list_words(
    where: str | None, sort: str | None, columns: str | None, view: "SavedView | None"
) -> "ListWords":
    """Which list: as a view has it, but for what the command line says."""
    from core.views.list_file import ListWords

    words = ListWords("facts", where or "", sort or "", tuple(names(columns)) if columns else ())
    if view is None:
        return words
    return replace(
        words, sort=words.sort or view.sort, columns=words.columns or view.columns, view=view.name
    )


def _export_list(
    database: Path,
    file: Path,
    words: "ListWords",
    models: list[str] | None,
    policy: Policy,
    excel_safe: bool,
) -> None:
    """Write facts as their list shows them."""
    from core.views.list_file import read_list, write_list

    found = read_list(database, words, models, policy)
    write_list(file, found.table, found.words, found.lens, excel_safe)
    click.echo(f"{one_line(str(file))}: {len(found.table.rows):,} rows of facts", err=True)
