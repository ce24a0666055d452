"""Offers in an empty screen: lines, of which those that offer something can be chosen."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from textual.message import Message

from tui import keys
from tui.text.line import Line
from tui.widgets.line_view import LineView

WIDTH = 73
NAMES, WHAT = 2, 21
"""Columns at which offers and their explanations begin."""


@dataclass(frozen=True, slots=True)
class StartOffer:
    """Something to begin with; `path` is that of a recent database."""

    kind: str
    name: str
    what: str
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class OfferRow:
    """A line, and the offer that the cursor can choose on it."""

    line: Line
    offer: StartOffer | None = None


def offer_row(offer: StartOffer) -> OfferRow:
    """The row of an offer: what it is called, what it does."""
    line = Line().to(NAMES).cell(offer.name, WHAT - NAMES - 1)
    return OfferRow(line.to(WHAT).add(offer.what, "ink-2"), offer)


class Offers(LineView):
    """The lines of the empty state; the cursor stands on offers only."""

    DEFAULT_CSS = f"Offers {{ width: {WIDTH}; max-width: 100%; height: auto; max-height: 100%; }}"
    BINDINGS = keys.bindings("list") + keys.bindings("offers")

    class OfferChosen(Message):
        """An offer is chosen."""

        def __init__(self, offer: StartOffer) -> None:
            super().__init__()
            self.offer = offer

    def __init__(self) -> None:
        super().__init__(id="offers")
        self._rows: Sequence[OfferRow] = ()

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

    def is_choosable(self, row: int) -> bool:
        """Whether there is an offer."""
        return self._rows[row].offer is not None

    @property
    def chosen(self) -> StartOffer | None:
        """The offer under the cursor."""
        return None if self.cursor is None else self._rows[self.cursor].offer

    def show(self, shown: Sequence[OfferRow]) -> None:
        """Take in other rows; the cursor stays on its offer, or goes to the first."""
        if shown == self._rows:
            return
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
            self.post_message(self.OfferChosen(self.chosen))
