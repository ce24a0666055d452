"""What a person is asked or told before they go on: a question with yes and no, an error."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from core.errors import LostkeysError
from tui import keys
from tui.dialogs.dialog import Dialog
from tui.text.line import Line
from tui.widgets.text_block import TextBlock

if TYPE_CHECKING:
    from tui.app.app import LostkeysApp


class Confirm(Dialog[bool]):
    """A question with what is kept; only `y` means yes."""

    BINDINGS = keys.bindings("confirm")
    hint = ()

    def __init__(self, heading: str, question: str, yes: str, no: str = "goes on") -> None:
        """`yes` and `no` say what the two keys do: `cancels`, `goes on`."""
        super().__init__()
        self.heading, self.question, self.yes, self.no = heading, question, yes, no

    def body(self) -> ComposeResult:
        """The question and its keys."""
        line = Line(f"{self.question} ", "ink")
        line.add("y", "accent bold").add(f" {self.yes}, ", "ink-2")
        yield TextBlock([line.add("n", "accent bold").add(f" {self.no}", "ink-2")])

    def action_yes(self) -> None:
        """Do it."""
        self.dismiss(True)


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


def confirm_overwrite(
    app: "LostkeysApp", heading: str, files: Sequence[Path], write: Callable[[], object]
) -> None:
    """Write at once where none of the files is there yet, else once a person agrees to that."""
    there = next((one for one in files if one.exists()), None)
    if there is None:
        write()
        return

    def answer(agrees: bool | None) -> None:
        if agrees:
            write()

    question = f"{there.name} is there already: write over it?"
    dialog = Confirm(heading, question, "writes over it", "leaves it")
    app.push_screen(dialog, answer)
