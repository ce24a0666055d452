"""Help: every key that works here, then marks and profiles; typing searches it."""

from textual.screen import Screen

from tui.dialogs.help_page import help_page
from tui.dialogs.search_dialog import Searching
from tui.frame.key_line import working
from tui.keys import Key
from tui.text.line import Line
from tui.widgets.line_view import LineView


class HelpPage(LineView):
    """The help as lines; nothing to choose, so it scrolls."""

    def __init__(self, here: list[tuple[Key, str]]) -> None:
        super().__init__()
        self.here = here
        self.text = ""
        self._page: tuple[int, list[Line]] = (0, [])

    def show(self, text: str) -> None:
        """Show what a search asks for."""
        self.text = text
        self._page = (0, [])
        self.scroll_home(animate=False)
        self.refresh_changed()

    def lines(self, width: int) -> list[Line]:
        """All lines at a width."""
        if self._page[0] != width:
            self._page = (width, help_page(self.here, self.text, width, self.look))
        return self._page[1]

    def row_count(self) -> int:
        """Lines at the present width."""
        return len(self.lines(self.size.width or 80))

    def height_at(self, width: int) -> int:
        """Lines at a width."""
        return len(self.lines(width))

    def choosable(self, row: int) -> bool:
        """Nothing is."""
        return False

    def draw(self, row: int, line: int, width: int) -> Line:
        """One of the lines."""
        return Line().join(self.lines(width)[row])


class Help(Searching[None]):
    """Keys of the screen behind first."""

    heading = "Keys and marks"
    placeholder = "type to find a key"
    share = 1.0

    def __init__(self, behind: Screen[object]) -> None:
        super().__init__()
        self.here = working(behind)

    def found(self) -> LineView:
        """The page."""
        return HelpPage(self.here)

    def narrow_to(self, text: str) -> None:
        """Show what the search asks for."""
        self.query_one(HelpPage).show(text)
