"""What all kinds of panels have in common: places, scales, headings, legends, columns."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from core.figures.figure import FigureRow, Panel, PanelKind
from core.figures.plotting.colours import COLOURS, colour, hatch_of, marker
from core.figures.plotting.paper_sheet import (
    LINE,
    SIZE,
    SMALL,
    PaperSheet,
    fit_name,
    fit_text,
    width_of,
)
from core.stats.number_format import format_difference, format_percent

ROW = 0.25
"""Inches from one row to the next."""

AXIS = 0.24
GAP = 0.14
SWATCH = 0.14
LEGEND_MOST = 24
MOST_ROWS = 250
"""Rows drawn of a panel: more than that no sheet of paper holds."""

NONE = "–"
DELTA = "Δ"


@dataclass(frozen=True, slots=True)
class Box:
    """A place on the sheet, inches from its upper left corner."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Scale:
    """Shares from `low` to `high` as places from `start` on, `length` inches in all."""

    low: float
    high: float
    start: float
    length: float

    def at(self, share: float) -> float:
        """The place of a share, in inches."""
        return self.start + (share - self.low) / (self.high - self.low) * self.length

    def ticks(self) -> list[float]:
        """Four or five round shares within the scale."""
        span = self.high - self.low
        for step in (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25):
            if span / step <= 5:
                break
        else:
            step = math.ceil(span / 5 / 0.5) * 0.5
        first = math.ceil(round(self.low / step, 9))
        last = math.floor(round(self.high / step, 9))
        return [one * step for one in range(first, last + 1)]


@dataclass(frozen=True, slots=True)
class NumberColumn:
    """Numbers at the right of the rows, under a heading."""

    heading: str
    cells: Sequence[str]
    bold: bool = False

    @property
    def width(self) -> float:
        """Inches, with the space before it."""
        size = SIZE if self.bold else SMALL
        widest = max((width_of(text, size, self.bold) for text in self.cells), default=0.0)
        return max(widest, width_of(self.heading, SMALL)) + GAP


def rows_of(panel: Panel) -> Sequence[FigureRow]:
    """The rows that are drawn."""
    return panel.rows[:MOST_ROWS]


def points(share: float | None, sign: bool = False) -> str:
    """A share in points with one decimal, a difference with its sign."""
    if share is None:
        return NONE
    said = format_difference(share) if sign else format_percent(share)
    return said.replace("-", "−")


def count(number: int | None) -> str:
    """A number of facts or answers."""
    return NONE if number is None else f"{number:,}"


def reach(panel: Panel) -> tuple[float, float]:
    """The ends of the axis, further out where a value lies beyond them (rates may exceed 1)."""
    values = [
        value
        for row in panel.rows
        for point in row.points
        for value in (point.value, point.low, point.high)
        if value is not None
    ]
    low, high = min([panel.low, *values]), max([panel.high, *values])
    return (low, high) if high > low else (low, low + 1)


def numbers_under(panel: Panel) -> list[NumberColumn]:
    """The n of the rows: one column where all points of each row share it, else one a series."""
    rows = rows_of(panel)
    each = [[point.n for point in row.points] for row in rows]
    if all(n is None for ns in each for n in ns):
        return []
    if all(len(set(ns)) <= 1 for ns in each):
        return [NumberColumn("n", [count(ns[0]) if ns else NONE for ns in each])]
    widest = max(len(ns) for ns in each)
    columns = [[count(ns[i]) if i < len(ns) else NONE for ns in each] for i in range(widest)]
    return [
        NumberColumn(f"n {sign_of(panel, place)}".rstrip(), cells)
        for place, cells in enumerate(columns)
    ]


def sign_of(panel: Panel, place: int) -> str:
    """What a series is called in the heading of a column: its mark."""
    return panel.series[place].mark if place < len(panel.series) else ""


def list_excluded(panel: Panel) -> list[NumberColumn]:
    """How many facts each row leaves out, where any does."""
    found = [row.excluded for row in rows_of(panel)]
    if not any(found):
        return []
    return [NumberColumn("excluded", [count(one) for one in found])]


def draw_columns(sheet: PaperSheet, box: Box, columns: Sequence[NumberColumn], top: float) -> float:
    """Write columns flush right from the box's right edge; gives the width that they take.

    `top` is where the first row begins.
    """
    right = box.x + box.width
    for column in reversed(columns):
        sheet.text(right, top - 0.1, column.heading, COLOURS["ink-3"], "right", SMALL)
        for place, text in enumerate(column.cells):
            middle = top + (place + 0.5) * ROW
            ink, size = ("ink", SIZE) if column.bold else ("ink-2", SMALL)
            sheet.text(right, middle, text, COLOURS[ink], "right", size, column.bold)
        right -= column.width
    return box.x + box.width - right


def draw_names(sheet: PaperSheet, x: float, width: float, panel: Panel, top: float) -> None:
    """Write the names of the rows."""
    for place, row in enumerate(rows_of(panel)):
        sheet.text(x, top + (place + 0.5) * ROW, fit_name(row.name, width))


def draw_axis(sheet: PaperSheet, scale: Scale, top: float, bottom: float) -> None:
    """Hairlines at round shares, and their percents below."""
    for tick in scale.ticks():
        x = scale.at(tick)
        sheet.line((x, x), (top, bottom), COLOURS["rule"], 0.6, zorder=0)
        sheet.text(x, bottom + 0.11, percent(tick), COLOURS["ink-3"], "center", SMALL)


def percent(tick: float) -> str:
    """A tick in percent, `%` at none: the heading or the title says it."""
    return f"{tick * 100:g}".replace("-", "−")


def legend_lines(panel: Panel, width: float) -> list[list[int]]:
    """The series of a legend (places), line by line, the last with room for the gap's words."""
    if panel.kind in (PanelKind.LINES, PanelKind.MATRIX):
        return []
    lines: list[list[int]] = [[]]
    left = width
    for place in range(min(len(panel.series), LEGEND_MOST)):
        takes = SWATCH * 2 + width_of(legend_words(panel, place, width)) + GAP
        if takes > left and lines[-1]:
            lines.append([])
            left = width
        lines[-1].append(place)
        left -= takes
    if lines[0] and width_of(gap_words(panel, width)) > left:
        lines.append([])
    return lines if lines[0] else []


def legend_words(panel: Panel, place: int, width: float) -> str:
    """What the legend says of a series: letters are said, shapes are drawn."""
    series = panel.series[place]
    letters = series.mark if panel.kind is PanelKind.STACK else ""
    words = f"{letters} {series.words}" if letters else series.words
    return fit_text(words, width / 2)


def gap_words(panel: Panel, width: float) -> str:
    """What the legend says of the gap; nothing where none is shown."""
    if not panel.gap:
        return ""
    words = panel.gap if "points" in panel.gap else f"{panel.gap}, in points"
    return fit_text(f"{DELTA}  {words}", width / 2)


def draw_legend(sheet: PaperSheet, box: Box, panel: Panel, stacked: bool) -> None:
    """Draw what the marks mean; `stacked` marks are fills, others dots."""
    lines = legend_lines(panel, box.width)
    for number, line in enumerate(lines):
        x, middle = box.x, box.y + (number + 0.5) * LINE
        for place in line:
            series = panel.series[place]
            if stacked:
                ground = colour(series.role, place)
                hatch = hatch_of(series.role, place)
                sheet.box(x, middle - 0.055, SWATCH * 1.3, 0.11, ground, hatch)
            else:
                sheet.dot(x + SWATCH / 2, middle, marker(series.role, series.mark, place))
            words = legend_words(panel, place, box.width)
            sheet.text(x + SWATCH * 1.6, middle, words, COLOURS["ink-2"])
            x += SWATCH * 2 + width_of(words) + GAP
        if number == len(lines) - 1:
            sheet.text(x, middle, gap_words(panel, box.width), COLOURS["ink-2"])


def names_width(panel: Panel, most: float) -> float:
    """Inches that the names of the rows take, with the space after them."""
    rows = rows_of(panel)
    return max((width_of(fit_name(row.name, most)) for row in rows), default=0.0) + GAP
