"""The facts behind a number of a figure: the filter that selects them, and their model.

A row of a panel with steps is one model or group, and its numbers count the same facts under each
step. In all other panels a number counts the facts of its series, where the row says which these
are, else all facts of the row. Numbers that count answers have no facts behind them: their filter
is empty.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from core.figures.figure import Figure
from tui.screens.figures.render_figure import FigureLine
from tui.screens.figures.render_table import columns


@dataclass(frozen=True, slots=True)
class FactsBehind:
    """The facts behind a number."""

    where: str
    """A filter of the reading commands; empty where there are none."""

    model: str | None
    """The model that Facts is to show; None for the lens's own."""

    words: str
    """What the facts are called on Facts: `popularity top`."""


def facts_behind(
    figure: Figure, one: FigureLine, chosen: int, models: Sequence[str]
) -> FactsBehind:
    """The facts that the chosen number of a line counts; no filter where it counts others."""
    where = one.places[chosen]
    panel = figure.panels[where.panel]
    row = panel.rows[where.row]
    name = columns(panel)[where.point]
    if panel.steps:
        model = row.model or (name if name in models else None)
        return FactsBehind(row.facts, model, f"{one.name} {name}")
    series = panel.series[where.point].name
    words = f"{figure.name} {series.replace('_', ' ')}"
    return FactsBehind(row.of_series.get(series) or row.facts, row.model, words)
