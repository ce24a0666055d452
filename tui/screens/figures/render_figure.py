"""A figure in lines: panels side by side where there is room, and what each line stands for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.figures.figure import Figure, FigureRow, Panel, PanelKind
from tui.screens.figures import render_marks
from tui.screens.figures.render_columns import (
    PanelColumn,
    banks,
    column_of,
    find_least_width,
    is_turned,
)
from tui.text.line import Line
from tui.text.line_wrap import wrap_spans
from tui.text.speech import SPOKEN_ROOM, speak_lines
from tui.theme.look import Look

LONGEST_NAME = 24
BETWEEN = 2
"""Cells between two panels."""

MOST_BESIDE = 3
AXIS = 2
"""Lines from the last row to the end of its axis."""


@dataclass(frozen=True, slots=True)
class FigurePosition:
    """A number of a figure: its panel, row and point."""

    panel: int
    row: int
    point: int


@dataclass(frozen=True, slots=True)
class FigureLine:
    """One line; `name` and `places` say what stands on it, where it can be chosen."""

    line: Line
    name: str = ""
    places: tuple[FigurePosition, ...] = ()


@dataclass(frozen=True, slots=True)
class PanelGroup:
    """Panels beside each other, by their places in the figure."""

    panels: Mapping[int, Panel]


@dataclass(frozen=True, slots=True)
class FigureRoom:
    """Cells and lines that there are."""

    width: int
    height: int = 0


@dataclass(slots=True)
class FigurePage:
    """The lines of a figure, from top to bottom."""

    lines: list[FigureLine] = field(default_factory=list)

    def add(self, line: Line | None = None) -> None:
        """A line that stands for nothing."""
        self.lines.append(FigureLine(line or Line()))


def draw_figure(figure: Figure, room: FigureRoom, look: Look) -> list[FigureLine]:
    """The figure, with blank lines between its rows where all of them are in sight then."""
    tight = _page(figure, room, look, False)
    last = max((place for place, one in enumerate(tight) if one.places), default=0)
    between = sum(bool(one.places) for one in tight) - 1
    if last + AXIS + between > room.height:
        return tight
    return _page(figure, room, look, True)


def _page(figure: Figure, room: FigureRoom, look: Look, roomy: bool) -> list[FigureLine]:
    page = FigurePage()
    page.add(Line(" ").add(figure.title, "ink bold"))
    before: Panel | None = None
    shown = {at: panel for at, panel in enumerate(figure.panels) if _has_values(panel)}
    for group in groups(shown, room.width):
        first = next(iter(group.panels.values()))
        if before is None or _build_legend_key(first) != _build_legend_key(before):
            if before is not None:
                page.add()
            for line in _legend(first, room.width, look):
                page.add(line)
        page.add()
        before = first
        page.lines += _group(group, room.width, look, roomy)
    page.add()
    empty = [panel.title for at, panel in enumerate(figure.panels) if at not in shown]
    absent = [f"no numbers: {'; '.join(empty)}"] if empty else []
    for words in (*absent, *figure.notes, *figure.caption):
        for line in wrap_spans(Line(words, "ink-3").spans, room.width - 2):
            page.add(Line(" ").join(line))
    for one in page.lines:
        one.line.clip(room.width)
    return page.lines


def _legend(panel: Panel, width: int, look: Look) -> list[Line]:
    if not look.is_spoken:
        return render_marks.legend(panel, width, look)
    return speak_lines(render_marks.legend(panel, SPOKEN_ROOM, look), width)


def _has_values(panel: Panel) -> bool:
    """Whether there is anything to draw, or a row says why not."""
    return any(
        row.note or any(point.value is not None or point.n for point in row.points)
        for row in panel.rows
    )


def _build_legend_key(panel: Panel) -> tuple[object, ...]:
    return panel.kind, tuple(panel.series), panel.gap if len(panel.series) > 1 else ""


def groups(panels: Mapping[int, Panel], width: int) -> Iterator[PanelGroup]:
    """Panels of the same rows and marks together, as many as fit beside each other."""
    places, place = list(panels), 0
    while place < len(places):
        alike = _find_alike([panels[at] for at in places], place)
        first = panels[places[place]]
        room = width - name_width(first.rows, width)
        each = find_least_width(first) + BETWEEN
        beside = max(1, min(len(alike), room // each, MOST_BESIDE))
        if len(alike) % beside:  # 4 as 2 and 2, not as 3 and 1
            beside = max(1, min(beside, -(-len(alike) // -(-len(alike) // beside))))
        yield PanelGroup({places[at]: panels[places[at]] for at in alike[:beside]})
        place += beside


def _find_alike(panels: Sequence[Panel], place: int) -> list[int]:
    def key(panel: Panel) -> tuple[object, ...]:
        names = tuple(row.name for row in panel.rows)
        return panel.kind, tuple(panel.series), names, tuple(panel.steps)

    found = [place]
    while found[-1] + 1 < len(panels) and key(panels[found[-1] + 1]) == key(panels[place]):
        found.append(found[-1] + 1)
    return found


def name_width(rows: Sequence[FigureRow], width: int) -> int:
    """Cells of the names at the left, the cursor's among them."""
    longest = max((len(render_marks.row_name(row)) for row in rows), default=0)
    return 2 + min(longest, LONGEST_NAME, max(8, width // 4))


def _group(group: PanelGroup, width: int, look: Look, roomy: bool) -> list[FigureLine]:
    """Headings, a line a row, and the axes, of panels beside each other, bank by bank."""
    first = next(iter(group.panels.values()))
    names = _choose_names(first, width, len(group.panels))
    each = (width - names.width - BETWEEN * len(group.panels)) // len(group.panels)
    found: list[FigureLine] = []
    for rows in banks(first, each, names.turned):
        columns = {
            at: column_of(one, each, look, names.turned, rows) for at, one in group.panels.items()
        }
        if found:
            found.append(FigureLine(Line()))
        else:
            found += [
                FigureLine(one)
                for one in _join_columns(names.width, columns, lambda one: one.title())
            ]
        found += _bank(columns, names, roomy)
    return found


def _bank(columns: Mapping[int, PanelColumn], names: "_AxisNames", roomy: bool) -> list[FigureLine]:
    """Heading, rows and axes of columns beside each other."""
    left = names.width
    found = [FigureLine(line) for line in _join_columns(left, columns, lambda one: one.heading())]
    for row, name in enumerate(names.names):
        line = Line(" ").cell(name, left - 2, "ink").to(left)
        for place, column in enumerate(columns.values()):
            line.to(left + place * (column.width + BETWEEN)).join(column.row(row))
        places = tuple(
            FigurePosition(at, *where)
            for at, column in columns.items()
            for where in column.places(row)
        )
        found.append(FigureLine(line, name, places))
        if roomy and row < len(names.names) - 1:
            found += [
                FigureLine(one) for one in _join_columns(left, columns, lambda one: one.blank())
            ]
    return found + [FigureLine(one) for one in _join_columns(left, columns, lambda one: one.axis())]


@dataclass(frozen=True, slots=True)
class _AxisNames:
    names: Sequence[str]
    width: int
    turned: bool


def _choose_names(panel: Panel, width: int, beside: int) -> _AxisNames:
    """What stands at the left: rows, or steps where these are too long to stand above."""
    left = name_width(panel.rows, width)
    each = (width - left - BETWEEN * beside) // beside
    if panel.kind is PanelKind.LINES and is_turned(panel, each):
        longest = max((len(step) for step in panel.steps), default=0)
        return _AxisNames(panel.steps, 2 + min(longest, LONGEST_NAME, max(8, width // 4)), True)
    return _AxisNames([render_marks.row_name(row) for row in panel.rows], left, False)


def _join_columns(
    left: int, columns: Mapping[int, PanelColumn], part: Callable[[PanelColumn], Line | None]
) -> list[Line]:
    """A line of what all columns have there; none if they have nothing."""
    parts = [part(column) for column in columns.values()]
    if all(one is None for one in parts):
        return []
    line = Line()
    for place, (column, one) in enumerate(zip(columns.values(), parts, strict=True)):
        line.to(left + place * (column.width + BETWEEN))
        line.join(one or Line())
    return [line]
