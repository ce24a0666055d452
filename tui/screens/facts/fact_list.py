"""The list of facts: rows of a listing under a snapshot, drawn as they come into sight."""

from collections.abc import Mapping
from unicodedata import category

from core.settings.escapes import JOINERS
from core.views.fact_cells import FactCells
from core.views.fact_columns import GRADE, SORTED, grade_of, model_of_column
from core.views.fact_query import FactHit, FactOrder, FactQuery, Listing
from core.views.snapshot import AGREE, AT_STAKE, Snapshot
from core.views.verdict_reasons import format_g
from core.vocabulary import TASK_INDEX
from tui.keys import DIGITS
from tui.screens.facts.column_layout import CODE, ENTITIES, FIRST, ColumnCells, layout
from tui.text.cell_width import head, width_of
from tui.text.inert_text import make_inert
from tui.text.line import Line, cut
from tui.text.number_text import views_words
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.theme.roles import code_role
from tui.widgets.line_view import SteadyView
from tui.widgets.line_widget import LineWidget

# The lines of the list of facts: heading, facts, and where a search hit.

WHERE, BEFORE = 11, 15
"""Cells at most for where a hit is, and for what stands before it."""

LONG = 400
"""Characters of a text that are looked at around a hit."""


TOPICS = {
    "Everyday Life": "Life",
    "Geography": "Geo",
    "People": "Peo",
    "Science": "Sci",
    "Society": "Soc",
}
"""Topics that are not known by their first four letters."""

_HEADINGS: Mapping[str, str] = {"number": "no.", "profile": ""}
_ORDERS = {name: order for order, name in SORTED.items()}


def heading(columns: tuple[ColumnCells, ...], width: int, look: Look) -> Line:
    """What the columns hold."""
    line = Line().to(CODE)
    for name, cells, gap in columns:
        words = _heading(name, look)
        order = _ORDERS.get("subject" if name == ENTITIES else name)
        part = None if order is None else _sort(order)
        room = max(cells, len(words)) if look.is_spoken else cells
        line.cell(words, room, "ink-3", right=_is_number(name), part=part)
        line.to(line.width + gap)
    return line.to(width)


def _heading(name: str, look: Look) -> str:
    if name == ENTITIES:
        return f"subject {look.glyph('arrow')} object"
    graded, model = grade_of(name), model_of_column(name)
    if graded is not None:
        task, thinking = graded
        return f"g{DIGITS[TASK_INDEX[task]]}{'+T' if thinking else ''}"
    return make_inert(model) if model is not None else _HEADINGS.get(name, name)


def _is_number(name: str) -> bool:
    return name in ("views", "number") or name.startswith(GRADE)


def _sort(order: FactOrder) -> str:
    """What a click on a column's name does."""
    return f"sort_by('{order}')"


def fact_line(
    cells: FactCells,
    columns: tuple[ColumnCells, ...],
    place: int,
    width: int,
    chosen: bool,
    look: Look,
) -> Line:
    """One fact, column by column."""
    line = Line().to(CODE)
    for name, room, gap in columns:
        if name == "profile":
            line.join(_code(cells.snapshot, place).clip(room).to(room))
        elif name == ENTITIES:
            found = cells.snapshot.headings[place]
            line.join(entities_line(found.subject, found.object, room, chosen, look))
        elif name == "marks":
            marks = _marks(cells, place, look)
            line.join(marks if look.is_spoken else marks.clip(room).to(room))
        else:
            words, role = _cell(cells, name, place, chosen)
            line.cell(words, room, role, right=_is_number(name))
        line.to(line.width + gap)
    return line.to(width)


def _cell(cells: FactCells, name: str, place: int, chosen: bool) -> tuple[str, str]:
    """What stands in a column of its own, and in which role."""
    graded, model = grade_of(name), model_of_column(name)
    if graded is not None:
        return spell(format_g(cells.grade(*graded, place))), "ink-2"
    if model is not None:
        code = cells.code(place, model)
        return (
            (code, f"{code_role(code)} bold")
            if code and code != "RJ"
            else (code or spell("–"), "ink-3")
        )
    index = cells.snapshot.index
    match name:
        case "topic":
            return topic_words(index.categories[place]), "ink-3"
        case "type":
            return index.object_types[place].replace("_", " ").lower(), "ink-3"
        case "views":
            return views_words(int(index.views[place])), "ink-3"
        case "subject":
            return cells.snapshot.headings[place].subject[:LONG], "ink bold" if chosen else "ink"
    role = "ink-3" if name in ("number", "id") else "ink-2"
    return str(cells.value(name, place) or "")[:LONG], role


def entities_line(subject: str, object_: str, width: int, chosen: bool, look: Look) -> Line:
    """Subject and object in `width` cells; where both are long each is cut to half of them."""
    room = max(0, width - 3)
    subject, object_ = make_inert(subject[:LONG]), make_inert(object_[:LONG])
    first = min(width_of(subject), max(room // 2, room - width_of(object_)))
    line = Line().add(cut(subject, first), "ink bold" if chosen else "ink")
    line.add(f" {look.glyph('arrow')} ", "ink-3")
    line.add(cut(object_, width - line.width), "ink" if chosen else "ink-2")
    return line.clip(width).to(width)


def _in_word(char: str) -> bool:
    """Whether a character goes on with a word: a letter, a digit, a mark on one, a joiner."""
    return char.isalnum() or category(char)[0] == "M" or char in JOINERS


def hit_line(hit: FactHit | None, width: int) -> Line:
    """Where a search hit, and what stands around; blank until that is read."""
    if hit is None:
        return Line()
    line = (
        Line().to(FIRST).add(cut(make_inert(hit.where.replace("_", " ")), WHERE), "ink-3").add("  ")
    )
    text, start = hit.text, hit.start
    if start and text[start - 1] in JOINERS:  # the index parts words at joiners
        start = next((at + 1 for at in range(start - 1, -1, -1) if not _in_word(text[at])), 0)
    end = next((at for at in range(hit.end, len(text)) if not _in_word(text[at])), len(text))
    before = _end(_make_part_inert(text[max(0, start - LONG) : start]), BEFORE, start > LONG)
    line.add(before, "ink-2").add(
        _make_part_inert(text[start : min(end, start + LONG)]), "ink bold @hit"
    )
    line.add(_make_part_inert(text[end : end + LONG]), "ink-2")
    return line.clip(width - 1)


def _code(snapshot: Snapshot, place: int) -> Line:
    """The verdict; `…` after it while labels are missing, nothing where no model was asked."""
    line = Line()
    if snapshot.index.rejected[place]:
        return line.add("RJ", "ink-3 bold")
    if snapshot.row is None:
        return line
    code = snapshot.code(place)
    line.add(spell(code), f"{code_role(code)} bold")
    return line.add(spell("…"), "ink-3") if snapshot.provisional[place] else line


def _marks(cells: FactCells, place: int, look: Look) -> Line:
    """Graders differ, edited, flagged, noted, scores contradict: each in its own cell."""
    snapshot = cells.snapshot
    differs = int(snapshot.differs[place])
    line = Line()
    if differs == AGREE:
        line.add(" ")
    elif differs == AT_STAKE:
        line.add(look.glyph("at-stake"), "label-i bold")
    else:
        line.add(look.glyph("differs"), "label-p")
    line.add(look.glyph("edited") if snapshot.edited[place] else " ", "accent")
    line.add(look.glyph("flagged") if snapshot.index.flagged[place] else " ", "object bold")
    line.add(look.glyph("noted") if snapshot.noted[place] else " ", "ink-2")
    if not cells.has_scores:
        return line
    return line.add(look.glyph("contradicts") if cells.contradicts(place) else " ", "label-i bold")


def _make_part_inert(text: str) -> str:
    """Part of a text, inert, with the breaks at its ends kept."""
    return make_inert(f".{text}.")[1:-1]


def _end(text: str, room: int, more: bool) -> str:
    """The last `room` cells of an inert text, after `…` where something is missing."""
    if width_of(text) <= room and not more:
        return text
    kept = head(text[::-1], room - 1)[::-1]
    return spell("…") + kept


def topic_words(topic: str) -> str:
    """A topic in a word of five cells at most: `Tech`, `Life`."""
    first = topic.split()[0] if topic.split() else ""
    return TOPICS.get(topic, first if len(first) <= 5 else first[:4])


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
