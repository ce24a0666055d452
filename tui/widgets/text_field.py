"""A text field of one line, in which nothing typed or pasted can steer the terminal."""

from bisect import bisect_right
from typing import Any

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.widgets import Input

from tui.text.inert_text import is_kept, make_one_line, replace_unseen


class ShownText(Text):
    """What a field shows of its value; places to style are those of the value."""

    def __init__(self, value: str) -> None:
        super().__init__(replace_unseen(value), no_wrap=True, overflow="ignore", end="")
        self._of = value

    def stylize(self, style: Any, start: int = 0, end: int | None = None) -> None:
        """Style what is shown of a part of the value."""
        super().stylize(style, self._place(start), None if end is None else self._place(end))

    def stylize_before(self, style: Any, start: int = 0, end: int | None = None) -> None:
        """The same, below other styles."""
        super().stylize_before(style, self._place(start), None if end is None else self._place(end))

    def _place(self, place: int) -> int:
        return len(replace_unseen(self._of[:place])) + max(0, place - len(self._of))


class TextField(Input):
    """Textual's input without a frame; what it holds when it is entered is typed over.

    Joiners and their like, which a text may need, stand in the value as they are, and are shown
    as their stand-ins.
    """

    # Textual's own way, `compact`, has all of its styles worked out once more.
    DEFAULT_CSS = """
    TextField, TextField:focus {
        height: 1; border: none; padding: 0; color: $ink;
        background: $background; background-tint: $background 0%;
    }
    TextField > .input--placeholder { color: $ink-3; }
    TextField:nocolor > .input--selection { text-style: reverse; }
    """

    is_typed = True
    """What a person types is drawn whole, however wide the terminal draws it."""

    def __init__(
        self,
        value: str = "",
        placeholder: str = "",
        *,
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
        max_length: int = 0,
    ) -> None:
        super().__init__(value, placeholder, id=id, classes=classes, max_length=max_length)
        self.cursor_blink = False

    def validate_value(self, value: str) -> str:
        """What may stand in the field: the text on one line, control characters made visible."""
        return make_one_line(value)

    @property
    def _value(self) -> Text:
        return ShownText(self.value)

    def _position_to_cell(self, position: int) -> int:
        return cell_len(replace_unseen(self.value[:position]))

    def _cell_offset_to_index(self, offset: int) -> int:
        places = range(len(self.value) + 1)
        cell = max(0, offset + round(self.scroll_x))
        return bisect_right(places, cell, key=self._position_to_cell) - 1

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Delete to the right where there is something; at the end the key is the dialog's."""
        return action != "delete_right" or self.cursor_position < len(self.value)

    async def _on_key(self, event: events.Key) -> None:
        """Take in a joiner, which is no printable character to Textual."""
        if event.character and not event.is_printable and is_kept(event.character):
            event.stop()
            event.prevent_default()
            self.replace(event.character, *sorted(self.selection))

    def _on_paste(self, event: events.Paste) -> None:
        """Take in all lines of what is pasted, with a space for each break and each tab."""
        event.stop()
        event.prevent_default()
        lines = event.text.replace("\t", " ").splitlines()
        text = " ".join(filter(None, map(str.strip, lines))) if len(lines) > 1 else "".join(lines)
        if text:
            self.replace(make_one_line(text), *sorted(self.selection))
