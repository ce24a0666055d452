"""`lostkeys align`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.text import Text

from core.scoring.policy import Policy
from tui.cli.commands.align_tables import make_table, show_report
from tui.cli.commands.align_versions import (
    adopt_command,
    person_option,
    probe_command,
    rubric_command,
    suggest_command,
    try_command,
    tune_command,
)
from tui.cli.options import database_option, json_option, reading_options, split_names
from tui.cli.tables import console
from tui.cli.terminal_text import one_line, print_json

if TYPE_CHECKING:
    from core.alignment.reference_set import ReferenceSet
    from core.project import OpenProject


@click.group("align", invoke_without_command=True)
@json_option
@database_option
@click.pass_context
def align_command(ctx: click.Context, database: Path, as_json: bool) -> None:
    """Make a grader agree with you, and measure how far it does.

    A reference set is a random sample of different answers that you label without seeing any
    grader's label. Without a command, the sets of the database are listed.
    """
    if ctx.invoked_subcommand is None:
        _list(database, as_json)


def read_reference_set(project: "OpenProject", name: str) -> "ReferenceSet":
    """A set by its name, with labels read only as they are asked for."""
    from core.alignment.reference_set import find_set, read_set

    project.open_grids()
    return read_set(project, find_set(project, name))


@align_command.command("list")
@json_option
@database_option
def list_command(database: Path, as_json: bool) -> None:
    """List the reference sets, and how many of their answers are labelled."""
    _list(database, as_json)


def _list(database: Path, as_json: bool) -> None:
    from core.alignment.reference_set import list_sets
    from core.project import OpenProject

    with OpenProject(database, "read") as project:
        project.open_grids()
        rows = list_sets(project)
    if as_json:
        print_json({"sets": rows})
        return
    if not rows:
        click.echo("No reference set yet: `lostkeys align draw NAME` draws one.")
        return
    table = make_table("set", "by", "answers", "labelled", "tune", "check", "final", "")
    for row in rows:
        state = [word for word, on in (("opened", row["opened"]), ("closed", row["closed"])) if on]
        table.add_row(
            Text(one_line(row["set"])),
            Text(one_line(row["by"] or "–")),
            *(f"{row[key]:,}" for key in ("answers", "labelled")),
            *(f"{count:,}" for count in row["parts"].values()),
            ", ".join(state),
        )
    console().print(table)


@align_command.command("draw")
@click.argument("name")
@click.option(
    "--size",
    type=click.IntRange(1),
    metavar="N",
    help="Number of answers. Default: 120, or all of them.",
)
@click.option(
    "--by", metavar="G", help="Draw the same number of each label that G gives, if possible."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the draw.")
@json_option
@reading_options
def draw_command(
    database: Path,
    name: str,
    size: int | None,
    by: str | None,
    seed: int,
    models: list[str] | None,
    where: str | None,
    policy: Policy,
    as_json: bool,
) -> None:
    """Draw a reference set: a seeded sample of different answers, to be labelled blind.

    A larger --size lets an existing set grow; what was drawn stays.
    """
    from core.alignment.reference_draw import draw_set
    from core.alignment.reference_set import describe_set
    from core.project import OpenProject

    with OpenProject(database, "write") as project:
        found = describe_set(
            draw_set(
                project,
                name,
                size=size,
                by=by,
                seed=seed,
                models=models,
                where=where,
                policy=policy,
            )
        )
    if as_json:
        print_json(found)
        return
    parts = ", ".join(f"{count:,} {part}" for part, count in found["parts"].items())
    click.echo(f"{one_line(found['set'])}: {found['answers']:,} answers ({parts}); seed {seed}")
    if empty := " and ".join(part for part, count in found["parts"].items() if not count):
        click.echo(
            f"{empty}: no answers. All answers to a fact are in one part: draw from more facts, "
            "or draw another set with another --seed",
            err=True,
        )
    table = make_table("stratum", "answers", "drawn")
    for stratum, row in found["strata"].items():
        table.add_row(stratum, f"{row['answers']:,}", f"{row['drawn']:,}")
    console().print(table)


@align_command.command("next")
@click.argument("name")
@click.option(
    "--all", "every", is_flag=True, help="Print all answers, with their parts and strata."
)
@person_option
@json_option
@database_option
def next_command(database: Path, name: str, every: bool, person: str | None, as_json: bool) -> None:
    """Print the answers of a set to label next, one JSON row each.

    Add `grader` and `label` to each row, then run `lostkeys import FILE --format labels`.
    """
    from core.alignment.reference_set import check_person, next_rows
    from core.project import OpenProject

    if person is not None:
        check_person(person)
    with OpenProject(database, "read") as project:
        rows = next_rows(project, read_reference_set(project, name), person, every)
    if as_json:
        print_json({"set": name, "rows": rows})
        return
    for row in rows:
        click.echo(json.dumps(row))


@align_command.command("close")
@click.argument("name")
@database_option
def close_command(database: Path, name: str) -> None:
    """Close a set; its report stays."""
    from core.alignment.reference_set import close_set
    from core.project import OpenProject

    with OpenProject(database, "write") as project:
        close_set(project, name)
    click.echo(f"{one_line(name)} is closed")


@align_command.command("report")
@click.argument("name")
@person_option
@click.option("--grader", metavar="G[#v],...", help="Only these. Default: all versions tried.")
@click.option("--final", "open_final", is_flag=True, help="Open the final part, for one version.")
@json_option
@database_option
def report_command(
    database: Path,
    name: str,
    person: str | None,
    grader: str | None,
    open_final: bool,
    as_json: bool,
) -> None:
    """Show how far each grader version agrees with a person.

    Choose a version by `check`: its intervals allow for the number of versions you look at. Open
    `final` once, for the version that you chose.
    """
    from core.alignment.set_report import report_set
    from core.project import OpenProject

    graders = None if grader is None else split_names(grader)
    with OpenProject(database, "write" if open_final else "read") as project:
        found = report_set(project, read_reference_set(project, name), person, graders, open_final)
    if as_json:
        print_json(found)
    else:
        show_report(found)


@align_command.command("misses")
@click.argument("name")
@click.option("--grader", required=True, metavar="G#v", help="The grader version.")
@click.option("--part", type=click.Choice(("tune", "check", "final")), default="tune")
@person_option
@json_option
@database_option
def misses_command(
    database: Path, name: str, grader: str, part: str, person: str | None, as_json: bool
) -> None:
    """Print the answers that a version labels differently from the person, one JSON row each."""
    from core.alignment.set_report import list_misses
    from core.project import OpenProject

    with OpenProject(database, "read") as project:
        found = read_reference_set(project, name)
        rows = list_misses(project, found, grader, part, person)
    if as_json:
        print_json({"set": name, "grader": grader, "part": part, "rows": rows})
        return
    for row in rows:
        click.echo(json.dumps(row))


align_command.add_command(rubric_command)
align_command.add_command(try_command)
align_command.add_command(probe_command)
align_command.add_command(suggest_command)
align_command.add_command(tune_command)
align_command.add_command(adopt_command)
