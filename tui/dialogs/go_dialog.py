"""Waiting for the digit or the letter of a screen, for terminals that take function keys."""

from textual import events
from textual.app import ComposeResult

from tui.app.tabs import TABS
from tui.dialogs.dialog import Dialog
from tui.text.line import Line
from tui.widgets.text_block import TextBlock


class Go(Dialog[str]):
    """The screens with their keys; any of those goes there, any other key closes."""

    heading = "go to"

    def body(self) -> ComposeResult:
        """One line a screen."""
        yield TextBlock(
            [
                Line(f"{number} {place.letter}  ", "accent bold").add(place.name)
                for number, place in enumerate(TABS, 1)
            ]
        )

    def on_key(self, event: events.Key) -> None:
        """Go, or close."""
        event.stop()
        tabs = {place.letter: place.tab for place in TABS}
        tabs |= {str(number): place.tab for number, place in enumerate(TABS, 1)}
        self.dismiss(tabs.get(event.character or ""))
