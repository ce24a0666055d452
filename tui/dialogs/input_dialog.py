"""Asking for one line of text, or for a number."""

from collections.abc import Callable

from textual import on
from textual.app import ComposeResult
from textual.widgets import Input

from tui import keys
from tui.dialogs.dialog import CLOSES, Dialog
from tui.text.line import Line
from tui.text.typed_number import LONGEST
from tui.widgets.text_block import TextBlock
from tui.widgets.text_field import TextField


class WrongBlock(TextBlock):
    """What is wrong with a field, below it; its line is kept where nothing is, so nothing moves."""

    DEFAULT_CSS = "WrongBlock { min-height: 1; }"

    def __init__(self) -> None:
        super().__init__([])

    def tell(self, wrong: str | None) -> None:
        """Say what is wrong; None: nothing is."""
        self.say([] if wrong is None else [Line(wrong, "label-i")])
        self.refresh(layout=True)


class AskLine(Dialog[str]):
    """One text field; `check` gives what is wrong with a text, or None.

    A `proposal` stands in grey in the field while it is empty; `tab` takes it.
    """

    BINDINGS = keys.bindings("line")
    AUTO_FOCUS = "TextField"

    def __init__(
        self,
        heading: str,
        question: str,
        text: str = "",
        check: Callable[[str], str | None] | None = None,
        proposal: str = "",
        does: str = "keeps it",
    ) -> None:
        """`does`: what `enter` does with the text."""
        super().__init__()
        self.heading, self.question, self.text, self.check = heading, question, text, check
        self.proposal = proposal
        proposed = (("tab", "takes what is proposed"),) if proposal else ()
        self.hint = (("enter", does), *proposed, CLOSES)

    def body(self) -> ComposeResult:
        """Question and field."""
        yield TextBlock([Line(self.question, "ink-2")])
        yield TextField(self.text, self.proposal)
        yield WrongBlock()

    @property
    def unkept(self) -> str:
        """What was typed."""
        text = self.query_one(TextField).value
        return "" if text == self.text else text.strip()

    def action_propose(self) -> None:
        """Take what is proposed, unless something was typed."""
        field = self.query_one(TextField)
        if self.proposal and not field.value:
            field.value = self.proposal
            field.cursor_position = len(field.value)

    @on(Input.Submitted)
    def submit_text(self, event: Input.Submitted) -> None:
        """Hand the text back, or say what is wrong with it."""
        event.stop()
        wrong = self.find_fault(event.value)
        self.query_one(WrongBlock).tell(wrong)
        if wrong is None:
            self.dismiss(event.value)

    def find_fault(self, text: str) -> str | None:
        """What is wrong with a text; None if nothing is."""
        return self.check(text) if self.check else None


class AskNumber(AskLine):
    """One field for a number; what is wrong with it is said as it is typed."""

    def body(self) -> ComposeResult:
        """Question and field."""
        yield TextBlock([Line(self.question, "ink-2")])
        yield TextField(self.text, max_length=LONGEST)
        yield WrongBlock()

    @on(Input.Changed)
    def show_fault(self, event: Input.Changed) -> None:
        """Say what is wrong with what stands there."""
        event.stop()
        self.query_one(WrongBlock).tell(self.find_fault(event.value) if event.value else None)
