"""One panel of a figure as a column of cells: heading, rows, axis; a kind of column a kind."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.figures.figure import Panel, PanelKind, Series, coefficient, short_number
from tui.screens.figures import render_marks
from tui.screens.figures.render_marks import Axis
from tui.text.line import Line
from tui.text.number_text import format_count, format_totals, percent
from tui.theme.glyphs import spell
from tui.theme.look import Look

NUMBER = 7
"""Cells of the number at the right."""

LEAST_AXIS, LEAST_BAR = 16, 26
WITH_LEVEL, WITH_NUMBER = 8, 6
"""Cells of a step from which on a small column, and a number with a decimal, have room."""

MOST_STEP, MOST_CELL, MOST_TURNED = 10, 20, 24
LEAST_TURNED = 8
"""Cells of a small bar; lines that would have less stand below each other, some at a time."""

LEAST_HEAT = 4
"""Cells of a number of a map."""

HOT_PART, WARM_PART = 2 / 3, 1 / 3
"""Parts of the largest number of a map from which on a cell is drawn hotter."""

HOT, WARM = 0.3, 0.05
"""Shares of all from which on a cell of a matrix is drawn hotter."""

At = tuple[int, int]
"""A row of the panel and a point of it."""


@dataclass(frozen=True, slots=True)
class PanelColumn:
    """A panel in `width` cells; a part that it does not have is None.

    `rows` are those rows of the panel that stand here, where not all of them do.
    """

    panel: Panel
    width: int
    look: Look
    rows: range | None = None

    def title(self) -> Line | None:
        """What the panel shows, where that has a line of its own."""
        return Line().cell(self.panel.title, self.width, "ink-2")

    def heading(self) -> Line:
        """What stands above the rows."""
        raise NotImplementedError

    def row(self, row: int) -> Line:
        """A row."""
        raise NotImplementedError

    def places(self, row: int) -> Sequence[At]:
        """The numbers of a row."""
        return [(row, point) for point in range(len(self.panel.rows[row].points))]

    def blank(self) -> Line | None:
        """What stands between two rows."""
        return Line()

    def axis(self) -> Line | None:
        """What stands below."""
        return None


class _AxisColumn(PanelColumn):
    """Dots or bars, and a number at the right."""

    __slots__ = ()

    @property
    def scale(self) -> Axis:
        return Axis(self.panel.low, self.panel.high, self.width - NUMBER)

    @property
    def right(self) -> str:
        """What the number at the right is."""
        if self.panel.kind is PanelKind.STACK:
            if not self.panel.sums:
                return "n"
            return self.panel.sum_words if self.look.is_spoken else self.panel.sum_mark
        return self.look.glyph("edited") if self.panel.gap else "%"

    def title(self) -> Line | None:
        return None

    def heading(self) -> Line:
        beside = max(NUMBER, len(self.right) + 1)
        line = Line().cell(self.panel.title, self.width - beside, "ink-2")
        return line.cell(self.right, beside, "ink-3", right=True)

    def row(self, row: int) -> Line:
        one = self.panel.rows[row]
        if self.panel.kind is PanelKind.STACK:
            line = render_marks.stack(self.panel, one, self.width - NUMBER, self.look)
        else:
            line = render_marks.dots(self.panel, one, self.scale, self.look)
        return line.cell(self._number(row), NUMBER, "ink", right=True)

    def _number(self, row: int) -> str:
        one = self.panel.rows[row]
        if self.panel.kind is PanelKind.STACK and self.panel.sums:
            known = [point.value for point in one.points[: self.panel.sums]]
            there = [value for value in known if value is not None]
            return percent(sum(there), 1) if there else percent(None)
        if self.panel.kind is PanelKind.STACK:
            counts = [other.points[0].n or 0 for other in self.panel.rows]
            return format_totals(counts, NUMBER - 1)[row]
        return (
            render_marks.format_gap(one.gap) if self.panel.gap else percent(one.points[0].value, 1)
        )

    def blank(self) -> Line:
        if self.panel.kind is PanelKind.STACK:
            return Line()
        return render_marks.grid(self.scale, self.look)

    def axis(self) -> Line:
        return self.scale.labels(self.width)


class _StepColumn(PanelColumn):
    """A value a step, side by side."""

    __slots__ = ()

    @property
    def each(self) -> int:
        return min(MOST_STEP, self.width // max(1, len(self.panel.steps)))

    def heading(self) -> Line:
        line = Line()
        for step in self.panel.steps:
            line.cell(step, self.each, "ink-3", right=True)
        return line

    def row(self, row: int) -> Line:
        line = Line()
        for point in self.panel.rows[row].points:
            shown = percent(point.value, 1 if self.each >= WITH_NUMBER else 0)
            room = self.each
            if self.each >= WITH_LEVEL:
                line.add(f" {render_marks.level(point, self.panel, self.look)}", "accent")
                room -= 2
            line.cell(shown, room, "ink" if point.value is not None else "ink-3", right=True)
        return line


class _StepRows(PanelColumn):
    """Steps as rows, a small bar and a number a line: for steps with long names."""

    __slots__ = ()

    @property
    def here(self) -> range:
        return self.rows or range(len(self.panel.rows))

    @property
    def each(self) -> int:
        return min(MOST_TURNED, self.width // max(1, len(self.here)))

    def _series(self, row: int) -> Series | None:
        name = self.panel.rows[row].name
        return next((one for one in self.panel.series if one.words == name), None)

    def heading(self) -> Line:
        line = Line()
        for row in self.here:
            one, series = self.panel.rows[row], self._series(row)
            role = f"{render_marks.column_role(series)} bold" if series else "ink-2"
            name = spell(series.mark) if series else one.name
            line.cell(name, self.each - 2, role, right=True)
            line.add("  ")
        return line

    def row(self, row: int) -> Line:
        line = Line()
        for place in self.here:
            series, point = self._series(place), self.panel.rows[place].points[row]
            role = render_marks.column_role(series) if series else "ink-2"
            cells = self.each - 2 - WITH_NUMBER
            if cells > 0:
                line.join(render_marks.bar(point.value, self.panel.high, cells, role, self.look))
            room = WITH_NUMBER + min(0, cells)
            line.cell(percent(point.value, 1), room, "ink", right=True).add("  ")
        return line

    def places(self, row: int) -> Sequence[At]:
        return [(line, row) for line in self.here]


class _Matrix(PanelColumn):
    """Counts with their shares, on grounds by share."""

    __slots__ = ()

    @property
    def each(self) -> int:
        return min(MOST_CELL, self.width // max(1, len(self.panel.series)))

    def heading(self) -> Line:
        line = Line()
        for series in self.panel.series:
            line.cell(f"{series.words} ", self.each, series.role, right=True)
        return line

    def row(self, row: int) -> Line:
        line = Line()
        for column, point in enumerate(self.panel.rows[row].points):
            number = format_count(point.n or 0, self.each - 9)
            share = "" if point.value is None else f"{percent(point.value, 2)}%"
            if self.panel.plain and point.value is not None:
                share = spell(coefficient(point.value))
            ground = _heat(point.value, row == column)
            role = "ink" if point.n else "ink-3"
            line.cell(f"{number} {share:>7} ", self.each, f"{role}{ground}", right=True)
        return line


class _HeatMap(PanelColumn):
    """Numbers on grounds by their size; columns are numbered where their names have no room."""

    __slots__ = ()

    @property
    def here(self) -> range:
        return self.rows or range(len(self.panel.series))

    @property
    def each(self) -> int:
        return min(MOST_CELL, max(LEAST_HEAT, self.width // max(1, len(self.here))))

    def heading(self) -> Line:
        line = Line()
        for place in self.here:
            words = self.panel.series[place].words
            name = words if len(words) < self.each else f"{place + 1}"
            line.cell(f"{name} ", self.each, "ink-3", right=True)
        return line

    def row(self, row: int) -> Line:
        values = [one.value for other in self.panel.rows for one in other.points]
        most = max((abs(value) for value in values if value is not None), default=0.0)
        line, points = Line(), self.panel.rows[row].points
        for place in self.here:
            value = points[place].value
            said = "" if value is None else spell(short_number(value, self.panel.plain))
            ground = "" if value is None or not most else _warmth(value / most)
            line.cell(f"{said} ", self.each, f"ink{ground}", right=True)
        return line

    def places(self, row: int) -> Sequence[At]:
        return [(row, point) for point in self.here]


def _warmth(part: float) -> str:
    level = 3 if abs(part) >= HOT_PART else 2 if abs(part) >= WARM_PART else 1
    return f" @heat-{'agree' if part >= 0 else 'differ'}-{level}" if part else ""


def _heat(share: float | None, same: bool) -> str:
    if not share:
        return ""
    level = 3 if share >= HOT else 2 if share >= WARM else 1
    return f" @heat-{'agree' if same else 'differ'}-{level}"


def is_turned(panel: Panel, width: int) -> bool:
    """Whether the steps of lines stand as rows."""
    longest = max((len(step) for step in panel.steps), default=0)
    room = min(MOST_STEP, width // max(1, len(panel.steps)))
    return longest >= room or room < WITH_NUMBER - 1


def find_least_width(panel: Panel) -> int:
    """Cells that a panel needs."""
    if panel.kind is PanelKind.MATRIX:
        return len(panel.series) * (LEAST_HEAT if panel.is_heat else 14)
    if panel.kind is PanelKind.LINES:
        return max(WITH_NUMBER, max(map(len, panel.steps), default=0) + 1) * len(panel.steps)
    return NUMBER + (LEAST_BAR if panel.kind is PanelKind.STACK else LEAST_AXIS)


def column_of(
    panel: Panel, width: int, look: Look, turned: bool, rows: range | None = None
) -> PanelColumn:
    """The column that a panel is drawn as; `turned`: its steps stand as rows."""
    if panel.is_heat:
        return _HeatMap(panel, width, look, rows)
    if panel.kind is PanelKind.MATRIX:
        return _Matrix(panel, width, look)
    if panel.kind is PanelKind.LINES:
        return (_StepRows if turned else _StepColumn)(panel, width, look, rows)
    return _AxisColumn(panel, width, look)


def banks(panel: Panel, width: int, turned: bool) -> list[range | None]:
    """Rows of a panel that stand beside each other; None for all of them.

    The lines of a turned panel stand in so many banks that their bars have room, if they can;
    so do the columns of a map.
    """
    count = len(panel.series) if panel.is_heat else len(panel.rows)
    if not turned and not panel.is_heat:
        return [None]
    cells = LEAST_HEAT if panel.is_heat else LEAST_TURNED + WITH_NUMBER + 2
    most = max(1, width // cells)
    if most >= count:
        return [None]
    each = -(-count // -(-count // most))
    return [range(first, min(first + each, count)) for first in range(0, count, each)]
