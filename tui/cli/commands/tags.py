"""`lostkeys tags`."""

from pathlib import Path
from typing import Any

import click
from rich.text import Text

from tui.cli.commands.align_tables import make_table
from tui.cli.options import database_option, json_option
from tui.cli.tables import console, percent, span
from tui.cli.terminal_text import one_line, print_json


@click.group("tags", invoke_without_command=True)
@click.option(
    "--by",
    type=click.Choice(("model", "profile", "label", "grader", "task", "category")),
    help="Count each tag by this, too.",
)
@json_option
@database_option
@click.pass_context
def tags_command(ctx: click.Context, database: Path, by: str | None, as_json: bool) -> None:
    """Count tags on answers, questions and facts.

    A share with an interval is given only among the answers of a reference set, which are a random
    sample. Everything else was tagged as it was found, so there are counts alone.
    """
    if ctx.invoked_subcommand is not None:
        return
    from core.alignment.tag_counts import count_tags
    from core.project import OpenProject

    with OpenProject(database, "read") as project:
        document = count_tags(project, by)
    if as_json:
        print_json(document)
        return
    if not document["tags"]:
        click.echo("No tags yet: import a labels file with a column `tags`.")
        return
    _show(document)


def _show(document: dict[str, Any]) -> None:
    table = make_table("tag", "answers", "questions", "facts", "in a sample %", "interval")
    for row in document["tags"]:
        sample = row["samples"][0] if row["samples"] else None
        table.add_row(
            Text(one_line(row["tag"])),
            *(f"{row[key]:,}" for key in ("answers", "questions", "facts")),
            "–" if sample is None else f"{percent(sample['share'])} ({one_line(sample['set'])})",
            "–" if sample is None else span(sample["interval"]),
        )
        for name, counts in row.get("groups", {}).items():
            counted = [f"{counts[key]:,}" for key in ("answers", "questions", "facts")]
            table.add_row(Text(f"  {one_line(name)}"), *counted, "", "")
    console().print(table)


@tags_command.command("rename")
@click.argument("before", metavar="TAG")
@click.argument("after", metavar="NAME")
@database_option
def rename_command(database: Path, before: str, after: str) -> None:
    """Call a tag otherwise. Where NAME is a tag already, the two become one."""
    from core.curation.tag_writer import rename_tag
    from core.project import OpenProject

    with OpenProject(database, "write") as project:
        count = rename_tag(project, before, after)
    click.echo(f"{one_line(before)} is {one_line(after)} on {count:,} answers, questions and facts")


@tags_command.command("merge")
@click.argument("tags", nargs=-1, required=True, metavar="TAG...")
@click.option("--into", required=True, metavar="NAME", help="The tag that stays.")
@database_option
def merge_tags_command(database: Path, tags: tuple[str, ...], into: str) -> None:
    """Make several tags one."""
    from core.curation.tag_writer import rename_tag
    from core.project import OpenProject

    with OpenProject(database, "write") as project:
        count = sum(rename_tag(project, tag, into) for tag in tags if tag != into)
    click.echo(f"{one_line(into)}: joined from {count:,} answers, questions and facts")


@tags_command.command("remove")
@click.argument("tag")
@database_option
def remove_command(database: Path, tag: str) -> None:
    """Take a tag off everything."""
    from core.curation.tag_writer import remove_tag
    from core.project import OpenProject

    with OpenProject(database, "write") as project:
        count = remove_tag(project, tag)
    click.echo(f"{one_line(tag)} is taken off {count:,} answers, questions and facts")
