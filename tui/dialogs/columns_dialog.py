"""Choosing the columns of a list, and their order."""

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from tui import keys
from tui.dialogs.dialog import Dialog
from tui.text.cell_width import width_of
from tui.text.line import Line
from tui.theme.glyphs import spell
from tui.widgets.line_view import LineView
from tui.widgets.text_block import TextBlock

PLACE, NAME, CELLS = 2, 6, 48
"""Cells before the place and the name of a column, and of the name at most."""

_OTHERS, _GONE = "not in the list", "not in this database"


class ColumnOffer(NamedTuple):
    """A column that a list can have, and what it holds in a few words."""

    name: str
    words: str


class ChosenColumns(NamedTuple):
    """What columns were chosen; None: those that the list has by itself."""

    names: tuple[str, ...] | None


class ColumnList(LineView):
    """A row a column: those of the list in their order, then the others."""

    def __init__(self, offers: Sequence[ColumnOffer], chosen: tuple[str, ...]) -> None:
        super().__init__()
        self.words = {one.name: one.words for one in offers}
        self.chosen = chosen
        self.cursor = 0

    @property
    def rows(self) -> list[str | None]:
        """Names of columns; None is the line between those of the list and the others."""
        rest = [name for name in self.words if name not in self.chosen]
        return [*self.chosen, None, *rest] if rest else [*self.chosen]

    @property
    def column(self) -> str | None:
        """The column under the cursor."""
        return None if self.cursor is None else self.rows[self.cursor]

    def show(self, chosen: tuple[str, ...]) -> None:
        """Other columns, with the cursor on the same one."""
        column = self.column
        self.chosen = chosen
        self.cursor = self.rows.index(column)
        self.refresh_changed()
        self.show_row(self.cursor)

    def row_count(self) -> int:
        """The columns and the line between."""
        return len(self.rows)

    def is_choosable(self, row: int) -> bool:
        """Whether a column stands on the row."""
        return self.rows[row] is not None

    def draw(self, row: int, line: int, width: int) -> Line:
        """A column, or the line between."""
        name = self.rows[row]
        if name is None:
            return Line(" ").add(f"{_OTHERS} ", "ink-3").rule(width - 1)
        place = str(self.chosen.index(name) + 1) if name in self.chosen else spell("·")
        drawn = Line().to(PLACE).cell(place, NAME - PLACE, "accent bold")
        role = "ink" if name in self.chosen else "ink-2"
        words = max(map(len, (_GONE, *self.words.values())))
        cells = max(8, min(max(map(width_of, self.words)) + 2, CELLS, width - NAME - words))
        drawn.cell(name, cells - 1, f"{role} bold" if row == self.cursor else role).add(" ")
        return drawn.add(self.words.get(name, _GONE), "ink-3").clip(width)


class ColumnsDialog(Dialog[ChosenColumns]):
    """`space` takes a column in or out, `(` `)` order them, `enter` applies."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("columns")
    DEFAULT_CSS = "ColumnsDialog ColumnList { height: auto; max-height: 60vh; }"

    heading = "Columns"
    hint = (
        ("space", "in, out"), ("( )", "order"), ("=", "at start"), ("enter", "applies"),
        ("esc", "leaves it"),
    )  # fmt: skip

    def __init__(
        self, offers: Sequence[ColumnOffer], chosen: tuple[str, ...], sorted_by: str | None
    ) -> None:
        super().__init__()
        self._offers, self._before, self._sorted_by = offers, chosen, sorted_by

    @property
    def view(self) -> ColumnList:
        """The list, once it is there."""
        return self.query_one(ColumnList)

    def body(self) -> ComposeResult:
        """The list, and how a command asks for it."""
        yield ColumnList(self._offers, self._before)
        yield TextBlock(self._sentences(self._before))

    def _sentences(self, chosen: tuple[str, ...]) -> list[Line]:
        found = [Line(), Line(f"--columns {','.join(chosen)}", "ink-3")]
        if self._sorted_by is not None and self._sorted_by not in chosen:
            words = f"{self._sorted_by} is shown too, as the list is sorted by it"
            found.append(Line(words, "ink-3"))
        return found

    def _show(self, chosen: tuple[str, ...]) -> None:
        self.view.show(chosen)
        self.query_one(TextBlock).say(self._sentences(chosen))
        self.write_edges()

    def action_include(self) -> None:
        """Take the column in, or out."""
        name, chosen = self.view.column, self.view.chosen
        if name is None:
            return
        if name in chosen:
            self._show(tuple(one for one in chosen if one != name))
        else:
            self._show((*chosen, name))

    def action_shift(self, step: int) -> None:
        """The column a place later or earlier."""
        name, chosen = self.view.column, list(self.view.chosen)
        if name in chosen:
            place = chosen.index(name)
            chosen.insert(min(max(place + step, 0), len(chosen) - 1), chosen.pop(place))
            self._show(tuple(chosen))

    def action_reset(self) -> None:
        """The columns that the list has by itself."""
        self.dismiss(ChosenColumns(None))

    def action_apply(self) -> None:
        """Hand back the columns."""
        chosen = self.view.chosen
        if not chosen:
            said = Line("a list needs a column: ", "label-p").add("space", "accent bold")
            self.query_one(TextBlock).say([Line(), said.add(" takes one in", "label-p")])
            return
        self.dismiss(None if chosen == self._before else ChosenColumns(chosen))

    @on(LineView.RowClicked)
    def toggle_clicked(self, event: LineView.RowClicked) -> None:
        """A second click takes in, or out."""
        event.stop()
        if event.again and event.view.is_choosable(event.row):
            self.action_include()
