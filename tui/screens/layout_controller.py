"""Lays a screen's panes out as a person wants them: splits by key and mouse, one pane alone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from textual import events
from textual.errors import NoWidget
from textual.geometry import Offset, Region
from textual.screen import Screen
from textual.widget import Widget

from tui.widgets.pane import Pane
from tui.widgets.pane_layout import PaneLayout, Split, width_class

if TYPE_CHECKING:
    from tui.app.app import LostkeysApp

ALONE: Mapping[str, Any] = {
    "display": "block",
    "width": "1fr",
    "height": "1fr",
    "max_height": "100%",
    "dock": "none",
}
"""Styles of what a pane that is seen alone stands in, and of the pane itself."""


class _Grip(NamedTuple):
    """A split held by the mouse, so many cells from where its line is."""

    split: Split
    beside: int


class LayoutController:
    """The splits of one screen, and which of its panes is seen alone."""

    def __init__(self, screen: Screen[None], tab: str, splits: Sequence[Split]) -> None:
        self._screen, self._tab, self._splits = screen, tab, splits
        self._starts: dict[str, int] = {}
        self._alone: Pane | None = None
        self._before: list[tuple[Widget, str, Any]] = []
        """Styles that the pane seen alone has taken the place of; None for those of the sheet."""
        self._grip: _Grip | None = None

    # What a person wants

    @property
    def _class(self) -> str:
        return width_class(self._screen.app.size.width)

    @property
    def _layouts(self) -> dict[str, PaneLayout]:
        return cast("LostkeysApp", self._screen.app).pane_layouts.setdefault(self._tab, {})

    @property
    def _layout(self) -> PaneLayout:
        layout = self._layouts.get(self._class, PaneLayout())
        spoken = cast("LostkeysApp", self._screen.app).look.is_spoken
        return replace(layout, alone=True) if spoken else layout

    def _keep(self, layout: PaneLayout) -> None:
        self._layouts[self._class] = layout
        self.apply()

    @property
    def alone(self) -> bool:
        """Whether a person has given one pane all of the room."""
        return self._alone is not None and self._layouts.get(self._class, PaneLayout()).alone

    def turn_alone(self) -> None:
        """Give all of the room to the pane with the focus, or give it back."""
        self._keep(replace(self._layout, alone=not self.alone))

    def start(self, pane: str, cells: int | None) -> None:
        """Give a pane its size until a person moves its split; None is that of the sheet."""
        if cells is None:
            self._starts.pop(pane, None)
        else:
            self._starts[pane] = cells
        self.apply()

    def move(self, step: int, rows: bool) -> bool:
        """Move the split beside the pane with the focus; False where there is none."""
        found = self._beside_focus(rows)
        if found is not None:
            self._move(found, self._line(found) + step)
        return found is not None

    def _move(self, split: Split, line: int) -> None:
        """Move a split's line to a column or row."""
        sized, rest = self._pair(split)
        region = sized.region
        begins, ends = (region.y, region.bottom) if split.rows else (region.x, region.right)
        first = _start(sized, split) < _start(rest, split)
        cells = split.clamp(line - begins if first else ends - line, self._total(split))
        kept = self._layout
        self._keep(replace(kept, cells={**kept.cells, split.sized: cells}))

    # By mouse

    def take_mouse(self, event: events.MouseEvent) -> bool:
        """Hold a split, move it, let it go; True where the mouse has moved one."""
        moves = isinstance(event, events.MouseMove) and self._grip is not None
        if isinstance(event, events.MouseDown):
            self._grip = self._grip_at(event.screen_offset) if event.button == 1 else None
        elif isinstance(event, events.MouseUp):
            self.drop()
        elif moves:
            self._drag(event.screen_offset)
        return moves

    def drop(self) -> None:
        """Hold none."""
        self._grip = None

    def _grip_at(self, at: Offset) -> _Grip | None:
        """The split that is drawn at a place of the screen, on the edge of a pane."""
        try:
            pane, _ = self._screen.get_widget_at(*at)
        except NoWidget:  # nothing is laid out yet, or the terminal has become smaller
            return None
        if not isinstance(pane, Pane) or pane.content_region.contains_point(at):
            return None
        for split in self._in_sight():
            along, across = (at.y, at.x) if split.rows else (at.x, at.y)
            beside = along - self._line(split)
            if beside in (-1, 0) and across in _range_across(*self._pair(split), split):
                return _Grip(split, beside)
        return None

    def _drag(self, at: Offset) -> None:
        if self._grip is not None:
            split = self._grip.split
            self._move(split, (at.y if split.rows else at.x) - self._grip.beside)

    # What follows

    def apply(self) -> None:
        """Lay the panes out as it is wanted; a split that has no room stands as far as it can."""
        if not self._screen.is_mounted:
            return
        layout, before = self._layout, self._alone
        pane = self._focused_pane() if layout.alone else None
        if pane is not before:
            self._give_back()
            self._screen.refresh_bindings()
        if pane is None:
            for split in self._splits:
                self._size(split, layout)
        elif pane is not before:
            self._give_room(pane)

    def _size(self, split: Split, layout: PaneLayout) -> None:
        sized, rest = self._pair(split)
        both = sized.display and rest.display
        wanted = layout.cells.get(split.sized) if both else None
        cells = self._starts.get(split.sized)
        if wanted is not None:
            cells = split.clamp(wanted, self._total(split))
        rules: dict[str, int | str | None] = {"width": cells}
        if split.rows:
            rules = {"height": cells, "max_height": cells and "100%"}
        for name, value in rules.items():
            if value is not None or sized.styles.inline.has_rule(name):
                setattr(sized.styles, name, value)

    def _total(self, split: Split) -> int:
        """Cells that both neighbours have together."""
        sized, rest = self._pair(split)
        container = sized.parent
        assert isinstance(container, Widget)
        size = container.size or self._screen.app.size
        total = size.height if split.rows else size.width
        docked = _edge(sized) or _edge(rest)
        for other in container.children:
            if other.display and other not in (sized, rest) and _shares(other, split, bool(docked)):
                total -= other.outer_size.height if split.rows else other.outer_size.width
        return total

    def follow_focus(self) -> None:
        """The pane seen alone is the one with the focus."""
        if self._layout.alone:
            self.apply()

    def show_all(self) -> None:
        """Let all panes be found, as the focus goes on from the one that is seen alone."""
        self._give_back()

    def _give_room(self, pane: Pane) -> None:
        self._alone = pane
        node, container = cast("Widget", pane), pane.parent
        while isinstance(container, Widget) and container is not self._screen:
            for other in container.children:
                if other is not node:
                    self._override(other, {"display": "none"})
            self._override(node, ALONE)
            node, container = container, container.parent

    def _override(self, widget: Widget, rules: Mapping[str, Any]) -> None:
        for name, value in rules.items():
            inline = widget.styles.inline
            before = getattr(widget.styles, name) if inline.has_rule(name) else None
            self._before.append((widget, name, before))
            setattr(widget.styles, name, value)

    def _give_back(self) -> None:
        before, self._before, self._alone = self._before, [], None
        for widget, name, value in reversed(before):
            setattr(widget.styles, name, value)

    # Where things are

    def _pair(self, split: Split) -> tuple[Widget, Widget]:
        found = self._screen.query_one
        return found(f"#{split.sized}"), found(f"#{split.rest}")

    def _in_sight(self) -> Iterator[Split]:
        """Splits of which both neighbours are seen."""
        for split in self._splits if self._alone is None else ():
            if all(one.display and one.region.area for one in self._pair(split)):
                yield split

    def _line(self, split: Split) -> int:
        """The column or row at which the second neighbour begins."""
        return max(_start(one, split) for one in self._pair(split))

    def _focused_pane(self) -> Pane | None:
        focused = self._screen.focused
        nodes = focused.ancestors if focused is not None else ()
        return next((one for one in nodes if isinstance(one, Pane)), None)

    def _beside_focus(self, rows: bool) -> Split | None:
        """The split after the pane with the focus, else the one before it, else any."""
        found = [one for one in self._in_sight() if one.rows is rows]
        pane = self._focused_pane()
        if pane is None:
            return found[0] if found else None
        region = pane.region
        ends = (region.bottom, region.y) if rows else (region.right, region.x)
        for end in ends:
            for split in found:
                across = _range_across(*self._pair(split), split)
                here = _range(region, not rows)
                if self._line(split) == end and here.start < across.stop > across.start < here.stop:
                    return split
        return found[0] if found else None


def _edge(widget: Widget) -> str:
    """The edge that a widget is docked at; empty for none."""
    dock = widget.styles.dock
    return "" if dock == "none" else dock


def _shares(other: Widget, split: Split, docked: bool) -> bool:
    """Whether a sibling stands beside both neighbours, so that they have less room."""
    edge, container = _edge(other), other.parent
    if edge:
        return edge in (("top", "bottom") if split.rows else ("left", "right"))
    along = isinstance(container, Widget) and container.layout.name
    return not docked and along == ("vertical" if split.rows else "horizontal")


def _start(widget: Widget, split: Split) -> int:
    return widget.region.y if split.rows else widget.region.x


def _range(region: Region, rows: bool) -> range:
    return range(region.y, region.bottom) if rows else range(region.x, region.right)


def _range_across(one: Widget, other: Widget, split: Split) -> range:
    """How far a split's line reaches: as far as the longer neighbour."""
    return max((_range(found.region, not split.rows) for found in (one, other)), key=len)
