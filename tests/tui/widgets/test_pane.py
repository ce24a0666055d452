"""What is the matter stands in an edge of a pane that is seen."""

from pathlib import Path

import pytest
from textual.app import ComposeResult

from core.settings.preferences import Settings
from tests.patience import until
from tui.app.app import LostkeysApp
from tui.screens.base_screen import BaseScreen
from tui.text.line import Line
from tui.widgets.pane import Pane


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


class PaneBench(BaseScreen):
    tab = "facts"

    def body(self) -> ComposeResult:
        yield Pane()


def edges(pane: Pane) -> tuple[str, str]:
    """The upper and the lower line of a pane as they are painted."""
    rows = [strip.text for strip in pane.screen._compositor.render_strips()]
    return rows[pane.region.y], rows[pane.region.bottom - 1]
