"""Hatches as strokes within a box.

Drawn so, and not as patterns, they stay lines in every viewer: Chromium prints each use of a
pattern as a picture of its own.
"""

import math
from collections.abc import Iterator

Segment = tuple[float, float, float, float]
"""From x, y to x, y."""

STEP = 0.075
"""Inches from one stroke to the next, along the box."""

DOT = 0.012
"""Inches of a dot; rows of dots are strokes of as long dashes."""

ROUNDED = 4


def strokes(hatch: str, x: float, y: float, width: float, height: float) -> list[Segment]:
    """The strokes of a hatch that lie within a box; those of neighbours continue one another."""
    found: list[Segment] = []
    if set(hatch) & {"/", "x"}:
        found += _rising_strokes(x, y, width, height)
    if set(hatch) & {"\\", "x"}:
        found += [
            (one, 2 * y + height - a, other, 2 * y + height - b)
            for one, a, other, b in _rising_strokes(x, y, width, height)
        ]
    if set(hatch) & {"-", "+", ".", "o"}:
        step = STEP if "o" in hatch else STEP / 2
        found += [(x, level, x + width, level) for level in _multiples_between(y, y + height, step)]
    if "+" in hatch:
        found += [(place, y, place, y + height) for place in _multiples_between(x, x + width, STEP)]
    return found


def dashes(hatch: str) -> tuple[float, float] | None:
    """How long the dashes of a hatch's strokes are and how far apart, in inches; None: whole."""
    if "." in hatch:
        return DOT, STEP / 2 - DOT
    return (2 * DOT, STEP - 2 * DOT) if "o" in hatch else None


def _rising_strokes(x: float, y: float, width: float, height: float) -> Iterator[Segment]:
    """Strokes from the lower left to the upper right, at 45 degrees."""
    for total in _multiples_between(x + y, x + y + width + height, STEP):
        left, right = max(x, total - y - height), min(x + width, total - y)
        if right > left:
            yield left, total - left, right, total - right


def _multiples_between(low: float, high: float, step: float) -> list[float]:
    """The multiples of a step that lie between."""
    first, last = math.floor(low / step) + 1, math.ceil(high / step) - 1
    return [round(one * step, ROUNDED) for one in range(first, last + 1)]
