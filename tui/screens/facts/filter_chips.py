"""What stands around the search field: its key before it, chips and order after it."""

from core.views.fact_query import FactQuery
from tui.screens.facts.state import draw_query
from tui.text.line import Line
from tui.widgets.line_widget import LineWidget


class SearchKey(LineWidget):
    """The key of the search, before it."""

    DEFAULT_CSS = "SearchKey { width: 3; }"

    def draw(self, width: int) -> Line:
        """The key."""
        return Line(" / ", "accent bold")


class FilterChips(LineWidget):
    """Chips and order, after the search; as wide as it needs to be."""

    DEFAULT_CSS = "FilterChips { margin-left: 1; }"

    def __init__(self) -> None:
        super().__init__()
        self.wanted = FactQuery()
        self.room = 0

    def show(self, wanted: FactQuery, room: int) -> None:
        """Take in what is asked for, and the cells there are for saying it."""
        self.wanted, self.room = wanted, room
        width = draw_query(wanted, room, self.look).width
        if self.styles.width is None or self.styles.width.value != width:
            self.styles.width = width
        self.refresh_changed()

    def draw(self, width: int) -> Line:
        """Chips and order."""
        return draw_query(self.wanted, self.room, self.look)

    def press_part(self, part: str) -> None:
        """A click on a chip opens the filters."""
        self.app.call_later(self.screen.run_action, part)
