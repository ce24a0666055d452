"""One row of a panel: dots, bars and segments on an axis of cells, each told without colour."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from core.figures.figure import THRESHOLD, FigureRow, Panel, PanelKind, Point, Series
from tui.text.line import Line
from tui.text.number_text import NONE, percent
from tui.theme.glyphs import spell
from tui.theme.look import Look

TICKS = 4
"""Parts into which the lines behind the dots cut an axis."""

GLYPHS = {"●": "CORRECT", "o": "OTHER"}
"""Glyphs of the marks that dots have."""

LEVELS = 8
NAMED = 4
"""Characters from which on the name of a map's column may have no room above it."""
BETWEEN = "   "


def row_name(row: FigureRow) -> str:
    """What a row is called; most names are of the data, those of thresholds are ours."""
    return spell(row.name) if row.name.startswith(THRESHOLD) else row.name


@dataclass(frozen=True, slots=True)
class Axis:
    """Shares from `low` to `high` on so many cells."""

    low: float
    high: float
    cells: int

    def find_cell(self, share: float) -> int:
        """The cell of a share."""
        part = (share - self.low) / (self.high - self.low) if self.high > self.low else 0.0
        return min(max(round(part * (self.cells - 1)), 0), self.cells - 1)

    def ticks(self) -> list[tuple[int, str]]:
        """Cells of the lines behind the dots, and what stands under them."""
        step = (self.high - self.low) / TICKS
        shares = [self.low + place * step for place in range(TICKS + 1)]
        return [(self.find_cell(share), f"{100 * share:.3g}") for share in shares]

    def labels(self, room: int) -> Line:
        """The numbers under the axis, within `room` cells."""
        line = Line()
        for cell, words in self.ticks():
            start = max(0, min(cell - (len(words) - 1) // 2, room - len(words)))
            if start >= line.width + bool(line.width):
                line.to(start).add(words, "ink-3")
        return line.to(room)


@dataclass(slots=True)
class Canvas:
    """A row of cells to draw on, each a character in a role."""

    cells: list[tuple[str, str]] = field(default_factory=list)

    @classmethod
    def from_axis(cls, axis: Axis, look: Look) -> "Canvas":
        """Blank but for the lines behind the dots."""
        canvas = cls([(" ", "rule")] * axis.cells)
        for cell, _ in axis.ticks():
            canvas.cells[cell] = (look.glyph("grid"), "rule")
        return canvas

    def fill(self, first: int, last: int, char: str, role: str) -> None:
        """The cells from the first to before the last."""
        for cell in range(first, last):
            self.cells[cell] = (char, role)

    def line(self) -> Line:
        """As a line."""
        line = Line()
        for role, run in groupby(self.cells, key=lambda cell: cell[1]):
            line.add("".join(char for char, _ in run), role)
        return line


def grid(axis: Axis, look: Look) -> Line:
    """Only the lines behind the dots."""
    return Canvas.from_axis(axis, look).line()


def dots(panel: Panel, row: FigureRow, axis: Axis, look: Look) -> Line:
    """A dot a point on the axis, a bar between two, and thin lines for intervals."""
    canvas = Canvas.from_axis(axis, look)
    there = [
        (series, point, axis.find_cell(point.value))
        for series, point in zip(panel.series, row.points, strict=False)
        if point.value is not None
    ]
    if len(there) == 2:
        ends = sorted(cell for _, _, cell in there)
        canvas.fill(ends[0], ends[1], look.glyph("bar"), "ink-3")
    for series, point, _ in there:
        _interval(canvas, series, point, axis, look)
    by_value = sorted(there, key=lambda one: one[1].value or 0.0)
    for series, cell in _move_apart([(series, cell) for series, _, cell in by_value], axis.cells):
        glyph = GLYPHS.get(series.mark)
        canvas.cells[cell] = (
            look.glyph(glyph) if glyph else spell(series.mark[:1]),
            f"{series.role} bold",
        )
    return canvas.line()


def dot(series: Series, look: Look) -> str:
    """The character of a series' dots."""
    glyph = GLYPHS.get(series.mark)
    return look.glyph(glyph) if glyph else spell(series.mark[:1])


def _interval(canvas: Canvas, series: Series, point: Point, axis: Axis, look: Look) -> None:
    if point.low is not None and point.high is not None:
        first, last = axis.find_cell(point.low), axis.find_cell(point.high) + 1
        canvas.fill(first, last, look.glyph("track"), series.role)


def _move_apart(found: Sequence[tuple[Series, int]], cells: int) -> list[tuple[Series, int]]:
    """Two dots in one cell stand beside each other, the lower at the left."""
    if len(found) != 2 or found[0][1] != found[1][1]:
        return list(found)
    cell = max(found[0][1], 1)
    return [(found[0][0], cell - 1), (found[1][0], min(cell, cells - 1))]


def stack(panel: Panel, row: FigureRow, cells: int, look: Look) -> Line:
    """The parts of a whole in one bar, with their letters and numbers where there is room.

    Hollow where there are few facts, with the n at its end if no column has it.
    """
    line = Line()
    end = f" n {row.few}" if row.few is not None and panel.sums else ""
    shares = [point.value or 0.0 for point in row.points]
    if not any(point.value is not None for point in row.points):
        return Line(spell(row.note or NONE), "ink-3").clip(cells).to(cells)
    widths = _widths(shares, cells - len(end))
    for series, share, width in zip(panel.series, shares, widths, strict=False):
        number = percent(share, 1)
        texts = (f" {spell(series.mark)} {number} ", f" {number} ", number, spell(series.mark))
        text = next((one for one in texts if len(one) <= width), "")
        if row.few is not None:
            line.join(_hollow_part(text.strip(), column_role(series), width, look))
            continue
        if look.ansi and line.width and width and text[:1] in ("", " "):
            text = look.glyph("grid") + text[1:]  # all grounds may look the same
        line.cell(text, width, choose_text_role(series.role, look))
    return line.add(end, "ink-3").to(cells)


def _hollow_part(text: str, role: str, width: int, look: Look) -> Line:
    """`├DR 33.3───`: a part of a bar as a line, not as a ground."""
    line = (
        Line().add(look.glyph("from") if width > len(text) else "", role).add(text, f"{role} bold")
    )
    return line.add(look.glyph("track") * (width - line.width), role)


def choose_text_role(role: str, look: Look) -> str:
    """The role of text on a ground that is as a role."""
    if role.startswith("fill-"):
        return f"{role.replace('fill-', 'on-')} @{role}"
    return f"{role if look.ansi else 'background'} @{role}"


def _widths(shares: Sequence[float], cells: int) -> list[int]:
    """Whole cells for each share, all of them for a whole: by largest remainders."""
    whole = sum(shares)
    exact = [share / whole * cells if whole else 0.0 for share in shares]
    found = [int(one) for one in exact]
    rest = sorted(range(len(exact)), key=lambda place: found[place] - exact[place])
    for place in rest[: cells - sum(found) if whole else 0]:
        found[place] += 1
    return found


def level(point: Point, panel: Panel, look: Look) -> str:
    """A value as a small column; blank where there is none."""
    if point.value is None:
        return " "
    part = point.value / panel.high if panel.high else 0.0
    return look.glyph(f"level-{min(LEVELS - 1, max(0, round(part * (LEVELS - 1))))}")


def bar(value: float | None, high: float, cells: int, role: str, look: Look) -> Line:
    """A value as a bar of at most so many cells."""
    length = 0 if value is None or not high else round(value / high * cells)
    line = Line(look.glyph("bar") * length, role)
    return line.add(look.glyph("track") * (cells - length), "rule")


def format_gap(gap: float | None) -> str:
    """A difference in points, with a true minus: `21.4`, `−3.0`."""
    if gap is None:
        return spell(NONE)
    shown = percent(abs(gap), 1)
    return f"{spell('−')}{shown}" if gap < 0 and shown != "0.0" else shown


def legend(panel: Panel, width: int, look: Look) -> list[Line]:
    """What the marks of a panel stand for, in as many lines as it takes."""
    entries = [
        Line(mark, role).add(f" {words}", "ink-2") for words, mark, role in list_marks(panel, look)
    ]
    if panel.gap and len(panel.series) > 1:
        entries.append(Line(look.glyph("edited"), "ink-2").add(f" {panel.gap}", "ink-2"))
    lines: list[Line] = []
    for entry in entries:
        if not lines or lines[-1].width + len(BETWEEN) + entry.width > width:
            lines.append(Line(" ").join(entry))
        else:
            lines[-1].add(BETWEEN).join(entry)
    return lines


def list_marks(panel: Panel, look: Look) -> Iterator[tuple[str, str, str]]:
    """The words of each mark, the mark and its role; nothing where headings say it."""
    if panel.is_heat and any(len(series.words) >= NAMED for series in panel.series):
        for place, series in enumerate(panel.series, 1):
            yield series.words, f"{place}", "ink-3"
    if len(panel.series) == 1 or panel.kind is PanelKind.MATRIX:
        return
    for series in panel.series:
        if panel.kind is PanelKind.STACK:
            yield (
                series.words,
                f" {spell(series.mark)} ",
                f"{choose_text_role(series.role, look)} bold",
            )
        elif panel.kind is PanelKind.LINES:
            yield series.words, spell(series.mark), f"{column_role(series)} bold"
        else:
            yield series.words, dot(series, look), f"{series.role} bold"


def column_role(series: Series) -> str:
    """The role of a series as text: fills have one of their own."""
    return series.role.replace("fill-", "profile-")
