"""A few lines that do not change by themselves: what dialogs and empty panes say."""

from collections.abc import Sequence

from tui.text.line import Line
from tui.text.line_wrap import wrap_spans
from tui.widgets.line_view import LineView


class TextBlock(LineView, can_focus=False):
    """Lines, wrapped to the width; nothing to choose."""

    DEFAULT_CSS = "TextBlock { height: auto; }"

    def __init__(self, paragraphs: Sequence[Line], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.paragraphs = list(paragraphs)
        self._wrapped: tuple[int, list[Line]] = (0, [])

    def say(self, paragraphs: Sequence[Line]) -> None:
        """Say something else."""
        self.paragraphs = list(paragraphs)
        self._wrapped = (0, [])
        self.refresh_changed()

    def lines(self, width: int) -> list[Line]:
        """The paragraphs in lines of a width."""
        if self._wrapped[0] != width:
            lines = [line for one in self.paragraphs for line in wrap_spans(one.spans, width)]
            self._wrapped = (width, lines)
        return self._wrapped[1]

    def row_count(self) -> int:
        """Lines at the present width."""
        return len(self.lines(self.line_width or 80))

    def height_at(self, width: int) -> int:
        """Lines at a width."""
        return len(self.lines(width))

    def draw(self, row: int, line: int, width: int) -> Line:
        """One of the lines."""
        return Line().join(self.lines(width)[row])
