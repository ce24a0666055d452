"""A text field of several lines, in which nothing typed or pasted can steer the terminal."""

from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.document._document import EditResult
from textual.document._edit import Edit
from textual.widgets import TextArea

from core.settings.escapes import UNSEEN, stand_in
from tui.text.inert_text import is_kept, lines


class TextBox(TextArea):
    """Textual's text area without a frame, as high as its text up to `max-height`.

    Characters that cannot be shown stand there as their stand-ins, and come out of `value` as
    they were; a tab is a space. With `single` a line break typed goes to the next field, one
    pasted is a space.
    """

    DEFAULT_CSS = """
    TextBox, TextBox:focus {
        height: auto; min-height: 1; max-height: 8; border: none; padding: 0; color: $ink;
        background: $background; background-tint: $background 0%;
        scrollbar-size-vertical: 1;
    }
    TextBox > .text-area--cursor-line { background: $background; }
    TextBox:ansi > .text-area--cursor-line { background: transparent; }
    TextBox:nocolor > .text-area--selection { text-style: reverse; }
    """
    BINDINGS: ClassVar[list[BindingType]] = []
    is_typed = True
    """What a person types is drawn whole, however wide the terminal draws it."""

    def __init__(self, value: str = "", single: bool = False, *, id: str | None = None) -> None:  # noqa: A002
        self._first, self._single = value, single
        self._unseen: dict[str, str] = {}
        super().__init__(
            self._make_inert(value, value), id=id, compact=True, highlight_cursor_line=False
        )
        self._first_shown = self.text
        self.cursor_blink = False

    @property
    def value(self) -> str:
        """What is written, to the letter; what was not touched is as it was given."""
        shown = self.text
        if shown == self._first_shown:
            return self._first
        for mark, char in self._unseen.items():
            shown = shown.replace(mark, char)
        return shown

    def edit(self, edit: Edit) -> EditResult:
        """Change the text; what comes in is made inert first, whatever way it comes."""
        edit.text = edit.text.replace("\t", " ")
        kept = "".join(filter(is_kept, edit.text))
        before = "x" if edit.top[1] else ""  # on which a mark that comes first can sit
        edit.text = self._make_inert(before + edit.text, kept).removeprefix(before)
        if self._single:
            edit.text = edit.text.replace("\n", " ")
        return super().edit(edit)

    async def _on_key(self, event: events.Key) -> None:
        """Take in a joiner, too. In a field of one line enter goes on to the next."""
        if event.character and not event.is_printable and is_kept(event.character):
            event.stop()
            event.prevent_default()
            self._replace_via_keyboard(event.character, *self.selection)
            return
        if self._single and event.key == "enter":
            event.stop()
            event.prevent_default()
            self.screen.focus_next()
            return
        await super()._on_key(event)

    def _make_inert(self, text: str, kept: str) -> str:
        """The text as it is shown; those of its unseen characters in `kept` can come back."""
        for char in set(kept):
            mark = stand_in(char)
            unseen = bool(UNSEEN.match(char)) or not char.isprintable()
            if unseen and char not in "\r\n" and mark not in text and mark.strip():
                self._unseen[mark] = char
        return "\n".join(lines(text))
