"""`lostkeys report`."""

from pathlib import Path

import click

from core.scoring.policy import Policy
from tui.cli.options import reading_options
from tui.cli.terminal_text import one_line


@click.command("report")
@click.option(
    "-o", "--output", "file", required=True, type=click.Path(path_type=Path), metavar="FILE"
)
@click.option("--intervals/--no-intervals", default=True, help="How sure each share is.")
@reading_options
def report_command(
    database: Path,
    policy: Policy,
    models: list[str] | None,
    where: str | None,
    file: Path,
    intervals: bool,
) -> None:
    """Write everything to one file: profiles, figures, agreement, methods, what is left out.

    FILE ends in .html (a page that needs nothing else, with figures) or .md (tables alone).
    """
    from core.project import Project
    from core.report import report_file

    report_file.check(file)
    with Project(database, "read") as project:
        report_file.write(project, file, policy, models, where, intervals)
    click.echo(f"{one_line(str(file))} is written", err=True)
