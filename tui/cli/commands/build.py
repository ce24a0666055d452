"""`lostkeys build`."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from core.specs.build_specs import ParagraphChoice
from tui.cli.options import (
    Dollars,
    ModelParameter,
    database_option,
    json_option,
    replies_option,
    request_options,
)
from tui.cli.terminal_text import one_line, print_json

if TYPE_CHECKING:
    from rich.table import Table

    from core.pipeline.funnel import FunnelRow
    from core.project import OpenProject
    from core.specs.build_specs import BuildingSpec

NAME, NUMBERS, LEAST = 21, 76, 16
"""Cells of a stage's name, of all columns but the reasons, and the fewest that reasons take."""

LONGEST = 1_000
"""Cells of the reasons of one stage where they may take several lines."""


@click.command("build")
@click.option(
    "--documents",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Import these documents first (a file, or a folder of .txt, .md, .html and .pdf).",
)
@click.option(
    "--model",
    type=ModelParameter(),
    metavar="M",
    help="The model, such as openai:MODEL; without one, only rules are used.",
)
@click.option(
    "--grounding",
    default="local",
    show_default=True,
    metavar="G",
    help=("Sources that questions are checked against: local, gemini[:MODEL] or openai[:MODEL]."),
)
@click.option("--until", metavar="STAGE", help="Stop after this stage.")
@click.option("--only", metavar="STAGE", help="Run only this stage.")
@click.option(
    "--target",
    type=click.IntRange(1),
    metavar="N",
    help="Keep N candidates in all; a larger N later keeps more.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of --target.")
@click.option(
    "--paragraphs",
    type=click.Choice(get_args(ParagraphChoice)),
    default="auto",
    show_default=True,
    help=(
        "Paragraphs to use: the first, all, or (auto) the first of a Wikipedia page and "
        "all of other documents."
    ),
)
@click.option(
    "--redo", metavar="STAGE", help="Run a stage again where its prompt or model has changed."
)
@click.option("--only-failed", is_flag=True, help="Only requests that failed before.")
@replies_option
@request_options
@click.option(
    "--max-cost", type=Dollars(), metavar="USD", help="Stop before it costs more than this."
)
@click.option("--dry-run", is_flag=True, help="Show what it would take, and stop.")
@click.option("--funnel", "only_shown", is_flag=True, help="Show the progress, and stop.")
@json_option
@database_option
def build_command(
    database: Path,
    documents: Path | None,
    max_cost: float | None,
    dry_run: bool,
    only_shown: bool,
    as_json: bool,
    **asked: Any,
) -> None:
    """Build facts with ten checked questions each from documents; only what is missing.

    Every document goes through the stages of the funnel, which is printed at the end beside the
    paper's own. Imported facts that lack tasks get them from the same stages, or from rules if no
    model is named. You can stop it at any time and run the same command again.
    """
    from core.project import OpenProject
    from core.settings import paths
    from core.specs.build_specs import BuildingSpec

    folder = paths.prompts_folder()
    spec = BuildingSpec(**asked, prompts=None if folder is None else str(folder))
    _check(spec, database, documents)
    if dry_run or only_shown:
        failed = _look(database, spec, documents, max_cost, None if dry_run else as_json)
    else:
        failed = 0 if documents is None else _bring_in(database, documents)
        if max_cost is not None:
            with OpenProject(database, "read") as project:
                _estimate(project, spec, max_cost, shown=False)
        failed += _run(database, spec, max_cost)
        with OpenProject(database, "read") as project:
            _show(project, spec, as_json)
    if failed:
        raise click.exceptions.Exit(1)


def _check(spec: "BuildingSpec", database: Path, documents: Path | None) -> None:
    """Raise `UsageError` for words that mean nothing, before anything is read."""
    from core.errors import UsageError
    from core.pipeline.build_scope import find_stage, scope_of
    from core.pipeline.grounding.grounding_table import check
    from core.providers.model_names import parse

    scope_of(spec.until, spec.only)
    if spec.redo is not None:
        find_stage(spec.redo)
    if spec.model is not None:
        parse(spec.model)
    if spec.grounding != "local":
        check(spec.grounding)
    if documents is None and not database.exists():
        raise UsageError(
            f"{database} does not exist: name documents with --documents, or another file with --db"
        )


def _bring_in(database: Path, documents: Path) -> int:
    """Import documents; gives how many rows could not be used."""
    from core.specs.file_specs import ImportingSpec
    from tui.cli.job_follower import run_job

    return run_job(database, ImportingSpec(str(documents), "documents", lenient=True)).failed


def _look(
    database: Path,
    spec: "BuildingSpec",
    documents: Path | None,
    max_cost: float | None,
    as_json: bool | None,
) -> int:
    """Print the funnel, or where `as_json` is None the estimate; nothing is written.

    Documents are imported into a passing copy. Gives how many of their rows could not be used.
    """
    from core.project import OpenProject
    from core.transfer.imports import import_file, rehearsal
    from tui.cli.commands.import_files import show_report

    bad = 0
    with ExitStack() as stack:
        project = stack.enter_context(OpenProject(database, "read")) if database.exists() else None
        if documents is not None or project is None:
            project = stack.enter_context(rehearsal(project))
        if documents is not None:
            report = import_file(project, documents, "documents")
            show_report(documents, report, "would add")
            bad = report.bad
        if as_json is None:
            _estimate(project, spec, max_cost, shown=True)
        else:
            _show(project, spec, as_json)
    return bad


def _estimate(
    project: "OpenProject", spec: "BuildingSpec", max_cost: float | None, shown: bool
) -> None:
    from core.estimates.build_estimate import estimate, make_lines
    from core.estimates.estimate import check_budget

    found = estimate(project, spec)
    if shown:
        for line in make_lines(found):
            click.echo(line if line.isascii() else one_line(line))
    warning = check_budget(found, max_cost)
    if warning is not None:
        click.echo(f"warning: {warning}", err=True)


def _run(database: Path, spec: "BuildingSpec", max_cost: float | None) -> int:
    from tui.cli.job_follower import run_job

    return run_job(database, spec, max_cost).failed


def _show(project: "OpenProject", spec: "BuildingSpec", as_json: bool) -> None:
    """Print the funnel."""
    from core.pipeline.build_scope import BuildScope
    from core.pipeline.funnel import funnel, paragraphs
    from tui.cli.tables import console

    rows = funnel(project.connection, BuildScope(paragraphs=spec.paragraphs))
    facts, all_there = len(project.index), paragraphs(project.connection)
    if as_json:
        print_json({"facts": facts, "stages": [row.as_json(rows) for row in rows]})
        return
    out = console()
    rows = [row for row in rows if not row.is_idle]
    out.print(funnel_table(rows, out.width))
    if out.width - NUMBERS < LEAST:
        out.print(reasons_table(rows))
    first = rows[0].taken + rows[0].waiting
    if first < all_there:
        which = "document" if spec.paragraphs == "first" else "Wikipedia page"
        out.print(
            f"{first:,} of {all_there:,} paragraphs, the first of each {which}: "
            "--paragraphs all takes the others too"
        )


def reasons_table(rows: "list[FunnelRow]") -> "Table":
    """Why units were lost, for a terminal that has no room for it beside the numbers."""
    from rich.table import Table
    from rich.text import Text

    from tui.cli.tables import QUIET, cell

    table = Table(box=None, padding=(0, 1, 0, 0), header_style=QUIET, pad_edge=False)
    table.add_column("stage", no_wrap=True)
    table.add_column("why", overflow="fold")
    for row in rows:
        if row.dropped or row.failed:
            table.add_row(
                cell(row.stage.name, NAME), Text(one_line(_format_reasons(row), LONGEST), QUIET)
            )
    return table


def _format_reasons(row: "FunnelRow") -> str:
    found = (row.dropped + row.failed).most_common()
    return ", ".join(f"{count:,} {reason}" for reason, count in found)


def funnel_table(rows: "list[FunnelRow]", width: int) -> "Table":
    """Units of each stage: waiting, taken, kept, dropped and why, failed; the paper's rates."""
    from rich.table import Table
    from rich.text import Text

    from core.pipeline.funnel import dropped_share
    from tui.cli.tables import QUIET, cell, percent

    table = Table(box=None, padding=(0, 1, 0, 0), header_style=QUIET, pad_edge=False)
    table.add_column("stage", no_wrap=True)
    for name in ("waiting", "taken", "kept", "dropped", "failed", "% dropped", "in paper"):
        table.add_column(name, justify="right", no_wrap=True)
    room = width - NUMBERS
    if room >= LEAST:
        table.add_column("why")
    for row in rows:
        reported = row.stage.reported
        paper = None if reported is None else reported.dropped_share
        table.add_row(
            cell(row.stage.name, NAME),
            *map(_count, (row.waiting, row.taken, row.kept)),
            *map(_count, (row.dropped.total(), row.failed.total())),
            percent(dropped_share(row, rows)) if row.taken else "·",
            Text("" if paper is None else percent(paper), QUIET),
            *([Text(one_line(_format_reasons(row), room), QUIET)] if room >= LEAST else []),
        )
    return table


def _count(number: int) -> str:
    return f"{number:,}" if number else "·"
