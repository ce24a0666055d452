"""Panes: a titled border that shows where the focus is."""

from typing import TYPE_CHECKING, cast

from textual.containers import Container
from textual.content import Content, Span
from textual.geometry import Region
from textual.style import Style

from tui.text.inert_text import make_inert
from tui.text.line import ELLIPSIS, Line, cut
from tui.text.speech import speak_line
from tui.theme.glyphs import spell

if TYPE_CHECKING:
    from tui.app.app import LostkeysApp


EDGE = 4
"""Cells of an edge that its line cannot have."""

VIEW_NAME = 24
"""Cells of the name of a view in an edge."""


class EdgeText(Content):
    """What stands in an edge. Textual cuts it where there is no room, and knows no ASCII dots."""

    def truncate(self, max_width: int, *, ellipsis: bool = False, pad: bool = False) -> Content:
        """Cut it to a width, with dots of the terminal's glyphs where something is missing."""
        dots = spell(ELLIPSIS)
        if not ellipsis or dots == ELLIPSIS or self.cell_length <= max_width:
            return super().truncate(max_width, ellipsis=ellipsis, pad=pad)
        return super().truncate(max(0, max_width - len(dots))).append(dots[:max_width])


class Pane(Container):
    """A part of a screen. Below 100 columns only its top edge is drawn."""

    SCOPED_CSS = False  # its look depends on the screen's size class
    DEFAULT_CSS = """
    Pane {
        border: round $rule;
        border-title-color: $ink-2;
        border-subtitle-color: $ink-3;
        border-title-background: $background;
        border-subtitle-background: $background;
        padding: 0;
    }
    Pane:focus-within {
        border: round $accent;
        border-title-color: $accent;
        border-title-style: bold;
    }
    .-ascii Pane { border: ascii $rule; }
    .-ascii Pane:focus-within { border: ascii $accent; }
    .-narrow Pane { border: none; border-top: solid $rule; }
    .-narrow Pane:focus-within { border: none; border-top: solid $accent; }
    .-ascii .-narrow Pane { border: none; border-top: ascii $rule; }
    .-ascii .-narrow Pane:focus-within { border: none; border-top: ascii $accent; }
    .-reader LineView { scrollbar-size-vertical: 0; }
    .-reader .-narrow Pane, .-reader .-narrow Pane:focus-within {
        border: none; border-top: blank $rule;
    }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self._top = Line()
        self._bottom = Line()
        self._told = Line()
        """That something takes long, or why it failed: it stands in for the bottom edge's line."""

    def title(self, line: Line) -> None:
        """Put a line into the top edge, at the left."""
        if line != self._top:
            self._top = line
            self._write_top()

    def edge(self, line: Line) -> None:
        """Put a line into the bottom edge, at the right: position or source."""
        if line != self._bottom or self._told.spans:
            self._bottom = line
            self.tell(Line())

    def tell(self, line: Line) -> None:
        """Say that something takes long, or why it failed, until there is another edge.

        It stands in the bottom edge, and where there is none after the title.
        """
        before, self._told = self._told, line
        if before.spans or line.spans:
            self._write_top()
        self._write_bottom()

    def error_line(self, error: object) -> Line:
        """Why what is shown is old, cut so that the key that tries again is seen."""
        again = "; ctrl+r tries again"
        room = max(0, self.edge_room - len(again))
        return Line(cut(make_inert(str(error)), room) + again, "label-i")

    def repaint(self) -> None:
        """Write both edges anew (another theme)."""
        self._write_top()
        self._write_bottom()

    # Textual's own attributes repaint all that is inside when they are set

    def _write_top(self) -> None:
        top = Line().join(self._top)
        if self._told.spans and not self._has_bottom:
            top = top.clip(max(0, self.edge_room - self._told.width))
            top.add("  ").join(self._told)
        self._border_title = self._content(top)
        self._repaint_edge(-1)

    @property
    def edge_room(self) -> int:
        """Cells of an edge; a pane out of sight takes all of the screen once it is seen."""
        return (self.size.width or self.app.size.width) - EDGE

    @property
    def _has_bottom(self) -> bool:
        return self.styles.border_bottom[0] not in ("", "none")

    def _write_bottom(self) -> None:
        self._border_subtitle = self._content(self._told if self._told.spans else self._bottom)
        if self._has_bottom:
            self._repaint_edge(self.content_size.height + self.styles.padding.height)

    def _repaint_edge(self, y: int) -> None:
        corner = self.content_offset
        self.refresh(Region(-corner.x, y - self.styles.padding.top, self.outer_size.width, 1))

    def _content(self, line: Line) -> Content | None:
        """Finished content: nothing in it is read as markup. `ink` takes the border's colour."""
        look = cast("LostkeysApp", self.app).look
        if look.is_spoken:
            line = speak_line(line)
        spans, start = [], 0
        for span in line.spans:
            end = start + len(span.text)
            if span.role != "ink":
                style = Style.from_rich_style(look.style(span.role))
                spans.append(Span(start, end, style))
            start = end
        return EdgeText(line.text, spans) if line.text else None


def view_title(title: str, view: str) -> Line:
    """What a pane's list is called, and the view that it is: `Facts  rare and lost*`."""
    line = Line(title)
    return line.add("  ").join(Line(view, "accent").clip(VIEW_NAME)) if view else line


def news_line(new: int, short: bool = False) -> Line:
    """`12 new, ctrl+r shows them`, for the front of an edge; an empty line where nothing is new."""
    if not new:
        return Line()
    line = Line(f"{new:,} new, ", "ink-2").add("ctrl+r", "accent")
    return line.add("  " if short else " shows them  ", "ink-2")
