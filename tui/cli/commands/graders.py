"""`lostkeys graders`."""

from pathlib import Path
from typing import Any

import click
from rich.table import Table

from tui.cli.options import database_option, json_option, no_database_option
from tui.cli.tables import QUIET, cell, console, percent
from tui.cli.text import one_line, print_json

MISSES = 10
"""Misjudged answers listed after a measurement."""


@click.group("graders", invoke_without_command=True)
@database_option
@click.pass_context
def graders_command(ctx: click.Context, database: Path) -> None:
    """List the graders of a database, or measure one against people."""
    if ctx.invoked_subcommand is not None:
        return
    from core.project import Project

    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, pad_edge=False)
    for name in ("grader", "version", "labels"):
        table.add_column(name, justify="right" if name == "labels" else "left")
    with Project(database, "read") as project:
        for grader in project.graders():
            count = project.grids.count(grader.plane)
            table.add_row(cell(grader.name, 40), cell(grader.version, 24), f"{count:,}")
    if table.row_count:
        console().print(table)
    else:
        click.echo("No grader has labelled anything: `lostkeys grade --grader lexical` does.")


@graders_command.command("evaluate")
@click.argument("grader")
@click.option(
    "--labels",
    "file",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="People's labels, as JSON lines.",
)
@click.option("--misses", type=click.IntRange(0), default=MISSES, show_default=True)
@json_option
@no_database_option
def evaluate_command(grader: str, file: Path, misses: int, as_json: bool) -> None:
    """Measure how a grader compares with people.

    FILE holds JSON lines with question, gold_answers, prediction and human_correct, or with
    question or left_context, gold, prediction and label. No database is touched.
    """
    from core.graders.evaluate import evaluate, read_cases
    from core.grading import reader

    report = evaluate(grader, reader(grader), read_cases(file))
    if as_json:
        print_json(report.as_json())
        return
    _show(report.as_json())
    for case, label in report.misses[:misses]:
        golds = one_line(" / ".join(case.golds), 30)
        said = f"{case.truth}, not {label or 'labelled'}".lower()
        click.echo(f"{said}: {one_line(case.answer, 60)} (gold {golds})")


@graders_command.command("primary")
@click.argument("grader")
@database_option
def primary_command(database: Path, grader: str) -> None:
    """Let GRADER's labels count where no person has labelled and no --grader is given."""
    from core.project import Project

    with Project(database, "write") as project:
        project.set_primary(grader)
    click.echo(f"{one_line(grader)} is the project's primary grader", err=True)


def _show(document: dict[str, Any]) -> None:
    out = console()
    out.print(
        f"{document['grader']}: {document['n']:,} answers, {document['unlabelled']} unlabelled"
    )
    numbers = ("accuracy", "precision", "recall", "wrong_as_incorrect")
    out.print("   ".join(f"{name} {percent(document[name])}" for name in numbers))
    out.print(
        f"kappa {document['kappa'] if document['kappa'] is None else round(document['kappa'], 3)}"
    )
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, pad_edge=False)
    table.add_column("people ↓   grader →")
    columns = list(next(iter(document["confusion"].values()), {}))
    for label in columns:
        table.add_column(label.lower(), justify="right")
    for truth, row in document["confusion"].items():
        table.add_row(truth.lower(), *(f"{row[label]:,}" for label in columns))
    out.print(table)
    for source, row in document["by_source"].items():
        out.print(f"{one_line(source)}: {percent(row['accuracy'])} of {row['n']:,}")
