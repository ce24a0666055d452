"""`lostkeys collect`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tui.cli.options import database_option, json_option
from tui.cli.progress_bar import progress
from tui.cli.terminal_text import one_line, print_json

if TYPE_CHECKING:
    from core.scale.collect_report import PlanStanding
    from core.scale.collector import LineCounts

A_PATH = click.Path(path_type=Path)


@click.command("collect")
@click.argument("folder", type=A_PATH, metavar="DIR")
@click.argument("outs", nargs=-1, required=True, type=A_PATH, metavar="OUT...")
@click.option("--lake", type=A_PATH, metavar="L", help="Into a lake, made where there is none.")
@json_option
@database_option
def collect_command(
    database: Path, folder: Path, outs: tuple[Path, ...], lake: Path | None, as_json: bool
) -> None:
    """Take in what engines answered to the requests in DIR, a folder of `lostkeys requests`.

    OUT is JSONL, gzip or Parquet, or a folder of such files, in any order and as often as you
    like: the first answer that came stays. Of a plan for a grader, labels are taken in so. What is
    missing is written to DIR/retry.raw.jsonl and retry.chat.jsonl, to be asked again. The exit
    code is 0 once all is here or refused.
    """
    from core.jobs.collection import collect
    from core.project import Project

    with Project(database, "write") as project, progress("lines") as shown:
        task = shown.add_task("collecting", total=None)
        counts, found = collect(
            project, folder, outs, lambda lines: shown.update(task, completed=lines), lake
        )
    if as_json:
        from core.scale.collect_report import as_json as report

        print_json(report(counts, found))
    else:
        _show(folder, counts, found)
    if not found.complete:
        raise click.exceptions.Exit(1)


def _show(folder: Path, counts: "LineCounts", found: "PlanStanding") -> None:
    name = one_line(str(folder))
    standing = f"{found.here:,} of {found.answers:,} here"
    click.echo(f"{name}: {counts.taken:,} {found.things} taken, {standing}")
    lines = [
        (counts.extra, "answers more than asked for"),
        (counts.duplicate, "lines of answers that were here"),
        (counts.stale, "lines that answer another text: the question was edited"),
        (counts.unknown, "lines of no request of this plan"),
        (counts.malformed, "lines that are no JSON: a cut-off end is usual"),
        (found.outdated, "requests whose question was edited since"),
        (found.failed, "requests failed"),
        (found.unread, "requests got replies that could not be read as labels"),
        (found.short, "requests got too few answers"),
        (found.missing, "requests got none"),
    ]
    for count, said in lines:
        if count:
            click.echo(f"{count:>9,}  {said}")
    for reason, count in found.reasons.most_common():
        click.echo(f"{count:>9,}  requests refused: {one_line(reason)}")
    if found.retry:
        click.echo(f"{name}: {found.retry:,} requests to ask again are in its retry files")
