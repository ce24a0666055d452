"""`lostkeys discard`."""

from pathlib import Path

import click

from core.stats.number_format import format_amount
from core.vocabulary import TASKS, Task
from tui.cli.options import database_option, split_names
from tui.cli.terminal_text import one_line


@click.command("discard")
@click.option("--model", required=True, metavar="M", help="The model's name in the database.")
@click.option(
    "--thinking", type=click.Choice(["off", "on", "both"]), default="both", show_default=True
)
@click.option("--tasks", metavar="T,...", help="Only these tasks.")
@click.option("--yes", is_flag=True, help="Do not ask before discarding.")
@database_option
def discard_command(
    database: Path, model: str, thinking: str, tasks: str | None, yes: bool
) -> None:
    """Discard responses so that they are sampled again; asks first.

    The responses and their labels stay in the database, but no longer count.
    """
    from core.curation.response_discards import discard, slots_of
    from core.errors import UsageError
    from core.project import OpenProject

    chosen = TASKS if tasks is None else tuple(split_names(tasks))
    for name in chosen:
        if name not in TASKS:
            raise UsageError(f"no task named {name}: the ten are {', '.join(TASKS)}")
    settings = {"off": (False,), "on": (True,), "both": (False, True)}[thinking]
    with OpenProject(database, "write") as project:
        slots = slots_of(project, model, settings, [Task(name) for name in chosen])
        if not slots:
            click.echo(f"{one_line(model)}: nothing to discard", err=True)
            return
        question = f"Discard {format_amount(len(slots), 'response')} of {one_line(model)}?"
        if not yes and not click.confirm(question, err=True):
            click.echo("nothing was discarded", err=True)
            raise click.exceptions.Exit(1)
        discard(project, slots, "discarded")
    click.echo(f"{one_line(model)}: {format_amount(len(slots), 'response')} discarded", err=True)
