"""The lines that a widget has rendered, kept until they are to be painted anew."""

from textual._styles_cache import StylesCache
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget


class LineCache(StylesCache):
    """Lines of a widget that draws each of them whole, with its ground.

    Textual looks for border, outline, padding, hatch, tint and opacity anew for each line. Where
    there is no room around the lines there is nothing of all that, and they stay as they are.
    Whatever has such room is rendered by Textual.
    """

    def render_widget(self, widget: Widget, crop: Region) -> list[Strip]:
        """A part of the widget; lines that are not dirty as they were rendered last."""
        if any(widget.styles.gutter):
            return super().render_widget(widget, crop)
        width = widget.region.width
        if width != self._width:
            self.clear()
            self._width = width
        lines = crop.line_range
        for y in lines:
            if y in self._dirty_lines or y not in self._cache:
                self._cache[y] = widget.render_line(y)
        self._dirty_lines.difference_update(lines)
        strips = [self._cache[y] for y in lines]
        if filters := widget.get_line_filters():
            ground = widget.background_colors[1]
            for one in filters:
                strips = [strip.apply_filter(one, ground) for strip in strips]
        return self._crop(strips, crop, width)

    def _crop(self, strips: list[Strip], crop: Region, width: int) -> list[Strip]:
        left, right = crop.column_span
        if (left, right) == (0, width):
            return strips
        return [strip.crop(left, right) for strip in strips]
