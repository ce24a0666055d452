"""The numbers under the cursor in words."""

from collections.abc import Sequence

from core.figures.figure import Figure, Panel, PanelKind
from tui.screens.figures.render_figure import FigureLine, FigurePosition
from tui.screens.figures.render_marks import row_name
from tui.screens.figures.render_table import columns, spread
from tui.text.line import Line


def detail(figure: Figure, one: FigureLine, chosen: int, width: int, spoken: bool = False) -> Line:
    """The numbers of a line, the chosen one marked with its n, what was left out, and notes.

    Where they are `spoken` parts of a bar have names, not codes.
    Where there is no room for all, those of its panel, then without its name; else it alone.
    """
    own = one.places[chosen]
    same = [where for where in one.places if where.panel == own.panel]
    line = Line()
    ways = ((one.places, True), (same, True), (same, False), ([own], True), ([own], False))
    for places, titled in ways:
        line = _draw_row(figure, one, own, places, titled, spoken)
        if line.width <= width:
            break
    return line.clip(width)


def _draw_row(
    figure: Figure,
    one: FigureLine,
    chosen: FigurePosition,
    places: Sequence[FigurePosition],
    titled: bool,
    spoken: bool,
) -> Line:
    line = Line(" ").add(one.name, "ink bold")
    before: int | None = None
    for where in places:
        panel = figure.panels[where.panel]
        if panel.kind is PanelKind.LINES and where != chosen:
            continue  # they stand on the line itself
        if panel.kind is PanelKind.STACK and where.panel != chosen.panel:
            continue  # of several whole bars there is no room for all
        if where.panel != before:
            line.add("   ").add(_title(figure, where.panel) if titled else "", "ink-3")
        elif panel.kind is PanelKind.DUMBBELL:
            line.add(" to", "ink-3")
        line.add(_describe_number(one.places, panel, where, spoken), "ink-3")
        role = "accent bold" if where == chosen else "ink"
        line.add(f" {spread(panel.rows[where.row].points[where.point])}", role)
        before = where.panel
    n = figure.panels[chosen.panel].rows[chosen.row].points[chosen.point].n
    if n is not None:
        line.add(f"   n {n:,}", "ink-3")
    return _add_notes(figure, places, line)


def _title(figure: Figure, place: int) -> str:
    """What a panel shows, as short as tells it from the others; nothing where it is alone."""
    if len(figure.panels) == 1:
        return ""
    short = [panel.title.partition(",")[0] for panel in figure.panels]
    return short[place] if len(set(short)) == len(short) else figure.panels[place].title


def _describe_number(
    places: Sequence[FigurePosition], panel: Panel, where: FigurePosition, spoken: bool
) -> str:
    """What a number is, where its place among the others does not say it."""
    if panel.kind in (PanelKind.DUMBBELL, PanelKind.DOTS):
        return ""
    if panel.kind is PanelKind.STACK:
        part = panel.series[where.point]
        return f"  {part.words}" if spoken else f" {part.mark}"
    if len({place.row for place in places}) > 1:
        return f" {row_name(panel.rows[where.row])}"
    return f" {columns(panel)[where.point]}"


def _add_notes(figure: Figure, places: Sequence[FigurePosition], line: Line) -> Line:
    rows = {where.panel: figure.panels[where.panel].rows[where.row] for where in places}
    excluded = [row.excluded for row in rows.values() if row.excluded is not None]
    if excluded:
        line.add("   ").add(f"{excluded[0]:,} excluded", "ink-3")
    for note in dict.fromkeys(row.note for row in rows.values() if row.note):
        line.add("   ").add(note, "ink-2")
    return line
