"""`lostkeys collect`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.stats.number_format import format_amount
from tui.cli.options import database_option, json_option
from tui.cli.progress_bar import progress
from tui.cli.terminal_text import one_line, print_json

if TYPE_CHECKING:
    from core.scale.collect_report import PlanProgress
    from core.scale.collector import LineCounts

A_PATH = click.Path(path_type=Path)


@click.command("collect")
@click.argument("folder", type=A_PATH, metavar="DIR")
@click.argument("outs", nargs=-1, required=True, type=A_PATH, metavar="OUT...")
@click.option(
    "--lake",
    type=A_PATH,
    metavar="L",
    help="Collect into this lake; it is created if it does not exist.",
)
@json_option
@database_option
def collect_command(
    database: Path, folder: Path, outs: tuple[Path, ...], lake: Path | None, as_json: bool
) -> None:
    """Collect responses to the requests in DIR, a folder of `lostkeys requests`.

    OUT is JSONL, plain or packed (.gz, .bz2, .xz, .zst), Parquet, or a folder of such files, in
    any order and as often as you like: the first response counts. For a plan of `requests
    --grader`, it collects labels. What is missing is written to DIR/retry.raw.jsonl and
    DIR/retry.chat.jsonl, for another round. The exit code is 0 once everything is here or refused.
    """
    from core.jobs.answer_collection import collect
    from core.project import OpenProject

    with OpenProject(database, "write") as project, progress("lines") as shown:
        task = shown.add_task("collecting", total=None)
        counts, found = collect(
            project, folder, outs, lambda lines: shown.update(task, completed=lines), lake
        )
    if as_json:
        from core.scale.collect_report import as_json as report

        print_json(report(counts, found))
    else:
        _show(folder, counts, found)
    if not found.is_here:
        raise click.exceptions.Exit(1)


def _show(folder: Path, counts: "LineCounts", found: "PlanProgress") -> None:
    name = one_line(str(folder))
    standing = f"{found.here:,} of {found.answers:,} here"
    taken = format_amount(counts.taken, found.things.removesuffix("s"))
    click.echo(f"{name}: {taken} taken, {standing}")
    for count, noun, said in (
        (counts.extra, "answer", "more than asked for"),
        (counts.duplicate, "line", "of answers that were here"),
        (counts.stale, "line", "to another text: the question was edited"),
        (counts.unknown, "line", "of no request of this plan"),
        (counts.elsewhere, "line", "about a question that is not in this database"),
        (counts.malformed, "line", "not in JSON: a cut-off end is usual"),
        (found.outdated, "request", "about a question that was edited since"),
        (found.absent, "request", "about a question that is not in this database"),
        (found.failed, "request", "failed"),
        (found.unread, "request", "got a reply that could not be read as labels"),
        (found.short, "request", "got too few answers"),
        (found.missing, "request", "got none"),
    ):
        if count:
            click.echo(_format_count(count, noun, said))
    for reason, count in found.reasons.most_common():
        click.echo(_format_count(count, "request", f"refused: {one_line(reason)}"))
    if found.absent:
        click.echo(f"{name}: name the database that wrote it with --db, or import its facts")
    if found.retry:
        retry = format_amount(found.retry, "request")
        are = "is" if found.retry == 1 else "are"
        click.echo(f"{name}: {retry} to ask again {are} in its retry files")


def _format_count(count: int, noun: str, said: str) -> str:
    """A line of the report: a number, ranged right, and what it counts."""
    number, _, noun = format_amount(count, noun).partition(" ")
    return f"{number:>9}  {noun} {said}"
