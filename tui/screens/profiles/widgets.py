"""The one-line widgets of the Profiles screen: lens, heading, segment."""

from textual.message import Message

from tui.text.line import Line
from tui.widgets.line_widget import LineWidget


class ClickableLine(LineWidget):
    """One line that the screen writes; a click on a part is told to the screen."""

    class Picked(Message):
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
        self.settle()

    def draw(self, width: int) -> Line:
        """The line."""
        return self.line.clipped(width)

    def picked(self, part: str) -> None:
        """Tell the screen."""
        self.post_message(self.Picked(part))
