"""A widget of one drawn line: the parts of the frame, headings, chips."""

from typing import TYPE_CHECKING, cast

from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tui.text.line import Line
from tui.text.speech import speak_line
from tui.theme.look import Look
from tui.widgets.line_cache import LineCache

if TYPE_CHECKING:
    from tui.app.app import LostkeysApp


class LineWidget(Widget):
    """One line; subclasses say what is on it, and what a click on a part does."""

    DEFAULT_CSS = "LineWidget { height: 1; width: 1fr; }"

    ground: str = ""
    """The ground it stands on (`raised`), or none."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self._styles_cache = LineCache()
        self._line: Line | None = None

    def draw(self, width: int) -> Line:
        """The line, at most `width` cells."""
        raise NotImplementedError

    def press_part(self, part: str) -> None:
        """A part was clicked."""

    @property
    def lostkeys(self) -> "LostkeysApp":
        """What it may ask of the app."""
        return cast("LostkeysApp", self.app)

    @property
    def look(self) -> Look:
        """Roles and marks of the present theme."""
        return self.lostkeys.look

    def refresh_changed(self) -> None:
        """Repaint if the line would now be another."""
        width = self.size.width
        if width and (self._line is None or self._draw_line(width) != self._line):
            self.refresh()

    def repaint(self) -> None:
        """Paint it anew (another theme)."""
        self.refresh()

    def _draw_line(self, width: int) -> Line:
        line = self.draw(width)
        return speak_line(line).clip(width) if self.look.is_spoken else line

    def render_line(self, y: int) -> Strip:
        """The line, or blank below it."""
        if y:
            return self.look.strip(Line(), self.size.width, self.ground)
        self._line = self._draw_line(self.size.width)
        return self.look.strip(self._line, self.size.width, self.ground)

    def on_click(self, event: events.Click) -> None:
        """Do what the part under the mouse means."""
        part = self._line.part_at(event.x) if self._line else None
        if part is not None:
            self.press_part(part)


class ClickableLine(LineWidget):
    """One line that the screen writes; a click on a part is told to the screen."""

    class PartPressed(Message):
        """A part was clicked."""

        def __init__(self, part: str) -> None:
            super().__init__()
            self.part = part

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.line = Line()

    def write(self, line: Line) -> None:
        """Show another line."""
        self.line = line
        self.refresh_changed()

    def draw(self, width: int) -> Line:
        """The line."""
        return self.line.copy_clipped(width)

    def press_part(self, part: str) -> None:
        """Tell the screen."""
        self.post_message(self.PartPressed(part))
