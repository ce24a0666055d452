"""`lostkeys fact-bench table`, `compare`: what arms come to."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from rich.text import Text

from tui.cli.options import (
    MOST,
    LateHelpCommand,
    database_option,
    json_option,
    latex_option,
    split_names,
)
from tui.cli.plot_option import plot_option, save_figure
from tui.cli.tables import QUIET, console
from tui.cli.terminal_text import one_line, print_json

if TYPE_CHECKING:
    from core.analyses.analysis_record import Column
    from core.fact_bench.bench_evidence import BenchChoice, BenchEvidence
    from core.fact_bench.bench_table import BenchRow

F = TypeVar("F", bound=Callable[..., Any])


def choice_options(command: F) -> F:
    """Which figures are meant; gives the command its `choice`."""

    @click.option(
        "--set",
        "set_name",
        metavar="NAME",
        help="Name of the set of triples. Default: the only one.",
    )
    @click.option(
        "--split",
        type=click.Choice(["eval", "subset", "train", "all"]),
        help="The split to report. Default: the subset if there is one, else eval.",
    )
    @click.option("--judge", metavar="G", help="The judge. Default: the only one.")
    @click.option(
        "--known-by",
        metavar="G",
        help="The grader that decides what is known: em or a grader. Default: the judge.",
    )
    @click.option("--where", metavar="FILTER", help="Only triples that match this filter.")
    @click.option("--seed", type=click.IntRange(-MOST, MOST), help="Default: the seed of the set.")
    @wraps(command)
    def with_choice(
        *args: Any,
        set_name: str | None,
        split: str | None,
        judge: str | None,
        known_by: str | None,
        where: str | None,
        seed: int | None,
        model: str | None = None,
        mode: str | None = None,
        pair_metric: str | None = None,
        pairs: Sequence[str] = (),
        **kwargs: Any,
    ) -> Any:
        from core.fact_bench.bench_evidence import BenchChoice

        models, modes = (None if one is None else split_names(one) for one in (model, mode))
        choice = BenchChoice(set_name, split, models, modes, judge, known_by, where, seed)
        if pair_metric is not None:
            choice = replace(choice, metric=pair_metric)
        if pairs:
            choice = replace(choice, pairs=tuple(_read_pair(one) for one in pairs))
        return command(*args, choice=choice, **kwargs)

    return with_choice  # type: ignore[return-value]


def _read_pair(text: str) -> tuple[str, str]:
    """The two models of `BASE,TUNED`. Raises `UsageError` for anything else."""
    from core.errors import UsageError

    named = split_names(text)
    if len(named) != 2 or named[0] == named[1]:
        raise UsageError(f"--pair {text}: name two models, as BASE,TUNED")
    return named[0], named[1]


def _list_tables() -> str:
    from core.fact_bench.tables import BENCH_TABLES

    width = max(map(len, BENCH_TABLES)) + 2
    return "\n".join(f"{one.name:{width}}{one.question}" for one in BENCH_TABLES.values())


@click.command("table", cls=LateHelpCommand, late={"{tables}": _list_tables})
@click.argument("name", required=False)
@click.option("--model", metavar="M[,M2]", help="Only these models or arms.")
@click.option("--mode", metavar="MODE[,MODE]", help="Only these modes.")
@click.option(
    "--metric",
    "pair_metric",
    type=click.Choice(["em", "f1", "judge"]),
    help="Metric of `shuffle`, `regular` and `tuned`. Default: em.",
)
@click.option(
    "--pair",
    "pairs",
    multiple=True,
    metavar="BASE,TUNED",
    help="For `tuned`: these pairs. Default: models whose base a zp-models file names.",
)
@plot_option
@latex_option
@json_option
@choice_options
@database_option
def table_command(
    database: Path,
    choice: "BenchChoice",
    name: str | None,
    plot: Path | None,
    as_latex: bool,
    as_json: bool,
) -> None:
    """Show a table of how many facts each arm states correctly.

    \b
    {tables}
    """
    from core.errors import UsageError
    from core.fact_bench.bench_evidence import BenchEvidence
    from core.fact_bench.tables import BENCH_TABLES, choose_table
    from core.figures.bench_figures import check_bench, make_bench
    from core.project import OpenProject

    if name is None:
        raise UsageError(f"table needs a name: choose one of {', '.join(BENCH_TABLES)}")
    table = choose_table(name, choice)
    if plot is not None:
        check_bench(name)
    with OpenProject(database, "read") as project:
        evidence = BenchEvidence(project, choice)
        document = table.as_json(evidence)
        lacking = "" if document["rows"] else table.explain_lack(evidence)
        rows = document["rows"]
        assert isinstance(rows, list)
        uncounted = table.explain_uncounted(evidence, rows)
        if plot is not None:
            save_figure(make_bench(evidence, name), plot)
    if as_latex:
        from core.report.latex_table import latex_table

        told = {key: value for key, value in document.items() if key != "rows"}
        said = "; ".join(f"{key} {value}" for key, value in told.items() if value not in (None, []))
        click.echo(latex_table(rows, f"{table.question} ({said})"), nl=False)
    elif as_json:
        print_json(document)
    else:
        show_rows(evidence, table.columns, rows, table.describe(evidence), lacking)
        if uncounted:
            click.echo(one_line(uncounted), err=True)


@click.command("compare")
@click.argument("a", metavar="A")
@click.argument("others", metavar="B[,C]")
@click.option("--metric", default="em,f1,judge", show_default=True, metavar="NAME[,NAME]")
@json_option
@choice_options
@database_option
def compare_arms_command(
    database: Path, choice: "BenchChoice", a: str, others: str, metric: str, as_json: bool
) -> None:
    """Compare arms B, C with A, on the triples that both have; arms are named MODEL#MODE."""
    from core.fact_bench.arm_pairs import COMPARISON_COLUMNS, COMPARISON_NOTE, compare_arms
    from core.fact_bench.bench_evidence import BenchEvidence
    from core.project import OpenProject

    with OpenProject(database, "read") as project:
        evidence = BenchEvidence(project, choice)
        rows = compare_arms(evidence, a, split_names(others), split_names(metric))
        head = evidence.head()
    if as_json:
        print_json({**head, "rows": rows})
    else:
        show_rows(evidence, COMPARISON_COLUMNS, rows, COMPARISON_NOTE)


def show_rows(
    evidence: "BenchEvidence",
    columns: "Sequence[Column]",
    rows: "Sequence[BenchRow]",
    note: str,
    lacking: str = "",
) -> None:
    """Print what a table is over, its rows, and what their numbers are."""
    from tui.cli.analysis_tables import RowTable, print_table

    out = console()
    head = evidence.head()
    judge = f"judge {head['judge']}" if head["judge"] else "no judge"
    out.print(Text(one_line(f"{head['set']} · {head['split']} · {judge}"), QUIET))
    if rows:
        print_table(out, RowTable(columns, rows))
        out.print()
        out.print(Text(note, QUIET))
    else:
        out.print(Text(lacking))
