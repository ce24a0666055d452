"""`lostkeys jobs`."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table
from rich.text import Text

from tui.cli.options import JobNumber, database_option, json_option
from tui.cli.tables import QUIET, cell, console, percent
from tui.cli.terminal_text import one_line, print_json, room

ROOM_FOR_TIMES = 100
"""Cells from which on a list of jobs says when they began."""

if TYPE_CHECKING:
    from core.jobs.job_view import JobView

STAGE = ("name", "waiting", "running", "done", "dropped", "failed")
SPEND = ("stage", "model", "requests", "answers", "input_tokens", "output_tokens", "cost")

LOUD = ("stopped", "failed")
"""States whose reason is said."""

_number = click.argument("job", type=JobNumber(), metavar="N")


@click.group("jobs", invoke_without_command=True)
@json_option
@database_option
@click.pass_context
def jobs_command(ctx: click.Context, database: Path, as_json: bool) -> None:
    """Show what ran or is running on a database, in this program or another.

    If a job claims to be running, this takes a few seconds to see whether its program is alive.
    """
    if ctx.invoked_subcommand is not None:
        return
    from core.jobs.job_list import list_jobs, watched_jobs
    from core.project import OpenProject

    with OpenProject(database, "read", counts=True) as project:
        views = list_jobs(project, watched_jobs(project.connection))
    if as_json:
        print_json({"jobs": [_document(one) for one in views]})
    elif views:
        out = console()
        out.print(_table(views, out.width))
        for one in views:
            if one.state in LOUD and one.reason:
                click.echo(f"job {one.id} {one.state}: {one_line(one.reason)}")
            elif one.state == "out":
                click.echo(f"job {one.id} {one.state}: in {one_line(str(one.folder))}")
    else:
        click.echo("no jobs yet", err=True)


@jobs_command.command("log")
@_number
@database_option
def log_command(database: Path, job: int) -> None:
    """Print the log of a job."""
    from core.jobs.job_list import LOST, find_loss, read_log
    from core.project import OpenProject

    with OpenProject(database, "read", counts=True) as project:
        loss = find_loss(project.connection, job)
        lines = read_log(project, job)
    for line in lines:
        click.echo(f"{line.at:%Y-%m-%d %H:%M:%S} {line.kind:<6} {one_line(line.text)}")
    if loss and not (lines and lines[-1].text == LOST):
        click.echo(f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S} fail   {LOST}")


@jobs_command.command("errors")
@click.argument("job", type=JobNumber(), metavar="[N]", required=False)
@database_option
def errors_command(database: Path, job: int | None) -> None:
    """Print failed requests of one job or of all, by reason, with an example."""
    from core.jobs.job_list import errors
    from core.project import OpenProject

    with OpenProject(database, "read", counts=True) as project:
        groups = errors(project, job)
    for one in groups:
        click.echo(f"{one.count:>9,}  {one_line(one.model, room(32))}: {one_line(one.reason)}")
        click.echo(f"{'':>11}such as {one_line(one.example)}")
    if not groups:
        click.echo("nothing has failed", err=True)


@jobs_command.command("pause")
@_number
@database_option
def pause_command(database: Path, job: int) -> None:
    """Pause a running job."""
    from core.jobs import remote_control

    remote_control.pause(database, job)
    click.echo(f"job {job} is asked to pause", err=True)


@jobs_command.command("resume")
@_number
@database_option
def resume_command(database: Path, job: int) -> None:
    """Resume a paused job."""
    from core.errors import LostkeysError
    from core.jobs import remote_control

    if remote_control.resume(database, job) is not None:
        raise LostkeysError(f"no program works on job {job}: `lostkeys run --job {job}` resumes it")
    click.echo(f"job {job} is asked to resume", err=True)


@jobs_command.command("cancel")
@_number
@database_option
def cancel_command(database: Path, job: int) -> None:
    """Cancel a job; its results are kept."""
    from core.jobs import remote_control

    remote_control.cancel(database, job)
    click.echo(f"job {job} is cancelled; what was done is kept", err=True)


def _document(view: "JobView") -> dict[str, Any]:
    """One of the `jobs` of `jobs --json`."""
    return {
        "id": view.id,
        "kind": view.kind,
        "name": view.name,
        "state": str(view.state),
        "reason": view.reason,
        "folder": view.folder,
        "unit": view.unit,
        "done": view.done,
        "total": view.total,
        "labels": None if view.labels is None else view.labels[0],
        "stages": [{name: getattr(one, name) for name in STAGE} for one in view.stages],
        "spend": [{name: getattr(one, name) for name in SPEND} for one in view.spends],
        "max_cost": view.max_cost,
        "cost": view.cost,
        "created": _format_iso(view.created),
        "started": _format_iso(view.started),
        "ended": _format_iso(view.ended),
    }


def _format_iso(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat()


def _table(views: "Sequence[JobView]", width: int) -> Table:
    """A row a job; what it has done is counted in its unit, as on the Jobs screen.

    Where there is little room the name of a job gives way, and when it began.
    """
    from core.pricing.budget import dollars
    from core.specs.job_kinds import title_of
    from core.stats.number_format import format_amount

    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, pad_edge=False)
    for name in ("job", "what", "state", "%", "done", "", "labels", "failed", "cost", "began"):
        right = name in ("job", "%", "done", "labels", "failed", "cost")
        if name != "began" or width >= ROOM_FOR_TIMES:
            table.add_column(name, justify="right" if right else "left", no_wrap=name != "what")
    for one in views:
        began = one.started or one.created
        cells = (
            str(one.id),
            cell(f"{title_of(one.kind)} {one.name}", 24),
            Text(str(one.state), "bold" if one.state in LOUD else ""),
            percent(one.share if one.total else None),
            f"{one.done:,}",
            f"of {format_amount(one.total, one.unit.removesuffix('s'))}" if one.total else "",
            "–" if one.labels is None else f"{one.labels[0]:,}",
            f"{sum(stage.failed for stage in one.stages):,}",
            "–" if one.cost is None else dollars(one.cost),
            "" if began is None else f"{began:%d %b %H:%M}",
        )
        table.add_row(*cells[: len(table.columns)])
    return table
