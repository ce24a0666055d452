"""The pane of the empty state: offers that are chosen with arrow keys and enter."""

from datetime import datetime
from typing import TYPE_CHECKING, cast

from textual import on
from textual.app import ComposeResult

from core.settings import recent_files
from tui.screens.start.render_offers import DEMO, IMPORT, list_rows
from tui.text.line import Line
from tui.widgets.line_view import LineView
from tui.widgets.offers import Offers
from tui.widgets.pane import Pane

if TYPE_CHECKING:
    from tui.app.app import LostkeysApp

AROUND = 5
"""Lines of the screen that the frame and the pane's edges take."""


class StartPane(Pane):
    """What a screen shows where the database has no facts: demo, import, recent databases."""

    DEFAULT_CSS = "StartPane { align: center middle; }"

    def compose(self) -> ComposeResult:
        """The offers."""
        yield Offers()

    def on_mount(self) -> None:
        """Fill in."""
        self.title(Line("Facts"))
        self.edge(Line("0", "ink-3"))
        self.reload()
        self.query_one(Offers).focus()

    def on_resize(self) -> None:
        """More or fewer blank lines."""
        self.reload()

    def on_show(self) -> None:
        """What is recent may be another list by now."""
        self.reload()

    def on_line_view_row_clicked(self, event: LineView.RowClicked) -> None:
        """A second click is as good as enter."""
        if event.again:
            self.query_one(Offers).action_choose()

    def reload(self) -> None:
        """Read what is recent, and show it."""
        here = self.lostkeys.path.absolute()
        recents = [one for one in recent_files.recents() if one.path != here]
        today = datetime.now().astimezone().date()
        self.query_one(Offers).show(list_rows(recents, today, self.app.size.height - AROUND))

    @on(Offers.OfferChosen)
    def begin(self, event: Offers.OfferChosen) -> None:
        """Do what was chosen."""
        event.stop()
        offer = event.offer
        if offer.kind == DEMO:
            self._try_demo()
        elif offer.kind == IMPORT:
            from tui.dialogs.start.start_context import offer_import

            offer_import(self.lostkeys)
        elif offer.path is not None:
            self.lostkeys.open_database(offer.path)

    def _try_demo(self) -> None:
        from core.specs.answer_specs import DemoSpec

        self.lostkeys.jobs.start(DemoSpec())

    @property
    def lostkeys(self) -> "LostkeysApp":
        """What it may ask of the app."""
        return cast("LostkeysApp", self.app)
