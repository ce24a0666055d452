"""The pane of the empty state: offers that are chosen with arrow keys and enter."""

from datetime import datetime
from typing import TYPE_CHECKING, cast

from textual.app import ComposeResult

from core.settings import recent_files
from tui import keys
from tui.screens.start.render_offers import DEMO, IMPORT, WIDTH, OfferRow, StartOffer, rows
from tui.text.line import Line
from tui.widgets.line_view import LineView
from tui.widgets.pane import Pane

if TYPE_CHECKING:
    from tui.app.services import AppServices

AROUND = 5
"""Lines of the screen that the frame and the pane's edges take."""


class Offers(LineView):
    """The lines of the empty state; the cursor stands on offers only."""

    DEFAULT_CSS = f"Offers {{ width: {WIDTH}; max-width: 100%; height: auto; max-height: 100%; }}"
    BINDINGS = keys.bindings("list") + keys.bindings("offers")

    def __init__(self) -> None:
        super().__init__(id="offers")
        self._rows: list[OfferRow] = []

    def row_count(self) -> int:
        """How many lines there are."""
        return len(self._rows)

    def draw(self, row: int, line: int, width: int) -> Line:
        """One of them; the offer under the cursor is bold."""
        found = self._rows[row]
        drawn = Line().join(found.line)
        if found.offer is not None and row == self.cursor:
            drawn.spans = [
                span._replace(role="ink bold") if span.role == "ink" else span
                for span in drawn.spans
            ]
        return drawn

    def choosable(self, row: int) -> bool:
        """Whether there is an offer."""
        return self._rows[row].offer is not None

    @property
    def chosen(self) -> StartOffer | None:
        """The offer under the cursor."""
        return None if self.cursor is None else self._rows[self.cursor].offer

    def show(self, shown: list[OfferRow]) -> None:
        """Take in other rows; the cursor stays on its offer, or goes to the first."""
        kept = self.chosen
        self._rows = shown
        places = {row.offer: place for place, row in enumerate(shown) if row.offer}
        first = next(iter(places.values()))
        self.cursor = first if kept is None else places.get(kept, first)
        self.refresh_changed()
        self.refresh(layout=True)

    def action_choose(self) -> None:
        """Do what is offered."""
        if self.chosen is not None:
            cast("StartPane", self.parent).begin(self.chosen)


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

    def on_line_view_clicked(self, event: LineView.Clicked) -> None:
        """A second click is as good as enter."""
        if event.again:
            self.query_one(Offers).action_choose()

    def reload(self) -> None:
        """Read what is recent, and show it."""
        here = self.lostkeys.path.absolute()
        recents = [one for one in recent_files.recents() if one.path != here]
        today = datetime.now().astimezone().date()
        self.query_one(Offers).show(rows(recents, today, self.app.size.height - AROUND))

    def begin(self, offer: StartOffer) -> None:
        """Do what was chosen."""
        if offer.kind == DEMO:
            self._try_demo()
        elif offer.kind == IMPORT:
            from tui.dialogs.import_dialog import offer_import

            offer_import(self.lostkeys)
        elif offer.path is not None:
            self.lostkeys.open_database(offer.path)

    def _try_demo(self) -> None:
        from core.specs import DemoSpec

        self.lostkeys.jobs.start(DemoSpec())

    @property
    def lostkeys(self) -> "AppServices":
        """What it may ask of the app."""
        return cast("AppServices", self.app)
