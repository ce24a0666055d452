"""`lostkeys publish`."""

from pathlib import Path
from shlex import quote

import click

from core.scoring.policy import Policy
from tui.cli.options import anonymous_option, reading_options
from tui.cli.progress_bar import progress
from tui.cli.tables import print_counts_note
from tui.cli.terminal_text import one_line

LARGE_SETTINGS = " --setting suggest_facets off --setting sql_time_limit_ms 3000"
"""What Datasette is told of a copy with very many rows: look for nothing by itself, and give a
search of the commonest words, which takes a second of the processor, the time it needs."""


@click.command("publish")
@click.option(
    "-o",
    "--output",
    "file",
    required=True,
    type=click.Path(path_type=Path),
    metavar="SHARE.db",
    help="The copy; it replaces an earlier one.",
)
@anonymous_option
@reading_options
def publish_command(
    database: Path,
    policy: Policy,
    models: list[str] | None,
    where: str | None,
    file: Path,
    anonymous: bool,
) -> None:
    """Publish a copy for Datasette: facts, answers, labels and profiles.

    SHARE.metadata.json and SHARE.counts.json are written beside SHARE.db, and the command that
    opens them is printed. --where publishes fewer facts, --model fewer answers and profiles.
    Rejected facts, older versions and jobs are left out. The policy decides the profiles.

    --anonymous replaces the names of people who labelled, reviewed or audited by numbers: as
    graders, in rationales, and in names of models, files and policies. Facts, questions and
    answers stay as they are.
    """
    from core.project import OpenProject
    from core.stats.number_format import format_amount
    from core.transfer.exports import Subset
    from core.transfer.publication import publish

    with OpenProject(database, "read", counts=True) as project, progress("facts") as shown:
        print_counts_note(project)
        task = shown.add_task("publishing", total=None)
        found = publish(
            project,
            file,
            Subset(models, where, policy),
            anonymous,
            lambda done, total: shown.update(task, completed=done, total=total),
        )
    rows = ", ".join(
        format_amount(count, name.removesuffix("s"))
        for name, count in found.rows.items()
        if name != "about"
    )
    click.echo(f"{one_line(str(file))}: {rows}", err=True)
    words = (
        f"datasette -i {quote(str(file))} --metadata {quote(str(found.metadata))} "
        f"--inspect-file {quote(str(found.counts))}"
        f"{LARGE_SETTINGS if found.large else ''}"
    )
    click.echo(f"look at it: {one_line(words)}", err=True)
