"""The profiles of one model as rows: facts, the share on an axis with its interval, the change."""

from collections.abc import Iterator

from core.glossary.glossary import BY_TERM
from core.stats.intervals import LEVEL, wilson
from core.views.profiles.profile_rows import ProfileRow
from tui.screens.profiles import render_bars
from tui.screens.profiles.render_numbers import percent, points
from tui.screens.profiles.render_rows import difference_role
from tui.text.line import Line
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.theme.roles import code_role

CODE, NAME, FACTS, SHARE, SINCE, ENDS = 4, 28, 8, 8, 9, 16
"""Cells of the columns; the axis has what is left, and words if there is more than it needs."""

WORDS = 30
LEAST_AXIS = 24


def share_lines(row: ProfileRow, chosen: str | None, width: int, look: Look) -> list[Line]:
    """A heading, then a line for each profile; nothing where there is no share of anything."""
    total = render_bars.count_facts(row.now)
    if not total:
        return []
    numbers = FACTS + SHARE + SINCE + ENDS
    words = WORDS if width - CODE - NAME - WORDS - numbers >= LEAST_AXIS else 0
    axis = width - CODE - NAME - words - numbers - 2
    lines = [_heading(words, axis)]
    lines += _draw_rows(row, chosen, words, axis, look)
    return [line.clip(width) for line in lines]


def _heading(words: int, axis: int) -> Line:
    line = Line().to(CODE + 1).cell("profile", NAME, "ink-3")
    line.cell("in words" if words else "", words, "ink-3")
    line.cell("facts", FACTS - 2, "ink-3", right=True).add("  ")
    if axis >= LEAST_AXIS:
        ends = (
            Line("0", "ink-3").to(axis // 2 - 1).add("50", "ink-3").to(axis - 3).add("100", "ink-3")
        )
        line.join(ends)
    else:
        line.to(line.width + max(0, axis))
    line.cell("share", SHARE, "ink-3", right=True).cell("change", SINCE, "ink-3", right=True)
    return line.cell(f"{LEVEL:.0%}".replace("%", " %"), ENDS, "ink-3", right=True)


def _draw_rows(
    row: ProfileRow, chosen: str | None, words: int, axis: int, look: Look
) -> Iterator[Line]:
    total, before = render_bars.count_facts(row.now), render_bars.count_facts(row.start)
    for part in render_bars.segments(row.now):
        share, code = part.count / total, part.code
        start = render_bars.count_of(row.start, code) / before if before else None
        entry, here = BY_TERM.get(code), " bold" * (code == chosen)
        name = code.lower()
        filled = f"on-{name} bold @fill-{name}" if row.now.summary.thinking else "ink bold"
        line = Line(f" {spell(code)} ", filled).add(" ")
        line.cell(entry.name if entry else "", NAME, f"ink{here}")
        line.cell(spell(entry.short).partition(":")[0] if entry and words else "", words, "ink-2")
        line.cell(f"{part.count:,}", FACTS - 2, "ink", right=True).add("  ")
        found = wilson(part.count, total)
        line.join(_axis(share, found, axis, code, look))
        line.cell(percent(share), SHARE, "ink bold", right=True)
        change = points(share, start)
        line.cell(
            change, SINCE, "ink-3" if change == "0.0" else difference_role(change), right=True
        )
        ends = f"{percent(found[0])} to {percent(found[1])}" if found else spell("–")
        yield line.cell(ends, ENDS, "ink-2", right=True)


def _axis(
    share: float, found: tuple[float, float] | None, axis: int, code: str, look: Look
) -> Line:
    """The share as a knob on a track from 0 to 100, its interval as a bar."""
    if axis < LEAST_AXIS:
        return Line().to(max(0, axis))
    most = axis - 1
    low, high = (round(one * most) for one in found or (share, share))
    at, line = round(share * most), Line()
    low, high = min(low, at), max(high, at)
    role = code_role(code)
    line.add(look.glyph("track") * low, "rule").add(look.glyph("bar") * (at - low), role)
    line.add(look.glyph("knob"), f"{role} bold").add(look.glyph("bar") * (high - at), role)
    return line.add(look.glyph("track") * (most - high), "rule")
