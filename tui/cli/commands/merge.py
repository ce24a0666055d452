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
    """Write what two or more databases hold to a new one, from left to right.

    Where two have the same fact, question, response or label with another content, that of the
    first is kept and a line is printed that names both files; the exit code is then 1. Jobs and
    what they spent stay behind, as do responses set aside. Saved profiles, samples to review and
    the steps of a build are those of the first.
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
