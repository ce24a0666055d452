"""The list of facts: rows of a listing under a snapshot, drawn as they come into sight."""

from collections.abc import Mapping

from core.views.fact_cells import FactCells
from core.views.fact_query import FactHit, FactOrder, FactQuery, Listing
from core.views.snapshot import Snapshot
from tui.screens.facts.column_layout import ColumnCells, layout
from tui.screens.facts.render_list import fact_line, heading, hit_line
from tui.text.line import Line
from tui.widgets.line_view import SteadyView
from tui.widgets.line_widget import LineWidget


class FactList(SteadyView):
    """Facts, one or (with hits) two lines each. `listing` is None until there is one."""

    has_columns = True
    spoken_lines = 2

    def __init__(self) -> None:
        super().__init__(id="facts")
        self.cells: FactCells | None = None
        self.columns: tuple[str, ...] | None = None
        """The columns that a person has chosen; None: those for which there is room."""
        self.listing: Listing | None = None
        self.hits: dict[int, FactHit] = {}

    @property
    def snapshot(self) -> Snapshot | None:
        """The snapshot whose facts are listed."""
        return None if self.cells is None else self.cells.snapshot

    @property
    def term_here(self) -> str | None:
        """The profile of the fact under the cursor, as the glossary calls it."""
        found = self.snapshot
        return None if found is None or self.place is None else found.code(self.place)

    def take(self, snapshot: Snapshot) -> None:
        """Take in a snapshot; notes stay until they are read again."""
        if self.cells is None or self.cells.snapshot is not snapshot:
            self.cells = FactCells(snapshot, {} if self.cells is None else self.cells.notes)

    def put_notes(self, notes: Mapping[int, str]) -> None:
        """Take in people's notes by fact (id)."""
        if self.cells is not None:
            self.cells.notes = notes
            self.refresh_changed()

    def column_cells(self, width: int) -> tuple[ColumnCells, ...]:
        """The columns in a width."""
        order = FactOrder.SUBJECT if self.listing is None else self.listing.wanted.order
        return layout(self.columns, order, width)

    def show(
        self, snapshot: Snapshot, listing: Listing, row: int | None, height: int | None = None
    ) -> None:
        """Take in a snapshot and a listing, the cursor on a row of it.

        That row stands at a `height`, else where the cursor stood, if the list is long enough.
        """
        height = self.cursor_height if height is None else height
        if self.listing is None or listing.wanted.search != self.listing.wanted.search:
            self.hits = {}
        self.take(snapshot)
        self.listing = listing
        self.hits.update(listing.hits)
        lines = 2 if listing.wanted.search else 1
        if lines != self.row_lines:
            self.row_lines = lines
            self.repaint()
        self.cursor = row
        self.refresh_changed()
        if row is not None:
            self.hold_cursor(row, height)

    def clear(self) -> None:
        """Hold nothing."""
        self.cells = self.listing = self.cursor = None
        self.hits = {}
        self.refresh_changed()

    def put_hits(self, wanted: FactQuery, hits: Mapping[int, FactHit]) -> None:
        """Take in where a search hit, unless something else is searched by now."""
        if self.listing is not None and wanted.search == self.listing.wanted.search:
            self.hits.update(hits)
            self.refresh_changed()

    def without_hits(self) -> tuple[int, ...]:
        """Places of the facts in sight whose hits have not been read."""
        if self.listing is None or self.row_lines == 1:
            return ()
        sight = self.in_sight
        places = self.listing.places[sight.start : sight.stop].tolist()
        return tuple(place for place in places if place not in self.hits)

    @property
    def place(self) -> int | None:
        """The place on the snapshot of the fact under the cursor."""
        if self.listing is None or self.cursor is None or not len(self.listing.places):
            return None
        return int(self.listing.places[self.cursor])

    def row_count(self) -> int:
        """Facts, or the line that says why there are none."""
        return 0 if self.listing is None else max(1, len(self.listing.places))

    def is_choosable(self, row: int) -> bool:
        """Whether there is a fact on the row."""
        return self.listing is not None and row < len(self.listing.places)

    def draw(self, row: int, line: int, width: int) -> Line:
        """A fact, and below it where a search hit."""
        if self.cells is None or self.listing is None:
            return Line()
        if not len(self.listing.places):
            return none_line(self.listing, line, width)
        place = int(self.listing.places[row])
        if line:
            return hit_line(self.hits.get(place), width)
        columns = self.column_cells(width)
        return fact_line(self.cells, columns, place, width, row == self.cursor, self.look)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Say so while hits are shown: those that come into sight must be read."""
        super().watch_scroll_y(old_value, new_value)
        if self.row_lines > 1:
            self.post_message(self.ViewScrolled(self))


class ListHeading(LineWidget):
    """What the columns of the list hold."""

    def draw(self, width: int) -> Line:
        """The names of the columns, over them."""
        found = self.screen.query_one(FactList)
        return heading(found.column_cells(found.line_width), found.line_width, self.look)

    def press_part(self, part: str) -> None:
        """A click on a name sorts by its column."""
        self.app.call_later(self.screen.run_action, part)


NOTHING = 20
"""Cells of the line that says that nothing matches, without what is searched."""


def none_line(listing: Listing, line: int, width: int) -> Line:
    """Why a list is empty (line 0), and while something is searched which key changes that."""
    wanted = listing.wanted
    drawn = Line(" ")
    if not wanted.search:
        drawn.add("No fact passes the filters. ", "ink-2")
        return drawn.add("F", "accent").add(" clears them.", "ink-2")
    if line:
        drawn.add("escape", "accent").add(" clears the search.", "ink-2")
        if wanted.filters.count:
            drawn.add(" F", "accent").add(" the filters.", "ink-2")
        return drawn
    if not listing.complete:
        return drawn.add("Nothing yet; answers are still being searched.", "ink-2")
    searched = Line(wanted.search, "ink").clip(max(1, width - NOTHING))
    return drawn.add("Nothing matches ", "ink-2").join(searched).add(".", "ink-2")
