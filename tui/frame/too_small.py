"""A word for terminals in which nothing useful can be shown."""

from textual import events
from textual.app import App, ComposeResult
from textual.geometry import Size
from textual.screen import ModalScreen

from tui import keys
from tui.text.line import Line
from tui.widgets.pane_layout import SMALLEST, is_too_small
from tui.widgets.text_block import TextBlock


class TooSmall(ModalScreen[None], inherit_bindings=False):
    """Covers everything, and takes all keys, until the terminal is larger."""

    DEFAULT_CSS = "TooSmall { background: $background; }"
    BINDINGS = keys.bindings("small")

    def compose(self) -> ComposeResult:
        """What is wrong, and what helps."""
        columns, lines = SMALLEST
        yield TextBlock([Line(f"too small: {columns} x {lines} at least")])

    def on_mount(self) -> None:
        """Go away at once if it was made larger meanwhile."""
        self.call_after_refresh(lambda: self._leave(self.app.size))

    def on_resize(self, event: events.Resize) -> None:
        """Go away once there is room."""
        self._leave(event.size)

    def on_screen_resume(self) -> None:
        """Go away once there is room, if something else was in front meanwhile."""
        self._leave(self.app.size)

    def _leave(self, size: Size) -> None:
        if self.is_current and not is_too_small(*size):
            self.dismiss(None)


def cover_screens(app: App[None]) -> None:
    """Say that there is too little room, unless that is said already."""
    if not isinstance(app.screen, TooSmall):
        app.push_screen(TooSmall())
