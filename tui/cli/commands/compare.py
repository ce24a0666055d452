"""`lostkeys compare`."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table
from rich.text import Text

from core.scoring.policy import Policy
from core.vocabulary import CODES
from tui.cli.options import (
    database_option,
    json_option,
    policy_options,
    view_options,
    where_option,
)
from tui.cli.tables import (
    ORDER,
    QUIET,
    RATES,
    TEXT_STYLES,
    cell,
    code,
    console,
    format_gap,
    gap_span,
    interval_line,
    legend,
    percent,
    policy_line,
    print_counts_note,
)
from tui.cli.terminal_text import fit_name, print_json, room

if TYPE_CHECKING:
    from core.project import OpenProject
    from core.results.model_comparison import Comparison
    from core.views.saved_views import SavedView

KNOWING = {key: short for short, key in RATES.items() if key != "excluded_share"}
SHORT = {"encodes": "E", "knows": "K0", "knows_thinking": "KT"}


@click.command("compare")
@click.argument("a", metavar="A")
@click.argument("b", metavar="[B]", required=False)
@click.option(
    "--policy-b",
    metavar="NAME",
    help="The saved policy for B. Without B, A is compared with itself.",
)
@click.option("--facts", "list_facts", is_flag=True, help="Also list the facts that moved.")
@json_option
@where_option
@policy_options
@database_option
@view_options
def compare_command(
    database: Path,
    policy: Policy,
    where: str | None,
    view: "SavedView | None",
    compared: tuple[str, ...],
    a: str,
    b: str | None,
    policy_b: str | None,
    list_facts: bool,
    as_json: bool,
) -> None:
    """Compare two models, or two runs, on the same facts.

    The table has a row for each profile with A and a column for each with B. Tests are exact
    (McNemar) and adjusted for their number (Benjamini-Yekutieli). With --policy-b, B is judged
    under another policy: `lostkeys compare M --policy-b strict`. With --view, the facts, graders
    and policy are those of a saved view.
    """
    from core.project import OpenProject
    from core.results import saved_policies
    from core.results.model_comparison import compare
    from core.views.where_resolver import resolve_where

    where = resolve_where(database, where, [a, b or a], policy, compared)
    with OpenProject(database, "read", counts=True) as project:
        print_counts_note(project)
        other = policy if policy_b is None else saved_policies.find(project, policy_b)
        found = compare(project, (a, policy), (b or a, other), where)
        if as_json:
            print_json(found.as_json())
        else:
            show(found)
            if list_facts:
                show_facts(project, found)


def show(found: "Comparison") -> None:
    """Print both sides, the flow of facts, and what changed."""
    out, document = console(), found.as_json()
    for letter, side in (("A", document["a"]), ("B", document["b"])):
        assert isinstance(side, Mapping)
        out.print(
            Text.assemble(f"{letter} {fit_name(side['model'], room(40))}  ", policy_line(side))
        )
    out.print()
    if not found.compared.any():
        out.print("No fact can be compared: none is complete and has a profile with both.")
    if found.thinking:
        out.print(flow_table(document))
        out.print()
        out.print(legend(out.width))
    else:
        out.print("No profiles to compare: not both were asked with thinking.")
    out.print(change_table(document))
    out.print(Text(_format_counts(document), QUIET))
    out.print(interval_line(document).append("; at the level of the adjusted tests"))
    if found.differs_in_answers:
        out.print(Text(_answers_words(found), QUIET))
    if document["provisional"]:
        out.print(Text("provisional: some answers are not drawn or not graded yet", QUIET))


def _answers_words(found: "Comparison") -> str:
    a, b = ("none" if side.answers is None else side.answers for side in (found.a, found.b))
    return f"A has {a} answers a question, B {b}: shares move with that, no interval has it in"


def flow_table(document: Mapping[str, Any]) -> Table:
    """Facts by profile with A (lines) and with B (columns)."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, pad_edge=False)
    table.add_column("A ↓  B →")
    flows = [*map(str, ORDER), "without"]
    for name in (*flows, "all"):
        table.add_column(CODES.get(name, name), justify="right", no_wrap=True)
    for row in flows:
        counts = [document["flow"][row][column] for column in flows]
        letters = CODES.get(row, row)
        cells = [
            Text(f"{count:,}", "bold" if row == column else "")
            for column, count in zip(flows, counts, strict=True)
        ]
        table.add_row(Text(letters, TEXT_STYLES.get(letters, QUIET)), *cells, f"{sum(counts):,}")
    sums = [sum(document["flow"][row][column] for row in flows) for column in flows]
    table.add_row(Text("all", QUIET), *(f"{one:,}" for one in sums), f"{sum(sums):,}")
    return table


def change_table(document: Mapping[str, Any]) -> Table:
    """One line a number: both shares, their difference with its interval, and the test."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, pad_edge=False)
    table.add_column("of the compared")
    headers = ("A %", "B %", "B-A", "interval", "only A", "only B", "adjusted p", "differs")
    for name in headers:
        table.add_column(name, justify="right", no_wrap=True)
    by_number = {one["number"]: one for one in document["changes"]}
    for number in (*map(str, ORDER), *KNOWING):
        if number not in by_number:
            continue
        one, letters = by_number[number], CODES.get(number, "")
        table.add_row(
            Text(letters, TEXT_STYLES[letters]) if letters else Text(KNOWING[number]),
            percent(one["a"]),
            percent(one["b"]),
            format_gap(one["difference"]),
            Text(gap_span(one["interval"]), QUIET),
            f"{one['only_a']:,}",
            f"{one['only_b']:,}",
            "–" if one["p"] is None else f"{one['p_adjusted']:.2g}",
            "–" if one["p"] is None else "yes" if one["significant"] else "no",
        )
    return table


def _format_counts(document: Mapping[str, Any]) -> str:
    parts = [
        f"{document[key]:,} {words}"
        for key, words in (
            ("only_a", "fit with A only"),
            ("only_b", "fit with B only"),
            ("neither", "with neither"),
        )
        if document[key]
    ]
    left = f"; not compared: {', '.join(parts)}" if parts else ""
    return (
        f"{document['compared']:,} of {document['total']:,} facts compared, of which "
        f"{document['moved']:,} moved{left}"
    )


def show_facts(project: "OpenProject", found: "Comparison") -> None:
    """Print one line a fact that moved."""
    entities = project.entities()
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, pad_edge=False)
    for name in ("A", "B", "fact", "subject → object", "changed"):
        table.add_column(name, no_wrap=name in ("A", "B", "changed"))
    for one in found.moved:
        subject, object_ = entities[one.fact_id]
        letters = [Text("–", QUIET) if side is None else code(side) for side in (one.a, one.b)]
        table.add_row(
            *letters,
            cell(one.fact_id, 32),
            cell(f"{subject} → {object_}", 44),
            ", ".join(SHORT[number] for number in one.changed),
        )
    out = console()
    out.print()
    out.print(table if found.moved else "No fact moved.")
