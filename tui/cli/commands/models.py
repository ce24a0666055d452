"""`lostkeys models`."""

import sys
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from tui.cli.options import database_option, json_option, no_database_option
from tui.cli.tables import QUIET, cell, console, percent
from tui.cli.text import one_line, print_json

TOO_MANY_UNMARKED = 0.2
"""Above this share of step by step answers without `Answer:`, a model is warned about."""


@click.group("models", invoke_without_command=True)
@click.option("--check", is_flag=True, help="Ask each model that has a recipe one question.")
@click.option("--yes", is_flag=True, help="Ask addresses that come out of the database, too.")
@json_option
@database_option
@click.pass_context
def models_command(
    ctx: click.Context, database: Path, check: bool, yes: bool, as_json: bool
) -> None:
    """List the models of a database and the embedded one, and whether they answer."""
    if ctx.invoked_subcommand is not None:
        return
    from core.catalogue import catalogue

    def may_ask(address: str) -> bool:
        question = f"{one_line(address, 60)} came out of the database. Send it a question?"
        return yes or (sys.stdin.isatty() and click.confirm(question, err=True))

    entries = catalogue(database, may_ask if check else None)
    if as_json:
        print_json({"models": [entry.as_json() for entry in entries]})
        return
    columns = ["model", "responses", "thinking", "unmarked %", "asked as"]
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, pad_edge=False)
    for name in [*columns, "state"] if check else columns:
        right = name in ("responses", "unmarked %")
        table.add_column(name, justify="right" if right else "left", no_wrap=right)
    for entry in entries:
        unmarked = entry.unmarked
        loud = unmarked is not None and unmarked > TOO_MANY_UNMARKED
        asked_as = "same" if entry.asked_as == entry.model else entry.asked_as or "imported"
        cells: list[str | Text] = [
            cell(entry.model, 32),
            f"{entry.responses:,}",
            one_line(entry.thinking),
            percent(unmarked) + (" !" if loud else ""),
            cell(asked_as, 32),
        ]
        table.add_row(*cells, *([one_line(entry.state or "")] if check else []))
    console().print(table)
    if any(entry.failed for entry in entries):
        raise click.exceptions.Exit(1)


@models_command.command("pull")
@no_database_option
def pull_command() -> None:
    """Get the embedded model's weights (98 MB, checked), where they were not installed."""
    from core.embedded import weights
    from tui.cli.progress import progress

    with progress("bytes") as shown:
        task = shown.add_task("getting the embedded model", total=None)
        path = weights.pull(lambda done, total: shown.update(task, completed=done, total=total))
    click.echo(f"the embedded model is at {path}", err=True)
