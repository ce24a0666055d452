"""A line view that takes in another number of rows without a new layout of the screen."""

from textual.geometry import Size
from textual.widget import Widget

from tui.widgets.line_view import LineView


class SteadyView(LineView):
    """The scroll bar keeps its column even where there is nothing to scroll.

    So another number of rows moves nothing on the screen, and laying it out anew, which takes
    longer than painting, can be left out.
    """

    DEFAULT_CSS = "SteadyView { overflow-y: scroll; }"

    def settle(self) -> None:
        """Take in changed rows."""
        size = Size(self.size.width, self.row_count() * self.row_lines)
        if size != self.virtual_size:
            self.set_reactive(Widget.virtual_size, size)
            self._scroll_update(size)
        super().settle()
