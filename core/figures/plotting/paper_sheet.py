"""A sheet of paper: text, lines and boxes at places in inches from its upper left corner.

All text is set as it stands (`parse_math` is off): a `$` in a model's name is a `$`.
"""

import math
import textwrap
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from matplotlib.figure import Figure as Canvas
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.textpath import text_to_path

from core.figures.plotting.colours import COLOURS, PAPER, PlotMarker, darkness
from core.figures.plotting.heat_cells import HeatCell, HeatCells
from core.settings.escapes import make_visible

# Hatches as strokes within a box.
#
# Drawn so, and not as patterns, they stay lines in every viewer: Chromium prints each use of a
# pattern as a picture of its own.

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


FONT = "DejaVu Sans"
SIZE = 8.5
SMALL = 7.5
HEADING = 12.0
LINE = 0.17
"""Inches from one line of text to the next."""

LONGEST = 400
"""Characters of a line of text, however wide the paper."""

HATCH_WIDTH = 0.5
DARK_HATCH, LIGHT_HATCH = "#00000059", "#ffffff80"
MARKER_SIZE = 6.0
ROUNDING = 1e-6


class PaperSheet:
    """One figure being drawn; `width` and `height` in inches, y grows downwards."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self.canvas = Canvas(figsize=(width, height), facecolor=PAPER)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        colour: str = COLOURS["ink"],
        align: str = "left",
        size: float = SIZE,
        bold: bool = False,
        slant: float = 0.0,
    ) -> None:
        """Write one line, `y` at its middle; `slant` degrees up, `y` is the middle of its end."""
        self.canvas.text(
            x / self.width,
            1 - y / self.height,
            text,
            color=colour,
            fontsize=size,
            fontweight="bold" if bold else "normal",
            horizontalalignment=align,
            verticalalignment="center_baseline" if not slant else "center",
            rotation=slant,
            rotation_mode="anchor",
            parse_math=False,
        )

    def box(
        self, x: float, y: float, width: float, height: float, colour: str, hatch: str = ""
    ) -> None:
        """Fill a box, hatched or not, with a thin rim of paper."""
        self._rectangle(x, y, width, height, facecolor=colour, edgecolor=PAPER, linewidth=0.8)
        if hatch:
            ink = LIGHT_HATCH if darkness(colour) > 0.5 else DARK_HATCH
            self._hatch(strokes(hatch, x, y, width, height), ink, dashes(hatch))

    def frame(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        """Draw the outline of a box."""
        self._rectangle(x, y, width, height, facecolor=PAPER, edgecolor=colour, linewidth=1.2)

    def _hatch(
        self, segments: Sequence[Segment], ink: str, dashed: tuple[float, float] | None
    ) -> None:
        """Draw strokes as one path, dashed (inches) or not."""
        xs = [place for a, _, b, _ in segments for place in (a, b, math.nan)]
        ys = [place for _, a, _, b in segments for place in (a, b, math.nan)]
        width = HATCH_WIDTH if dashed is None else dashed[0] * 72
        style: Any = "-" if dashed is None else (0, tuple(one * 72 / width for one in dashed))
        self._add(
            Line2D(
                *self._places(xs, ys),
                color=ink,
                linewidth=width,
                linestyle=style,
                solid_capstyle="butt",
                dash_capstyle="butt",
                zorder=1,  # as boxes: under the grounds of words
            )
        )

    def patch(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        """Fill a box plainly, as a ground for text."""
        self._rectangle(x, y, width, height, facecolor=colour, linewidth=0)

    def cells(self, cells: Sequence[HeatCell], size: float) -> None:
        """Draw cells of a heat map, with numbers of a size of text."""
        drawn = HeatCells(cells, self.height, size)
        drawn.set_figure(self.canvas)
        self.canvas.add_artist(drawn)

    def line(
        self,
        x: tuple[float, float],
        y: tuple[float, float],
        colour: str,
        width: float = 0.8,
        **style: Any,
    ) -> None:
        """Draw a line from one place to another."""
        self._add(Line2D(*self._places(x, y), color=colour, linewidth=width, **style))

    def path(self, x: list[float], y: list[float], colour: str, marker: str, dash: Any) -> None:
        """Draw a line through places, a small marker at each; NaN interrupts it."""
        self._add(
            Line2D(
                *self._places(x, y),
                color=colour,
                linewidth=1.4,
                linestyle=dash,
                marker=marker,
                markersize=3.5,
            )
        )

    def band(
        self, x: list[float], low: list[float], high: list[float], colour: str, opacity: float
    ) -> None:
        """Shade between two lines."""
        from matplotlib.patches import Polygon

        xs, ys = self._places([*x, *reversed(x)], [*low, *reversed(high)])
        self._add(
            Polygon(list(zip(xs, ys, strict=True)), facecolor=colour, alpha=opacity, linewidth=0)
        )

    def dot(self, x: float, y: float, marker: PlotMarker) -> None:
        """Draw one dot."""
        self._add(
            Line2D(
                *self._places([x], [y]),
                linestyle="none",
                marker=marker.shape,
                markersize=MARKER_SIZE,
                markeredgewidth=1.4,
                markeredgecolor=marker.colour,
                markerfacecolor=marker.colour if marker.filled else PAPER,
            )
        )

    def _rectangle(self, x: float, y: float, width: float, height: float, **style: Any) -> None:
        self._add(
            Rectangle(
                (x / self.width, 1 - (y + height) / self.height),
                width / self.width,
                height / self.height,
                **style,
            )
        )

    def _places(self, x: Any, y: Any) -> tuple[list[float], list[float]]:
        return [one / self.width for one in x], [1 - one / self.height for one in y]

    def _add(self, artist: Any) -> None:
        artist.set_transform(self.canvas.transFigure)
        artist.set_figure(self.canvas)
        self.canvas.add_artist(artist)


@lru_cache(maxsize=4096)
def width_of(text: str, size: float = SIZE, bold: bool = False) -> float:
    """How many inches a text takes in a line."""
    font = FontProperties(family=FONT, size=size, weight="bold" if bold else "normal")
    wide: float = text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]
    return wide / 72


def fit_text(text: str, width: float, size: float = SIZE, bold: bool = False) -> str:
    """The text made visible, on one line, cut to a width in inches; a cut one ends in `…`."""
    line = make_visible(text, LONGEST)
    if width_of(line, size, bold) <= width + ROUNDING:
        return line
    low, high = 0, len(line)
    while low < high:
        middle = (low + high + 1) // 2
        if width_of(line[:middle].rstrip() + "…", size, bold) <= width:
            low = middle
        else:
            high = middle - 1
    return line[:low].rstrip() + "…"


def fit_name(name: str, width: float, size: float = SIZE) -> str:
    """A name cut to a width in its middle: names of models differ at their ends as well."""
    half = LONGEST // 2
    line = (
        make_visible(name)
        if len(name) <= LONGEST
        else make_visible(name[:half]) + make_visible(name[-half:])
    )
    if width_of(line, size) <= width + ROUNDING:
        return line

    def keep_ends(many: int) -> str:
        after = many // 3
        return f"{line[: many - after].rstrip()}…{line[len(line) - after :].lstrip()}"

    low, high = 0, len(line)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (
            (middle, high) if width_of(keep_ends(middle), size) <= width else (low, middle - 1)
        )
    return keep_ends(low)


def wrap_text(text: str, width: float, size: float = SMALL, most: int = 4) -> list[str]:
    """The text made visible, as lines of a width in inches, `most` of them at most."""
    each = max(int(width / width_of("n", size)), 10)
    lines = textwrap.wrap(
        make_visible(text, LONGEST * most), each, max_lines=most, placeholder=" …"
    )
    return [fit_text(line, width, size) for line in lines]
