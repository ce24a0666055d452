"""Tables for people: profiles, facts and confusion, in the colours of the screens."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from core.stats.number_format import format_decimal, format_difference, format_percent
from core.vocabulary import CODES, LABELS, Profile
from tui.cli.terminal_text import fit_name, has_width, one_line, room
from tui.theme.palettes import DARK

if TYPE_CHECKING:
    from core.project import OpenProject

ORDER = tuple(map(Profile, list(CODES)[: len(Profile)]))
"""From known to unknown, as everywhere on screen."""

_LETTERS = [CODES[profile] for profile in ORDER]
TEXT_STYLES = {code: f"bold {DARK[f'profile-{code.lower()}']}" for code in _LETTERS}
FILL_STYLES = {
    code: f"{DARK[f'on-{code.lower()}']} on {DARK[f'fill-{code.lower()}']}" for code in _LETTERS
}
QUIET = DARK["ink-3"]
UNBOUNDED = 1 << 20
"""Cells of a line in a file: more than any table has."""

RATES = {"enc": "encodes", "know": "knows", "kn+T": "knows_thinking", "excl": "excluded_share"}
"""The numbers beside the profiles: headers and keys."""

LEFT_OUT = {"NA": "not_gradable_share", "DI": "direct_inference_share"}
"""The two parts of `excl`, of all complete facts."""


def code(profile: str | None, e: bool | None = None, k0: bool | None = None) -> Text:
    """The two letters of a verdict; without thinking, E and K0 stand in for it."""
    if profile is None:
        return Text(("E" if e else "-") + ("K" if k0 else "-"), QUIET)
    letters = CODES.get(profile, profile)
    return Text(letters, TEXT_STYLES.get(letters, QUIET))


def cell(text: str, width: int, style: str = "", indent: str = "") -> Text:
    """A name of at most `width` cells. In a table that is too wide names give way, not numbers.

    Where stdout has no width it is whole.
    """
    return Text(indent + one_line(text, room(width)), style, no_wrap=True, overflow="ellipsis")


def policy_line(head: Mapping[str, Any]) -> Text:
    """Under which policy a document's numbers stand, by name if it is saved."""
    name = [] if head["policy"] is None else [one_line(head["policy"], room(60))]
    weight = f" weight {head['weight']}" if head["weight"] is not None else ""
    asked = " then ".join(one_line(grader) for grader in head["graders"])
    parts = [*name, f"tau {head['tau']}", f"{head['strategy']}{weight}", asked]
    return Text(" · ".join(parts), QUIET)


def print_counts_note(project: "OpenProject") -> None:
    """Say on stderr that a project's numbers are counts of a lake, where they are."""
    from core.scoring.lake_labels import note_counts

    for note in note_counts(project.counted, project.grids):
        click.echo(one_line(note), err=True)


def span(interval: Sequence[float] | None) -> str:
    """An interval in points, a dash where there is none."""
    return "–" if interval is None else "–".join(map(percent, interval))


def format_gap(gap: float | None) -> str:
    """A gap in points with its sign, a dash where there is none."""
    return "–" if gap is None else format_difference(gap)


def gap_span(interval: Sequence[float] | None) -> str:
    """The interval of a gap in points, a dash where there is none."""
    return "–" if interval is None else " to ".join(map(format_gap, interval))


def percent(share: float | None) -> str:
    """A share as points with one decimal, a dash where there is none."""
    return "–" if share is None else format_percent(share)


def bar(
    shares: Mapping[str, float | None], left_out: Mapping[str, float | None], width: int
) -> tuple[Text, bool]:
    """The five shares, then what they leave out, as one full bar of `width` cells.

    Edges are by largest remainder; what is left out has a cell at least. The bar comes with
    whether there was room in it for the number of every share that is not 0.
    """
    parts = [(CODES[profile], shares[profile] or 0.0) for profile in ORDER]
    if not any(share for _, share in parts):
        return Text("no fact included".ljust(width), QUIET), True
    ends = {code: max(1, round(share * width)) for code, share in left_out.items() if share}
    width -= sum(ends.values())
    cells = [int(share * width) for _, share in parts]
    by_rest = sorted(range(len(parts)), key=lambda i: cells[i] - parts[i][1] * width)
    for place in by_rest[: width - sum(cells)]:
        cells[place] += 1
    drawn, whole = Text(), True
    for (letters, share), size in zip(parts, cells, strict=True):
        full = f"{letters} {percent(share)}"
        caption = full if len(full) <= size else letters if len(letters) <= size else ""
        drawn.append(caption.ljust(size), FILL_STYLES[letters])
        whole = whole and (caption == full or not share)
    for letters, size in ends.items():
        full = f"{letters} {percent(left_out[letters])}"
        caption = next((one for one in (full, letters) if len(one) <= size), "")
        drawn.append(caption.ljust(size, "░"), QUIET)
    return drawn, whole


def profile_tables(document: Mapping[str, object], width: int) -> list[Table]:
    """The models of a `profiles --json` document as stacked bars with numbers.

    Where a share has no room for its number in a bar, the shares follow as a second table.
    """
    models = document["models"]
    assert isinstance(models, list)
    table = Table(box=None, padding=(0, 1, 0, 0), header_style=QUIET, pad_edge=False)
    names = [_list_names(row) for row in models]
    longest = max(len("model"), *(name.cell_len for group in names for name in group))
    table.add_column("model")
    table.add_column("profiles", no_wrap=True)
    for name in (*RATES, *LEFT_OUT, "facts"):
        table.add_column(name, justify="right", no_wrap=True)
    size = max(16, min(72, width - longest - 43))
    numbers = Table(box=None, padding=(0, 1, 0, 0), header_style=QUIET, pad_edge=False)
    numbers.add_column("shares, %")
    for letters in _LETTERS:
        numbers.add_column(letters, justify="right", no_wrap=True)
    fits = True
    for row, column in zip(models, names, strict=True):
        rows = [row, *row.get("groups", {}).values()]
        for label, one in zip(column, rows, strict=True):
            fits = _add_model(table, one, size, label) and fits
            shares = one["shares"] or dict.fromkeys(ORDER)
            numbers.add_row(label, *(percent(shares[profile]) for profile in ORDER))
    return [table] if fits else [table, numbers]


def interval_table(document: Mapping[str, Any]) -> Table:
    """Where the shares of a `profiles --intervals` document lie, the limits one above the other."""
    table = Table(box=None, padding=(0, 1, 0, 0), header_style=QUIET, pad_edge=False)
    table.add_column("intervals")
    table.add_column("")
    for name in (*_LETTERS, *RATES):
        table.add_column(name, justify="right", no_wrap=True)
    low = (1 - document["level"]) / 2
    for row in document["models"]:
        rows = [row, *row.get("groups", {}).values()]
        for label, one in zip(_list_names(row), rows, strict=True):
            sure = one["intervals"]
            shares = sure["shares"] or dict.fromkeys(ORDER)
            spans = [*(shares[profile] for profile in ORDER), *map(sure.get, RATES.values())]
            for end, called, part in ((0, label, low), (1, Text(""), 1 - low)):
                ends = [Text(percent(both and both[end]), QUIET) for both in spans]
                table.add_row(called, Text(f"{100 * part:g} %", QUIET), *ends)
        if "redraw" in row:
            table.add_row(Text(""), Text("redraw ±", QUIET), *_redraw_cells(row["redraw"]))
    return table


def _redraw_cells(redraw: Mapping[str, Any]) -> list[Text]:
    """How far a model's numbers would move if drawn again, in points, one standard deviation."""
    shares = redraw["shares"] or dict.fromkeys(ORDER)
    moves = [*(shares[profile] for profile in ORDER), *map(redraw.get, RATES.values())]
    return [Text(percent(one), QUIET) for one in moves]


def interval_line(head: Mapping[str, Any], redrawn: bool = False) -> Text:
    """How sure intervals are, and what they are about."""
    about = f"intervals: {100 * head['level']:.4g} % over facts, as {head['scope']}"
    again = "redraw: standard deviation in points, the same facts asked again"
    return Text(f"{about}; {again}" if redrawn else about, QUIET)


def _list_names(row: Mapping[str, Any]) -> list[Text]:
    """The name of a model, and those of its groups."""
    groups = [cell(name, 26, QUIET, "  ") for name in row.get("groups", {})]
    return [cell(fit_name(row["model"], room(28)), 28), *groups]


def _add_model(table: Table, row: Mapping[str, Any], size: int, name: Text) -> bool:
    """Add a line; gives whether its bar has the number of every share."""
    shares = row["shares"]
    drawn, whole = (
        bar(shares, {key: row[LEFT_OUT[key]] for key in LEFT_OUT}, size)
        if isinstance(shares, Mapping)
        else (Text("thinking not measured".ljust(size), QUIET), True)
    )
    facts = row["included"]
    if facts is None:
        facts = row["total"] - row["incomplete"] - row["excluded_nan"]
    table.add_row(
        name,
        drawn,
        *(percent(row[key]) for key in (*RATES.values(), *LEFT_OUT.values())),
        f"{facts:,}",
    )
    return whole


def legend(width: int) -> Text:
    """What the codes of the profile table mean, on as many lines as the width asks for."""
    text, used = Text(), 0
    for profile in ORDER:
        letters = CODES[profile]
        words = f" {profile.replace('_', ' ')}"
        size = len(letters) + len(words)
        if used and used + 3 + size > width:
            text.append("\n")
            used = 0
        elif used:
            text.append("   ")
            used += 3
        text.append(letters, TEXT_STYLES[letters])
        text.append(words, QUIET)
        used += size
    return text


def matrix_table(document: Mapping[str, object], a: str, b: str) -> Table:
    """The 4 x 4 matrix of a `confusion --json` document: counts over percent, rows A."""
    matrix, n = document["matrix"], document["n"]
    assert isinstance(matrix, Mapping)
    assert isinstance(n, int)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, pad_edge=False)
    table.add_column(cell(f"A {one_line(a, room(24))}  ↓   B {one_line(b, room(24))}  →", 60))
    for label in (*LABELS, "all A"):
        table.add_column(label.lower(), justify="right", no_wrap=True)
    for row in LABELS:
        counts = [matrix[row][column] for column in LABELS]
        cells = [
            Text(f"{count:,}", "bold" if row == column else "")
            for column, count in zip(LABELS, counts, strict=True)
        ]
        table.add_row(row.lower(), *cells, f"{sum(counts):,}")
        parts = (*counts, sum(counts))
        shares = [f"{format_percent(part / n, 2)}%" if n else "–" for part in parts]
        table.add_row("", *(Text(share, QUIET) for share in shares))
    return table


AGREEMENT_COLUMNS = ("both", "agree %", "95 %", "kappa", "95 %", "alpha")
"""What stands in an agreement table after the names."""


def agreement_table(*names: str) -> Table:
    """An empty table for `agreement_line`s; `names` head the columns of names."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, pad_edge=False)
    for name in names:
        table.add_column(name)
    for name in AGREEMENT_COLUMNS:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def agreement_line(table: Mapping[str, Any], *names: str) -> Sequence[str | Text]:
    """One row of an agreement table: names, responses, agreement, kappa and alpha."""

    def format_three(value: float | None) -> str:
        return "–" if value is None else format_decimal(value, 3)

    def limits(key: str, say: Callable[[float | None], str]) -> Text:
        interval = table[f"{key}_interval"]
        return Text("–" if interval is None else "–".join(map(say, interval)), QUIET)

    return (
        *(Text(one_line(name, room(60)), overflow="fold") for name in names),
        f"{table['n']:,}",
        percent(table["agreement"]),
        limits("agreement", percent),
        format_three(table["kappa"]),
        limits("kappa", format_three),
        format_three(table["alpha"]),
    )


def console(stderr: bool = False) -> Console:
    """A console that interprets no markup and no emoji codes in what it prints.

    Tables are as wide as a terminal; in a file they are as wide as they need.
    """
    width = None if stderr or has_width() else UNBOUNDED
    return Console(stderr=stderr, width=width, markup=False, emoji=False, highlight=False)
