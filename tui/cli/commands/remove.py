"""`lostkeys remove`."""

from pathlib import Path

import click

from tui.cli.options import database_option
from tui.cli.terminal_text import one_line, print_json

KINDS = ("set", "relation", "model", "grader", "file")


@click.command("remove")
@click.argument("what", metavar="WHAT", type=click.Choice(KINDS))
@click.argument("name", metavar="NAME")
@click.option("--dry-run", is_flag=True, help="Say what would go, remove nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document; needs --yes.")
@database_option
def remove_command(
    database: Path, what: str, name: str, dry_run: bool, yes: bool, as_json: bool
) -> None:
    """Remove a set, a relation, a model, a grader or an imported file; counts and asks first.

    WHAT is set, relation, model, grader or file. With a set or relation go its facts and all
    answers to them, with a model its arms, answers and scores, with a grader its labels, with the
    file of a log its answers and the facts that nothing else asks about. NAME of a relation may be
    SET/RELATION, of a grader GRADER#VERSION.

    This cannot be undone here. In the shell keep a copy of the file; on screens `u` undoes it until
    the program ends.
    """
    from core.curation.removals import RemovalKind, plan_removal, remove
    from core.project import OpenProject

    if as_json and not (yes or dry_run):
        raise click.UsageError("--json does not ask: add --yes, or --dry-run to see what would go")
    with OpenProject(database, "write") as project:
        found = plan_removal(project, RemovalKind(what), name)
        line = f"{what} {one_line(name)}: {found.describe()}"
        if not dry_run:
            if not yes and not click.confirm(f"Remove {line}?", err=True):
                click.echo("nothing was removed", err=True)
                raise click.exceptions.Exit(1)
            found = remove(project, found)
    if as_json:
        document = {"what": what, "name": name, "removed": not dry_run, "counts": found.counts}
        print_json(document)
    else:
        click.echo(f"{line} {'would be removed' if dry_run else 'removed'}", err=True)
