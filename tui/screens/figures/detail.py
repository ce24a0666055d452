"""The numbers under the cursor in words, and the facts behind one of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.figures.figure import Figure, Kind, Panel
from tui.screens.figures.drawing import Drawn, Place
from tui.screens.figures.table import columns, spread
from tui.text.line import Line


@dataclass(frozen=True, slots=True)
class Behind:
    """The facts behind a number: a filter of the reading commands, the model, and in words."""

    where: str
    model: str | None
    words: str


def detail(figure: Figure, one: Drawn, chosen: int, width: int) -> Line:
    """The numbers of a line, the chosen one marked with its n, what was left out, and notes."""
    line = Line(" ").add(one.name, "ink bold")
    before: int | None = None
    for place, where in enumerate(one.places):
        panel = figure.panels[where.panel]
        if panel.kind is Kind.LINES and place != chosen:
            continue  # they stand on the line itself
        if panel.kind is Kind.STACK and where.panel != one.places[chosen].panel:
            continue  # of several whole bars there is no room for all
        point = panel.rows[where.row].points[where.point]
        if where.panel != before:
            line.add("   ").add(panel.title if len(figure.panels) > 1 else "", "ink-3")
        elif panel.kind is Kind.DUMBBELL:
            line.add(" to", "ink-3")
        line.add(_what(one.places, panel, where), "ink-3")
        line.add(f" {spread(point)}", "accent bold" if place == chosen else "ink")
        before = where.panel
    where = one.places[chosen]
    n = figure.panels[where.panel].rows[where.row].points[where.point].n
    if n is not None:
        line.add(f"   n {n:,}", "ink-3")
    return _beside(figure, one.places, line).clip(width)


def _what(places: Sequence[Place], panel: Panel, where: Place) -> str:
    """What a number is, where its place among the others does not say it."""
    if panel.kind in (Kind.DUMBBELL, Kind.DOTS):
        return ""
    if panel.kind is Kind.STACK:
        return f" {panel.series[where.point].mark}"
    if len({place.row for place in places}) > 1:
        return f" {panel.rows[where.row].name}"
    return f" {columns(panel)[where.point]}"


def _beside(figure: Figure, places: Sequence[Place], line: Line) -> Line:
    rows = {where.panel: figure.panels[where.panel].rows[where.row] for where in places}
    excluded = [row.excluded for row in rows.values() if row.excluded is not None]
    if excluded:
        line.add("   ").add(f"{excluded[0]:,} excluded", "ink-3")
    for note in dict.fromkeys(row.note for row in rows.values() if row.note):
        line.add("   ").add(note, "ink-2")
    return line


def behind(figure: Figure, one: Drawn, chosen: int, models: Sequence[str]) -> Behind:
    """The facts that the chosen number of a line counts; no filter where it counts others."""
    where = one.places[chosen]
    panel = figure.panels[where.panel]
    row = panel.rows[where.row]
    name = columns(panel)[where.point]
    if panel.steps:
        model = row.model or (name if name in models else None)
        return Behind(row.facts, model, f"{one.name} {name}")
    series = panel.series[where.point].name
    words = f"{figure.name} {series.replace('_', ' ')}"
    return Behind(row.of_series.get(series) or row.facts, row.model, words)
