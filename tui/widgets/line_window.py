"""Which lines of a view are in sight: found out once for all that is asked of each of them."""

from collections.abc import Iterator
from typing import NamedTuple

from tui.text.line import Line


class LineWindow(NamedTuple):
    """The part of a view's lines that is seen. Lines are counted from 0, the first of all rows."""

    width: int
    """Cells of the view."""

    room: int
    """Cells of a line: without the column of a scroll bar that shows."""

    height: int
    """Lines of the view."""

    top: int
    """The line that would stand at the view's top if none were pinned."""

    pinned: int
    """Lines at the top that stay where others scroll."""

    def line_at(self, y: int) -> int:
        """The line that stands so many lines below the top of the view."""
        return y if y < self.pinned else y + self.top

    def height_of(self, line: int) -> int | None:
        """How many lines below the top of the view a line stands; None where it is out of sight."""
        if line < self.pinned:
            return line
        y = line - self.top
        return y if self.pinned <= y < self.height else None

    def lines(self) -> Iterator[int]:
        """All lines in sight, from the top down; there may be less of them to be drawn."""
        return map(self.line_at, range(self.height))

    def keep_in_sight(self, lines: dict[int, Line]) -> dict[int, Line]:
        """Of lines that have been drawn, those in sight."""
        return {y: lines[y] for y in self.lines() if y in lines}
