"""Asking for one line of text."""

from collections.abc import Callable

from textual import on
from textual.app import ComposeResult
from textual.widgets import Input

from tui.dialogs.dialog import Dialog
from tui.text.line import Line
from tui.widgets.text_block import TextBlock
from tui.widgets.text_field import TextField


class AskLine(Dialog[str]):
    """One text field; `check` gives what is wrong with a text, or None."""

    hint = "enter keeps it · esc closes"
    AUTO_FOCUS = "TextField"

    def __init__(
        self,
        heading: str,
        question: str,
        text: str = "",
        check: Callable[[str], str | None] | None = None,
    ) -> None:
        super().__init__()
        self.heading, self.question, self.text, self.check = heading, question, text, check

    def body(self) -> ComposeResult:
        """Question and field."""
        yield TextBlock([Line(self.question, "ink-2")])
        yield TextField(self.text)

    @on(Input.Submitted)
    def kept(self, event: Input.Submitted) -> None:
        """Hand the text back, or say what is wrong with it."""
        event.stop()
        wrong = self.check(event.value) if self.check else None
        if wrong is None:
            self.dismiss(event.value)
        else:
            self.edge(Line(wrong, "label-i"))
