"""Saying what went wrong and what to do, until it has been seen."""

from textual.app import ComposeResult

from core.errors import LostkeysError
from tui import keys
from tui.dialogs.dialog import Dialog
from tui.text.line import Line
from tui.widgets.text_block import TextBlock


class ErrorDialog(Dialog[None]):
    """One error."""

    BINDINGS = keys.bindings("seen")
    heading = "That did not work"

    def __init__(self, error: LostkeysError) -> None:
        super().__init__()
        self.error = error

    def body(self) -> ComposeResult:
        """What it says."""
        yield TextBlock([Line(str(self.error))])
