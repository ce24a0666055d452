"""Panels that are tables: a count over its share in every cell, shaded by the share.

Without counts they are maps: a number a cell, on a ground that is darker the larger it is.
"""

from core.figures.figure import Panel, Point, coefficient, short_number
from core.figures.plotting.colours import COLOURS, CYCLE, PAPER, darkness
from core.figures.plotting.heat_cells import HeatCell
from core.figures.plotting.panel_parts import GAP, NONE, Box, count, rows_of
from core.figures.plotting.paper_sheet import LINE, SIZE, SMALL, PaperSheet, fit_text, width_of
from core.stats.number_format import format_percent

CELL = 0.42
BROADEST = 1.15
HEAT_ROW, HEAT_BROADEST = 0.155, 0.45
HEAD_MOST = 1.6
LEVELS = ((0.5, 3), (0.1, 2))
"""From which part of the largest share on a cell has which of the three grounds."""


def height(panel: Panel, width: float) -> float:
    """Inches that the panel takes under its heading."""
    if panel.is_heat:
        return _heads(panel) + len(rows_of(panel)) * HEAT_ROW + LINE / 2
    return LINE * 1.5 + len(rows_of(panel)) * CELL + LINE / 2


def draw(sheet: PaperSheet, box: Box, panel: Panel, names: float) -> None:
    """Draw it; the names of the rows take `names` inches."""
    if panel.is_heat:
        _draw_heat(sheet, box, panel, names)
        return
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


def _heads(panel: Panel) -> float:
    """Inches that the names of the columns take above a map, where they stand upright."""
    names = (fit_text(series.words, HEAD_MOST, SMALL) for series in panel.series)
    return max((width_of(name, SMALL) for name in names), default=0.0) + 0.12


def _draw_heat(sheet: PaperSheet, box: Box, panel: Panel, names: float) -> None:
    """Draw a map; cells are as wide as there is room for, and numbers fit into them."""
    rows, columns = rows_of(panel), max(len(panel.series), 1)
    each = min((box.width - names) / columns, HEAT_BROADEST)
    top, left = box.y + _heads(panel), box.x + names
    most = max((abs(point.value or 0.0) for row in rows for point in row.points), default=0.0)
    size = min(SMALL, SMALL * each / (width_of("100", SMALL) * 1.12))
    for place, series in enumerate(panel.series):
        heading = fit_text(series.words, HEAD_MOST, SMALL)
        middle = left + (place + 0.5) * each
        sheet.text(middle, top - 0.05, heading, COLOURS["ink-2"], size=SMALL, slant=90)
    cells = []
    for number, row in enumerate(rows):
        y = top + number * HEAT_ROW
        sheet.text(box.x, y + HEAT_ROW / 2, fit_text(row.name, names - GAP, SMALL), size=SMALL)
        for place, point in enumerate(row.points[:columns]):
            if point.value is None:
                continue
            ground = shade(point.value / most if most else 0.0)
            ink = PAPER if darkness(ground) > 0.5 else COLOURS["ink"]
            said = short_number(point.value, panel.plain)
            cells.append(HeatCell(left + place * each, y, each, HEAT_ROW, ground, said, ink))
    sheet.cells(cells, size)


def shade(part: float) -> str:
    """The ground of a part of the largest number: paper for none, the first line's colour for all.

    What is below none is as far from paper in the colour of what differs.
    """
    end = CYCLE[0] if part >= 0 else CYCLE[3]
    mixed = [
        round(first + (last - first) * min(1.0, abs(part)))
        for first, last in (
            (int(PAPER[at : at + 2], 16), int(end[at : at + 2], 16)) for at in (1, 3, 5)
        )
    ]
    return "#" + "".join(f"{one:02x}" for one in mixed)


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
