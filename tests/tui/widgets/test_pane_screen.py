"""A screen that comes back is styled anew where the app is another, and painted soon."""

import pytest
from textual.app import App, ComposeResult
from textual.dom import DOMNode
from textual.pilot import Pilot
from textual.widgets import Static

from tui.widgets.pane_screen import PaneScreen


class Page(PaneScreen[None]):
    """A screen with a line."""

    SCOPED_CSS = False
    DEFAULT_CSS = """
    Page Static { color: red; }
    .-other Page Static { color: blue; }
    """

    def compose(self) -> ComposeResult:
        self.take_size()
        yield Static("words")


class Pages(App[None]):
    """Two screens."""

    DEFAULT_MODE = "one"

    def __init__(self) -> None:
        super().__init__()
        for name in ("one", "two"):
            self.add_mode(name, Page)


async def go(pilot: Pilot[None], mode: str) -> None:
    await pilot.app.switch_mode(mode)
    await pilot.pause(0.1)


async def test_a_screen_is_styled_anew_where_the_app_is_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = Pages()
    async with app.run_test(size=(40, 10)) as pilot:
        for mode in ("two", "one"):
            await go(pilot, mode)
        styled: list[DOMNode] = []
        update = app.update_styles

        def note(node: DOMNode, animate: bool = True) -> None:
            styled.append(node)
            update(node, animate)

        monkeypatch.setattr(app, "update_styles", note)
        await go(pilot, "two")
        assert app.screen not in styled
        assert app.screen.query_one(Static).styles.color.hex == "#FF0000"
        app.add_class("-other")
        await go(pilot, "one")
        assert app.screen in styled
        assert app.screen.query_one(Static).styles.color.hex == "#0000FF"


async def test_a_screen_has_the_classes_of_its_size_before_it_is_laid_out() -> None:
    app = Pages()
    async with app.run_test(size=(200, 20)) as pilot:
        await go(pilot, "two")
        assert {"-wide", "-low"} <= app.screen.classes
