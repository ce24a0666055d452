"""The lens's model by types and tiers, below its topics, where a high screen has room for them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from textual import events

from core.views.profiles.profile_rows import ProfileRow, RowKind
from tui.screens.profiles.render_rows import RowContext, row_line
from tui.text.line import Line
from tui.widgets.line_view import LineView


class OtherGroups(LineView, can_focus=False):
    """Groupings one below the other, each whole or not at all; nothing to choose."""

    DEFAULT_CSS = "OtherGroups { height: 1fr; overflow-y: hidden; }"

    def __init__(self) -> None:
        super().__init__(id="others")
        self._blocks: list[list[Line]] = []

    def put(self, groups: Mapping[RowKind, list[ProfileRow]], drawing: RowContext) -> None:
        """Show these groupings, drawn as the bars above them are."""
        self._blocks = [
            [Line(), self._heading(by, drawing), *_lines(rows, replace(drawing, by=by))]
            for by, rows in groups.items()
        ]
        self.refresh_changed()

    def _heading(self, by: RowKind, drawing: RowContext) -> Line:
        line = Line(f" {by.value} ", "ink-3")
        track = self.look.glyph("track")
        return line.add(track * max(0, drawing.layout.width - line.width - 1), "rule")

    @property
    def fitting(self) -> list[Line]:
        """The lines of the groupings that there is room for, the first ones first."""
        lines: list[Line] = []
        for block in self._blocks:
            if len(lines) + len(block) <= self.size.height:
                lines += block
        return lines

    def row_count(self) -> int:
        """Lines at the present height."""
        return len(self.fitting)

    def is_choosable(self, row: int) -> bool:
        """Nothing here takes a cursor."""
        return False

    def draw(self, row: int, line: int, width: int) -> Line:
        """One of the lines."""
        return Line().join(self.fitting[row]).clip(width)

    def on_resize(self, event: events.Resize) -> None:
        """Another height has room for others."""
        self.refresh_changed()


def _lines(rows: Sequence[ProfileRow], drawing: RowContext) -> list[Line]:
    return [row_line(row, None, False, drawing) for row in rows]
