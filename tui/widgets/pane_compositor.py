"""How the widgets of a screen are laid out and put together."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import cast

from textual._compositor import Compositor, CompositorMap, ReflowResult
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

Chops = list[dict[int, Strip | None]]
"""For each line of the screen, what stands from each cut to the next; None until it is painted."""


class PaneCompositor(Compositor):
    """Compares each layout with the layout before it, and asks widgets for what is seen only.

    Textual 8 makes its map anew whenever it is asked where a widget stands and something out of
    sight has changed. A pane that is to come into sight is then in the map before the layout,
    which compares itself with that, sends the pane neither Show nor Resize, and leaves it blank.

    Textual has every widget render all of its lines for every paint. Here a widget renders lines
    that are to be painted and not covered yet: a container that its children fill renders none.
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

    def _render_chops(
        self, crop: Region, is_rendered_line: Callable[[int], bool]
    ) -> Sequence[Mapping[int, Strip]]:
        """Have widgets render, from front to back, what nothing in front of them has covered."""
        cuts = self.cuts
        chops: Chops = [dict.fromkeys(line_cuts[:-1]) for line_cuts in cuts]
        bare = {
            y: [one for one in pairwise(cuts[y]) if one[0] < crop.right and one[1] > crop.x]
            for y in range(crop.y, min(crop.bottom, len(cuts)))
            if is_rendered_line(y)
        }
        for widget, (region, clip) in self.visible_widgets.items():
            shown = region.intersection(clip)
            left, right = shown.column_span
            wanted: dict[int, list[tuple[int, int]]] = {}
            for y in range(max(shown.y, crop.y), min(shown.bottom, crop.bottom)):
                if spans := [one for one in bare.get(y, ()) if left <= one[0] and one[1] <= right]:
                    wanted[y] = spans
            if not wanted:
                continue
            top, bottom = min(wanted), max(wanted) + 1
            asked = Region(left - region.x, top - region.y, shown.width, bottom - top)
            for y, strip in enumerate(widget.render_lines(asked), top):
                for span in wanted.get(y, ()):
                    chops[y][span[0]] = strip.crop(span[0] - left, span[1] - left)
                    bare[y].remove(span)
        return cast("Sequence[Mapping[int, Strip]]", chops)
