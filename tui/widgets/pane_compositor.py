"""How the widgets of a screen are laid out and put together."""

from textual._compositor import Compositor, CompositorMap, ReflowResult
from textual.geometry import Size
from textual.widget import Widget


class PaneCompositor(Compositor):
    """Compares each layout with the layout before it.

    Textual 8 makes its map anew whenever it is asked where a widget stands and something out of
    sight has changed. A pane that is to come into sight is then in the map before the layout,
    which compares itself with that, sends the pane neither Show nor Resize, and leaves it blank.
    """

    def __init__(self) -> None:
        super().__init__()
        self._laid_out: CompositorMap = {}

    def reflow(self, parent: Widget, size: Size) -> ReflowResult:
        """Lay out all widgets; gives those hidden, shown and resized since the last layout."""
        self._full_map = self._laid_out
        found = super().reflow(parent, size)
        self._laid_out = self._full_map
        self._give_sizes()
        return found

    def _give_sizes(self) -> None:
        """Tell widgets that never scroll what they hold; told by Textual each asks for a layout."""
        for widget, geometry in self._full_map.items():
            if widget.styles.overflow_x == widget.styles.overflow_y == "hidden":
                widget.set_reactive(Widget.virtual_size, geometry.virtual_size)

    def clear(self) -> None:
        """Forget all widgets."""
        super().clear()
        self._laid_out = {}
