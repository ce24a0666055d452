"""Panels of stacked bars: parts of a whole with their letters and numbers in them."""

from collections.abc import Sequence

from core.figures.figure import FigureRow, Panel
from core.figures.plotting.colours import COLOURS, colour, hatch_of, text_colour
from core.figures.plotting.panel_parts import (
    AXIS,
    GAP,
    NONE,
    ROW,
    Box,
    NumberColumn,
    Scale,
    draw_axis,
    draw_columns,
    draw_names,
    list_excluded,
    numbers_under,
    points,
    reach,
    rows_of,
)
from core.figures.plotting.paper_sheet import LINE, SIZE, SMALL, PaperSheet, fit_text, width_of

INSET = 0.05
THICK = 0.72
"""Part of a row's height that its bar takes."""


def height(panel: Panel, width: float) -> float:
    """Inches that the panel takes under its heading."""
    return LINE + len(rows_of(panel)) * ROW + AXIS


def draw(sheet: PaperSheet, box: Box, panel: Panel, names: float) -> None:
    """Draw it; the names of the rows take `names` inches."""
    top = box.y + LINE
    bottom = top + len(rows_of(panel)) * ROW
    room = box.width - names
    columns = [*_sums(panel), *numbers_under(panel), *list_excluded(panel)]
    taken = sum(column.width for column in columns)
    narrow = 0.0
    for _ in range(3):  # what has no room in its bar takes room from all bars
        scale = Scale(*reach(panel), box.x + names, room - taken - narrow - GAP)
        rest = [_outer_text(panel, row, scale) for row in rows_of(panel)]
        narrow = NumberColumn("", rest).width if any(rest) else 0.0
    if any(rest):
        columns.insert(0, NumberColumn("", rest))
    draw_axis(sheet, scale, top, bottom)
    draw_names(sheet, box.x, names - GAP, panel, top)
    draw_columns(sheet, box, columns, top)
    for place, row in enumerate(rows_of(panel)):
        _bar(sheet, panel, row, scale, top + place * ROW)


def _sums(panel: Panel) -> list[NumberColumn]:
    """What the first parts of each stack add up to, where that has a name."""
    if not panel.sums:
        return []
    sums = []
    for row in rows_of(panel):
        known = [point.value for point in row.points[: panel.sums] if point.value is not None]
        sums.append(points(sum(known)) if known else NONE)
    return [NumberColumn(fit_text(panel.sum_mark, 1.2, SMALL), sums, bold=True)]


def _bar(sheet: PaperSheet, panel: Panel, row: FigureRow, scale: Scale, y: float) -> None:
    left, middle = 0.0, y + ROW / 2
    if all(point.value is None for point in row.points):
        words = fit_text(row.note or NONE, scale.length, SMALL)
        sheet.text(scale.start, middle, words, COLOURS["ink-3"], size=SMALL)
        return
    for place, point in enumerate(row.points):
        share = point.value or 0.0
        start, end = scale.at(left), scale.at(left + share)
        role = panel.series[place].role
        ground = colour(role, place)
        if share > 0:
            thick = ROW * THICK
            hatch = hatch_of(role, place)
            if row.few is None:
                sheet.box(start, middle - thick / 2, end - start, thick, ground, hatch)
            else:
                sheet.frame(start, middle - thick / 2, end - start, thick, ground)
        words = _inner_text(panel, row, place, end - start)
        if words and row.few is not None:
            sheet.text(start + INSET, middle, words, bold=True)
        elif words:
            wide = width_of(words, SIZE, bold=True)
            sheet.patch(start + INSET - 0.02, middle - 0.075, wide + 0.04, 0.15, ground)
            sheet.text(start + INSET, middle, words, text_colour(role), bold=True)
        left += share


def _inner_text(panel: Panel, row: FigureRow, place: int, width: float) -> str:
    """What is said within a segment: as much as it has room for."""
    point, mark = row.points[place], panel.series[place].mark
    if not point.value:
        return ""
    share = points(point.value)
    whole = f"{mark} {share}".strip()
    said: Sequence[str] = (whole, share)
    if point.low is not None and point.high is not None:
        said = (f"{whole}  {points(point.low)}–{points(point.high)}", *said)
    for words in said:
        if width_of(words, SIZE, bold=True) <= width - 2 * INSET:
            return words
    return ""


def _outer_text(panel: Panel, row: FigureRow, scale: Scale) -> str:
    """What stands beside the bar: a small n, and the shares of segments too narrow for them."""
    words = [] if row.few is None else [f"n {row.few}"]
    left = 0.0
    for place, point in enumerate(row.points):
        share = point.value or 0.0
        width = scale.at(left + share) - scale.at(left)
        if share > 0 and not _inner_text(panel, row, place, width):
            words.append(f"{panel.series[place].mark} {points(share)}".strip())
        left += share
    return "  ".join(words)
