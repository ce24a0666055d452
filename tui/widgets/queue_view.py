"""A queue of what is to be decided: rows that are made when they are seen, or words for none."""

from textual import events

from tui import keys
from tui.text.line import Line
from tui.widgets.line_view import LineView


class QueueView(LineView):
    """Places of a queue as rows; there may be rows that are no place: titles, a heading."""

    BINDINGS = keys.bindings("list")
    has_columns = True
    spoken_lines = 2

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self.texts: dict[int, str] = {}
        """Texts of rows that have been read, by what each is of."""
        self.words: list[Line] = []
        """What stands in place of rows where there are none."""

    def place_at(self, row: int) -> int | None:
        """The place in the queue that stands on a row; None for what is no place."""
        raise NotImplementedError

    def is_choosable(self, row: int) -> bool:
        """The cursor stands on places only."""
        return self.place_at(row) is not None

    @property
    def place(self) -> int | None:
        """The place in the queue under the cursor."""
        return None if self.cursor is None else self.place_at(self.cursor)

    @property
    def places_in_sight(self) -> list[int]:
        """Places of the rows on screen."""
        found = (self.place_at(row) for row in self.in_sight)
        return [place for place in found if place is not None]

    @property
    def places_near(self) -> list[int]:
        """The same, but a screenful around the cursor where a card has taken the queue's room."""
        if self.size.height or self.cursor is None:
            return self.places_in_sight
        height = self.app.size.height
        rows = range(max(0, self.cursor - height), min(self.row_count(), self.cursor + height))
        return [place for row in rows if (place := self.place_at(row)) is not None]

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Tell that other rows are in sight."""
        super().watch_scroll_y(old_value, new_value)
        self.post_message(self.ViewScrolled(self))

    def on_resize(self, event: events.Resize) -> None:
        """Tell that other rows are in sight."""
        super().on_resize(event)
        self.post_message(self.ViewScrolled(self))
