"""`lostkeys analyze`."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.text import Text

from core.scoring.policy import Policy
from tui.cli.options import (
    LateHelpCommand,
    check_lake_alone,
    find_database,
    json_option,
    lake_option,
    latex_option,
    reading_options,
)
from tui.cli.plot_option import draw, plot_option
from tui.cli.tables import QUIET, console, interval_line, policy_line, print_counts_note
from tui.cli.terminal_text import one_line, print_json

if TYPE_CHECKING:
    from core.analyses.analysis import AnalysisResult


OWN_OPTIONS = {
    "by": "direction: answer_type, a row for each type of answer",
    "tier": "popularity: share of facts in the bottom and in the top tier [0.2]",
    "taus": "threshold: thresholds, such as .25,.5",
    "tasks": "bootstrap: tasks to resample",
    "sizes": "bootstrap: numbers of answers, such as 1,2,4",
    "resamples": "bootstrap: number of resamples [1,000]",
    "seed": "bootstrap: seed of the resamples [1]",
}
"""Options of single analyses with their help; a test holds them against the records."""


def _list_analyses() -> str:
    from core.analyses import ANALYSES

    width = max(map(len, ANALYSES)) + 2
    return "\n".join(f"{one.name:{width}}{one.question}" for one in ANALYSES.values())


def _options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of single analyses, which the records name; they come in as `own`."""

    @wraps(command)
    def with_own(*args: Any, **kwargs: Any) -> Any:
        own = {name: kwargs.pop(name) for name in OWN_OPTIONS}
        return command(*args, own={k: v for k, v in own.items() if v is not None}, **kwargs)

    found: Callable[..., Any] = with_own
    for name in reversed(OWN_OPTIONS):
        found = click.option(f"--{name}", help=OWN_OPTIONS[name])(found)
    return found


@click.command("analyze", cls=LateHelpCommand, late={"{analyses}": _list_analyses})
@click.argument("name", required=False)
@click.option("--intervals", is_flag=True, help="Add 95 % intervals of shares and gaps.")
@_options
@plot_option
@latex_option
@json_option
@lake_option
@reading_options
def analyze_command(
    database: Path,
    policy: Policy,
    models: list[str] | None,
    where: str | None,
    name: str | None,
    intervals: bool,
    plot: Path | None,
    lake: Path | None,
    as_latex: bool,
    as_json: bool,
    own: dict[str, str],
) -> None:
    """Run one of the analyses.

    \b
    {analyses}

    With --plot, also trends: the profiles of models, sorted by what they know.
    """
    from core.analyses import ANALYSES
    from core.analyses.analysis import analyse
    from core.errors import UsageError
    from core.project import OpenProject

    if name is None:
        raise UsageError(f"analyze needs the name of an analysis, one of {', '.join(ANALYSES)}")
    if lake is not None:
        check_lake_alone(plot=plot)
        from core.scale.lake_counts import LakeCounts

        with LakeCounts(lake, find_database()) as counts:
            found = analyse(counts, name, policy, models, where, intervals, own)
    else:
        with OpenProject(database, "read", counts=True) as project:
            print_counts_note(project)
            if name not in ANALYSES and _is_drawn(name, plot, as_json):
                draw(project, name, plot, policy, models, where, intervals)
                return
            found = analyse(project, name, policy, models, where, intervals, own)
            draw(project, name, plot, policy, models, where, intervals)
    for note in found.notes:
        click.echo(one_line(note), err=True)
    if as_latex:
        from core.report.latex_table import latex_table, policy_caption

        document: dict[str, Any] = found.as_json()
        name_choice, question = found.record.name_choice, found.record.question
        caption = policy_caption(name_choice(question), document)
        click.echo(latex_table(document["rows"], caption), nl=False)
        if document.get("gaps"):
            caption = policy_caption(f"{found.record.question}: gaps", document)
            click.echo("\n" + latex_table(document["gaps"], caption), nl=False)
        for part, _ in found.shown_parts():
            caption = policy_caption(name_choice(f"{question}: {part.title}"), document)
            click.echo("\n" + latex_table(document[part.key], caption), nl=False)
    elif as_json:
        print_json(found.as_json())
    else:
        show(found)


def _is_drawn(name: str, plot: Path | None, as_json: bool) -> bool:
    """Whether a name that is no analysis is to be drawn; refuses a figure without a file."""
    from core.errors import UsageError
    from core.figures.figure_table import BY_NAME

    if plot is not None:
        if as_json:
            raise UsageError(f"{name} is no analysis: it is drawn, without --json")
        return True
    if name in BY_NAME:
        tables = {"confusion": "confusion", "trends": "profiles", "profiles": "profiles"}
        beside = f"; `lostkeys {tables[name]}` prints its numbers" if name in tables else ""
        raise UsageError(f"{name} is only a figure: draw it with --plot FILE.svg{beside}")
    return False


def show(found: "AnalysisResult") -> None:
    """Print the policy, the rows as a table, and what its numbers are counted over."""
    from tui.cli.analysis_tables import (
        RowTable,
        make_gap_table,
        make_part_table,
        make_table,
        print_table,
    )

    out, head, record = console(), found.head(), found.record
    if not record.is_of_facts:
        out.print(policy_line(head))
    missing = why_nothing(found)
    table = RowTable((), ()) if missing else make_table(found, out.width)
    if table.rows:
        print_table(out, table)
        out.print()
    if missing:
        out.print(missing)
    elif record.summary:
        words = record.summary(len(table.rows), int(found.evidence.facts.sum()))
        out.print(record.name_choice(words))
    else:
        out.print(Text(record.name_choice(record.note), QUIET))
    if table.rows and found.intervals is not None:
        if found.intervals.gaps:
            out.print()
            print_table(out, make_gap_table(found, found.intervals))
            out.print()
        out.print(interval_line(head))
    for part, rows in found.shown_parts() if not missing else ():
        if rows:
            out.print()
            out.print(part.title)
            print_table(out, make_part_table(part, rows, found.intervals))
            out.print()
            out.print(Text(part.note, QUIET))
    if found.provisional:
        out.print(Text("provisional: some answers are not drawn or not graded yet", QUIET))


NO_FACT = "No fact fits: take other words for --where, or import facts."


def why_nothing(found: "AnalysisResult") -> str:
    """What is missing for an analysis to say anything, and how to get it; else nothing."""
    evidence, record = found.evidence, found.record
    tally = evidence.tally
    if record.is_of_facts:
        return "" if evidence.facts.any() else NO_FACT
    if not tally.models:
        return "No responses yet: `lostkeys run --model M --grader lexical` draws some."
    if not evidence.facts.any():
        return NO_FACT
    if not tally.labels[..., evidence.facts].any():
        return "No answers with labels here: `lostkeys grade --grader lexical` sets some."
    if record.no_thinking and not tally.thinks().any():
        return record.no_thinking
    if record.is_of_judged and not evidence.analysis_set().any():
        return (
            "No fact here is complete and gradable: `lostkeys profiles` counts why, "
            "`lostkeys run` draws and grades what is missing."
        )
    return ""
