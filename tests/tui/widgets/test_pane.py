"""A pane that comes into sight is told so, whatever was asked of the map before the layout."""

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget

from tests.patience import until
from tui.widgets.pane import PaneCompositor


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
