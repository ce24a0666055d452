"""A text field of one line, in which nothing typed or pasted can steer the terminal."""

from textual.widgets import Input

from tui.text.inert_text import make_inert


class TextField(Input):
    """Textual's input without a frame; what it holds when it is entered is typed over."""

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
        return make_inert(value)
