"""A dialog with a search above a list: typing narrows the list, arrow keys move in it."""

from typing import Generic, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.widgets import Input

from tui import keys
from tui.dialogs.dialog import Dialog
from tui.widgets.line_view import LineView
from tui.widgets.text_field import TextField

Result = TypeVar("Result")


class SearchDialog(Dialog[Result], Generic[Result]):
    """The focus is in the search; subclasses give the list and narrow it."""

    BINDINGS = keys.bindings("found")
    AUTO_FOCUS = "TextField"

    placeholder = "type to search"
    share = 0.7
    """How much of the screen's height the list may take."""

    def __init__(self) -> None:
        super().__init__()
        self._wanted = 1

    def make_list(self) -> LineView:
        """The list."""
        raise NotImplementedError

    def narrow_to(self, text: str) -> None:
        """Show what the search asks for."""
        raise NotImplementedError

    def search_field(self) -> TextField:
        """The search."""
        return TextField(placeholder=self.placeholder)

    def body(self) -> ComposeResult:
        """Search and list."""
        yield self.search_field()
        view = self.make_list()
        view.can_focus = False
        yield view

    @property
    def view(self) -> LineView:
        """The list, once it is there."""
        return self.query_one(LineView)

    @on(Input.Changed)
    def search(self, event: Input.Changed) -> None:
        """Narrow the list."""
        event.stop()
        self.narrow_to(event.value)

    def on_resize(self) -> None:
        """As high as its lines, as far as there is room; it stays so while typing narrows it."""
        frame = self.query_one("#frame")
        inner = frame.size.width
        room = self.size.height - frame.gutter.height - 1
        if not self.query_one(TextField).value:
            self._wanted = self.view.height_at(inner)
        self.view.styles.height = max(1, min(self._wanted, int(room * self.share)))

    def action_move(self, rows: int) -> None:
        """Move in the list."""
        self.view.move_by(rows)

    def action_page(self, pages: int) -> None:
        """Move in the list by screenfuls."""
        (self.view.action_page_down if pages > 0 else self.view.action_page_up)()


def matches(text: str, words: str) -> bool:
    """Whether every word that was typed is found somewhere."""
    where = words.casefold()
    return all(word in where for word in text.casefold().split())
