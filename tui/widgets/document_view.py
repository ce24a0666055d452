"""Lines without a cursor: those that are only read, and sheets, which are scrolled as a whole."""

from collections.abc import Sequence

from textual import events
from textual.message import Message

from tui.text.line import Line
from tui.widgets.line_view import LineView
from tui.widgets.text_block import TextBlock


class ReadOnlyLines(LineView):
    """Lines that somebody else has made, `indent` cells from the edge; no row can be chosen."""

    indent = 0

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._content: list[Line] = []

    def row_count(self) -> int:
        """As many rows as lines."""
        return len(self._content)

    def is_choosable(self, row: int) -> bool:
        """Nothing here takes a cursor."""
        return False

    def draw(self, row: int, line: int, width: int) -> Line:
        """One line."""
        return Line(" " * self.indent).join(self._content[row])

    def show_lines(self, lines: list[Line]) -> None:
        """Show other lines."""
        self._content = lines
        self.refresh_changed()


class DocumentView(ReadOnlyLines):
    """An open answer, question or disagreement. `down` and `up` go to another one."""

    indent = 1

    class SizeChanged(Message):
        """Another room: the sheet has to be broken into lines anew."""

    class StepWanted(Message):
        """Another one is wanted; `skipping` is to the next undecided one."""

        def __init__(self, by: int, skipping: bool = False) -> None:
            super().__init__()
            self.by, self.skipping = by, skipping

    class NoteWanted(Message):
        """A note is to be written on it."""

    class TagsWanted(Message):
        """It is to have a tag, or to lose one."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._lines_for = (0, 0)
        self._held: int | None = None
        """The first line that is to be in sight once there is a size."""
        self.about: int | None = None
        """The id of what is shown; None for nothing."""

    def row_count(self) -> int:
        """As many rows as lines, and blank ones down to the foot."""
        return max(len(self._content), self.size.height)

    def draw(self, row: int, line: int, width: int) -> Line:
        """One line, or a blank one below the last."""
        return super().draw(row, line, width) if row < len(self._content) else Line()

    def put(self, lines: list[Line], from_top: bool, about: int | None = None) -> None:
        """Show another sheet; `about` is the id of what it is of."""
        self._content, self.about = lines, about
        if from_top and self.scroll_y:
            self.scroll_to(y=0, animate=False, immediate=True)
        self.refresh_changed()
        if self.size.height:
            self._reach_line()

    def hold_at(self, line: int) -> None:
        """Scroll to a line, if need be once there is a size and lines are broken for it."""
        self._held = line if line or self.scroll_y else None
        if self.size.height:
            self._reach_line()

    def _reach_line(self) -> None:
        if self._held is not None and self._content:
            self._measure()
            self._scroll(self._held)
            self._held = None

    def begin_anew(self) -> None:
        """Show what is put next from its top, though it may be what is shown already."""
        self.about = None

    def has_painted(self, about: int | None) -> bool:
        """Whether this is what it shows, and all of that in sight has been painted."""
        return about is not None and about == self.about and self.is_painted

    def on_resize(self, event: events.Resize) -> None:
        """Lines are broken for a size."""
        if event.size != self._lines_for:
            self._lines_for = event.size
            self.post_message(self.SizeChanged())

    def on_hide(self) -> None:
        """What is put meanwhile has no size to be broken for: it is when this is seen again."""
        self._lines_for = (0, 0)

    def action_down(self) -> None:
        """The next one."""
        self.post_message(self.StepWanted(1))

    def action_up(self) -> None:
        """The previous one."""
        self.post_message(self.StepWanted(-1))

    def action_page_down(self) -> None:
        """Further down the sheet."""
        self._scroll(self.scroll_y + max(1, self.size.height - 1))

    def action_page_up(self) -> None:
        """Further up the sheet."""
        self._scroll(self.scroll_y - max(1, self.size.height - 1))

    def action_first(self) -> None:
        """The top of the sheet."""
        self._scroll(0)

    def action_last(self) -> None:
        """The foot of the sheet."""
        self._scroll(self.row_count())


class DecisionFoot(TextBlock):
    """What can be decided of a sheet, below it: it stays in sight while the sheet is scrolled."""

    DEFAULT_CSS = "DecisionFoot { height: auto; max-height: 70%; }"

    def __init__(self) -> None:
        super().__init__([])

    def put(self, lines: Sequence[Line]) -> None:
        """Show other lines."""
        shown = [Line(" ").join(one) for one in lines]
        if shown != self.paragraphs:
            self.say(shown)
            # The height in sight may be that of as many lines, broken at another width.
            if self.size.height != len(shown):
                self.refresh(layout=True)
