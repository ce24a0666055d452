"""A screen with nothing but the pane of the empty state."""

from textual.app import ComposeResult

from core.views.snapshot import Snapshot
from tui.app.tab_table import TABS
from tui.screens.base_screen import BaseScreen
from tui.screens.start.offers_pane import StartPane

PLACE = TABS[0]._replace(module="tests.tui.screens.start.hosting", cls="StartScreen")


class StartScreen(BaseScreen):
    tab = "facts"
    position = None

    def body(self) -> ComposeResult:
        yield StartPane(id="start")

    def show_snapshot(self, snapshot: Snapshot) -> None:
        self.snapshots = [*getattr(self, "snapshots", []), snapshot]
