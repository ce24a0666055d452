"""Asking why a question is rejected: by a digit, or in words."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult

from core.curation.question_reviews import RejectReason
from tui.dialogs.dialog import CLOSES, Dialog
from tui.dialogs.input_dialog import AskLine
from tui.text.line import Line
from tui.widgets.text_block import TextBlock

if TYPE_CHECKING:
    from tui.app.app import LostkeysApp

OTHER = "another reason"
"""What is typed; it stands behind the reasons that have a digit of their own."""


class RejectDialog(Dialog[int]):
    """The reasons with their digits; one of those is the result, any other key closes."""

    heading = "reject the question"
    hint = (("", "its fact leaves all totals"), CLOSES)

    def body(self) -> ComposeResult:
        """One line a reason."""
        names = enumerate([*RejectReason, OTHER], 1)
        yield TextBlock([Line(f"{number}  ", "accent bold").add(name) for number, name in names])

    def on_key(self, event: events.Key) -> None:
        """Reject, or close."""
        event.stop()
        digit = event.character or ""
        chosen = digit in "123456"[: len(RejectReason) + 1] and digit
        self.dismiss(int(chosen) if chosen else None)


def ask_reason(app: "LostkeysApp", number: int, then: Callable[[str], None]) -> None:
    """Go on with the reason of a digit; the one behind the last is asked for."""
    names = list(RejectReason)
    if number <= len(names):
        then(str(names[number - 1]))
        return

    def take_reason(reason: str | None) -> None:
        if reason is not None:
            then(reason.strip())

    dialog = AskLine("reject", "Why is it rejected?", "", _no_reason, does="rejects it")
    app.push_screen(dialog, take_reason)


def _no_reason(text: str) -> str | None:
    return None if text.strip() else "a reason is needed"
