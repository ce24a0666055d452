"""A pane that comes into sight is told so, whatever was asked of the map before the layout."""

from pathlib import Path

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget

from core.settings.preferences import Settings
from tests.patience import until
from tui.app.app import LostkeysApp
from tui.screens.audit_screen import AuditScreen
from tui.text.line import Line
from tui.widgets.pane import Pane
from tui.widgets.pane_compositor import PaneCompositor


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


@pytest.mark.parametrize(("width", "at"), [(80, 0), (120, -1)])
async def test_what_is_the_matter_stands_in_the_edge_that_there_is(
    tmp_path: Path, width: int, at: int
) -> None:
    made = LostkeysApp(tmp_path / "none.db", Settings(theme="dark"))
    made.screens.made["facts"] = PaneBench()
    async with made.run_test(size=(width, 24)) as pilot:
        pane = made.screen.query_one(Pane)
        await until(lambda: pane.size.height > 0, lambda: str(pane.size), pilot.pause)
        pane.title(Line("a title that is long " * 9))
        pane.tell(Line("reading…"))
        await pilot.pause()
        assert "reading…" in edges(pane)[at]
        assert "reading…" not in edges(pane)[-1 - at]
        pane.edge(Line("1 of 2"))
        await pilot.pause()
        assert "reading…" not in "".join(edges(pane))
        assert "1 of 2" in edges(pane)[-1] or width < 100


class PaneBench(AuditScreen):
    tab = "facts"

    def body(self) -> ComposeResult:
        yield Pane()


def edges(pane: Pane) -> tuple[str, str]:
    """The upper and the lower line of a pane as they are painted."""
    rows = [strip.text for strip in pane.screen._compositor.render_strips()]
    return rows[pane.region.y], rows[pane.region.bottom - 1]
