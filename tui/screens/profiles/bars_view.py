"""Rows as bars, of which a segment is chosen."""

from collections.abc import Sequence

from textual import events
from textual.message import Message

from core.views.profiles.profile_rows import ProfileRow
from core.vocabulary import CODE_ORDER
from tui import keys
from tui.screens.profiles import render_bars
from tui.screens.profiles.render_rows import RowContext, row_line, start_line
from tui.text.line import Line
from tui.widgets.line_view import LineView


class Bars(LineView):
    """Rows as bars; `h` and `l` choose a segment of the row under the cursor."""

    BINDINGS = keys.bindings("list")
    spoken_lines, short_room = 2, 160

    class WidthChanged(Message):
        """It has another width, for which its rows are to be drawn."""

    class CodeWanted(Message):
        """Another segment is to be chosen: that of a code."""

        def __init__(self, code: str | None) -> None:
            super().__init__()
            self.code = code

    def __init__(self, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self.rows: Sequence[ProfileRow] = ()
        self.words: list[Line] = []
        self.drawing: RowContext | None = None
        self.code: str | None = None
        self.active = True
        """Whether keys choose segments here, so that brackets are drawn."""
        self._made: dict[tuple[int, int, bool], Line] = {}
        self._fitted = 0

    @property
    def row(self) -> ProfileRow | None:
        """The row under the cursor."""
        there = self.cursor is not None and self.cursor < len(self.rows)
        return self.rows[self.cursor] if there and self.cursor is not None else None

    @property
    def chosen(self) -> str | None:
        """The code that is chosen of the row under the cursor."""
        return render_bars.find_nearest(self.row.now, self.code) if self.row else None

    @property
    def term_here(self) -> str | None:
        """The chosen code, as the glossary calls it."""
        return self.chosen

    def row_count(self) -> int:
        """Rows, or words where there are none."""
        return len(self.rows) or len(self.words)

    def is_choosable(self, row: int) -> bool:
        """The cursor stands on bars only."""
        return row < len(self.rows)

    def draw(self, row: int, line: int, width: int) -> Line:
        """The bar with its numbers, or the thin line under it."""
        if not self.rows:
            return Line(" ").join(self.words[row]).clip(width)
        key = (row, line, row == self.cursor)
        if key not in self._made:
            self._made[key] = self._draw_anew(row, line)
        return self._made[key]

    def _draw_line(self, y: int, width: int) -> Line:
        """A line; the cursor's bar stands at a bar's first line only."""
        below = y % self.row_lines and y // self.row_lines < len(self.rows)
        if below and not self.look.is_spoken:
            return self.draw(*divmod(y, self.row_lines), width)
        return super()._draw_line(y, width)

    def _ground(self, row: int) -> str:
        """None: bars have grounds of their own."""
        return ""

    def _draw_anew(self, row: int, line: int) -> Line:
        assert self.drawing is not None
        one, under = self.rows[row], row == self.cursor
        if line:
            return start_line(one, self.drawing)
        shown = (under or self.look.is_spoken) and self.active  # heard, a row stays as it is
        chosen = render_bars.find_nearest(one.now, self.code) if shown else None
        return row_line(one, chosen, under, self.drawing)

    def put(self, rows: Sequence[ProfileRow], drawing: RowContext, cursor: str | None) -> None:
        """Show other rows; the cursor stands on the one of a name, else where it stood."""
        lines = drawing.layout.lines
        same = len(rows) == len(self.rows) and lines == self.row_lines
        self.rows, self.words, self.drawing, self.row_lines = rows, [], drawing, lines
        places = [place for place, row in enumerate(rows) if row.name == cursor]
        before = min(self.cursor or 0, len(rows) - 1)
        self._made.clear()
        self.cursor = places[0] if places else before if rows else None
        self.code = self.code or self.chosen  # it stays where another lens makes another part large
        self._resettle(same)

    def say(self, words: list[Line]) -> None:
        """Show words instead of rows."""
        same = not self.rows and len(words) == len(self.words)
        self.rows, self.words, self.cursor, self.row_lines = (), words, None, 1
        self._made.clear()
        self._resettle(same)

    def move_by(self, rows: int) -> None:
        """Move the cursor; with one row only, to the segment of another of its profiles."""
        if len(self.rows) != 1 or self.row is None:
            super().move_by(rows)
            return
        code = self.chosen
        for _ in range(min(abs(rows), len(CODE_ORDER))):
            code = render_bars.next_code(self.row.now, code, 1 if rows > 0 else -1)
        self.choose(code)
        self.post_message(self.CodeWanted(code))

    def action_first(self) -> None:
        """The first row, or segment."""
        self.move_by(-max(len(self.rows), len(CODE_ORDER)))

    def action_last(self) -> None:
        """The last row, or segment."""
        self.move_by(max(len(self.rows), len(CODE_ORDER)))

    def choose(self, code: str | None) -> None:
        """Choose another segment."""
        self.code = code
        self._made.clear()
        self.refresh_changed()

    def activate(self, active: bool) -> None:
        """Draw brackets, or none."""
        if active is not self.active:
            self.active = active
            self._made.clear()
            self.refresh_changed()

    def repaint(self) -> None:
        """Paint everything anew."""
        self._made.clear()
        super().repaint()

    def _resettle(self, same: bool) -> None:
        self.refresh_changed()
        if not same:
            self.refresh(layout=True)
            if self.cursor is not None:
                self.show_row(self.cursor)

    def on_resize(self, event: events.Resize) -> None:
        """Another width asks for other bars."""
        if self.drawing is not None and event.size.width != self._fitted:
            self._fitted = event.size.width
            self.post_message(self.WidthChanged())

    def on_click(self, event: events.Click) -> None:
        """A click chooses the segment, too; there, it is as good as enter."""
        row, line = divmod(event.y + self._top, self.lines_each)
        if not 0 <= row < len(self.rows) or line:
            return
        part = self.draw(row, 0, self.line_width).part_at(event.x)
        again = row == self.cursor and part in (None, self.chosen)
        if part is not None:
            self.choose(part)
        self.move_to(row)
        self.post_message(self.RowClicked(self, row, part, again))
