"""A figure as tables: every value with its interval, and what it is counted over."""

from collections.abc import Sequence
from dataclasses import replace

from core.figures.figure import Figure, FigureRow, Panel, PanelKind, Point, Series, coefficient
from core.report.report_numbers import NONE, count, difference, points, span
from core.report.report_parts import ReportTable, TableColumn, numbers, text
from core.stats.number_format import format_percent

MOST_ROWS = 400
PROFILE_ROLE = "fill-"


def tables_of(figure: Figure) -> list[ReportTable]:
    """A table a panel."""
    return [_table(_turn_panel(panel)) for panel in figure.panels]


def _turn_panel(panel: Panel) -> Panel:
    """The panel with a row a step, where its steps are the models: a page is longer than wide."""
    if panel.kind is not PanelKind.LINES or not panel.steps or any(row.model for row in panel.rows):
        return panel
    series = [Series(row.name, row.name, "", "") for row in panel.rows]
    rows = [
        FigureRow(step, [row.points[place] for row in panel.rows], step)
        for place, step in enumerate(panel.steps)
    ]
    return replace(panel, kind=PanelKind.DOTS, series=series, rows=rows, steps=())


def _table(panel: Panel) -> ReportTable:
    rows = panel.rows[:MOST_ROWS]
    cells = [[row.name, *_cells(panel, row), *_last_cells(panel, row)] for row in rows]
    note = f"{len(rows)} of {len(panel.rows):,} rows" if len(rows) < len(panel.rows) else ""
    return ReportTable(
        panel.title, [text(""), *_columns(panel), *_last_columns(panel)], cells, note
    )


def _columns(panel: Panel) -> list[TableColumn]:
    """A column a series or step; their n beside each where it differs, else once at the end."""
    if panel.kind is PanelKind.MATRIX:
        return numbers(*(series.words for series in panel.series))
    if panel.kind is PanelKind.LINES:
        found = numbers(*(panel.steps or [str(place) for place in range(_count_widest(panel))]))
    else:
        found = [
            TableColumn(f"{series.words} %", code=series.mark if _is_profile(series.role) else "")
            for series in panel.series
        ]
    shared = _shares_n(panel)
    result = []
    for column in found:
        result.append(column)
        if _has_intervals(panel):
            result += numbers("95 %")
        if not shared:
            result += numbers("n")
    return [*result, *(numbers("n") if shared and _has_n(panel) else [])]


def _cells(panel: Panel, row: FigureRow) -> list[str]:
    width = len(panel.series) if panel.kind is not PanelKind.LINES else _count_widest(panel)
    padded = [*row.points, *[Point(None)] * (width - len(row.points))]
    if panel.kind is PanelKind.MATRIX:
        if panel.plain:
            return [NONE if one.value is None else coefficient(one.value) for one in padded]
        if panel.is_heat:
            return [_share(point) for point in padded]
        return [f"{count(point.n)} ({_share(point)})" for point in padded]
    shared = _shares_n(panel)
    found = []
    for point in padded:
        found.append(points(point.value))
        if _has_intervals(panel):
            is_known = point.low is not None and point.high is not None
            found.append(span((point.low or 0.0, point.high or 0.0)) if is_known else NONE)
        if not shared:
            found.append(count(point.n))
    own = [point.n for point in row.points if point.n is not None]
    return [*found, *([count(own[0] if own else None)] if shared and _has_n(panel) else [])]


def _share(point: Point) -> str:
    return NONE if point.value is None else f"{format_percent(point.value, 2)} %"


def _last_columns(panel: Panel) -> list[TableColumn]:
    """What stands at the end of a row: sum, gap, what is excluded, what is to be said."""
    found = []
    if panel.sums:
        found += numbers(f"{panel.sum_mark} %")
    if panel.gap:
        found += numbers(panel.gap)
    if any(row.excluded is not None for row in panel.rows):
        found += numbers("excluded")
    if any(row.note for row in panel.rows):
        found.append(text("note"))
    return found


def _last_cells(panel: Panel, row: FigureRow) -> list[str]:
    found = []
    if panel.sums:
        known = [point.value for point in row.points[: panel.sums] if point.value is not None]
        found.append(points(sum(known)) if known else NONE)
    if panel.gap:
        found.append(difference(row.gap))
    if any(one.excluded is not None for one in panel.rows):
        found.append(count(row.excluded))
    if any(one.note for one in panel.rows):
        found.append(row.note)
    return found


def _is_profile(role: str) -> bool:
    return role.startswith(PROFILE_ROLE)


def _count_widest(panel: Panel) -> int:
    return max([len(panel.steps), *(len(row.points) for row in panel.rows)], default=0)


def _all_points(panel: Panel) -> Sequence[Point]:
    return [point for row in panel.rows for point in row.points]


def _has_n(panel: Panel) -> bool:
    return any(point.n is not None for point in _all_points(panel))


def _has_intervals(panel: Panel) -> bool:
    return any(point.low is not None for point in _all_points(panel))


def _shares_n(panel: Panel) -> bool:
    """Whether all points of each row are counted over the same."""
    known = [{point.n for point in row.points if point.value is not None} for row in panel.rows]
    return all(len(ns) <= 1 for ns in known)
