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

from core.analyses.analysis_record import Column, ColumnKind, Pivot
from tui.cli.tables import QUIET, cell, format_gap, gap_span, percent, span
from tui.cli.terminal_text import fit_name, one_line

if TYPE_CHECKING:
    from core.analyses.analysis import AnalysisResult
    from core.analyses.analysis_evidence import AnalysisRow
    from core.analyses.analysis_intervals import Intervals
    from core.analyses.analysis_record import AnalysisPart
    from core.stats.intervals import Interval

Cells = Mapping[str, Any]

NAME_WIDTH = 28

NOTHING = "–"
"""Stands where there is no value."""

WORDS = (ColumnKind.TEXT, ColumnKind.LIST, ColumnKind.SWITCH, ColumnKind.YES)
"""Kinds of columns with words; those of numbers stand to the right."""

GAP = 2
"""Cells between columns."""

LEAST_WORD = 5
"""Cells of a column of words that stay where numbers need the room."""

KEYS_WIDTH = 39
"""Cells of the columns that lines with numbers side by side begin with, without the model."""

POINTS_WIDTH = 7
SURE_WIDTH = 13
"""Cells of a share there, and of one with its interval, with the space after it."""

LEAST_NUMBERS = 4
"""With room for fewer numbers beside the names, the names stand above their lines."""


@dataclass(frozen=True, slots=True)
class IntervalCell:
    """A share or a gap with its interval below it."""

    value: float | None
    interval: "Interval | None"
    is_gap: bool = False

    def text(self) -> Text:
        """Both in points."""
        if self.is_gap:
            return Text.assemble(format_gap(self.value), "\n", (gap_span(self.interval), QUIET))
        return Text.assemble(percent(self.value), "\n", (span(self.interval), QUIET))


@dataclass(frozen=True, slots=True)
class RowTable:
    """Columns and what stands in them, a mapping by their keys for each line."""

    columns: Sequence[Column]
    rows: Sequence[Cells]


def make_table(found: "AnalysisResult", width: int) -> RowTable:
    """The rows of an analysis for people; a share with an interval is a pair of both."""
    columns = found.columns
    rows = _fill_rows(columns, found.rows, found.intervals.rows if found.intervals else None)
    if found.record.pivot is None or not rows:
        return RowTable(columns, rows)
    return _pivot(found.record.pivot, columns, rows, width)


def make_part_table(
    part: "AnalysisPart", rows: Sequence["AnalysisRow"], intervals: "Intervals | None" = None
) -> RowTable:
    """A further table of an analysis."""
    limits = intervals.parts.get(part.key) if intervals is not None else None
    return RowTable(part.columns, _fill_rows(part.columns, rows, limits))


def _fill_rows(
    columns: Sequence[Column],
    rows: Sequence["AnalysisRow"],
    limits: Sequence[Mapping[str, "Interval | None"]] | None,
) -> list[dict[str, Any]]:
    """What stands in the columns; a share with an interval is a pair of both."""
    found = [{column.key: column.value(row) for column in columns} for row in rows]
    for cells, own in zip(found, limits or [{}] * len(found), strict=True):
        cells.update({key: IntervalCell(cells[key], one) for key, one in own.items()})
    return found


def make_gap_table(found: "AnalysisResult", intervals: "Intervals") -> RowTable:
    """The gaps of an analysis, a line each, in points."""
    titles = {one.key: one.title for part in found.record.parts for one in part.columns}
    titles |= found.record.titles
    headers = list(dict.fromkeys(gap.header for gap in intervals.gaps))
    rows = [
        {
            **gap.keys,
            "of": gap.header,
            "number": titles[gap.number].removesuffix(" %"),
            "gap": IntervalCell(gap.gap.value, gap.gap.interval, is_gap=True),
        }
        for gap in intervals.gaps
    ]
    shown = {column.key: column for column in found.columns}
    keys = [shown.get(key, Column(key)) for key in (intervals.gaps[0].keys if rows else ())]
    if len(headers) > 1:
        keys, headers = [*keys, Column("of")], ["gap"]
    gap = Column("gap", ColumnKind.SHARE, headers[0] if headers else "")
    return RowTable([*keys, Column("number"), gap], rows)


def _pivot(pivot: Pivot, columns: Sequence[Column], rows: Sequence[Cells], width: int) -> RowTable:
    """One line for all rows of the same keys, model by model."""
    models = list(dict.fromkeys(row["model"] for row in rows))
    shown = pivot.shown or _numbers(pivot, rows, width)
    lines: list[Cells] = []
    by_model = sorted(rows, key=lambda row: models.index(row["model"]))
    for values, of_line in groupby(by_model, key=itemgetter(*pivot.keys)):
        group = list(of_line)
        line = dict(zip(pivot.keys, values, strict=True))
        if pivot.total:
            line["n"] = sum(row[pivot.total] for row in group)
        found = {row[pivot.over]: row[pivot.value] for row in group}
        lines.append(line | {title: found.get(value) for value, title in shown.items()})
    total = [Column("n", ColumnKind.COUNT)] if pivot.total else []
    keys = [column for column in columns if column.key in pivot.keys]
    shares = [Column(title, ColumnKind.SHARE) for title in shown.values()]
    return RowTable([*keys, *total, *shares], lines)


def _numbers(pivot: Pivot, rows: Sequence[Cells], width: int) -> Mapping[object, str]:
    """As many of the numbers as there is room for, spread evenly from one to the largest."""
    longest = max(cell_len(one_line(row["model"])) for row in rows)
    most = max(row[pivot.over] for row in rows)
    each = SURE_WIDTH if isinstance(rows[0][pivot.value], IntervalCell) else POINTS_WIDTH
    beside = (width - longest - KEYS_WIDTH) // each
    room = beside if beside >= min(most, LEAST_NUMBERS) else (width - KEYS_WIDTH) // each
    count = max(2, min(most, room))
    numbers = sorted({1 + round(one * (most - 1) / (count - 1)) for one in range(count)})
    return {number: f"≥{number}" for number in numbers}


def print_table(out: Console, table: RowTable) -> None:
    """Print a line a row. Names of models are whole wherever the terminal has room for them."""
    columns = [column for column in table.columns if column.key != "model"]
    body = [[_cell(column, row[column.key]) for column in columns] for row in table.rows]
    if len(columns) == len(table.columns):
        out.print(_grid(columns, body))
        return
    widths = [
        max(cell_len(column.title), *(_width(line[place]) for line in body))
        for place, column in enumerate(columns)
    ]
    models = [one_line(row["model"] or NOTHING) for row in table.rows]
    if max(map(cell_len, models)) + sum(GAP + width for width in widths) <= out.width:
        before = [None, *models[:-1]]
        names = [Text(one if one != last else "") for one, last in zip(models, before, strict=True)]
        beside = [[name, *line] for name, line in zip(names, body, strict=True)]
        out.print(_grid([Column("model"), *columns], beside))
        return
    widths = _fit_widths(columns, body, widths, out.width - GAP)
    out.print(_indent_table(_grid(columns, [], widths)))
    for model, group in groupby(zip(models, body, strict=True), key=itemgetter(0)):
        out.print(Text(fit_name(model, out.width)))
        out.print(_indent_table(_grid(columns, [line for _, line in group], widths, headed=False)))


def _fit_widths(
    columns: Sequence[Column], body: Sequence[Sequence[Text]], widths: Sequence[int], room: int
) -> list[int]:
    """Widths that fit: first words give way, then the headings of numbers, never numbers."""
    found, over = list(widths), sum(GAP + width for width in widths) - GAP - room
    for gives_way in (True, False):
        least = {
            place: min(widths[place], LEAST_WORD)
            if gives_way
            else max((_width(line[place]) for line in body), default=0)
            for place, column in enumerate(columns)
            if (column.kind in WORDS) is gives_way
        }
        while over > 0 and any(found[place] > low for place, low in least.items()):
            found[max(least, key=lambda place: found[place] - least[place])] -= 1
            over -= 1
    return found


def _indent_table(table: Table) -> Padding:
    return Padding(table, (0, 0, 0, GAP), expand=False)


def _grid(
    columns: Sequence[Column],
    body: Sequence[Sequence[Text]],
    widths: Sequence[int] = (),
    headed: bool = True,
) -> Table:
    """These lines under these columns, as wide as is said."""
    grid = Table(
        box=None,
        padding=(0, GAP, 0, 0),
        header_style=QUIET,
        pad_edge=False,
        show_header=headed,
    )
    for place, column in enumerate(columns):
        grid.add_column(
            column.title,
            justify="left" if column.kind in WORDS else "right",
            no_wrap=column.kind is not ColumnKind.LIST,
            width=widths[place] if widths else None,
        )
    for line in body:
        grid.add_row(*line)
    return grid


def _width(text: Text) -> int:
    return max(map(cell_len, text.plain.split("\n")))


def _cell(column: Column, value: Any) -> Text:
    if isinstance(value, IntervalCell):
        return value.text()
    if value is None:
        return Text(NOTHING)
    if column.kind is ColumnKind.TEXT:
        return cell(value, NAME_WIDTH)
    return Text(WRITERS[column.kind](value))


WRITERS: Mapping[ColumnKind, Callable[[Any], str]] = {
    ColumnKind.LIST: ", ".join,
    ColumnKind.SWITCH: lambda value: "on" if value else "off",
    ColumnKind.YES: lambda value: "yes" if value else "no",
    ColumnKind.COUNT: "{:,}".format,
    ColumnKind.SHARE: percent,
    ColumnKind.GAP: format_gap,
    ColumnKind.SPAN: gap_span,
    ColumnKind.CHANCE: "{:.3g}".format,
    ColumnKind.VALUE: str,
}
"""How values are written that are there."""
