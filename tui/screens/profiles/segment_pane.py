"""The segment pane: the chosen segment in one line, and below it what an audit says of it."""

from collections.abc import Sequence

from textual.app import ComposeResult

from tui.screens.profiles.one_model_panes import FittedLines
from tui.text.line import Line
from tui.text.line_wrap import wrap_spans
from tui.widgets.line_widget import ClickableLine
from tui.widgets.pane import Pane

TITLE = 16
"""Cells of the edge that what is doubtful cannot have."""


class SegmentPane(Pane):
    """The chosen segment, cell or number; why its model is doubtful stands in the edge."""

    SCOPED_CSS = False  # its edges depend on the screen's size class
    DEFAULT_CSS = "SegmentPane { height: auto; }"

    def compose(self) -> ComposeResult:
        """One line, and as many below it as an audit needs."""
        yield ClickableLine(id="chosen")
        yield FittedLines(id="doubts")

    def put(self, line: Line, doubts: Sequence[Line], why: str, narrow: bool) -> None:
        """Show a segment, how far graders are off, and why its model is doubtful."""
        self.query_one("#chosen", ClickableLine).write(line)

        def below(width: int) -> list[Line]:
            room = max(1, width - 2)
            broken = (part for one in doubts for part in [*wrap_spans(one.spans, room)] or [Line()])
            return [Line(" ").join(part) for part in broken]

        self.query_one("#doubts", FittedLines).put(below)
        said = Line("! ", "label-p bold").add(why, "label-p") if why else Line()
        room = max(0, self.app.size.width - TITLE)
        beside = Line("  ").join(said.copy_clipped(room)) if narrow and why else Line()
        self.title(Line("Segment").join(beside))
        self.edge(said.clip(room))
