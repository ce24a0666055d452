"""Tables of `lostkeys align`."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from tui.cli.tables import QUIET, console, percent, span
from tui.cli.terminal_text import one_line


def make_table(*columns: str) -> Table:
    """An empty table, the first column of words, the others of numbers."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, pad_edge=False)
    for place, name in enumerate(columns):
        left = place == 0 or name in ("by", "")
        table.add_column(name, justify="left" if left else "right", no_wrap=True)
    return table


def show_report(found: Mapping[str, Any]) -> None:
    """Print a report as a table for each part."""
    out = console()
    said = f"{one_line(found['person'])} has labelled {found['labelled']:,} of {found['answers']:,}"
    if found["not_blind"]:
        said += f" ({found['not_blind']:,} before the set was drawn: not blind)"
    out.print(said, markup=False)
    if found["gone"]:
        out.print(f"{found['gone']:,} answers left the set: fact rejected or question edited")
    for part in ("tune", "check", "final"):
        rows = [row for row in found["versions"] if row["parts"][part] is not None]
        if rows:
            out.print(_part_table(part, rows))
    for row in found["versions"]:
        if row["out_of_date"]:
            out.print(
                f"{one_line(row['grader'])} is out of date: {row['out_of_date']:,} of its labels "
                "are by a gold that was edited since; try it again",
                markup=False,
            )
    for one in found["opened"]:
        out.print(f"final was opened for {one_line(one['grader'])}", markup=False)
    people = found["people"]
    if len(people["persons"]) > 1 and people["alpha"] is not None:
        out.print(
            f"{len(people['persons'])} people agree with alpha {people['alpha']:.2f} over "
            f"{people['answers']:,} answers"
        )


def _part_table(part: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    names = ("n", "right %", "interval", "kappa", "interval", "vs parent", "p", "$/1k")
    table = make_table(part, *names)
    for row in rows:
        one = row["parts"][part]
        kappa, interval = one["kappa"], one["kappa_interval"]
        gone = one["discordant"]
        table.add_row(
            Text(one_line(row["grader"])),
            f"{one['n']:,}" + (f" (+{one['unlabelled']:,})" if one["unlabelled"] else ""),
            percent(one["accuracy"]),
            span(one["accuracy_interval"]),
            "–" if kappa is None else f"{kappa:.2f}",
            "–" if interval is None else f"{interval[0]:.2f}–{interval[1]:.2f}",
            "–" if gone is None else f"+{gone[1]} -{gone[0]}",
            "–" if one["p"] is None else f"{one['p']:.3f}",
            "–" if one["cost_per_1000"] is None else f"{one['cost_per_1000']:.2f}",
        )
    return table
