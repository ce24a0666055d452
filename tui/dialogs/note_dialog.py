"""Asking for a note on a decision: the one made just before, or the one in sight."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.widgets import Input

from tui import keys
from tui.dialogs.dialog import CLOSES, Dialog
from tui.text.line import Line
from tui.widgets.text_block import TextBlock
from tui.widgets.text_field import TextField


@dataclass(frozen=True, slots=True)
class NoteSubject:
    """What a note can be on, and the note that stands there."""

    name: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """The text of a note, empty for none, and the place of its subject."""

    subject: int
    text: str


class NoteDialog(Dialog[Note]):
    """One text field for the first subject; `tab` turns to the next, with what is typed."""

    BINDINGS = keys.bindings("note")
    AUTO_FOCUS = "TextField"

    def __init__(self, subjects: Sequence[NoteSubject]) -> None:
        super().__init__()
        self._subjects, self._place = tuple(subjects), 0
        turn = (("tab", "on the other one"),) if len(self._subjects) > 1 else ()
        self.hint = (("enter", "keeps it"), *turn, CLOSES)
        self.heading = f"note on {self.subject.name}"

    @property
    def subject(self) -> NoteSubject:
        """What the note is on now."""
        return self._subjects[self._place]

    def body(self) -> ComposeResult:
        """Question and field."""
        yield TextBlock([Line("Your note:", "ink-2")])
        yield TextField(self.subject.note)

    @property
    def unkept(self) -> str:
        """The note, if it is another than the one that stands there."""
        text = self.query_one(TextField).value.strip()
        return "" if text == self.subject.note.strip() else text or "that there is no note"

    def action_turn(self) -> None:
        """The next subject; a note that stands there is shown unless something was typed."""
        field, before = self.query_one(TextField), self.subject
        self._place = (self._place + 1) % len(self._subjects)
        if field.value == before.note:
            field.value = self.subject.note
            field.select_all()
        self.heading = f"note on {self.subject.name}"
        self.write_edges()

    @on(Input.Submitted)
    def submit_note(self, event: Input.Submitted) -> None:
        """Hand the note back."""
        event.stop()
        self.dismiss(Note(self._place, event.value.strip()))
