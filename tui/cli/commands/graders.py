"""`lostkeys graders`."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table

from core.stats.number_format import format_amount
from core.vocabulary import Outcome
from tui.cli.options import (
    Dollars,
    ModelParameter,
    database_option,
    json_option,
    no_database_option,
    replies_option,
    request_options,
)
from tui.cli.tables import QUIET, cell, console, percent
from tui.cli.terminal_text import one_line, print_json

if TYPE_CHECKING:
    from core.graders.grader_evaluation import EvaluationCase
    from core.grading.grader_measurement import GraderMeasurement
    from core.specs.answer_specs import ReplyWord

MISSES = 10
"""Misjudged answers listed after a measurement."""


@click.group("graders", invoke_without_command=True)
@database_option
@click.pass_context
def graders_command(ctx: click.Context, database: Path) -> None:
    """List the graders of a database, or measure one against people."""
    if ctx.invoked_subcommand is not None:
        return
    from core.project import OpenProject

    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, pad_edge=False)
    for name in ("grader", "version"):
        table.add_column(name)
    for name in ("labels", "no label"):
        table.add_column(name, justify="right", no_wrap=True)
    with OpenProject(database, "read") as project:
        for grader in project.graders():
            labels = project.grids.count_labels(grader.plane)
            without = project.grids.count(grader.plane) - labels
            names = cell(grader.name, 40), cell(grader.version, 24)
            table.add_row(*names, f"{labels:,}", f"{without:,}" if without else "")
    if table.row_count:
        console().print(table)
    else:
        click.echo("No grader has labelled anything: `lostkeys grade --grader lexical` does.")


@graders_command.command("evaluate")
@click.argument("grader", type=ModelParameter())
@click.option(
    "--labels",
    "file",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="People's labels, as JSON lines.",
)
@click.option("--misses", type=click.IntRange(0), default=MISSES, show_default=True)
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Only a random sample of N.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of --limit.")
@click.option(
    "--max-cost",
    type=Dollars(),
    metavar="USD",
    help="For a model: stop before it costs more than this.",
)
@request_options
@replies_option
@json_option
@no_database_option
def evaluate_command(
    grader: str,
    file: Path,
    misses: int,
    limit: int | None,
    seed: int,
    max_cost: float | None,
    timeout: float | None,
    in_flight: int | None,
    replies: "ReplyWord",
    as_json: bool,
) -> None:
    """Measure how far a grader agrees with people.

    FILE holds JSON lines with question, gold_answers, prediction and human_correct, or with
    question or left_context, gold, prediction and label. No database is used. llm:MODEL and
    judge:MODEL are asked as in a project, and the cost is shown.
    """
    from core.graders import grader_table
    from core.graders.grader_evaluation import GraderReport, read_cases
    from core.graders.grader_record import is_model
    from core.grading.grader_measurement import sample_cases

    grader_table.check(grader)
    cases = sample_cases(read_cases(file), limit, seed)
    more: dict[str, Any] = {}
    if is_model(grader):
        measured = _measure_model(grader, cases, max_cost, timeout, in_flight, replies)
        report = GraderReport(grader, tuple(zip(measured.cases, measured.labels, strict=True)))
        more = _build_usage(measured)
        whys = dict(zip(measured.cases, measured.whys, strict=True))
    else:
        report, whys = grader_table.measure(grader, cases), {}
    document = report.as_json() | {"intervals": report.intervals(), "scope": "kind"} | more
    if as_json:
        print_json(document)
        return
    _show(document)
    for case, label in report.misses[:misses]:
        golds = one_line(" / ".join(case.golds), 30)
        said = f"{case.truth}, not {label or 'labelled'}".lower()
        why = f": {one_line(whys[case] or '', 60)}" if whys.get(case) else ""
        click.echo(f"{said}: {one_line(case.answer, 60)} (gold {golds}){why}")


def _measure_model(
    grader: str,
    cases: "Sequence[EvaluationCase]",
    max_cost: float | None,
    timeout: float | None,
    in_flight: int | None,
    replies: "ReplyWord",
) -> "GraderMeasurement":
    """What a model says of the cases; says meanwhile how far it is, on a terminal."""
    from core.grading.grader_measurement import measure
    from core.settings import paths

    shown = sys.stderr.isatty()

    def show_progress(done: int, total: int) -> None:
        if shown:
            click.echo(f"\r{done:,} of {format_amount(total, 'answer')} graded", nl=False, err=True)

    measured = measure(
        grader,
        cases,
        paths.prompts_folder(),
        max_cost,
        told=show_progress,
        timeout=timeout,
        in_flight=in_flight,
        replies=replies,
    )
    if shown:
        click.echo("", err=True)
    for note in measured.notes:
        click.echo(f"warning: {one_line(note)}", err=True)
    if measured.stopped is not None:
        said = f"{len(measured.cases):,} of {format_amount(len(cases), 'answer')}"
        click.echo(f"warning: {said}: {one_line(measured.stopped)}", err=True)
    return measured


def _build_usage(measured: "GraderMeasurement") -> dict[str, Any]:
    """What a measurement took, and how the grader was asked."""
    spend = measured.spend
    states = {
        one.name.lower(): measured.outcomes.count(one) for one in Outcome if one > Outcome.OTHER
    }
    return {
        "version": measured.recipe.version,
        "replies": measured.recipe.replies,
        "requests": spend.requests,
        "input_tokens": spend.input_tokens,
        "output_tokens": spend.output_tokens,
        "cost": spend.cost,
        "states": states,
        "stopped": measured.stopped,
    }


@graders_command.command("primary")
@click.argument("grader")
@database_option
def primary_command(database: Path, grader: str) -> None:
    """Make GRADER the primary grader: its labels count if no person has labelled and no --grader is
    given.
    """
    from core.project import OpenProject

    with OpenProject(database, "write") as project:
        project.set_primary(grader)
    click.echo(f"{one_line(grader)} is the project's primary grader", err=True)


def _show(document: dict[str, Any]) -> None:
    out = console()
    out.print(
        f"{one_line(document['grader'])}: {document['n']:,} answers, "
        f"{document['unlabelled']} unlabelled",
        markup=False,
    )
    out.print(_figures(document), _confusion(document["confusion"]), _sources(document))
    if "coverage" in document:
        out.print(_coverage(document), _reliability(document))
    if "requests" in document:
        out.print(_bill(document), markup=False)


def _figures(document: dict[str, Any]) -> Table:
    """Shares with their intervals, and kappa."""
    table = _make_table("", "%", "95 %")
    for name in ("accuracy", "precision", "recall", "wrong_as_incorrect"):
        between = document["intervals"].get(name)
        table.add_row(name.replace("_", " "), percent(document[name]), _format_interval(between))
    kappa = document["kappa"]
    between = document["intervals"]["kappa"]
    span = "" if between is None else f"{between[0]:.3f} to {between[1]:.3f}"
    table.add_row("kappa", "–" if kappa is None else f"{kappa:.3f}", span)
    return table


def _confusion(confusion: dict[str, dict[str, int]]) -> Table:
    columns = list(next(iter(confusion.values()), {}))
    table = _make_table("people ↓   grader →", *map(str.lower, columns))
    for truth, row in confusion.items():
        table.add_row(truth.lower(), *(f"{row[label]:,}" for label in columns))
    return table


def _sources(document: dict[str, Any]) -> Table:
    table = _make_table("source", "answers", "accuracy %", "95 %")
    for source, row in document["by_source"].items():
        between = document["intervals"]["by_source"][source]
        table.add_row(
            cell(source, 40), f"{row['n']:,}", percent(row["accuracy"]), _format_interval(between)
        )
    return table


def _coverage(document: dict[str, Any]) -> Table:
    """How often a grader is right by its chance, among the answers that it is surest of."""
    table = _make_table("surest %", "right %")
    for one in document["coverage"]:
        table.add_row(f"{100 * one['coverage']:.0f}", percent(one["accuracy"]))
    return table


def _reliability(document: dict[str, Any]) -> Table:
    """Chances that a grader gives beside the shares that are right."""
    table = _make_table("chance %", "right %", "answers")
    for one in document["reliability"]:
        table.add_row(percent(one["chance"]), percent(one["right"]), f"{one['n']:,}")
    table.add_row("brier", f"{document['brier']:.3f}", "")
    table.add_row("ece", f"{document['ece']:.3f}", "")
    return table


def _bill(document: dict[str, Any]) -> str:
    """What a model was asked for this, and what that cost."""
    from core.pricing.budget import dollars

    cost = "price not known" if document["cost"] is None else dollars(document["cost"])
    states = (f"{count:,} {state}" for state, count in document["states"].items() if count)
    requests = document["requests"]
    used = (
        f"{format_amount(requests, 'request')}, "
        f"{document['input_tokens']:,} tokens in, {document['output_tokens']:,} out, {cost}; "
        f"version {document['version']}"
    )
    return "; ".join([used, *states])


def _format_interval(interval: tuple[float, float] | None) -> str:
    return "" if interval is None else f"{percent(interval[0])} to {percent(interval[1])}"


def _make_table(*columns: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, pad_edge=False)
    for place, name in enumerate(columns):
        table.add_column(name, justify="right" if place else "left", no_wrap=place > 0)
    return table
