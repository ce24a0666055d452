"""A figure as a table of numbers: on the screen, and as text to be copied."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.figures.figure import Figure, FigureRow, Panel, PanelKind, Point, coefficient
from tui.screens.figures import render_marks
from tui.screens.figures.render_figure import FigureLine, FigurePosition, name_width
from tui.text.inert_text import make_inert
from tui.text.line import Line
from tui.text.number_text import percent
from tui.theme.glyphs import spell

LEAST, MOST = 7, 14
"""Cells of a column; as many more as its numbers take."""

HEADER = ("panel", "row", "series", "value", "low", "high", "n", "excluded", "note")


def draw_table(figure: Figure, width: int) -> list[FigureLine]:
    """Every panel as a table: values in percent, then n; columns without room stand below."""
    lines = [FigureLine(Line(" ").add(figure.title, "ink bold").clip(width))]
    for place, panel in enumerate(figure.panels):
        lines += [FigureLine(Line()), *_panel(place, panel, width)]
    return lines


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns of a panel: their names and cells, and whether intervals stand below values."""

    names: Sequence[str]
    left: int
    cells: Sequence[int]
    below: bool


def _panel(place: int, panel: Panel, width: int) -> Iterator[FigureLine]:
    table = _columns(panel, width)
    yield FigureLine(Line(f" {panel.title} ", "ink-2").clip(width).rule(width - 1))
    for bank in _banks(table.cells, width - table.left):
        heading = Line().to(table.left)
        for at in bank:
            heading.add(" ").cell(table.names[at], table.cells[at] - 1, "ink-3", right=True)
        yield FigureLine(heading.clip(width))
        for at in range(len(panel.rows)):
            yield from _row(place, panel, at, table, bank, width)


def _columns(panel: Panel, width: int) -> _Columns:
    names = [*columns(panel), *(["gap"] if _gaps(panel) else []), "n"]
    left = name_width(panel.rows, width)
    room = max(LEAST, min(MOST, (width - left) // max(1, len(names))))
    below = any(len(words) > room - 1 for row in panel.rows for words in map(spread, row.points))
    cells = [room] * len(names)
    for row in panel.rows:
        under = map(interval, row.points) if below else ()
        for at, words in (*enumerate(_cells(panel, row, not below)), *enumerate(under)):
            cells[at] = max(cells[at], len(words) + 1)
    codes = _codes(panel, names)
    shown = [
        name if len(name) < room else code
        for name, code, room in zip(names, codes, cells, strict=True)
    ]
    return _Columns(shown, left, cells, below)


def _row(
    place: int, panel: Panel, at: int, table: _Columns, bank: range, width: int
) -> Iterator[FigureLine]:
    """A row in some columns, and its intervals where they stand below."""
    row = panel.rows[at]
    line = Line(" ").cell(render_marks.row_name(row), table.left - 2, "ink").to(table.left)
    found = _cells(panel, row, not table.below)
    for column in bank:
        words = found[column]
        role = "ink" if words.strip(spell("–")) else "ink-3"
        line.cell(words, table.cells[column], role, right=True)
    if row.note and bank.stop == len(table.cells):
        line.add(f"  {row.note}", "ink-2")
    points = [point for point in bank if point < len(row.points)]
    places = tuple(FigurePosition(place, at, point) for point in points)
    yield FigureLine(line.clip(width), render_marks.row_name(row), places)
    if table.below and points:
        under = Line().to(table.left)
        for point in points:
            words = interval(row.points[point])
            under.cell(words, table.cells[point], "ink-3", right=True)
        yield FigureLine(under.clip(width))


def _banks(cells: Sequence[int], room: int) -> Iterator[range]:
    """Columns of these cells by how many stand beside each other in a room, at least one."""
    first, used = 0, 0
    for at, width in enumerate(cells):
        if used and used + width > room:
            yield range(first, at)
            first, used = at, 0
        used += width
    yield range(first, len(cells))


def _codes(panel: Panel, names: Sequence[str]) -> list[str]:
    """What stands above a column that is too narrow for its name."""
    codes = {one.words: one.mark for one in panel.series if len(one.mark) > 1}
    return [codes.get(name, name) for name in names]


def columns(panel: Panel) -> list[str]:
    """What the points of a row are."""
    return list(panel.steps) or [series.words for series in panel.series]


def _gaps(panel: Panel) -> bool:
    return bool(panel.gap) and len(panel.series) > 1


def _cells(panel: Panel, row: FigureRow, intervals: bool) -> list[str]:
    if panel.plain:
        values = [one.value for one in row.points]
        return [*("" if one is None else spell(coefficient(one)) for one in values), ""]
    found = [spread(one) if intervals else percent(one.value, 1) for one in row.points]
    if _gaps(panel):
        found.append(render_marks.format_gap(row.gap))
    counts = dict.fromkeys(f"{point.n:,}" for point in row.points if point.n is not None)
    total = sum(point.n or 0 for point in row.points)
    if panel.kind is PanelKind.MATRIX:
        return [*found, "" if panel.is_heat else f"{total:,}"]
    many = ", ".join(counts)
    if len(many) > MOST and len(counts) > 2:
        numbers = [point.n for point in row.points if point.n is not None]
        many = f"{min(numbers):,} to {max(numbers):,}"
    return [*found, many or spell("–")]


def spread(point: Point) -> str:
    """A share in percent, with its interval where it has one: `68.8`, `68.8 [65, 73]`."""
    return " ".join(filter(None, (percent(point.value, 1), interval(point))))


def interval(point: Point) -> str:
    """Where a share lies: `[65, 73]`; nothing where that is not known."""
    if point.low is None or point.high is None:
        return ""
    return f"[{percent(point.low)}, {percent(point.high)}]"


def format_copy(figure: Figure) -> str:
    """All numbers as tab-separated text, a line a point, shares as fractions."""
    lines: list[Sequence[object]] = [HEADER]
    for panel in figure.panels:
        names = columns(panel)
        for row in panel.rows:
            for name, point in zip(names, row.points, strict=False):
                beside = ("" if row.excluded is None else row.excluded, row.note)
                lines.append((panel.title, row.name, name, *_numbers(point), *beside))
    return "\n".join("\t".join(_field(one) for one in line) for line in lines) + "\n"


def _numbers(point: Point) -> list[object]:
    return ["" if one is None else one for one in (point.value, point.low, point.high, point.n)]


def _field(value: object) -> str:
    return make_inert(value) if isinstance(value, str) else repr(value)
