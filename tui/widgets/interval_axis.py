"""Numbers of an audit on one axis: as graded, as a person labels, for other facts."""

from collections.abc import Iterable

from core.certainty.audit_estimates import AuditedNumber
from core.stats.intervals import Interval
from tui.text.line import Line
from tui.text.number_text import NONE, percent
from tui.theme.glyphs import spell
from tui.theme.look import Look

STEPS = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Where an axis may end."""

PARTS = 4
"""An axis has this many parts of one length."""


def end_of(numbers: Iterable[AuditedNumber]) -> float:
    """Where an axis ends that shows all of these; what lies beyond 1 is cut."""
    ends = [
        high
        for one in numbers
        for high in (
            one.graded or 0.0,
            one.audited or 0.0,
            *(limit[1] for limit in (one.interval, one.kind_interval) if limit and limit[1] < 1),
        )
    ]
    most = max(ends, default=0.0)
    return next((step for step in STEPS if most <= step), 1.0)


def tick_line(end: float, cells: int) -> Line:
    """The numbers below which an axis stands, in percent, in as many cells."""
    line = Line()
    for part in range(PARTS + 1):
        text = f"{100 * end * part / PARTS:g}"
        at = round(part / PARTS * (cells - 1)) - (len(text) - 1) * (part > 0)
        line.to(max(at, line.width)).add(text, "ink-3")
    return line.clip(cells).to(cells)


def axis_line(
    end: float,
    cells: int,
    look: Look,
    graded: float | None,
    audited: float | None = None,
    here: Interval | None = None,
    kind: Interval | None = None,
) -> Line:
    """`o` as graded, a heavy line as labelled here, a light one with ends for other facts."""
    if cells < 2:
        return Line().to(max(0, cells))

    def place(value: float) -> int:
        return min(max(round(value / end * (cells - 1)), 0), cells - 1)

    drawn = [(look.glyph("track"), "rule")] * cells
    if kind is not None:
        first, last = (place(one) for one in kind)
        drawn[first : last + 1] = [(look.glyph("track"), "ink-2")] * (last - first + 1)
        drawn[first], drawn[last] = (look.glyph("from"), "ink-2"), (look.glyph("until"), "ink-2")
    if here is not None:
        first, last = (place(one) for one in here)
        drawn[first : last + 1] = [(look.glyph("bar"), "accent")] * (last - first + 1)
    if graded is not None:
        drawn[place(graded)] = ("o", "ink-2 bold")
    if audited is not None:
        drawn[place(audited)] = (look.glyph("knob"), "accent bold")
    line = Line()
    for glyph, role in drawn:
        line.add(glyph, role)
    return line


def number_axis(one: AuditedNumber, end: float, cells: int, look: Look) -> Line:
    """All of a number on one axis; before a fact is audited the graded one alone."""
    if one.audited is None:
        return axis_line(end, cells, look, one.graded)
    return axis_line(end, cells, look, one.graded, one.audited, one.interval, one.kind_interval)


def half_width(interval: Interval) -> str:
    """Half the width of an interval in points, `2.9`."""
    return percent((interval[1] - interval[0]) / 2, 1)


def limits(interval: Interval | None) -> str:
    """`24.9 to 32.1`."""
    if interval is None:
        return spell(NONE)
    return f"{percent(interval[0], 1)} to {percent(interval[1], 1)}"


def legend(look: Look, who: str = "as you label") -> Line:
    """What the marks of an axis mean."""
    line = Line("o", "ink-2 bold").add(" as graded   ", "ink-3")
    line.add(look.glyph("bar"), "accent").add(look.glyph("knob"), "accent bold")
    line.add(look.glyph("bar"), "accent").add(f" {who}   ", "ink-3")
    line.add(look.glyph("from"), "ink-2").add(look.glyph("track"), "ink-2")
    return line.add(look.glyph("until"), "ink-2").add(" other facts", "ink-3")
