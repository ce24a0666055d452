"""Numbers of the bars: shares with one decimal, differences in points, whole cells."""

from collections.abc import Sequence
from math import floor

from tui.theme.glyphs import spell

MINUS = "−"
NULL = "–"
"""A figure that is null: there is nothing to divide by."""

_NUDGE = 1e-9
"""What a share may lack by the way numbers are stored, so that halves are rounded up."""


def percent(share: float | None) -> str:
    """A share in percent with one decimal: `70.4`; a dash for nothing to divide by."""
    return spell(NULL) if share is None else _tenths(share)


def points(now: float | None, start: float | None) -> str:
    """A difference in points, signed: `+0.5`, `−1.4`, `0.0`; a dash where a side is null."""
    if now is None or start is None:
        return spell(NULL)
    shown = _tenths(abs(now - start))
    if shown == "0.0":
        return shown
    return ("+" if now > start else spell(MINUS)) + shown


def half_width(interval: tuple[float, float] | None) -> str:
    """Half the width of an interval in points: `±1.8`; a dash where there is none."""
    return (
        spell(NULL)
        if interval is None
        else f"{spell('±')}{_tenths((interval[1] - interval[0]) / 2)}"
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


def _tenths(share: float) -> str:
    tenths = floor(1000 * share + 0.5 + _NUDGE)
    return f"{tenths // 10}.{tenths % 10}"
