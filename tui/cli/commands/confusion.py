"""`lostkeys confusion`."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from core.errors import LostkeysError, UsageError
from core.scoring.policy import Policy
from core.stats.number_format import format_decimal
from core.vocabulary import TASKS, Task
from tui.cli.commands.sample import task_of
from tui.cli.options import (
    check_lake_alone,
    find_database,
    json_option,
    lake_option,
    latex_option,
    reading_options,
    split_names,
)
from tui.cli.plot_option import draw, plot_option
from tui.cli.tables import agreement_line, agreement_table, console, matrix_table
from tui.cli.terminal_text import one_line, print_json

if TYPE_CHECKING:
    from core.results.agreement import ConfusionReport
    from core.results.multi_rater import RaterPanel


@click.command("confusion")
@click.argument("graders", nargs=-1, metavar="GRADER_A GRADER_B [GRADER]...")
@click.option("--all", "everyone", is_flag=True, help="Compare all graders.")
@click.option("--tasks", "--task", metavar="T,...", help="Only these of the ten tasks.")
@plot_option
@latex_option
@json_option
@lake_option
@reading_options
def confusion_command(
    database: Path,
    policy: Policy,
    models: list[str] | None,
    where: str | None,
    graders: tuple[str, ...],
    everyone: bool,
    tasks: str | None,
    plot: Path | None,
    lake: Path | None,
    as_latex: bool,
    as_json: bool,
) -> None:
    """Compare the labels of graders over the responses that they have labelled.

    For two graders it shows the matrix of their labels. A disagreement is consequential if B's
    label, taken for that response alone, changes whether its question passes, and profile-changing
    if it changes the fact's profile. For more graders it compares every two, and all of them by
    Krippendorff's alpha. Intervals are 95 % and treat facts as what was drawn.
    """
    from core.project import OpenProject
    from core.results import multi_rater
    from core.results.agreement import compare

    if everyone == bool(graders) or len(graders) == 1:
        raise UsageError("name two graders or more to compare, or give --all")
    if plot is not None and (len(graders) != 2 or tasks):
        raise UsageError("--plot draws two graders over all tasks: name two, without --tasks")
    found: ConfusionReport | RaterPanel
    which = TASKS if tasks is None else tuple(task_of(name) for name in split_names(tasks))
    reviews = find_database()
    if lake is None:
        lake, reviews = _find_lake(database, where), database
    if lake is not None:
        check_lake_alone(plot=plot, all=everyone)
        found = _compare_in_lake(lake, reviews, graders, policy, models, where, which)
        _print(found.as_json(), graders, as_json, as_latex, policy)
        return
    with OpenProject(database, "read") as project:
        chosen = project.choose_models(models, arms=True)
        facts = project.facts(where, chosen, policy)
        if len(graders) == 2:
            found = compare(project, *graders, policy, chosen, facts, which)
            by_a = replace(policy, graders=policy.graders or graders[:1])
            draw(project, "confusion", plot, by_a, chosen, where, graders=graders)
        else:
            names = multi_rater.list_graders(project) if everyone else graders
            found = multi_rater.convene(project, names, chosen, facts, which)
    _print(found.as_json(), graders, as_json, as_latex, policy)


def _find_lake(database: Path, where: str | None) -> Path | None:
    """Where the labels of a database with counts are: counts have one label an answer."""
    from core.dataset.fact_filters import parse_where
    from core.glossary.job_terms import COUNTS_OF_A_LAKE
    from core.project import OpenProject

    with OpenProject(database, "read", counts=True) as project:
        if project.counted is None:
            return None
        lake = Path(project.counted.lake.path)
    if not lake.is_dir():
        raise LostkeysError(
            f"{database} holds {COUNTS_OF_A_LAKE} that is not at {lake} any more: name it by "
            "--from, its labels are compared there"
        )
    filters = parse_where(where or "")[0]
    if filters.only is not None or filters.numbers:
        raise UsageError(f"--where numbers and searches the facts of a database, not of {lake}")
    click.echo(one_line(f"{COUNTS_OF_A_LAKE}: labels are compared in {lake}"), err=True)
    return lake


def _compare_in_lake(
    lake: Path,
    reviews: Path | None,
    graders: tuple[str, ...],
    policy: Policy,
    models: list[str] | None,
    where: str | None,
    tasks: tuple[Task, ...],
) -> "ConfusionReport":
    """Compare two graders of a lake; a database may say which facts are reviewed."""
    from core.scale.lake_counts import LakeCounts
    from core.scale.lake_results import compare_graders

    if len(graders) != 2:
        raise UsageError("--from compares two graders of a lake: name two")
    with LakeCounts(lake, reviews) as counts:
        return compare_graders(counts, *graders, policy, models, where, tasks)


def _print(
    document: Mapping[str, Any],
    graders: tuple[str, ...],
    as_json: bool,
    as_latex: bool,
    policy: Policy,
) -> None:
    if as_latex:
        from core.report.latex_table import (
            agreement_caption,
            latex_table,
            matrix_rows,
            policy_caption,
        )

        told = {"tau": policy.tau, "strategy": policy.strategy, "graders": policy.graders}
        caption = policy_caption(agreement_caption(document), told)
        click.echo(latex_table(matrix_rows(document), caption), nl=False)
    elif as_json:
        print_json(document)
    elif len(graders) == 2:
        _show_two(document, *graders)
    else:
        _show_several(document)


def _show_two(document: Mapping[str, Any], a: str, b: str) -> None:
    out = console()
    if not document["n"]:
        a, b = one_line(a), one_line(b)
        out.print(f"{a} and {b} have labelled no response in common: grade the same ones first.")
        return
    out.print(matrix_table(document, a, b))
    out.print()
    table = agreement_table("")
    table.add_row(*agreement_line(document, "all"), style="bold")
    for part in ("by_task", "by_model"):
        for name, row in document[part].items():
            table.add_row(*agreement_line(row, name))
    out.print(table)
    out.print()
    apart = sum(document["flips"].values())
    out.print(
        f"{apart:,} disagreements: {document['consequential']:,} change a question, "
        f"{document['profile_changing']:,} of all change a profile, "
        f"{document['flips'].get('1', 0):,} stand in a question that one other label would change"
    )


def _show_several(document: Mapping[str, Any]) -> None:
    out = console()
    table = agreement_table("A", "B")
    for pair in document["pairs"]:
        table.add_row(*agreement_line(pair, pair["a"], pair["b"]))
    out.print(table)
    out.print()
    alpha = "–" if document["alpha"] is None else format_decimal(document["alpha"], 3)
    out.print(
        f"Krippendorff's alpha of all {len(document['graders'])}: "
        f"{alpha}, over {document['n']:,} responses that two "
        "or more of them have labelled"
    )
