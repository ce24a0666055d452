"""Asking before something that cannot be undone."""

from textual.app import ComposeResult

from tui import keys
from tui.dialogs.base import Dialog
from tui.text.line import Line
from tui.widgets.words import Words


class Confirm(Dialog[bool]):
    """One question; `y` is yes, everything else no. `yes` and `no` say what the keys do."""

    BINDINGS = keys.bindings("confirm")
    hint = ""

    def __init__(self, question: str, yes: str, no: str = "goes on") -> None:
        super().__init__()
        self.question, self.yes, self.no = question, yes, no

    def body(self) -> ComposeResult:
        """The question and its two keys."""
        answers = Line("y", "accent bold").add(f" {self.yes}   ", "ink-2")
        answers.add("n", "accent bold").add(f" {self.no}", "ink-2")
        yield Words([Line(self.question), Line(), answers])

    def action_yes(self) -> None:
        """Do it."""
        self.dismiss(True)

    def action_no(self) -> None:
        """Do not."""
        self.dismiss(False)
