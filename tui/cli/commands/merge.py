"""`lostkeys merge`."""

from pathlib import Path

import click

from tui.cli.options import no_database_option
from tui.cli.terminal_text import one_line

A_FILE = click.Path(path_type=Path)


@click.command("merge")
@click.argument("a", type=A_FILE, metavar="A.db")
@click.argument("b", type=A_FILE, metavar="B.db")
@click.option("-o", "--output", "target", required=True, type=A_FILE, metavar="C.db")
@no_database_option
def merge_command(a: Path, b: Path, target: Path) -> None:
    """Write what two databases hold to a new one.

    Where both have the same fact, question, response or label with another content, A's is kept
    and a line is printed for B's; the exit code is then 1. Jobs and what they spent stay behind,
    as do responses set aside.
    """
    from core.transfer.database_merge import merge

    differences = merge(a, b, target)
    for line in differences:
        click.echo(one_line(line))
    count = len(differences)
    found = f"{count:,} difference{'s' * (count > 1)}, A's kept" if count else "no differences"
    click.echo(f"{one_line(str(target))}: merged, {found}", err=True)
    if differences:
        raise click.exceptions.Exit(1)
