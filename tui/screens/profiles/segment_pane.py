"""The segment pane: the chosen segment in one line, and below it what an audit says of it."""

from collections.abc import Sequence

from textual.app import ComposeResult

from core.views.profiles.profile_rows import RowKind
from tui.screens.base_screen import BaseScreen
from tui.screens.profiles import (
    render_audits,
    render_bars,
    render_lens,
    render_rows,
    render_segment,
)
from tui.screens.profiles.bars_view import Bars
from tui.screens.profiles.one_model_panes import FittedLines
from tui.screens.profiles.state import ProfilesState
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


def describe_row(
    view: Bars, by: RowKind, now: ProfilesState, screen: BaseScreen
) -> tuple[Line, str]:
    """The chosen segment of the row under the cursor, and why its model is doubtful."""
    app, narrow = screen.lostkeys, screen.narrow
    row, code, lens, start = view.row, view.chosen, app.lens, app.start_lens
    if row is None or lens is None or start is None:
        return Line(), ""
    line = Line(app.look.glyph("cursor"), "accent")
    if code is None:
        name = render_rows.shown_name(row.name, by)
        line.add(f"{name}   ").join(render_segment.draw_aside(row))
    else:
        since = render_lens.describe_start(lens, start, app.look)
        sure = now.sure.get(by) if now.intervals else None
        drawing = view.drawing
        said = drawing and drawing.audits and render_audits.segment(row, drawing.audits, narrow)
        room = _count_cells(screen)
        line.join(said or render_segment.segment(row, code, by, since, sure, narrow, room))
    unlisted = now.find_unlisted(row, lens)
    left_out = render_segment.describe_left_out(row, unlisted, lens, app.look)
    doubted = render_rows.doubts_of(now.doubts, row, by)
    doubts = (left_out or now.incompleteness(row, by, lens), doubted)
    return line, "; ".join(filter(None, doubts))


def list_doubts(view: Bars, narrow: bool) -> list[Line]:
    """What an audit says of the row under the cursor."""
    if view.row is None or view.drawing is None or not view.drawing.audits:
        return []
    return render_audits.doubt_lines(view.row, view.drawing.audits, narrow)


def describe_one_answer(view: Bars, by: RowKind, now: ProfilesState, screen: BaseScreen) -> Line:
    """How many facts of the chosen segment stand on one answer; blank until that is known."""
    row, code = view.row, view.chosen
    found = row and code and now.count_one_answer(row, code, by)
    if not row or not code or not found:
        return Line()
    count = render_bars.count_of(row.now, code)
    return render_segment.draw_one_answer(found, count, _count_cells(screen) - 1)


def _count_cells(screen: BaseScreen) -> int:
    """The cells of a line of the pane, but for the cursor's."""
    return screen.app.size.width - (0 if screen.narrow else 4) - 1
