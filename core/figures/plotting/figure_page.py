"""A whole figure on a sheet: title, legend, panels in strips, notes, caption."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.figures.figure import Figure, FigureRow, Panel, PanelKind
from core.figures.plotting import dot_panels, line_panels, matrix_panels, stack_panels
from core.figures.plotting.colours import COLOURS
from core.figures.plotting.panel_parts import (
    MOST_ROWS,
    Box,
    draw_legend,
    legend_lines,
    names_width,
)
from core.figures.plotting.paper_sheet import (
    HEADING,
    LINE,
    SMALL,
    PaperSheet,
    fit_text,
    width_of,
    wrap_text,
)

WIDTH = 9.4
HALF_MAP = 12
"""Columns of a map whose numbers can be read on half of the paper's width."""
MARGIN = 0.3
BETWEEN = 0.22
"""Inches between strips of panels, and between panels of a strip."""

NAMES_MOST = 2.0
MOST_NOTES = 12
DOTTED = (PanelKind.DUMBBELL, PanelKind.DOTS)

Height = Callable[[Panel, float], float]
Draw = Callable[[PaperSheet, Box, Panel, float], None]

KINDS: Mapping[PanelKind, tuple[Height, Draw]] = {
    PanelKind.STACK: (stack_panels.height, stack_panels.draw),
    PanelKind.DUMBBELL: (dot_panels.height, dot_panels.draw),
    PanelKind.DOTS: (dot_panels.height, dot_panels.draw),
    PanelKind.LINES: (line_panels.height, line_panels.draw),
    PanelKind.MATRIX: (matrix_panels.height, matrix_panels.draw),
}
"""How tall each kind of panel is, and how it is drawn."""


@dataclass(frozen=True, slots=True)
class PlacedPanel:
    """A panel with its place on the sheet: what its names take, whether its legend is drawn.

    `head` inches are for title and legend, the same for all panels of a strip: rows side by side
    have their names on the left alone.
    """

    panel: Panel
    box: Box
    names: float
    legend: bool
    head: float


def compose(figure: Figure) -> PaperSheet:
    """Draw a figure that has panels."""
    inner = WIDTH - 2 * MARGIN
    panels = figure.panels
    shared = len(panels) > 1 and len({_key(panel) for panel in panels}) == 1
    y = MARGIN + 2.2 * LINE
    legend = Box(MARGIN, y, inner, 0.0)
    if shared:
        y += len(legend_lines(panels[0], inner)) * LINE + 0.08
    placed = []
    for strip in strips(panels):
        found = _place(strip, y, inner, not shared)
        placed += found
        y = max(one.box.y + one.box.height for one in found) + BETWEEN
    words = _list_notes(figure, inner)
    sheet = PaperSheet(WIDTH, y + len(words) * LINE + MARGIN)
    _title(sheet, figure, inner)
    if shared:
        draw_legend(sheet, legend, panels[0], panels[0].kind is PanelKind.STACK)
    for one in placed:
        _draw(sheet, one)
    for place, (text, role) in enumerate(words):
        sheet.text(MARGIN, y + (place + 0.5) * LINE, text, COLOURS[role], size=SMALL)
    return sheet


def _title(sheet: PaperSheet, figure: Figure, width: float) -> None:
    """Write the paper's number of the figure, quietly, and its title."""
    number = fit_text(figure.number, 1.0, HEADING)
    left = width_of(number, HEADING) + 0.12 if number else 0.0
    middle = MARGIN + LINE / 2
    sheet.text(MARGIN, middle, number, COLOURS["ink-3"], size=HEADING)
    title = fit_text(figure.title, width - left, HEADING, bold=True)
    sheet.text(MARGIN + left, middle, title, size=HEADING, bold=True)


def strips(panels: Sequence[Panel]) -> list[Sequence[Panel]]:
    """Panels that stand side by side: two of a kind, dots only where the rows are the same."""
    found: list[list[Panel]] = []
    for panel in panels:
        before = found[-1] if found else []
        if before and len(before) == 1 and _goes_beside(before[0], panel):
            before.append(panel)
        else:
            found.append([panel])
    return [*found]


def _goes_beside(one: Panel, other: Panel) -> bool:
    if one.kind is not other.kind or one.kind is PanelKind.STACK:
        return False
    if one.kind in DOTTED:
        return [row.name for row in one.rows] == [row.name for row in other.rows]
    maps = [panel for panel in (one, other) if panel.is_heat]
    return all(len(panel.series) <= HALF_MAP for panel in maps)


def _key(panel: Panel) -> tuple[object, ...]:
    return (panel.kind, *panel.series)


def _place(strip: Sequence[Panel], y: float, inner: float, legends: bool) -> list[PlacedPanel]:
    """Where the panels of a strip stand: the first has the names, if all have the same rows."""
    rows = strip[0].kind in DOTTED
    each = [names_width(panel, NAMES_MOST) for panel in strip]
    names = [0.0 if rows and place else wide for place, wide in enumerate(each)]
    if strip[0].kind is PanelKind.LINES:
        names = [0.0] * len(strip)
    room = inner - BETWEEN * (len(strip) - 1)
    plain = (room - sum(names)) / len(strip) if rows else room / len(strip)
    widths = [plain + own if rows else plain for own in names]
    head = max(_head(panel, width, legends) for panel, width in zip(strip, widths, strict=True))
    placed, x = [], MARGIN
    for panel, own, width in zip(strip, names, widths, strict=True):
        tall = KINDS[panel.kind][0](panel, width) + head
        placed.append(PlacedPanel(panel, Box(x, y, width, tall), own, legends, head))
        x += width + BETWEEN
    return placed


def _head(panel: Panel, width: float, legend: bool) -> float:
    """Inches that title and legend of a panel take."""
    lines_ = len(legend_lines(panel, width)) if legend else 0
    return (LINE if panel.title else 0.0) + (lines_ * LINE + 0.08 if lines_ else 0.0)


def _draw(sheet: PaperSheet, placed: PlacedPanel) -> None:
    panel, box = placed.panel, placed.box
    y = box.y
    left = box.x + (0.0 if placed.legend or panel.kind not in DOTTED else placed.names)
    if panel.title:
        title = fit_text(panel.title, box.x + box.width - left, bold=True)
        sheet.text(left, y + LINE / 2, title, bold=True)
        y += LINE
    if placed.legend:
        draw_legend(sheet, Box(box.x, y, box.width, 0.0), panel, panel.kind is PanelKind.STACK)
    below = Box(box.x, box.y + placed.head, box.width, box.height - placed.head)
    KINDS[panel.kind][1](sheet, below, panel, placed.names)


def _list_notes(figure: Figure, width: float) -> list[tuple[str, str]]:
    """What stands below the panels, a line each with its role: notes, then the caption."""
    notes = [*figure.notes]
    for panel in figure.panels:
        notes += _list_row_notes(panel, several=len(figure.panels) > 1)
        if len(panel.rows) > MOST_ROWS:
            notes.append(f"{MOST_ROWS} of {len(panel.rows):,} rows are drawn")
    notes = list(dict.fromkeys(notes))
    if len(notes) > MOST_NOTES:
        notes = [*notes[:MOST_NOTES], f"and {len(notes) - MOST_NOTES:,} more notes"]
    found = [(line, "ink-2") for note in notes for line in wrap_text(note, width)]
    return found + [(line, "ink-3") for text in figure.caption for line in wrap_text(text, width)]


def _list_row_notes(panel: Panel, several: bool) -> list[str]:
    """What has to be said of rows, each thing once, with the names of its rows."""
    said: dict[str, list[str]] = {}
    for row in panel.rows:
        if _is_untold(row):
            said.setdefault(row.note, []).append(row.name)
    where = f"{panel.title}, " if several and panel.title else ""
    return [
        f"{where}{'all rows' if len(names) == len(panel.rows) > 1 else ', '.join(names)}: {note}"
        for note, names in said.items()
    ]


def _is_untold(row: FigureRow) -> bool:
    """Whether a row's note has still to be told: without any value it stands in the row."""
    return bool(row.note) and any(point.value is not None for point in row.points)
