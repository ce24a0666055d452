"""The views of a list: what is seen now, one's own, those that are ready-made."""

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from core.views.list_file import lens_options
from core.views.list_words import QUEUES, ListWords
from core.views.saved_views import SavedView
from tui import keys
from tui.dialogs.dialog import CLOSES, Dialog, Hint
from tui.text.line import Line
from tui.theme.glyphs import spell
from tui.widgets.line_view import LineView
from tui.widgets.text_block import TextBlock

if TYPE_CHECKING:
    from core.views.lens import Lens

DIGITS = 9
"""Views that have a digit."""

NONE_SAVED = "none saved yet"

MEANING = (
    "A view is a list under a name: what it shows, how it is sorted, and parts of the lens that "
    "you tick. V shows the views; alt+1 to alt+9 switch to them."
)
"""Of views, where there are none to see that by."""

CARDS = "rows are cards: they have no columns, and stand as they are worth deciding"
"""Of queues, which `|` and `s` are not for."""

NAME_AT, NAME, LENS, ROWS = 5, 24, 16, 8
"""Cells before a name, and of a name, of the lens at most, of the number of rows."""


class ViewRow(NamedTuple):
    """A view, and how many rows it has: None until that is counted."""

    view: SavedView
    rows: int | None = None


class ViewStep(NamedTuple):
    """What is to be done: `switch` to a view, `save` what is seen, `rename`, `remove`, `shift`."""

    what: str
    view: SavedView | None = None
    step: int = 0


class ViewList(LineView):
    """A row a view: one's own with their digits, then those that are ready-made."""

    def __init__(self, own: Sequence[ViewRow], ready: Sequence[ViewRow]) -> None:
        super().__init__()
        self.own, self.ready = list(own), list(ready)
        self.cursor = next((row for row in range(self.row_count()) if self.is_choosable(row)), None)

    @property
    def rows(self) -> list[ViewRow | str]:
        """Views, and the headings between."""
        if not (self.own or self.ready):
            return [NONE_SAVED]
        own: list[ViewRow | str] = [*self.own] or [NONE_SAVED]
        mine = ["view", *own]
        return [*mine, "ready-made", *self.ready] if self.ready else mine

    @property
    def view(self) -> SavedView | None:
        """The view under the cursor."""
        row = None if self.cursor is None else self.rows[self.cursor]
        return row.view if isinstance(row, ViewRow) else None

    @property
    def is_own(self) -> bool:
        """Whether the cursor is on a saved view."""
        return any(row.view is self.view for row in self.own)

    def put_rows(self, view: SavedView, rows: int) -> None:
        """Take in how many rows a view has."""
        for part in (self.own, self.ready):
            part[:] = [ViewRow(one.view, rows) if one.view is view else one for one in part]
        self.refresh_changed()

    def show(self, own: Sequence[ViewRow], chosen: str | None) -> None:
        """Other saved views, with the cursor on the one of a name; on the first if none has it."""
        self.own = list(own)
        found = {row: one.view for row, one in enumerate(self.rows) if isinstance(one, ViewRow)}
        named = (row for row, view in found.items() if view.name == chosen)
        self.cursor = next(named, next(iter(found), None))
        self.refresh_changed()
        self.repaint()

    def row_count(self) -> int:
        """Views and headings."""
        return len(self.rows)

    def is_choosable(self, row: int) -> bool:
        """Whether a view stands on the row."""
        return isinstance(self.rows[row], ViewRow)

    def draw(self, row: int, line: int, width: int) -> Line:
        """A view or a heading."""
        found = self.rows[row]
        if isinstance(found, str):
            return self._heading(found, width)
        digit = str(row) if row <= min(DIGITS, len(self.own)) and self.own else ""
        drawn = Line().to(2).cell(digit, NAME_AT - 2, "accent bold")
        role = "ink bold" if row == self.cursor else "ink"
        drawn.cell(found.view.name, NAME - 1, role).add(" ")
        count = spell("…") if found.rows is None else f"{found.rows:,}"
        drawn.cell(shows(found.view), self._words_cells(width), "ink-2")
        drawn.add(" ").cell(lens_words(found.view), self._lens_cells, "ink-3")
        return drawn.cell(count, ROWS, "ink", right=True).clip(width)

    @property
    def _lens_cells(self) -> int:
        """Room for what the views set of the lens."""
        found = [len(lens_words(row.view)) for row in (*self.own, *self.ready)]
        return min(LENS, max((len("lens"), *found)) + 1)

    def _words_cells(self, width: int) -> int:
        return max(8, width - NAME_AT - NAME - self._lens_cells - ROWS - 2)

    def _heading(self, words: str, width: int) -> Line:
        if words != "view":
            return Line(" ").add(f"{words} ", "ink-3").rule(width - 1)
        drawn = Line().to(NAME_AT).cell("view", NAME, "ink-3")
        drawn.cell("shows", self._words_cells(width), "ink-3").add(" ")
        return drawn.cell("lens", self._lens_cells, "ink-3").cell("rows", ROWS, "ink-3", right=True)


def shows(view: SavedView) -> str:
    """What a view shows, in its own words."""
    order = f"by {view.sort}" if view.sort else ""
    columns = f"columns {', '.join(view.columns)}" if view.columns else ""
    return ", ".join(filter(None, (view.where or "all", order, columns)))


def lens_words(view: SavedView) -> str:
    """What a view sets of the lens."""
    lens = view.lens
    parts = [lens.model or "", f"{spell('τ')} {lens.tau:g}" if lens.tau is not None else ""]
    parts += [str(lens.strategy or ""), ",".join(lens.graders or ()), str(lens.thinking or "")]
    return " ".join(filter(None, parts)) or "any"


class ViewsDialog(Dialog[ViewStep]):
    """`enter` or its digit switches to a view, `+` saves what is seen."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("views")
    DEFAULT_CSS = "ViewsDialog ViewList { height: auto; max-height: 60vh; }"

    hint: Hint = (
        ("enter", "or its digit"), ("+", "save"), ("e", "name"), ("del", "remove"),
        ("( )", "order"), CLOSES,
    )  # fmt: skip
    hint_without_own = (("enter", "switches"), ("+", "saves what is seen"), CLOSES)
    hint_without_any = (("+", "saves what is seen"), CLOSES)

    def __init__(
        self,
        heading: str,
        now: SavedView,
        own: Sequence[SavedView],
        ready: Sequence[SavedView],
        lens: "Lens",
        faults: Sequence[str] = (),
        chosen: str | None = None,
    ) -> None:
        super().__init__()
        self.heading = heading
        self._now, self._lens, self._faults, self._chosen = now, lens, faults, chosen
        self._own = [ViewRow(view) for view in own]
        self._ready_made = [ViewRow(view) for view in ready]
        if not own:
            self.hint = self.hint_without_own if ready else self.hint_without_any

    @property
    def views(self) -> ViewList:
        """The views, once they are there."""
        return self.query_one(ViewList)

    def body(self) -> ComposeResult:
        """What is seen, the views, the words of the one under the cursor."""
        line = Line("what is seen now   ", "ink-3").add(shows(self._now), "ink")
        line.add("   +", "accent bold").add(" saves it", "ink-2")
        more = [Line(CARDS, "ink-3")] if self._now.list in QUEUES else []
        if not (self._own or self._ready_made):
            more.append(Line(MEANING, "ink-2"))
        yield TextBlock([line, *more, Line()])
        views = ViewList(self._own, self._ready_made)
        if self._chosen is not None:
            views.show(self._own, self._chosen)
        yield views
        yield TextBlock(self._draw_words(views.view), id="words")

    def _draw_words(self, view: SavedView | None) -> list[Line]:
        """How commands ask for the view under the cursor, and what is wrong with the file."""
        found = [Line(fault, "label-i") for fault in self._faults[:2]]
        if view is not None:
            words = ListWords(view.list, view.where, view.sort, view.columns).options
            lens = lens_options(view.lens.change(self._lens), view.list)
            command = ["lostkeys", "export", view.list, "-o", "FILE", "--view", view.name]
            found += [Line(shlex.join([*words, *lens]), "ink"), Line(shlex.join(command), "ink-3")]
        return [Line(), *found]

    def put_rows(self, view: SavedView, rows: int) -> None:
        """Take in how many rows a view has."""
        if self.is_open:
            self.views.put_rows(view, rows)

    def action_choose(self, digit: int) -> None:
        """Switch to the view of a digit."""
        own = self.views.own
        if digit <= len(own):
            self.dismiss(ViewStep("switch", own[digit - 1].view))

    def action_switch(self) -> None:
        """Switch to the view under the cursor."""
        if self.views.view is not None:
            self.dismiss(ViewStep("switch", self.views.view))

    def action_save(self) -> None:
        """Save what is seen now."""
        self.dismiss(ViewStep("save"))

    def action_rename(self) -> None:
        """Give the view another name."""
        self._change("rename")

    def action_remove(self) -> None:
        """Take the view out."""
        self._change("remove")

    def action_shift(self, step: int) -> None:
        """The view a place later or earlier."""
        self._change("shift", step)

    def _change(self, what: str, step: int = 0) -> None:
        if self.views.is_own:
            self.dismiss(ViewStep(what, self.views.view, step))
        else:
            self.edge(Line("what is ready-made stays as it is; + saves one's own", "label-p"))

    @on(LineView.CursorMoved)
    def follow_cursor(self, event: LineView.CursorMoved) -> None:
        """Show the words of the view under the cursor."""
        event.stop()
        self.query_one("#words", TextBlock).say(self._draw_words(self.views.view))
        self.write_edges()

    @on(LineView.RowClicked)
    def switch_clicked(self, event: LineView.RowClicked) -> None:
        """A second click switches."""
        event.stop()
        if event.again and event.view.is_choosable(event.row):
            self.action_switch()
