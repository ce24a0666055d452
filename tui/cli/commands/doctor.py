"""`lostkeys doctor`."""

from pathlib import Path

import click
from rich.text import Text

from tui.cli.options import database_option
from tui.cli.tables import console
from tui.cli.terminal_text import one_line


@click.command("doctor")
@click.option(
    "--repair",
    is_flag=True,
    help="Rebuild the label grids and delete remains of interrupted merges.",
)
@database_option
def doctor_command(database: Path, repair: bool) -> None:
    """Check this machine, the embedded model and the database."""
    from core import doctor

    if repair:
        doctor.repair(database)
    out, sick = console(), False
    for finding in doctor.examine(database):
        mark = Text("✓ " if finding.well else "! ", "green" if finding.well else "bold red")
        out.print(mark + Text(f"{finding.name}: {one_line(finding.detail)}"), soft_wrap=True)
        sick |= not finding.well
    if sick:
        raise click.exceptions.Exit(1)
