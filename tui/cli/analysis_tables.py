"""Rows of an analysis as a table: each model beside its lines or, where that is too wide, above."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tui.cli.tables import QUIET, cell, gap_span, percent, signed, span
from tui.cli.terminal_text import named, one_line

if TYPE_CHECKING:
    from core.stats.intervals import Interval

Cells = Mapping[str, Any]

NAME_WIDTH = 28
TEXTS = (
    *("model", "tier", "thinking", "encoded", "kind", "direction", "given", "pair"),
    *("task", "fact_id", "tasks", "significant", "number"),
)
"""Columns of words; those of numbers stand to the right."""

GAP = 2
"""Cells between columns."""

HEADERS = {
    "n_questions": "n",
    "k": "answers",
    "encode_rate": "encoded %",
    "recall_rate": "recalled %",
    "gain": "added %",
    "recall_total": "total %",
    "rate": "known %",
    "base": "recalled %",
    "total": "total %",
    "recovered": "recovered %",
    "only_direct": "only direct %",
    "only_reverse": "only reverse %",
    "both": "both %",
    "only_verbatim": "verbatim",
    "only_natural": "natural",
    "p_adjusted": "adjusted",
    "significant": "differs",
    "mean": "mean %",
    "p5": "p5 %",
    "p95": "p95 %",
    "width": "width %",
    "fact_id": "fact",
}


@dataclass(frozen=True, slots=True)
class Sure:
    """A share or a gap with its interval below it."""

    value: float | None
    interval: "Interval | None"
    is_gap: bool = False

    def text(self) -> Text:
        """Both in points."""
        if self.is_gap:
            return Text.assemble(signed(self.value), "\n", (gap_span(self.interval), QUIET))
        return Text.assemble(percent(self.value), "\n", (span(self.interval), QUIET))


def print_rows(out: Console, rows: Sequence[Cells]) -> None:
    """Print a line a row. Names of models are whole wherever the terminal has room for them."""
    keys = [key for key in rows[0] if key != "model"]
    body = [[_cell(key, row[key]) for key in keys] for row in rows]
    if "model" not in rows[0]:
        out.print(_table(rows[0], keys, body))
        return
    widths = [
        max(cell_len(HEADERS.get(key, key)), *(_width(line[place]) for line in body))
        for place, key in enumerate(keys)
    ]
    models = [one_line(row["model"]) for row in rows]
    if max(map(cell_len, models)) + sum(GAP + width for width in widths) <= out.width:
        before = [None, *models[:-1]]
        names = [Text(one if one != last else "") for one, last in zip(models, before, strict=True)]
        beside = [[name, *line] for name, line in zip(names, body, strict=True)]
        out.print(_table(rows[0], ["model", *keys], beside))
        return
    out.print(_indented(_table(rows[0], keys, [], widths)))
    for model, group in groupby(zip(models, body, strict=True), key=itemgetter(0)):
        out.print(Text(named(model, out.width)))
        out.print(_indented(_table({}, keys, [line for _, line in group], widths)))


def _indented(table: Table) -> Padding:
    return Padding(table, (0, 0, 0, GAP), expand=False)


def _table(
    row: Cells, keys: Sequence[str], body: Sequence[Sequence[Text]], widths: Sequence[int] = ()
) -> Table:
    """A table of these columns, as wide as is said; with headers if there is a `row`."""
    table = Table(
        box=None,
        padding=(0, GAP, 0, 0),
        header_style=QUIET,
        pad_edge=False,
        show_header=bool(row),
    )
    for place, key in enumerate(keys):
        table.add_column(
            HEADERS.get(key, key),
            justify="left" if key in TEXTS else "right",
            no_wrap=key != "tasks",
            width=widths[place] if widths else None,
        )
    for line in body:
        table.add_row(*line)
    return table


def _width(text: Text) -> int:
    return max(map(cell_len, text.plain.split("\n")))


def _cell(key: str, value: object) -> Text:
    if isinstance(value, Sure):
        return value.text()
    if isinstance(value, str):
        return cell(value, NAME_WIDTH)
    if isinstance(value, list):
        return Text(", ".join(value))
    return Text(FORMATS.get(key, _share)(value))


def _share(value: object) -> str:
    assert value is None or isinstance(value, float)
    return percent(value)


def _chance(value: object) -> str:
    return "–" if value is None else f"{value:.3g}"


def _number(value: object) -> str:
    return f"{value:,}"


FORMATS: Mapping[str, Callable[[object], str]] = {
    "thinking": lambda value: "on" if value else "off",
    "encoded": lambda value: "yes" if value else "no",
    "significant": lambda value: "–" if value is None else "yes" if value else "no",
    "tau": str,
    "p": _chance,
    "p_adjusted": _chance,
    **dict.fromkeys(
        ("n", "n_questions", "k", "count", "stored", "only_verbatim", "only_natural"), _number
    ),
}
"""How numbers are written; those not named here are shares."""
