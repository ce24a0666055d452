"""Numbers as text: shares, counts, coefficients and intervals, tokens and money."""

from collections.abc import Sequence

from core.stats.number_format import format_decimal, format_grade, format_percent
from tui.text.line import Line
from tui.theme.glyphs import spell
from tui.theme.look import Look

Interval = tuple[float, float]
"""Lower and upper end, as shares."""

NONE = "–"


def percent(share: float | None, places: int = 0) -> str:
    """A share in percent without its sign, rounded half up: `98`, `97.5`."""
    return spell(NONE) if share is None else format_percent(share, places)


def coefficient(value: float | None, places: int = 3) -> str:
    """Kappa or alpha: `0.951`, or with two places `.95`; a true minus below 0."""
    if value is None:
        return spell(NONE)
    shown = format_grade(value) if places == 2 else format_decimal(value, places)
    return shown.replace("-", spell("−"))


def span(interval: Interval | None) -> str:
    """An interval of shares: `14 to 61%`."""
    if interval is None:
        return ""
    return f"{percent(interval[0])} to {percent(interval[1])}%"


def bar(share: float, interval: Interval, cells: int, look: Look, role: str = "accent") -> Line:
    """A share with its interval on an axis from 0 to 100 percent."""
    low, point, high = (
        min(max(round(value * (cells - 1)), 0), cells - 1)
        for value in (interval[0], share, interval[1])
    )
    line = Line(look.glyph("track") * low, "rule")
    line.add(look.glyph("bar") * (point - low), role)
    line.add(look.glyph("CORRECT"), f"{role} bold")
    line.add(look.glyph("bar") * (high - point), role)
    return line.add(look.glyph("track") * (cells - 1 - high), "rule")


UNITS = ((1, ""), (1_000, "k"), (1_000_000, "M"))


def format_count(count: int, room: int) -> str:
    """A count in so many cells: `3,270`, or where that is too long `3k`."""
    return format_totals([count], room)[0]


def format_totals(totals: Sequence[int], room: int) -> list[str]:
    """The totals of one table, all in the first unit in which each has room.

    Rounded half up; what rounds to nothing is `<1k`. In the last unit they are as long as they are.
    """
    for size, unit in UNITS:
        shown = [_in_unit(total, size, unit) for total in totals]
        if all(len(one) <= room for one in shown):
            break
    return shown


def _in_unit(count: int, size: int, unit: str) -> str:
    if not count:
        return "0"
    rounded = (2 * count + size) // (2 * size)
    return f"{rounded:,}{unit}" if rounded else f"<1{unit}"


def format_short(number: int) -> str:
    """A count in at most 7 cells."""
    return f"{number:,}" if number < 1_000_000 else f"{number / 1e6:,.2f} M"


def format_tokens(number: int) -> str:
    """A number of tokens, short: `812`, `14 k`, `2.3 M`."""
    if number < 1_000:
        return str(number)
    return f"{number / 1e3:,.0f} k" if number < 999_500 else f"{number / 1e6:,.1f} M"


def format_money(dollars: float) -> str:
    """US dollars; more digits where a cent is much."""
    return f"${dollars:.4f}" if 0 < dollars < 0.095 else f"${dollars:,.2f}"


def views_words(views: int) -> str:
    """Page views in four cells at most: `405`, `4.3k`, `203k`, `3.9M`; nothing below 0."""
    if views < 0:
        return ""
    if views < 1_000:
        return str(views)
    for unit, name in ((1_000, "k"), (1_000_000, "M")):
        tenths, whole = _halves_up(10 * views, unit), _halves_up(views, unit)
        if tenths < 100:
            return f"{tenths // 10}.{tenths % 10}{name}"
        if whole < 1_000:
            return f"{whole}{name}"
    return f"{_halves_up(views, 1_000_000_000)}G"


def _halves_up(number: int, unit: int) -> int:
    return (number + unit // 2) // unit
