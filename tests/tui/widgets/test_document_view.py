"""The document view: when its lines are broken for a size."""

from pathlib import Path

from textual import on
from textual.app import ComposeResult

from core.settings.preferences import Settings
from tests.tui.seeing import settled
from tui.app.app import LostkeysApp
from tui.screens.base_screen import BaseScreen
from tui.widgets.document_view import DocumentView
from tui.widgets.pane import Pane


class SheetScreen(BaseScreen):
    """Counts how often lines are to be broken."""

    tab = "facts"

    def __init__(self) -> None:
        super().__init__()
        self.broken = 0

    def body(self) -> ComposeResult:
        with Pane():
            yield DocumentView(id="sheet")

    @on(DocumentView.SizeChanged)
    def count_broken(self) -> None:
        self.broken += 1


async def test_what_is_put_while_it_is_hidden_is_broken_when_it_is_seen_again(
    tmp_path: Path,
) -> None:
    app, screen = LostkeysApp(tmp_path / "none.db", Settings()), SheetScreen()
    app.screens.made["facts"] = screen
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        sheet, before = screen.query_one(DocumentView), screen.broken
        assert before
        sheet.display = False
        await settled(pilot)
        assert screen.broken == before
        sheet.display = True
        await settled(pilot)
        assert screen.broken == before + 1
