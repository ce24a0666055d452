"""`lostkeys profiles`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table
from rich.text import Text

from core.dataset.fact_filters import GROUPINGS
from core.scoring.policy import Policy
from tui.cli.options import (
    check_lake_alone,
    find_database,
    json_option,
    lake_option,
    latex_option,
    reading_options,
)
from tui.cli.plot_option import draw, plot_option
from tui.cli.tables import (
    QUIET,
    cell,
    code,
    console,
    interval_line,
    interval_table,
    legend,
    percent,
    policy_line,
    print_counts_note,
    profile_tables,
)
from tui.cli.terminal_text import fit_name, one_line, print_json, room

if TYPE_CHECKING:
    from rich.console import Console

    from core.results.profile_summary import FactProfile
    from core.scoring.missing_pairs import MissingPairs

INCOMPLETE = (
    "Every fact is incomplete: questions, answers or labels are missing; "
    "`lostkeys run --thinking both` draws and grades what is."
)
COLUMNS = "A fact that comes with such columns, under another fact_id, can get one."
FEW_MODELS = 3
"""Up to this many models, each is told what stands outside of its profiles."""


DENOMINATORS = (
    "facts: those with a profile (complete and gradable where thinking was not measured); "
    "shares are of these; know and kn+T count direct inference (DI) too; NA (not gradable) and DI, "
    "together excl, are of all complete facts"
)
"""What the numbers of the table are counted over."""


@click.command("profiles")
@click.option(
    "--by",
    type=click.Choice(GROUPINGS),
    help="Break each model down.",
)
@click.option("--per-fact", is_flag=True, help="Also list every fact with its profile.")
@click.option("--intervals", is_flag=True, help="Add 95 % intervals of shares.")
@click.option(
    "--save", metavar="NAME", help="Save these profiles and their policy in the database."
)
@plot_option
@latex_option
@json_option
@lake_option
@reading_options
def profiles_command(
    database: Path,
    policy: Policy,
    models: list[str] | None,
    where: str | None,
    by: str | None,
    per_fact: bool,
    intervals: bool,
    save: str | None,
    plot: Path | None,
    lake: Path | None,
    as_latex: bool,
    as_json: bool,
) -> None:
    """Show each model's knowledge profiles.

    \b
    DR direct recall               stored, and recalled without thinking
    RT recall with thinking        stored, and recalled only by thinking
    IE inference without encoding  not stored, but worked out by thinking
    RF recall failure              stored, but out of reach
    EF encoding failure            never stored
    """
    if lake is not None:
        check_lake_alone(save=save, plot=plot)
        from core.scale.lake_counts import LakeCounts
        from core.scale.lake_results import read_profiles

        with LakeCounts(lake, find_database()) as counts:
            document, facts = read_profiles(counts, policy, models, where, by, intervals, per_fact)
            names = counts.entities() if per_fact and not as_json else {}
        if as_latex:
            _print_latex(document)
            return
        _print(document, facts if per_fact else None, names, intervals, as_json)
        return
    from core.project import OpenProject
    from core.results import profile_summary
    from core.scoring import curtailed_runs
    from core.scoring.missing_pairs import find_missing_pairs, find_unprofiled

    with OpenProject(database, "read" if save is None else "write", counts=True) as project:
        found = profile_summary.profiles(project, policy, models, where, by, intervals)
        if save is not None:
            found = profile_summary.save(project, found, save)
        draw(project, "profiles", plot, policy, models, where, intervals)
        facts = profile_summary.list_fact_profiles(project, found, intervals) if per_fact else []
        names = project.entities() if per_fact and not as_json else {}
        print_counts_note(project)
        unprofiled = find_unprofiled(project.connection, project.index, found.facts)
    if as_latex:
        _print_latex(found.as_json())
        return
    if unprofiled is not None and not as_json:
        from core.scoring.missing_pairs import ASK_TRIPLES

        console().print(policy_line(found.as_json()))
        console().print(Text(f"{unprofiled.describe(columns=True)}; {ASK_TRIPLES}."))
        return
    notes = curtailed_runs.notes(found.tally, policy)
    missing = find_missing_pairs(found.tally.exists, found.facts) if found.models else None
    _print(found.as_json(), facts if per_fact else None, names, intervals, as_json, notes, missing)


def _print_latex(document: Mapping[str, object]) -> None:
    from core.report.latex_table import latex_table, policy_caption, profile_rows

    caption = policy_caption(
        "Knowledge profiles, shares of the included facts, which knows and knows thinking exceed "
        "by direct inference; not gradable, direct inference, excluded: of all complete facts",
        document,
    )
    click.echo(latex_table(profile_rows(document), caption), nl=False)


def _print(
    document: dict[str, object],
    facts: "list[FactProfile] | None",
    names: Mapping[str, tuple[str, str]],
    intervals: bool,
    as_json: bool,
    notes: Sequence[str] = (),
    missing: "MissingPairs | None" = None,
) -> None:
    """Print profiles; `facts` are None where nobody asked for them, `names` theirs by fact_id."""
    if as_json:
        if facts is not None:
            document["facts"] = [fact.as_json(intervals) for fact in facts]
        print_json(document)
        return
    show(document, missing)
    for note in notes:
        console().print(Text(one_line(note), QUIET))
    if facts is not None:
        show_facts(facts, names, intervals)


def show(document: dict[str, object], missing: "MissingPairs | None" = None) -> None:
    """Print the profile table with its policy, and what stands outside of it.

    `missing` says which facts no run gives a profile.
    """
    out = console()
    out.print(policy_line(document))
    models = document["models"]
    assert isinstance(models, list)
    if not models:
        out.print("No responses yet: `lostkeys run --model M --grader lexical` draws some.")
        return
    for table in profile_tables(document, out.width):
        out.print(table)
        out.print()
    out.print(legend(out.width))
    out.print(Text(DENOMINATORS, QUIET))
    if "level" in document:
        out.print(interval_table(document))
        out.print(interval_line(document, any("redraw" in row for row in models)))
    for row in models if len(models) <= FEW_MODELS else []:
        _print_outside(out, row)
    if missing is not None:
        out.print(Text(f"{missing.describe(columns=True)}. {COLUMNS}"))
    if all(row["incomplete"] == row["total"] > (missing.facts if missing else 0) for row in models):
        out.print(INCOMPLETE)
    if document["provisional"]:
        out.print(Text("provisional: some answers are not drawn or not graded yet", QUIET))


def _print_outside(out: "Console", row: Mapping[str, Any]) -> None:
    """Say which facts of a model have no profile, and why."""
    counts = [
        f"{row[key]:,} {words}"
        for key, words in (
            ("incomplete", "incomplete"),
            ("excluded_nan", "not gradable"),
            ("direct_inference", "direct inference"),
        )
        if row[key]
    ]
    if counts:
        name = fit_name(row["model"], room(40))
        out.print(Text(f"{name}: {', '.join(counts)}, of {row['total']:,} facts", QUIET))


def show_facts(
    facts: "list[FactProfile]", names: Mapping[str, tuple[str, str]], again: bool
) -> None:
    """Print one line a fact and model; `again`: with the chance of the same if drawn again."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, pad_edge=False)
    for name in ("", "fact", "subject → object", "model", "E", "K0", "KT"):
        table.add_column(name, no_wrap=name in ("", "E", "K0", "KT"))
    if again:
        table.add_column("again %", no_wrap=True, justify="right")
    for fact in facts:
        subject, object_ = names[fact.fact_id]
        table.add_row(
            code(fact.profile, fact.e, fact.k0),
            cell(fact.fact_id, 32),
            cell(f"{subject} → {object_}", 44),
            cell(fit_name(fact.model, room(28)), 28),
            *(_format_flag(value) for value in (fact.e, fact.k0, fact.kt)),
            *([percent(fact.again)] if again else []),
        )
    out = console()
    out.print()
    out.print(table)


def _format_flag(value: bool | None) -> Text:
    if value is None:
        return Text("–", QUIET)
    return Text("yes" if value else "no")
