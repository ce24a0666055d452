"""The cells of a heat map as one drawing: grounds with numbers on them.

A text and a patch of matplotlib for each of 2,500 cells take 2 s, most of it for layouts and styles
that all of them share.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from matplotlib.artist import Artist
from matplotlib.colors import to_rgb, to_rgba
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.transforms import Affine2D

TALLEST = "lp"
"""Letters as high and as low as any: a line is set by them, as matplotlib sets it."""


class HeatCell(NamedTuple):
    """A ground with a number on its middle; places and sizes in inches, y grows downwards."""

    x: float
    y: float
    width: float
    height: float
    colour: str
    text: str
    ink: str


class HeatCells(Artist):
    """Draws cells of one size of text."""

    def __init__(self, cells: Sequence[HeatCell], height: float, size: float) -> None:
        """`height` is that of the paper in inches."""
        super().__init__()
        self._cells, self._height = cells, height
        self._font = FontProperties(size=size)

    def draw(self, renderer: Any) -> None:
        """Draw all grounds, then all numbers."""
        figure = self.get_figure()
        assert figure is not None
        dots = figure.dpi
        context = renderer.new_gc()
        context.set_linewidth(0)
        square = Path.unit_rectangle()
        for one in self._cells:
            bottom = self._height - one.y - one.height
            place = Affine2D().scale(one.width * dots, one.height * dots)
            place.translate(one.x * dots, bottom * dots)
            renderer.draw_path(context, square, place, to_rgba(one.colour))
        _, tall, low = renderer.get_text_width_height_descent(TALLEST, self._font, False)
        widths: dict[str, float] = {}
        for one in self._cells:
            if one.text not in widths:
                found = renderer.get_text_width_height_descent(one.text, self._font, False)
                widths[one.text] = found[0]
            context.set_foreground(to_rgb(one.ink), isRGBA=False)
            x = (one.x + one.width / 2) * dots - widths[one.text] / 2
            y = (self._height - one.y - one.height / 2) * dots - (tall - low) / 2
            if renderer.flipy():
                y = self._height * dots - y
            renderer.draw_text(context, x, y, one.text, self._font, 0.0)
        context.restore()
