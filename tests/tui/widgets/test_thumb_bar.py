"""The scroll bar looks as Textual's, and paints the lines that differ."""

from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip
from textual.widget import Widget

from tui.theme.themes import AsciiScrollBar
from tui.widgets.thumb_bar import ThumbBar

HEIGHT = 12


class Bars(App[None]):
    """Ours beside Textual's."""

    DEFAULT_CSS = "Bars { layout: horizontal; } ScrollBar { width: 1; }"

    def __init__(self) -> None:
        super().__init__()
        self.ours, self.theirs = ThumbBar(1), ScrollBar(vertical=True)

    def compose(self) -> ComposeResult:
        yield self.ours
        yield self.theirs

    def scroll(self, position: int, size: int, window: int = HEIGHT) -> None:
        for bar in (self.ours, self.theirs):
            bar.window_virtual_size, bar.window_size, bar.position = size, window, position


def lines(bar: Widget) -> list[Strip]:
    """All of it, as it is painted."""
    return bar.render_lines(Region(0, 0, 1, HEIGHT))


@pytest.mark.parametrize("renderer", [ScrollBarRender, AsciiScrollBar])
async def test_it_looks_as_textuals(
    renderer: type[ScrollBarRender], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ScrollBar, "renderer", renderer)
    app = Bars()
    async with app.run_test(size=(10, HEIGHT)):
        for position, size in [(0, 30), (1, 30), (18, 30), (18, 31), (0, HEIGHT), (4000, 9000)]:
            app.scroll(position, size)
            assert lines(app.ours) == lines(app.theirs), (position, size)
        app.ours.mouse_over = app.theirs.mouse_over = True
        assert lines(app.ours) == lines(app.theirs)
        app.theme = "textual-light"
        assert lines(app.ours) == lines(app.theirs)


async def test_a_step_paints_the_lines_that_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Bars()
    async with app.run_test(size=(10, HEIGHT)):
        app.scroll(0, 9000)
        lines(app.ours)
        asked: list[Any] = []
        monkeypatch.setattr(app.ours, "_set_dirty", lambda *regions: asked.append(regions))
        app.scroll(1, 9000)
        assert asked == []
        app.scroll(400, 9000)
        lines(app.ours)
        assert asked == [(Region(0, 0, 1, 2),)]
        asked.clear()
        app.scroll(8988, 9000)
        assert asked == [(Region(0, 0, 1, HEIGHT),)]
