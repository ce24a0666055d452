"""`lostkeys merge`."""

from pathlib import Path

import click

from core.stats.number_format import format_amount
from tui.cli.options import no_database_option
from tui.cli.terminal_text import one_line

A_FILE = click.Path(path_type=Path)


@click.command("merge")
@click.argument("files", nargs=-1, required=True, type=A_FILE, metavar="A.db B.db [C.db]...")
@click.option("-o", "--output", "target", required=True, type=A_FILE, metavar="O.db")
@no_database_option
def merge_command(files: tuple[Path, ...], target: Path) -> None:
    """Merge two or more databases into a new one, from left to right.

    If two differ in the same fact, question, response or label, the first one wins, a line names
    both files, and the exit code is 1. Jobs, costs and discarded responses are not merged. Saved
    profiles, samples to review and the steps of a build are those of the first.
    """
    from core.transfer.database_merge import merge

    differences = merge(files, target)
    for line in differences:
        click.echo(one_line(line))
    count = len(differences)
    found = f"{format_amount(count, 'difference')}, the first kept" if count else "no differences"
    click.echo(f"{one_line(str(target))}: {len(files)} merged, {found}", err=True)
    if differences:
        raise click.exceptions.Exit(1)
