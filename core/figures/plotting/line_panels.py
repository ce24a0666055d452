"""Panels of lines over steps, each named at its end."""

import math
from collections.abc import Sequence

from core.figures.figure import FigureRow, Panel, Point
from core.figures.plotting.colours import COLOURS, CYCLE, DASHES, MARKERS, colour
from core.figures.plotting.panel_parts import AXIS, Box, Scale, percent, points, reach
from core.figures.plotting.paper_sheet import LINE, SMALL, PaperSheet, fit_name, width_of

Places = Sequence[float]

TALL = 2.1
LEFT = 0.4
STEP_ROOM = 0.3
STEP_MOST = 1.2
NAME_MOST = 1.6
SLANT = 35
MOST_LINES = 60

BAND, BANDS = 0.15, 0.6
"""How dark the interval of a line is, and those of all lines together where they may overlap."""

LEAD = 0.42
"""Inches between the ends of the lines and their names, for hairlines from one to the other."""

LABEL = 0.135
"""Inches from one name at the end of a line to the next."""


def height(panel: Panel, width: float) -> float:
    """Inches that the panel takes under its heading."""
    return LINE / 2 + max(TALL, len(panel.rows[:MOST_LINES]) * LABEL) + _axis(panel, width)


def draw(sheet: PaperSheet, box: Box, panel: Panel, names: float) -> None:
    """Draw it; `names` is not used: lines are named where they end."""
    rows = panel.rows[:MOST_LINES]
    said = [_format_last(row) for row in rows]
    widest = max(
        (width_of(fit_name(row.name, NAME_MOST, SMALL), SMALL) for row in rows), default=0.0
    )
    beside = widest + max((width_of(f" {words}", SMALL) for words in said), default=0.0)
    top, bottom = box.y + LINE / 2, box.y + box.height - _axis(panel, box.width)
    start, end = box.x + LEFT, box.x + box.width - beside - LEAD
    low, high = reach(panel)
    scale = Scale(low, high, 0.0, bottom - top)
    steps = max([len(panel.steps), 1, *(len(row.points) for row in rows)])
    places = [start + (end - start) * part for part in _parts(panel, steps)]
    for tick in scale.ticks():
        y = bottom - scale.at(tick)
        sheet.line((start, end), (y, y), COLOURS["rule"], 0.6, zorder=0)
        sheet.text(start - 0.06, y, percent(tick), COLOURS["ink-3"], "right", SMALL)
    _draw_steps(sheet, panel, box.width, places, bottom)
    for number, row in enumerate(rows):
        if row.dashed is not None and row.dashed in panel.numbers:
            x = places[list(panel.numbers).index(row.dashed)]
            ink = _colour(panel, row, number)
            sheet.line((x, x), (top, bottom), ink, 0.8, zorder=1, linestyle=DASHES[1])
    ends = []
    for number, row in enumerate(rows):
        _line(sheet, row, number, _colour(panel, row, number), scale, places, bottom, len(rows))
        last = _last_share(row)
        ends.append(bottom - scale.at(low if last is None else last))
    labels = zip(rows, said, ends, spread(ends, top, bottom), range(len(rows)), strict=True)
    for row, words, y, label, number in labels:
        ink = _colour(panel, row, number)
        text = f"{fit_name(row.name, NAME_MOST, SMALL)} {words}".rstrip()
        sheet.text(end + LEAD, label, text, ink, size=SMALL)
        if _last_share(row) is not None:
            last_place = max(i for i, point in enumerate(row.points) if point.value is not None)
            sheet.line((places[last_place], end + LEAD - 0.04), (y, label), ink, 0.4, alpha=0.6)


def _parts(panel: Panel, steps: int) -> list[float]:
    """Where the steps stand from 0 to 1: evenly, or by the logarithms of their numbers."""
    if len(panel.numbers) == steps > 1 and panel.numbers[-1] > panel.numbers[0]:
        logs = [math.log1p(one) for one in panel.numbers]
        return [(one - logs[0]) / (logs[-1] - logs[0]) for one in logs]
    return [i / (steps - 1) if steps > 1 else 0.5 for i in range(steps)]


def _steps(panel: Panel) -> list[str]:
    return [fit_name(step, STEP_MOST, SMALL) for step in panel.steps]


def _is_slanted(panel: Panel, width: float) -> bool:
    """Whether the names of the steps are too long to stand side by side."""
    longest = max((width_of(step, SMALL) for step in _steps(panel)), default=0.0)
    return longest > STEP_ROOM and longest * len(panel.steps) > width * 0.6


def _axis(panel: Panel, width: float) -> float:
    """Inches that the steps take below the lines."""
    if not _is_slanted(panel, width):
        return AXIS
    longest = max(width_of(step, SMALL) for step in _steps(panel))
    return AXIS + longest * math.sin(math.radians(SLANT))


def _draw_steps(
    sheet: PaperSheet, panel: Panel, width: float, places: Places, bottom: float
) -> None:
    """Write as many steps as there is room for, the last among them."""
    ink, steps = COLOURS["ink-3"], _steps(panel)
    slanted = _is_slanted(panel, width)
    needed = 0.16 if slanted else max((width_of(one, SMALL) for one in steps), default=0.0) + 0.1
    room = (places[-1] - places[0]) / max(len(places) - 1, 1)
    every = max(1, math.ceil(needed / room)) if room > 0 else 1
    for place, step in enumerate(steps):
        if (len(steps) - 1 - place) % every:
            continue
        if slanted:
            sheet.text(places[place] + 0.05, bottom + 0.12, step, ink, "right", SMALL, slant=SLANT)
        else:
            sheet.text(places[place], bottom + 0.11, step, ink, "center", SMALL)


def _colour(panel: Panel, row: FigureRow, number: int) -> str:
    """A line's colour: that of the series that it is named after (as text), else by its place."""
    named = [one.role for one in panel.series if row.name in (one.name, one.words)]
    return colour(named[0].replace("fill-", "profile-") if named else "", number)


def _line(
    sheet: PaperSheet,
    row: FigureRow,
    number: int,
    ink: str,
    scale: Scale,
    places: Sequence[float],
    bottom: float,
    lines: int,
) -> None:
    def at(value: float | None) -> float:
        return math.nan if value is None else bottom - scale.at(value)

    dash = DASHES[number // len(CYCLE) % len(DASHES)]
    xs = list(places[: len(row.points)])
    bounds = [(x, point) for x, point in zip(xs, row.points, strict=True) if _has_band(point)]
    if bounds:
        sheet.band(
            [x for x, _ in bounds],
            [at(point.low) for _, point in bounds],
            [at(point.high) for _, point in bounds],
            ink,
            min(BAND, BANDS / lines),
        )
    ys = [at(point.value) for point in row.points]
    sheet.path(xs, ys, ink, MARKERS[number % len(MARKERS)], dash)


def _has_band(point: Point) -> bool:
    return point.low is not None and point.high is not None


def _last_share(row: FigureRow) -> float | None:
    values = [point.value for point in row.points if point.value is not None]
    return values[-1] if values else None


def _format_last(row: FigureRow) -> str:
    return points(_last_share(row))


def spread(places: Sequence[float], top: float, bottom: float) -> list[float]:
    """The places moved apart so that names do not overlap, in the same order, within limits."""
    order = sorted(range(len(places)), key=places.__getitem__)
    found = list(places)
    edge = top - LABEL
    for one in order:
        found[one] = edge = max(found[one], edge + LABEL)
    edge = bottom + LABEL
    for one in reversed(order):
        found[one] = edge = min(found[one], edge - LABEL)
    return found
