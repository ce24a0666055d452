"""`lostkeys report`."""

from pathlib import Path

import click

from core.scoring.policy import Policy
from tui.cli.options import anonymous_option, reading_options
from tui.cli.terminal_text import one_line


@click.command("report")
@click.option(
    "-o", "--output", "file", required=True, type=click.Path(path_type=Path), metavar="FILE"
)
@click.option(
    "--intervals/--no-intervals", default=True, help="Whether to show 95 % intervals of shares."
)
@click.option("--set", "set_name", metavar="NAME", help="The set of triples for its figures.")
@anonymous_option
@reading_options
def report_command(
    database: Path,
    policy: Policy,
    models: list[str] | None,
    where: str | None,
    file: Path,
    intervals: bool,
    set_name: str | None,
    anonymous: bool,
) -> None:
    """Write a report to one file: profiles, figures, agreement, methods, and what was left out.

    FILE ends in .html (one self-contained page with figures) or .md (only tables). --anonymous
    replaces people by numbers and hides server addresses.
    """
    from core.project import OpenProject
    from core.report import report_file

    report_file.check(file)
    with OpenProject(database, "read") as project:
        if anonymous:
            from core.transfer.anonymous_copy import open_anonymous

            with open_anonymous(project) as copy:
                names = copy.names
                report_file.write(
                    copy.project,
                    file,
                    names.policy(policy),
                    names.rename_models(models),
                    names.where(where),
                    intervals,
                    names.people.replace_in_text(where),
                    set_name,
                )
        else:
            report_file.write(project, file, policy, models, where, intervals, set_name=set_name)
    click.echo(f"{one_line(str(file))} is written", err=True)
