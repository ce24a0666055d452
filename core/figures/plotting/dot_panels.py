"""Panels of dots on one axis: two with the gap between them, or one a series."""

from core.figures.figure import FigureRow, Panel, PanelKind
from core.figures.plotting.colours import COLOURS, marker
from core.figures.plotting.panel_parts import (
    AXIS,
    DELTA,
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
    sign_of,
)
from core.figures.plotting.paper_sheet import LINE, SMALL, PaperSheet, fit_text

SIDE = 0.45
"""Inches beside the axis for the numbers at its outermost dots."""

BESIDE = 0.08
MOST_COLUMNS = 4


def height(panel: Panel, width: float) -> float:
    """Inches that the panel takes under its heading."""
    return LINE + len(rows_of(panel)) * ROW + AXIS


def draw(sheet: PaperSheet, box: Box, panel: Panel, names: float) -> None:
    """Draw it; the names of the rows take `names` inches."""
    top = box.y + LINE
    bottom = top + len(rows_of(panel)) * ROW
    columns = [*_values(panel), *numbers_under(panel), *list_excluded(panel)]
    if panel.gap:
        gaps = [points(row.gap, sign=True) for row in rows_of(panel)]
        columns.insert(0, NumberColumn(DELTA, gaps, bold=True))
    taken = draw_columns(sheet, box, columns, top)
    length = box.width - names - taken - 2 * SIDE
    scale = Scale(*reach(panel), box.x + names + SIDE, length)
    draw_axis(sheet, scale, top, bottom)
    if names:
        draw_names(sheet, box.x, names - GAP, panel, top)
    for place, row in enumerate(rows_of(panel)):
        _row(sheet, panel, row, scale, top + (place + 0.5) * ROW)


def _values(panel: Panel) -> list[NumberColumn]:
    """The values in columns, where they are not written at the dots."""
    if panel.kind is PanelKind.DUMBBELL or len(panel.series) > MOST_COLUMNS:
        return []
    rows = rows_of(panel)
    columns = []
    for place in range(len(panel.series)):
        cells = [
            points(row.points[place].value) if place < len(row.points) else NONE for row in rows
        ]
        heading = f"% {sign_of(panel, place)}" if len(panel.series) > 1 else "%"
        columns.append(NumberColumn(heading.strip(), cells, bold=True))
    return columns


def _row(sheet: PaperSheet, panel: Panel, row: FigureRow, scale: Scale, y: float) -> None:
    there = [
        (place, point.value) for place, point in enumerate(row.points) if point.value is not None
    ]
    if not there:
        words = fit_text(row.note or NONE, scale.length, SMALL)
        sheet.text(scale.start, y, words, COLOURS["ink-3"], size=SMALL)
        return
    if panel.kind is PanelKind.DUMBBELL and len(there) > 1:
        ends = (scale.at(there[0][1]), scale.at(there[-1][1]))
        sheet.line(ends, (y, y), COLOURS["ink-3"], 1.6)
    for place, share in there:
        point, series = row.points[place], panel.series[place]
        dot = marker(series.role, series.mark, place)
        if point.low is not None and point.high is not None:
            offset = y + (place - (len(panel.series) - 1) / 2) * 0.05
            ends = (scale.at(point.low), scale.at(point.high))
            sheet.line(ends, (offset, offset), dot.colour, 1.0)
        sheet.dot(scale.at(share), y, dot)
    if panel.kind is PanelKind.DUMBBELL:
        _ends(sheet, row, there, scale, y)


def _ends(
    sheet: PaperSheet, row: FigureRow, there: list[tuple[int, float]], scale: Scale, y: float
) -> None:
    """Write the least value left of all that is drawn, the greatest right of it."""
    limits = [
        (point.low, point.high)
        for point in row.points
        if point.low is not None and point.high is not None
    ]
    least = min([share for _, share in there] + [low for low, _ in limits])
    most = max([share for _, share in there] + [high for _, high in limits])
    values = sorted(share for _, share in there)
    ink = COLOURS["ink-2"]
    sheet.text(scale.at(least) - BESIDE, y, points(values[0]), ink, "right", SMALL)
    if len(values) > 1:
        sheet.text(scale.at(most) + BESIDE, y, points(values[-1]), ink, "left", SMALL)
