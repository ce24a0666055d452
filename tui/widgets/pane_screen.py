"""What screens and dialogs have in common: how they are laid out, painted, and seen behind."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Generic, TypeVar, cast

from rich.color import ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual._compositor import (
    ChopsUpdate,
    Compositor,
    CompositorMap,
    LayoutUpdate,
    ReflowResult,
)
from textual.color import Color
from textual.geometry import Region, Size
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from tui.text.cell_width import laid_width
from tui.text.line import cut
from tui.widgets.pane_layout import size_classes

# How the widgets of a screen are laid out and put together.

# Text that terminals measure each in its own way, with what follows it put at its column.
#
# Of scripts that combine some terminals give vowel signs a cell and others none. Textual writes a
# line from left to right by one of these widths: behind such a text columns and borders would stand
# wherever the terminal has come to.

ESCAPE = "\x1b"

UNSURE = re.compile(
    r"[\u0300-\u036f\u0483-\u0489\u058b-\u1fff\u200b-\u200f\u2028-\u202f\u20d0-\u20ff"
    r"\u2c00-\u2fff\u302a-\u302f\u3099-\u309a\ua62c-\uabff\ud7a4-\ufeff\uff9e-\U0010ffff]"
)
"""Characters that are not of the same width in all terminals, with some that are."""


class PlacedStrip(Strip):
    """A strip that begins at a column of the screen, each unsure part of it at its own column.

    The cells of such a part are blanked first, so that nothing stays of what stood there where
    the terminal draws the text in fewer. Text that may take more than its cells is cut.
    """

    __slots__ = ["_column"]

    def __init__(self, strip: Strip, column: int) -> None:
        super().__init__(strip._segments, strip.cell_length)
        self._column = column

    def crop(self, start: int, end: int | None = None) -> Strip:
        """A part of it."""
        return type(self)(super().crop(start, end), self._column + start)

    def render(self, console: Console) -> str:
        """What the terminal is sent."""
        return "".join(self._parts(console)) + _move(self._column + self.cell_length)

    def _parts(self, console: Console) -> list[str]:
        """What each segment is drawn with."""
        colours = console._color_system or ColorSystem.TRUECOLOR
        parts: list[str] = []
        at = self._column
        for text, style, _ in self._segments:
            cells = laid_width(text)
            shown = self._draw(text, cells, at)
            parts.append(
                "".join(
                    part
                    if style is None or part.startswith(ESCAPE)
                    else self.render_style(style, part, colours)
                    for part in shown
                )
            )
            at += cells
        return parts

    def _draw(self, text: str, cells: int, column: int) -> list[str]:
        if not UNSURE.search(text):
            return [text]
        return [
            *(" " * cells, _move(column)),
            *(cut(text.rstrip(" "), cells), _move(column + cells)),
        ]


class TypedStrip(PlacedStrip):
    """A strip of what is being typed: none of it is cut.

    Its parts are drawn from the last to the first, so that what is typed lies above the blanks
    behind it.
    """

    __slots__ = ()

    def _parts(self, console: Console) -> list[str]:
        return super()._parts(console)[::-1]

    def _draw(self, text: str, cells: int, column: int) -> list[str]:
        return [_move(column), text]


def _move(column: int) -> str:
    """What moves the cursor to a column of its line, counted from 0."""
    return f"{ESCAPE}[{column + 1}G"


def place_strip(strip: Strip, column: int, typed: bool = False) -> Strip:
    """A strip that begins at a column, placed where it has to be."""
    for text, _, _ in strip._segments:
        if not text.isascii() and UNSURE.search(text):
            return (TypedStrip if typed else PlacedStrip)(strip, column)
    return strip


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


Result = TypeVar("Result")


class PaneScreen(Screen[Result], Generic[Result]):
    """A screen of panes, put together by a compositor of ours."""

    def __init__(self) -> None:
        super().__init__()
        self._compositor: PaneCompositor = PaneCompositor()
        self._styled_for: object = None
        """What of the app its styles were worked out for last."""

    def take_size(self) -> None:
        """Have the CSS classes of the size before anything is laid out.

        Textual sets them only after a first layout.
        """
        self.add_class(*self._size_classes, update=False)
        self.app.stylesheet.apply(self)

    @property
    def _size_classes(self) -> Iterable[str]:
        app = self.app
        return size_classes(app.size, app.HORIZONTAL_BREAKPOINTS, app.VERTICAL_BREAKPOINTS)

    async def _compose(self) -> None:
        """Mount what it is made of, which has its styles from then on."""
        await super()._compose()
        self._styled_for = self._style_source

    @property
    def _style_source(self) -> object:
        """What of the app its styles follow from."""
        app = self.app
        return app.theme, app.classes, app.pseudo_classes, len(app.stylesheet.source)

    def _on_screen_resume(self, event: events.ScreenResume) -> None:
        """Work out styles anew where the app is another than it was for these, and not each time.

        Textual's own handler, which does so, comes after this one.
        """
        now = self._style_source
        event.refresh_styles = now != self._styled_for
        self._styled_for = now

    async def _on_resize(self, event: events.Resize) -> None:
        """Lay out nothing that is laid out for this size already, as Textual's handler would."""
        if event.size == self._compositor.size and self.has_class(*self._size_classes):
            event.prevent_default()

    def _compositor_refresh(self) -> None:
        """Paint what has changed; behind a dialog it is the dialog's to paint, and once.

        A layout that comes before all is painted anew paints nothing. Textual takes what is behind
        a dialog for unpainted ever after: whatever is told to it then has the dialog painted anew
        as a whole.
        """
        if self is self.app.screen or self not in self.app._background_screens:
            if not self._repaint_required:
                super()._compositor_refresh()
            return
        changed = self._compositor.take_changes()
        self._dirty_widgets.clear()
        if changed:
            self.app.screen.refresh(*changed)


def changes_of(screens: Iterable[Screen[Any]]) -> tuple[tuple[Screen[Any], int], ...] | None:
    """Screens, each with how often something of it has changed; None where that is not known."""
    found = [
        (one, one._compositor.changes if isinstance(one, PaneScreen) else None) for one in screens
    ]
    known = tuple((one, changes) for one, changes in found if changes is not None)
    return known if len(known) == len(found) else None


class DimmedScreen(BackgroundScreen):
    """Textual's screen behind a dialog; each style is dimmed once, not for every piece of text."""

    @classmethod
    def process_segments(cls, segments: Iterable[Segment], color: Color) -> Iterable[Segment]:
        """The segments with a tint over them."""
        known: dict[Style, Style | None] = {}
        for segment in segments:
            text, style, control = segment
            if control or style is None:
                yield from super().process_segments([segment], color)
                continue
            if style not in known:
                (dimmed,) = super().process_segments([Segment("", style)], color)
                known[style] = dimmed.style
            yield Segment(text, known[style])
