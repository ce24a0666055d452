"""A list below its heading, with words in its place, and more lines below it."""

from typing import TYPE_CHECKING, ClassVar, cast

from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.widget import Widget

from tui import keys
from tui.text.line import Line
from tui.text.line_wrap import wrap_spans
from tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from tui.app.app import LostkeysApp

LEAST_WORDS = 20
"""Cells that words are broken to where a pane has hardly any."""


class HeadedList(LineView):
    """Rows below a heading of `head` lines, or words in their place."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("list")
    has_columns = True

    class TailOutdated(Message):
        """Another width: what stands below the rows has to be broken into lines anew."""

    def __init__(self, head: int, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._head = head
        self.words: list[Line] = []
        self.tail: list[Line] = []
        """What stands below the rows."""

    def on_resize(self, event: events.Resize) -> None:
        """What stands below the rows is made for a width."""
        super().on_resize(event)
        if self.tail:
            self.post_message(self.TailOutdated())

    @property
    def size_of_list(self) -> int:
        """How many rows there are below the heading."""
        raise NotImplementedError

    @property
    def pinned(self) -> int:
        """The heading stays where rows scroll."""
        return self._head if self.size_of_list else 0

    @property
    def place(self) -> int | None:
        """The row under the cursor, without the heading."""
        return None if self.cursor is None else self.cursor - self._head

    def row_count(self) -> int:
        """Heading, rows and what stands below them, or words."""
        if not self.size_of_list:
            return len(self._lines_of_words())
        return self._head + self.size_of_list + len(self.tail)

    def is_choosable(self, row: int) -> bool:
        """The cursor stands on rows."""
        return self._head <= row < self._head + self.size_of_list

    def _lines_of_words(self) -> list[Line]:
        room = max(LEAST_WORDS, self.size.width - 2)
        return [line for one in self.words for line in wrap_spans(one.spans, room)]

    def draw(self, row: int, line: int, width: int) -> Line:
        """A line of the heading, a row, a line below them, or words."""
        if not self.size_of_list:
            return Line(" ").join(self._lines_of_words()[row])
        below = row - self._head - self.size_of_list
        return self.tail[below] if below >= 0 else self.draw_row(row - self._head, width)

    def _cap(self, key: str) -> str:
        """How a key of the table (its id) is written, as the person has set it."""
        return keys.cap_of(key, cast("LostkeysApp", self.app).settings.keys)

    def draw_row(self, place: int, width: int) -> Line:
        """A row, or a line of the heading where the place is below 0."""
        raise NotImplementedError

    def put(self, place: int | None, words: list[Line]) -> None:
        """Show what has been read, with the cursor at a place."""
        self.words = words
        if not self.size_of_list or place is None:
            self.cursor = None
        self.refresh_changed()
        if self.size_of_list and place is not None:
            self.move_to(self._head + place, tell=False)


def go_to_first_row(focused: Widget | None) -> None:
    """Put the cursor on the first row of the list that has the focus, if a list has it."""
    if isinstance(focused, LineView):
        focused.action_first()
