"""Help: keys by pane, then words and marks of the screen; typing finds keys, terms, synonyms."""

import re
from typing import TYPE_CHECKING, cast

from textual import on
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input

from core.glossary.glossary import BY_TERM, GLOSSARY, search_terms, terms_on
from core.glossary.glossary_entry import GlossaryEntry
from tui import keys
from tui.app.tab_table import TABS
from tui.dialogs.help_page import HERE, HelpLine, KeyPlace, TermDetails, page_lines, result_lines
from tui.dialogs.search_dialog import SearchDialog
from tui.text.line import Line
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.widgets.line_view import LineView, SteadyView
from tui.widgets.line_widget import LineWidget
from tui.widgets.pane import Pane

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tui.app.app import LostkeysApp

DIALOGS = {
    *("dialog", "confirm", "quitting", "form", "editor", "note", "found", "words", "picker"),
    *("small", "seen", "search", "offers"),
}
"""Places that are no screens: their keys stand in their own edges."""


class HelpPage(SteadyView):
    """The help as lines. It scrolls; what typing finds can be chosen."""

    def __init__(
        self,
        tab: str,
        here: list[KeyPlace],
        every: list[KeyPlace],
        under: GlossaryEntry | None = None,
        in_sight: "Sequence[GlossaryEntry]" = (),
    ) -> None:
        super().__init__()
        self.tab, self.here, self.every = tab, here, every
        self._under, self._in_sight = under, in_sight
        self.all_screens = False
        self.text = ""
        self.found: list[GlossaryEntry] = []
        self.chosen = 0
        self._page: tuple[int, Look | None, list[HelpLine]] = (0, None, [])

    def show(self, text: str) -> None:
        """Show what a search asks for."""
        self.text, self.found, self.chosen = text, search_terms(text), 0
        self.scroll_home(animate=False)
        self._arrange()

    def turn(self) -> None:
        """All screens, or only the one in sight."""
        self.all_screens = not self.all_screens
        self.scroll_home(animate=False)
        self._arrange()

    @property
    def entry(self) -> GlossaryEntry | None:
        """The term that is chosen."""
        return self.found[self.chosen] if self.found else None

    @property
    def pages(self) -> tuple[int, int]:
        """Which screenful is seen, and how many there are; one as long as it has no size."""
        height = self.size.height
        if not height:
            return 1, 1
        count = max(1, -(-self.row_count() // height))
        return min(count, -(-self._top // height) + 1), count

    @property
    def leads(self) -> bool:
        """Always: the search above has the focus, `enter` acts here."""
        return True

    def lines(self, width: int) -> list[Line]:
        """All lines at a width."""
        return [one.line for one in self._list_rows(width)]

    def _list_rows(self, width: int) -> list[HelpLine]:
        if self._page[:2] != (width, self.look):
            self._page = (width, self.look, self._draw_page(width))
        return self._page[2]

    def _draw_page(self, width: int) -> list[HelpLine]:
        shown = self.every if self.all_screens else self.here
        if self.text.strip():
            return result_lines(
                self.every, self.found, self.chosen, self._details(), self.text, width, self.look
            )
        if self.all_screens:
            return page_lines(shown, GLOSSARY, "all words", width, self.look)
        title, more = "words on this screen", (self._under, self._in_sight)
        return page_lines(shown, terms_on(self.tab), title, width, self.look, *more)

    def _details(self) -> TermDetails | None:
        from tui.dialogs.help_values import term_details

        snapshot = cast("LostkeysApp", self.app).snapshot
        if self.entry is None or snapshot is None:
            return None
        return term_details(self.entry.term, snapshot, self.look)

    def _arrange(self) -> None:
        """Draw the page anew, the cursor on the term that is chosen."""
        self._page = (0, None, [])
        rows = self._list_rows(self.line_width or 80)
        heads = [row for row, one in enumerate(rows) if one.entry is not None]
        self.cursor = heads[self.chosen] if heads else None
        self.refresh_changed()
        if self.cursor is not None and self.chosen:
            self.show_row(self.cursor)

    def row_count(self) -> int:
        """Lines at the present width."""
        return len(self._list_rows(self.line_width or 80))

    def height_at(self, width: int) -> int:
        """Lines at a width."""
        return len(self._list_rows(width))

    def is_choosable(self, row: int) -> bool:
        """Lines that begin a term."""
        return self._list_rows(self.line_width or 80)[row].entry is not None

    def draw(self, row: int, line: int, width: int) -> Line:
        """One of the lines."""
        return Line().join(self._list_rows(width)[row].line)

    def move_by(self, rows: int) -> None:
        """Choose the next term that was found; without a search, scroll."""
        if not self.found:
            super().move_by(rows)
            return
        chosen = min(max(self.chosen + rows, 0), len(self.found) - 1)
        if chosen != self.chosen:
            self.chosen = chosen
            self._arrange()

    def move_to(self, row: int | None, *, tell: bool = True) -> None:
        """Choose the term of a row."""
        entry = None if row is None else self._list_rows(self.line_width or 80)[row].entry
        if entry is not None:
            self.chosen = self.found.index(entry)
            self._arrange()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Tell that other lines are in sight."""
        super().watch_scroll_y(old_value, new_value)
        self.post_message(self.ViewScrolled(self))


class Help(SearchDialog[None]):
    """Keys and words of the screen behind."""

    BINDINGS = keys.bindings("words")
    placeholder = "type a key or a word"
    share = 1.0

    def __init__(self, behind: Screen[object]) -> None:
        super().__init__()
        app = cast("LostkeysApp", behind.app)
        name = next(one.name for one in TABS if one.tab == app.tab)
        self.heading = f"Help: {name}"
        every = keys_everywhere(app.settings.keys)
        in_sight = words_in_sight(behind.focused, app.tab)
        under = BY_TERM.get(getattr(behind.focused, "term_here", None) or "")
        self._page = HelpPage(app.tab, keys_here(behind), every, under, in_sight)

    def make_list(self) -> LineView:
        """The page."""
        return self._page

    def narrow_to(self, text: str) -> None:
        """Show what the search asks for."""
        self._page.show(text)
        self._write_edge()

    def action_screens(self) -> None:
        """All screens, or the one in sight."""
        self._page.turn()
        self._write_edge()

    def write_edges(self) -> None:
        """Heading, and what keys do here."""
        super().write_edges()
        self._write_edge()

    def on_resize(self) -> None:
        """As high as its lines; then it is known how many pages there are."""
        super().on_resize()
        self.call_after_refresh(self._write_edge)

    @on(LineView.ViewScrolled)
    def _write_edge(self) -> None:
        at, count = self._page.pages
        line = Line(f"{at} of {count}  ", "ink-3") if count > 1 else Line()
        if self._page.found:
            line.add(spell("↑ ↓"), "accent bold").add(" choose  ", "ink-3")
        elif count > 1:
            line.add("pgdn", "accent bold").add(" page  ", "ink-3")
        other = "this screen" if self._page.all_screens else "all screens"
        line.add("tab", "accent bold").add(f" {other}  ", "ink-3")
        how = " clears, then closes" if self._page.text else " closes"
        self.edge(line.add("esc", "accent bold").add(how, "ink-3"))

    def action_close(self) -> None:
        """Clear what was typed, then close."""
        field = self.query_one(Input)
        if field.value:
            field.value = ""
        else:
            self.dismiss(None)

    @on(Input.Submitted)
    def show_facts(self) -> None:
        """Go to the facts of the chosen term, if it has any."""
        from core.views.glossary_values import term_filters

        entry, snapshot = self._page.entry, self.lostkeys.snapshot
        if entry is None or snapshot is None:
            return
        filters = term_filters(entry.term, snapshot)
        if filters is not None:
            self.dismiss()
            self.lostkeys.places.jump("facts", filters)

    @on(LineView.RowClicked)
    def show_clicked(self, event: LineView.RowClicked) -> None:
        """A second click on a term is as good as enter."""
        event.stop()
        if event.again:
            self.show_facts()


def words_in_sight(focused: Widget | None, tab: str) -> list[GlossaryEntry]:
    """The terms that stand in the pane with the focus, from its top on."""
    pane = (
        next((one for one in focused.ancestors_with_self if isinstance(one, Pane)), None)
        if focused
        else None
    )
    written = {name: entry for entry in reversed(terms_on(tab)) for name in entry.written}
    found: dict[str, GlossaryEntry] = {}
    for view in pane.query(Widget) if pane is not None else ():
        for line in _lines_in_sight(view):
            for text in (*re.split(r"\s{2,}", line.text), *(span.text for span in line.spans)):
                entry = written.get(text.strip())
                if entry is not None:
                    found.setdefault(entry.term, entry)
    return list(found.values())


def _lines_in_sight(view: Widget) -> list[Line]:
    if isinstance(view, LineWidget):
        return [view.draw(view.size.width)]
    if isinstance(view, LineView):
        return [view.draw(row, 0, view.line_width) for row in view.in_sight]
    return []


def keys_here(screen: Screen[object]) -> list[KeyPlace]:
    """The keys that work now: those of the pane that has the focus under a title of their own."""
    found: dict[str, KeyPlace] = {}
    for name, active in screen.active_bindings.items():
        key = keys.BY_ID.get(active.binding.id or "")
        if key is not None and active.enabled and key.id not in found:
            own = active.node is not screen and active.node is not screen.app
            found[key.id] = KeyPlace(key, name, HERE if own else key.group)
    return list(found.values())


def keys_everywhere(changed: "Mapping[str, str]") -> list[KeyPlace]:
    """All keys of all screens, with the names that the person gave them."""
    return [
        KeyPlace(key, changed.get(key.id, key.keys).partition(",")[0].strip(), key.group)
        for key in keys.KEYS
        if not set(key.places) <= DIALOGS
    ]
