"""How the widgets of a screen are laid out and put together."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import cast

from textual._compositor import (
    ChopsUpdate,
    Compositor,
    CompositorMap,
    LayoutUpdate,
    ReflowResult,
)
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from tui.widgets.placed_strip import place_strip

Chops = list[dict[int, Strip | None]]
"""For each line of the screen, what stands from each cut to the next; None until it is painted."""

GAP = 12
"""Lines between two that are to be painted, up to which they are rendered together."""


class PaneCompositor(Compositor):
    """Compares each layout with the layout before it, and asks widgets for what is seen only.

    Textual 8 makes its map anew whenever it is asked where a widget stands and something out of
    sight has changed. A pane that is to come into sight is then in the map before the layout,
    which compares itself with that, sends the pane neither Show nor Resize, and leaves it blank.

    Textual has every widget render all of its lines for every paint. Here a widget renders lines
    that are to be painted and not covered yet: a container that its children fill renders none,
    and what stands beside a line that has changed renders nothing.

    Text that terminals measure in ways of their own moves nothing behind it (`PlacedStrip`).
    """

    def __init__(self) -> None:
        super().__init__()
        self._laid_out: CompositorMap = {}
        self.changes = 0
        """How often something has changed, be it painted already or not."""
        self._changed: dict[int, list[tuple[int, int]]] | None = None
        """For each line that has changed from where to where; None while all is painted."""

    def reflow(self, parent: Widget, size: Size) -> ReflowResult:
        """Lay out all widgets; gives those hidden, shown and resized since the last layout."""
        self._full_map = self._laid_out
        found = super().reflow(parent, size)
        self.changes += bool(self._dirty_regions)
        self._laid_out = self._full_map
        self._give_sizes()
        return found

    def _give_sizes(self) -> None:
        """Tell widgets that never scroll what they hold; told by Textual each asks for a layout."""
        for widget, geometry in self._full_map.items():
            if widget.styles.overflow_x == widget.styles.overflow_y == "hidden":
                widget.set_reactive(Widget.virtual_size, geometry.virtual_size)

    def update_widgets(self, widgets: set[Widget]) -> None:
        """Take in which widgets have changed."""
        self.changes += bool(widgets)
        super().update_widgets(widgets)

    def take_changes(self) -> set[Region]:
        """What has changed since the last paint, which somebody else paints."""
        changed, self._dirty_regions = self._dirty_regions, set()
        return changed

    def clear(self) -> None:
        """Forget all widgets."""
        super().clear()
        self._laid_out = {}

    def render_full_update(self, simplify: bool = False) -> LayoutUpdate:
        """All of it, whatever has changed; nothing of that is to be painted once more."""
        for widget in self.visible_widgets:
            widget._exchange_repaint_regions()
        return super().render_full_update(simplify)

    def render_partial_update(self) -> ChopsUpdate | None:
        """What has changed since the last paint; None where nothing has."""
        self._changed = {}
        for y, left, right in self._regions_to_spans(self._dirty_regions):
            self._changed.setdefault(y, []).append((left, right))
        try:
            return super().render_partial_update()
        finally:
            self._changed = None

    def _bare_spans(
        self, crop: Region, is_rendered_line: Callable[[int], bool]
    ) -> dict[int, list[tuple[int, int]]]:
        """From cut to cut what is to be painted, by line."""
        cuts, whole = self.cuts, [(crop.x, crop.right)]
        lines = range(crop.y, min(crop.bottom, len(cuts)))
        return {
            y: [
                (start, end)
                for start, end in pairwise(cuts[y])
                if any(start < right and end > left for left, right in changed)
            ]
            for y in lines
            if is_rendered_line(y)
            and (changed := whole if self._changed is None else self._changed.get(y, ()))
        }

    def _render_chops(
        self, crop: Region, is_rendered_line: Callable[[int], bool]
    ) -> Sequence[Mapping[int, Strip]]:
        """Have widgets render, from front to back, what nothing in front of them has covered."""
        chops: Chops = [dict.fromkeys(line_cuts[:-1]) for line_cuts in self.cuts]
        bare = self._bare_spans(crop, is_rendered_line)
        for widget, (region, clip) in self.visible_widgets.items():
            shown = region.intersection(clip)
            left, right = shown.column_span
            typed = getattr(widget, "is_typed", False)
            wanted: dict[int, list[tuple[int, int]]] = {}
            for y in range(max(shown.y, crop.y), min(shown.bottom, crop.bottom)):
                if spans := [one for one in bare.get(y, ()) if left <= one[0] and one[1] <= right]:
                    wanted[y] = spans
            for lines in _runs(wanted):
                asked = Region(left - region.x, lines.start - region.y, shown.width, len(lines))
                for y, strip in zip(lines, widget.render_lines(asked), strict=False):
                    for span in wanted.get(y, ()):
                        part = strip.crop(span[0] - left, span[1] - left)
                        chops[y][span[0]] = place_strip(part, span[0], typed)
                        bare[y].remove(span)
        return cast("Sequence[Mapping[int, Strip]]", chops)


def _runs(lines: Iterable[int]) -> list[range]:
    """Lines in order, as runs; lines between that are as they were cost less than another run."""
    runs: list[range] = []
    for y in lines:
        if runs and y - runs[-1].stop <= GAP:
            runs[-1] = range(runs[-1].start, y + 1)
        else:
            runs.append(range(y, y + 1))
    return runs
