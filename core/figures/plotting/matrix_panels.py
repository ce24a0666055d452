"""Panels that are tables: a count over its share in every cell, shaded by the share."""

from core.figures.figure import Panel, Point, coefficient
from core.figures.plotting.colours import COLOURS
from core.figures.plotting.panel_parts import GAP, NONE, Box, count, rows_of
from core.figures.plotting.paper_sheet import LINE, SIZE, SMALL, PaperSheet, fit_text
from core.stats.number_format import format_percent

CELL = 0.42
BROADEST = 1.15
LEVELS = ((0.5, 3), (0.1, 2))
"""From which part of the largest share on a cell has which of the three grounds."""


def height(panel: Panel, width: float) -> float:
    """Inches that the panel takes under its heading."""
    return LINE * 1.5 + len(rows_of(panel)) * CELL + LINE / 2


def draw(sheet: PaperSheet, box: Box, panel: Panel, names: float) -> None:
    """Draw it; the names of the rows take `names` inches."""
    rows, columns = rows_of(panel), max(len(panel.series), 1)
    each = min((box.width - names) / columns, BROADEST)
    top, left = box.y + LINE * 1.5, box.x + names
    for place, series in enumerate(panel.series):
        heading = fit_text(series.words, each - 0.05, SMALL)
        middle = left + (place + 0.5) * each
        sheet.text(middle, top - 0.1, heading, COLOURS["ink-2"], "center", SMALL)
    for number, row in enumerate(rows):
        y = top + number * CELL
        sheet.text(box.x, y + CELL / 2, fit_text(row.name, names - GAP))
        for place, point in enumerate(row.points[:columns]):
            ground = _ground(panel, point, number == place)
            cell = Box(left + place * each, y, each, CELL)
            if ground:
                sheet.box(cell.x, cell.y, cell.width, cell.height, COLOURS[ground])
            _write(sheet, cell, panel, point)


def _write(sheet: PaperSheet, cell: Box, panel: Panel, point: Point) -> None:
    middle = cell.x + cell.width / 2
    ink = COLOURS["ink" if point.value else "ink-3"]
    share = NONE if point.value is None else f"{format_percent(point.value, 2)}%"
    if panel.plain and point.value is not None:
        share = coefficient(point.value)
    if point.n is None:
        sheet.text(middle, cell.y + cell.height / 2, share, ink, "center")
        return
    bold = bool(point.value)
    sheet.text(middle, cell.y + 0.14, count(point.n), ink, "center", SIZE, bold)
    sheet.text(middle, cell.y + 0.29, share, ink, "center", SMALL)


def _ground(panel: Panel, point: Point, diagonal: bool) -> str:
    """The ground of a cell: by its share of the largest of its kind; none where it is empty."""
    if not point.value:
        return ""
    crossed = is_crossed(panel)
    same = diagonal or not crossed
    among = [
        other.value or 0.0
        for number, row in enumerate(rows_of(panel))
        for place, other in enumerate(row.points)
        if not crossed or (number == place) is diagonal
    ]
    part = point.value / max(among)
    level = next((level for limit, level in LEVELS if part >= limit), 1)
    return f"heat-{'agree' if same else 'differ'}-{level}"


def is_crossed(panel: Panel) -> bool:
    """Whether rows and columns are the same things, so that the diagonal is agreement."""
    names = [row.name.casefold() for row in rows_of(panel)]
    return names in (
        [series.words.casefold() for series in panel.series],
        [series.name.casefold() for series in panel.series],
    )
