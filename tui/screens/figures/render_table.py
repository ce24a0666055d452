"""A figure as a table of numbers: on the screen, and as text to be copied."""

from collections.abc import Iterator, Sequence

from core.figures.figure import Figure, FigureRow, Panel, PanelKind, Point
from tui.screens.confusion.render_numbers import percent
from tui.screens.figures import render_marks
from tui.screens.figures.render_figure import LONGEST_NAME, FigureLine, FigurePosition
from tui.text.line import Line
from tui.text.safe import inert

LEAST, MOST = 7, 14
HEADER = ("panel", "row", "series", "value", "low", "high", "n", "excluded", "note")


def tabled(figure: Figure, width: int) -> list[FigureLine]:
    """Every panel as a table, a line a row: values in percent, then n."""
    lines = [FigureLine(Line(" ").add(figure.title, "ink bold").clip(width))]
    for place, panel in enumerate(figure.panels):
        lines += [FigureLine(Line()), *_panel(place, panel, width)]
    return lines


def _panel(place: int, panel: Panel, width: int) -> Iterator[FigureLine]:
    names = [*columns(panel), *(["gap"] if _gaps(panel) else []), "n"]
    left = 2 + min(max((len(row.name) for row in panel.rows), default=0), LONGEST_NAME)
    room = max(LEAST, min(MOST, (width - left) // max(1, len(names))))
    yield FigureLine(Line(f" {panel.title} ", "ink-2").clip(width).rule(width - 1))
    heading = Line().to(left)
    for name, code in zip(names, _codes(panel, names), strict=True):
        heading.add(" ").cell(name if len(name) < room else code, room - 1, "ink-3", right=True)
    yield FigureLine(heading.clip(width))
    below = any(len(words) > room - 1 for row in panel.rows for words in map(spread, row.points))
    for at, row in enumerate(panel.rows):
        line = Line(" ").cell(row.name, left - 2, "ink").to(left)
        for words in _cells(panel, row, not below):
            line.cell(words, room, "ink" if words.strip("–") else "ink-3", right=True)
        if row.note:
            line.add(f"  {row.note}", "ink-2")
        points = tuple(FigurePosition(place, at, point) for point in range(len(row.points)))
        yield FigureLine(line.clip(width), row.name, points)
        if below:
            under = Line().to(left)
            for point in row.points:
                under.cell(interval(point), room, "ink-3", right=True)
            yield FigureLine(under.clip(width))


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
    found = [spread(one) if intervals else percent(one.value, 1) for one in row.points]
    if _gaps(panel):
        found.append(render_marks.signed(row.gap))
    counts = dict.fromkeys(f"{point.n:,}" for point in row.points if point.n is not None)
    total = sum(point.n or 0 for point in row.points)
    many = f"{total:,}" if panel.kind is PanelKind.MATRIX else ", ".join(counts)
    return [*found, many or "–"]


def spread(point: Point) -> str:
    """A share in percent, with its interval where it has one: `68.8`, `68.8 [65, 73]`."""
    return " ".join(filter(None, (percent(point.value, 1), interval(point))))


def interval(point: Point) -> str:
    """Where a share lies: `[65, 73]`; nothing where that is not known."""
    if point.low is None or point.high is None:
        return ""
    return f"[{percent(point.low)}, {percent(point.high)}]"


def copied(figure: Figure) -> str:
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
    return inert(value) if isinstance(value, str) else repr(value)
