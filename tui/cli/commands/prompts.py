"""`lostkeys prompts`."""

from pathlib import Path
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from tui.cli.options import database_option, json_option, no_database_option
from tui.cli.tables import QUIET, cell, console
from tui.cli.terminal_text import mark_unseen, one_line, print_error, print_json

HASH = 8
"""Letters of a hash that are shown."""


@click.group("prompts", invoke_without_command=True)
@json_option
@no_database_option
@click.pass_context
def prompts_command(ctx: click.Context, as_json: bool) -> None:
    """List the prompts that models are sent, and replace them with your own.

    `prompts copy NAME` copies a prompt into your folder, where you edit it. It must keep its
    inputs and the form of the reply. A model with another prompt is another recipe, so its
    responses need another name (`--as`).
    """
    if ctx.invoked_subcommand is not None:
        return
    from core.curation.prompt_files import list_prompts
    from core.settings import paths

    entries = list(list_prompts())
    folder = paths.prompts_place()
    if as_json:
        rows = [one.as_json() for one in entries]
        print_json({"folder": str(folder), "prompts": rows})
    else:
        out = console()
        table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, pad_edge=False)
        for name in ("name", "purpose", "paper", "file", "version", "hash"):
            table.add_column(name, no_wrap=name != "purpose")
        for one in entries:
            table.add_row(
                cell(one.name, 20),
                one_line(one.purpose),
                one_line(one.source),
                "broken" if one.fault else "yours" if one.replaced else "ours",
                "" if one.version is None else str(one.version),
                one.hash[:HASH],
            )
        out.print(table)
        out.print()
        out.print(Text(f"Your own prompts lie in {one_line(str(folder))}", QUIET))
    for fault in (one.fault for one in entries if one.fault):
        print_error(fault)
    if any(one.fault for one in entries):
        raise click.exceptions.Exit(1)


@prompts_command.command("show")
@click.argument("name")
@click.option("--model", metavar="M", help="As this model was asked.")
@database_option
def show_command(database: Path, name: str, model: str | None) -> None:
    """Print a prompt as it would be sent for the first fact.

    Inputs that the fact lacks appear as {NAME}.
    """
    from core.curation.prompt_files import fill_prompt
    from core.project import OpenProject

    if not database.exists():
        _print(fill_prompt(name, None, model))
        return
    with OpenProject(database, "read") as project:
        _print(fill_prompt(name, project, model))


def _print(text: str) -> None:
    for line in text.split("\n"):
        click.echo(mark_unseen(line))


@prompts_command.command("copy")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@no_database_option
def copy_command(names: tuple[str, ...], **_: Any) -> None:
    """Copy prompts into your own folder, to be edited there; all unless you name some.

    Existing files are not overwritten.
    """
    from core.curation.prompt_files import copy_prompts

    written, there = copy_prompts(names)
    for path in written:
        click.echo(one_line(str(path)))
    if there:
        click.echo(f"left as they are: {', '.join(path.name for path in there)}", err=True)
