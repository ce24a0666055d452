"""The scroll bar of a line view: it paints what differs of it."""

from typing import Self

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip

from tui.widgets.line_cache import LineCache


class ThumbBar(ScrollBar):
    """A vertical scroll bar, a cell a line.

    Textual's own paints all of its lines whenever something is scrolled. A step through a long
    list mostly moves nothing of the bar, or one end of its thumb.
    """

    def __init__(self, thickness: int) -> None:
        super().__init__(vertical=True, name="vertical", thickness=thickness)
        self._styles_cache = LineCache()
        self._cells: list[Segment] = []
        self._painted: dict[int, Segment] = {}
        """What each line was painted as last."""

    def refresh(
        self,
        *regions: Region,
        repaint: bool = True,
        layout: bool = False,
        recompose: bool = False,
    ) -> Self:
        """Paint the lines that differ from what was painted last."""
        width, height = self.size
        if height and repaint and not (regions or layout or recompose):
            differ = [y for y, cell in enumerate(self._draw()) if self._painted.get(y) != cell]
            if not differ:
                return self
            regions = (Region(0, differ[0], width, differ[-1] + 1 - differ[0]),)
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Lines of it, drawn once for all that are asked for."""
        self._cells = self._draw()
        self._painted = {y: one for y, one in self._painted.items() if y < len(self._cells)}
        self._painted.update(enumerate(self._cells[crop.y : crop.bottom], crop.y))
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """One line of it."""
        return Strip(self._cells[y : y + 1], self.size.width)

    def _draw(self) -> list[Segment]:
        bar = self.render()
        assert isinstance(bar, ScrollBarRender)
        style = bar.style
        assert isinstance(style, Style)
        assert style.bgcolor is not None
        assert style.color is not None
        drawn = bar.render_bar(
            size=self.size.height,
            virtual_size=bar.virtual_size,
            window_size=bar.window_size,
            position=bar.position,
            thickness=self.size.width,
            back_color=style.bgcolor,
            bar_color=style.color,
        )
        return list(Segment.apply_style(drawn.segments, self.visual_style.rich_style))
