"""Numbers of the bars: shares with one decimal, differences in points, whole cells."""

from collections.abc import Sequence

from core.stats.number_format import format_difference, format_percent
from tui.theme.glyphs import spell

MINUS = "−"
NULL = "–"
"""A figure that is null: there is nothing to divide by."""


def percent(share: float | None) -> str:
    """A share in percent with one decimal: `70.4`; a dash for nothing to divide by."""
    return spell(NULL) if share is None else format_percent(share)


def points(now: float | None, start: float | None) -> str:
    """A difference in points, signed: `+0.5`, `−1.4`, `0.0`; a dash where a side is null."""
    if now is None or start is None:
        return spell(NULL)
    return format_difference(now - start).replace("-", spell(MINUS))


def half_width(interval: tuple[float, float] | None) -> str:
    """Half the width of an interval in points: `±1.8`; a dash where there is none."""
    return (
        spell(NULL)
        if interval is None
        else f"{spell('±')}{format_percent((interval[1] - interval[0]) / 2)}"
    )


def cells(counts: Sequence[int], width: int) -> list[int]:
    """How many of `width` cells each part gets, by largest remainder; they fill it exactly.

    All get none where there is nothing to share.
    """
    total = sum(counts)
    if not total or width <= 0:
        return [0] * len(counts)
    whole = [count * width // total for count in counts]
    rest = [count * width % total for count in counts]
    largest = sorted(range(len(counts)), key=lambda place: (-rest[place], place))
    for place in largest[: width - sum(whole)]:
        whole[place] += 1
    return whole
