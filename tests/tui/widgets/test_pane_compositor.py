"""A pane that comes into sight is told so, and widgets render what is seen of them only."""

from itertools import pairwise

import pytest
from textual import events
from textual._compositor import Compositor
from textual.app import App, ComposeResult
from textual.containers import Container, Horizontal, VerticalScroll
from textual.geometry import Region, Size
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from tests.patience import until
from tui.widgets.pane_screen import PaneCompositor


class HiddenPane(Widget):
    """Keeps what it is told of its size."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[Size | None] = []

    def on_resize(self, event: events.Resize) -> None:
        self.told.append(event.size)

    def on_hide(self) -> None:
        self.told.append(None)


class OnePane(Screen[None]):
    """A pane that is out of sight."""

    def __init__(self) -> None:
        super().__init__()
        self._compositor = PaneCompositor()
        self.pane = HiddenPane()
        self.pane.display = False

    def compose(self) -> ComposeResult:
        yield self.pane


@pytest.mark.parametrize("asked", [False, True])
async def test_a_pane_hears_that_it_is_seen_and_that_it_is_not(asked: bool) -> None:
    screen = OnePane()
    async with App[None]().run_test(size=(40, 10)) as pilot:
        await pilot.app.push_screen(screen)
        await pilot.pause()
        for seen in (True, False, True):
            before = len(screen.pane.told)
            screen._compositor.update_widgets({screen.pane})  # it was to be painted, out of sight
            screen.pane.display = seen
            if asked and seen:
                assert screen.pane in screen._compositor.full_map
            await until(
                lambda: len(screen.pane.told) > before,  # noqa: B023
                lambda: str(screen.pane.told),
                lambda: pilot.pause(0.01),
            )
            assert screen.pane.told[before:] == [Size(40, 10) if seen else None]


class Counted(Container):
    """Keeps for which of its lines it is asked."""

    def __init__(self, *children: Widget, id: str) -> None:  # noqa: A002
        super().__init__(*children, id=id)
        self.asked: list[Region] = []

    def render_lines(self, crop: Region) -> list[Strip]:
        self.asked.append(crop)
        return super().render_lines(crop)


class Layered(Screen[None]):
    """Panes with borders, one that scrolls, text of wide characters, and a note over all."""

    DEFAULT_CSS = """
    Layered { layers: below above; }
    #left { width: 20; border: round red; }
    #right { width: 1fr; border: round blue; padding: 1 2; }
    #note { layer: above; offset: 15 3; width: 12; height: 3; background: green; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._compositor = PaneCompositor()

    def compose(self) -> ComposeResult:
        rows = [Static(f"{number} 漢字 and words that are cut") for number in range(20)]
        left = Counted(VerticalScroll(*rows), id="left")
        right = Counted(Static("words " * 40), id="right")
        with Counted(id="all"):
            yield Horizontal(left, right)
        yield Static("a note", id="note")


CROPS = (
    Region(0, 0, 50, 16),
    Region(2, 4, 17, 1),
    Region(14, 2, 14, 5),
    Region(19, 0, 3, 16),
    Region(49, 15, 1, 1),
)


@pytest.mark.parametrize("crop", CROPS, ids=str)
@pytest.mark.parametrize("every", [1, 2])
async def test_what_is_painted_is_what_textual_paints(crop: Region, every: int) -> None:
    async with App[None]().run_test(size=(50, 16)) as pilot:
        screen = Layered()
        await pilot.app.push_screen(screen)
        await pilot.pause()
        screen.query_one(VerticalScroll).scroll_to(y=3, animate=False, immediate=True)
        await pilot.pause()
        compositor = screen._compositor
        rows = [y for y in range(crop.y, crop.bottom) if y % every == 0]
        ours = compositor._render_chops(crop, rows.__contains__)
        theirs = Compositor._render_chops(compositor, crop, rows.__contains__)
        assert any(ours[y][cut] for y in rows for cut in ours[y]) == bool(rows)
        for y in rows:
            for cut, end in pairwise(compositor.cuts[y]):
                if cut < crop.right and end > crop.x:
                    assert ours[y][cut] == theirs[y][cut]


async def test_widgets_render_lines_that_are_painted_and_not_covered() -> None:
    async with App[None]().run_test(size=(50, 16)) as pilot:
        screen = Layered()
        await pilot.app.push_screen(screen)
        await pilot.pause()
        covered, left, right = (
            screen.query_one(f"#{name}", Counted) for name in ["all", "left", "right"]
        )
        for one in (covered, left, right):
            one.asked.clear()
        screen._compositor._render_chops(Region(0, 8, 20, 2), {8, 9}.__contains__)
        assert left.asked == [Region(0, 8, 20, 2)]
        assert not right.asked
        assert not covered.asked


@pytest.mark.parametrize(
    "changed",
    [{Region(2, 4, 17, 1)}, {Region(2, 4, 3, 1), Region(30, 4, 9, 2), Region(0, 15, 50, 1)}],
    ids=["one", "three"],
)
async def test_what_has_changed_is_painted_as_textual_paints_it(changed: set[Region]) -> None:
    async with App[None]().run_test(size=(50, 16)) as pilot:
        screen = Layered()
        await pilot.app.push_screen(screen)
        await pilot.pause()
        compositor = screen._compositor
        compositor._dirty_regions = set(changed)
        ours = compositor.render_partial_update()
        assert ours is not None
        every = Compositor._render_chops(compositor, screen.region, lambda y: True)
        for region in changed:
            for y in region.line_range:
                for cut, end in pairwise(compositor.cuts[y]):
                    if cut < region.right and end > region.x:
                        assert ours.chops[y][cut] == every[y][cut]


async def test_what_stands_beside_a_changed_line_renders_nothing() -> None:
    async with App[None]().run_test(size=(50, 16)) as pilot:
        screen = Layered()
        await pilot.app.push_screen(screen)
        await pilot.pause()
        left, right = (screen.query_one(f"#{name}", Counted) for name in ["left", "right"])
        for one in (left, right):
            one.asked.clear()
        screen._compositor._dirty_regions = {Region(20, 0, 30, 1), Region(20, 14, 30, 2)}
        screen._compositor.render_partial_update()
        assert not left.asked
        assert right.asked == [Region(0, 0, 30, 1), Region(0, 14, 30, 2)]
