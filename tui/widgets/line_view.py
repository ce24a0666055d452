"""The line view: every list, table and document is drawn by it, line by line, on request.

Nothing is kept for lines that are not on screen, so 100,000 rows cost what 40 cost. A line is
painted again only where its content has changed.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, cast

from textual import events
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar
from textual.strip import Strip
from textual.widget import Widget

from tui import keys
from tui.text.line import Line
from tui.text.line_wrap import wrap_spans
from tui.text.speech import SPOKEN_ROOM, speak_line
from tui.theme.look import Look
from tui.widgets.line_cache import LineCache
from tui.widgets.line_window import LineWindow
from tui.widgets.thumb_bar import ThumbBar

if TYPE_CHECKING:
    from tui.app.app import LostkeysApp


class LineView(ScrollView, can_focus=True, inherit_bindings=False):
    """Rows of one or more lines with a cursor; subclasses say how many there are, and draw them.

    Rows are numbered from 0; `cursor` is None where there is nothing to choose.
    """

    DEFAULT_CSS = """
    LineView { height: 1fr; overflow-x: hidden; overflow-y: auto; scrollbar-size-vertical: 1; }
    """

    BINDINGS = keys.bindings("list")

    row_lines: int = 1
    """Lines that each row takes."""

    spoken_lines: ClassVar[int] = 1
    """Lines that a sentence may take where the terminal is narrow: rows of many parts need two."""

    short_room: ClassVar[int] = 100
    """Cells below which it is narrow."""

    has_columns: ClassVar[bool] = False
    """Whether its rows are columns that are cut to the width: heard, they need more room."""

    around: ClassVar[int] = 1
    """Rows kept in sight above and below the cursor."""

    @property
    def pinned(self) -> int:
        """Rows at the top that stay where others scroll: a heading."""
        return 0

    class CursorMoved(Message):
        """The cursor is on another row."""

        def __init__(self, view: "LineView", row: int) -> None:
            super().__init__()
            self.view, self.row = view, row

        @property
        def control(self) -> "LineView":
            """The view it came from."""
            return self.view

        def can_replace(self, message: Message) -> bool:
            """Only where the cursor came to rest matters."""
            return isinstance(message, LineView.CursorMoved) and message.view is self.view

    class RowClicked(Message):
        """A row was clicked; `again` if the cursor was on it already (as good as enter)."""

        def __init__(self, view: "LineView", row: int, part: str | None, again: bool) -> None:
            super().__init__()
            self.view, self.row, self.part, self.again = view, row, part, again

        @property
        def control(self) -> "LineView":
            """The view it came from."""
            return self.view

    class ViewScrolled(Message):
        """Other rows are in sight; views tell it of which something is read when it is seen."""

        def __init__(self, view: "LineView") -> None:
            super().__init__()
            self.view = view

        def can_replace(self, message: Message) -> bool:
            """Only where it came to rest matters."""
            return isinstance(message, LineView.ViewScrolled) and message.view is self.view

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self._styles_cache = LineCache()
        self.cursor: int | None = None
        self._lines: dict[int, Line] = {}
        self._width = 0
        self._height: int | None = None
        """Lines above the cursor that are to be in sight once there is a size."""

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        """The scroll bar, made when it is first wanted."""
        if self._vertical_scrollbar is None:
            self._vertical_scrollbar = bar = ThumbBar(self.scrollbar_size_vertical)
            bar.display = False
            self.app._start_widget(self, bar)
        return self._vertical_scrollbar

    # What subclasses say

    def row_count(self) -> int:
        """How many rows there are."""
        raise NotImplementedError

    def draw(self, row: int, line: int, width: int) -> Line:
        """One line (0 to `row_lines` - 1) of a row, at most `width` cells."""
        raise NotImplementedError

    def is_choosable(self, row: int) -> bool:
        """Whether the cursor may stand on a row."""
        return True

    def height_at(self, width: int) -> int:
        """Lines that all rows take at a width, for views as high as what is in them."""
        return self.row_count() * self.lines_each

    def sentence(self, row: int) -> Line | None:
        """A row for who hears it, where its columns make no sentence; None where they do."""
        return None

    # What others ask for

    @property
    def look(self) -> Look:
        """Roles and marks of the present theme."""
        return cast("LostkeysApp", self.app).look

    @property
    def lines_each(self) -> int:
        """Lines of the terminal that each row takes."""
        return self.row_lines * self._sentence_lines

    @property
    def _sentence_lines(self) -> int:
        if self.spoken_lines == 1 or not self.look.is_spoken:
            return 1
        return self.spoken_lines if 0 < self.size.width < self.short_room else 1

    @property
    def line_width(self) -> int:
        """Cells of a line: those of the view without the column of a scroll bar that shows."""
        return max(0, self.size.width - self.scrollbar_size_vertical)

    @property
    def leads(self) -> bool:
        """Whether keys act on it, so that its cursor is drawn strong."""
        return self.has_focus

    @property
    def in_sight(self) -> range:
        """The rows on screen."""
        first = (self._top + self._pinned_lines) // self.lines_each
        last = (self._top + max(1, self.size.height) - 1) // self.lines_each
        return range(first, min(last + 1, self.row_count()))

    @property
    def is_painted(self) -> bool:
        """Whether it is seen, and all of its lines in sight have been painted as they are now."""
        seen = self._window
        return seen.height > 0 and all(
            self._lines.get(y) == self._draw_line(y, seen.room) for y in seen.lines()
        )

    def refresh_changed(self) -> None:
        """Take in changed rows: repaint the lines that differ, adapt the scroll range.

        Lines that are to be painted anyway, as after scrolling, are not looked at.
        """
        if self.cursor is not None and self.cursor >= self.row_count():
            self.cursor = self._next_choosable(self.row_count() - 1, -1)
        self._measure()
        seen, old = self._window, self._lines
        lines = (seen.line_at(y) for y in range(seen.height) if not self._is_waiting(y))
        self._refresh_lines(seen, [y for y in lines if old.get(y) != self._draw_line(y, seen.room)])

    def repaint(self) -> None:
        """Paint everything anew (another theme or width)."""
        self._lines.clear()
        self.refresh()

    def move_to(self, row: int | None, *, tell: bool = True) -> None:
        """Put the cursor on a row and bring it into sight."""
        if row is not None and not 0 <= row < self.row_count():
            return
        before, self.cursor, self._height = self.cursor, row, None
        if self.look.is_spoken:
            self._exchange_repaint_regions()  # what a layout has written, and Textual would again
            self.refresh_changed()
        self._repaint_rows(*((row,) if self.look.is_spoken else (before, row)))
        if row is not None:
            self.show_row(row)
            if tell and row != before:
                self.post_message(self.CursorMoved(self, row))

    @property
    def cursor_height(self) -> int:
        """Lines between the top of what is in sight and the cursor."""
        if self.cursor is None:
            return 0
        if self._height is not None:
            return self._height
        return self.cursor * self.lines_each - self._top

    def hold_cursor(self, row: int, height: int) -> None:
        """Put the cursor on a row, so many lines below the top; nobody is told."""
        self.move_to(row, tell=False)
        if row == self.cursor:
            self._height = height
            self._reach_height()

    def _reach_height(self) -> None:
        """Have the cursor at the height that is held; where that cannot be, at another size."""
        if self._height is not None and self.cursor is not None and self.size.height:
            self._measure()
            top = max(0, self.cursor * self.lines_each - self._height)
            self._scroll(top)
            self.show_row(self.cursor)
            if self._top == top:
                self._height = None

    def move_by(self, rows: int) -> None:
        """Move the cursor, stopping at the ends; rows that cannot be chosen are passed over."""
        if not self.row_count():
            return
        if self.cursor is None:
            self._scroll(self.scroll_y + rows * self.lines_each)
            return
        wanted = min(max(self.cursor + rows, 0), self.row_count() - 1)
        step = 1 if rows > 0 else -1
        found = self._next_choosable(wanted, step)
        self.move_to(self._next_choosable(wanted, -step) if found is None else found)

    def show_row(self, row: int) -> None:
        """Scroll as little as needed to have a row, with others around it, in sight."""
        height = max(1, self.size.height)
        space = self.around * self.lines_each if height > 4 * self.lines_each else 0
        if self.look.is_spoken and row not in self.in_sight:
            # By screenfuls: the moves after it write one row.
            self._scroll(row * self.lines_each - self._pinned_lines)
            return
        top, bottom = row * self.lines_each - space, (row + 1) * self.lines_each + space
        top -= self._pinned_lines
        if top < self.scroll_y:
            self._scroll(top)
        elif bottom > self.scroll_y + height:
            self._scroll(bottom - height)

    # Keys

    def action_down(self) -> None:
        """Next row."""
        self.move_by(1)

    def action_up(self) -> None:
        """Previous row."""
        self.move_by(-1)

    def action_page_down(self) -> None:
        """A screenful down."""
        self.move_by(max(1, self.size.height // self.lines_each - 1))

    def action_page_up(self) -> None:
        """A screenful up."""
        self.move_by(-max(1, self.size.height // self.lines_each - 1))

    def action_first(self) -> None:
        """The first row."""
        self.move_by(-self.row_count())

    def action_last(self) -> None:
        """The last row."""
        self.move_by(self.row_count())

    # Drawing

    def render_line(self, y: int) -> Strip:
        """One line of what is in sight."""
        seen, look = self._window, self.look
        if seen.room != self._width:
            self._lines.clear()
            self._width = seen.room
        place = seen.line_at(y)
        if len(self._lines) > 4 * seen.height + 8:
            self._lines = seen.keep_in_sight(self._lines)
        line = self._lines[place] = self._draw_line(place, seen.room)
        if look.is_spoken and self.leads and y == self._cursor_line:
            self.app.cursor_position = self.region.offset + Offset(0, y)
        return look.strip(line, seen.width, self._ground(place // self.lines_each))

    def _scroll(self, y: float) -> None:
        self.scroll_to(y=max(0, y), animate=False, immediate=True, force=True)

    @property
    def _top(self) -> int:
        """The first line in sight."""
        return self.scroll_offset.y

    @property
    def _cursor_line(self) -> int:
        """Where the terminal's own cursor stands: on the row of ours, else at the top."""
        return 0 if self.cursor is None else self.cursor * self.lines_each - self._top

    @property
    def _pinned_lines(self) -> int:
        """Lines of the heading, where there is height for more than it."""
        if not self.pinned:
            return 0
        lines = self.pinned * self.lines_each
        return lines if lines < self.size.height else 0

    @property
    def _window(self) -> LineWindow:
        """Which lines are in sight now."""
        width, height = self.size
        room = max(0, width - self.scrollbar_size_vertical)
        return LineWindow(width, room, height, self._top, self._pinned_lines)

    def _draw_line(self, y: int, width: int) -> Line:
        """A line, with the cursor's bar at its left; blank after the last row."""
        row, part = divmod(y, self.lines_each)
        if row >= self.row_count():
            return Line()
        if self.look.is_spoken:
            return self._speak_row(row, part, width)
        line = self.draw(row, part, width)
        if row != self.cursor:
            return line
        return line.overlay_mark(self.look.glyph("cursor"), "accent" if self.leads else "ink-3")

    def _speak_row(self, row: int, part: int, width: int) -> Line:
        """A line of a row as a sentence; one that is too long goes on in the lines below it."""
        each = self._sentence_lines
        own, at = divmod(part, each)
        sentence = self.sentence(row)
        if sentence is None:
            room = max(width, SPOKEN_ROOM) if self.has_columns else width
            line = speak_line(self.draw(row, own, room))
        else:
            line = Line() if own else speak_line(sentence)
        if line.width <= width:
            return Line() if at else line
        found = list(wrap_spans(line.spans, width))
        if at < each - 1:
            return found[at]
        rest = Line()
        for one in found[at : at + 2]:
            rest.add(" " if rest.width else "").join(one)
        return rest.clip(width)

    def _ground(self, row: int) -> str:
        if row != self.cursor or row >= self.row_count() or self.look.is_spoken:
            return ""
        return "cursor" if self.leads else "cursor-2"

    def _measure(self) -> None:
        """Say how far there is to scroll; a layout is due only if the scroll bar comes or goes."""
        size = Size(self.size.width, self.row_count() * self.lines_each)
        if size != self.virtual_size:
            self.set_reactive(Widget.virtual_size, size)
            self._scroll_update(size)
            self._scroll(self.scroll_y)  # which may be too far now

    def _is_waiting(self, y: int) -> bool:
        """Whether a line of what is in sight is to be painted anyway.

        Of what is heard only that is sure of which it is known that it has changed.
        """
        return self._styles_cache.is_dirty(y) and not self.look.is_spoken

    def _repaint_rows(self, *rows: int | None) -> None:
        each = self.lines_each
        lines = [row * each + part for row in rows if row is not None for part in range(each)]
        self._refresh_lines(self._window, lines)

    def _refresh_lines(self, seen: LineWindow, lines: Iterable[int]) -> None:
        places = [y for y in map(seen.height_of, lines) if y is not None]
        if places:
            self.refresh(*(Region(0, y, seen.room, 1) for y in places))

    def _next_choosable(self, row: int, step: int) -> int | None:
        while 0 <= row < self.row_count():
            if self.is_choosable(row):
                return row
            row += step
        return None

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """For `height: auto`."""
        return self.height_at(width)

    # Events

    def on_resize(self, event: events.Resize) -> None:
        """Keep the cursor in sight at another size; lines may be broken for it."""
        self.refresh_changed()
        if self._height is not None:
            self._reach_height()
        elif self.cursor is not None:
            self.show_row(self.cursor)

    def on_focus(self, event: events.Focus) -> None:
        """The cursor's row looks different with focus."""
        self._repaint_rows(self.cursor)

    def on_blur(self, event: events.Blur) -> None:
        """The cursor's row looks different without focus."""
        self._repaint_rows(self.cursor)

    def on_click(self, event: events.Click) -> None:
        """A click moves the cursor; on the row that has it, it is as good as enter."""
        place = self._window.line_at(event.y)
        row = place // self.lines_each
        if not (0 <= row < self.row_count()):
            return
        part = line.part_at(event.x) if (line := self._lines.get(place)) else None
        again = row == self.cursor
        if self.is_choosable(row):
            self.move_to(row)
        self.post_message(self.RowClicked(self, row, part, again))


class SteadyView(LineView):
    """The scroll bar keeps its column even where there is nothing to scroll.

    So another number of rows moves nothing, and no layout is due, which takes longer than a paint.
    """

    DEFAULT_CSS = "SteadyView { overflow-y: scroll; }"
