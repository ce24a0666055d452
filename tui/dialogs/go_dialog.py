"""The map: the screens, what each answers and what waits there; a letter or a digit goes there."""

from collections.abc import Mapping
from typing import ClassVar, NamedTuple

from textual import events, on
from textual.app import ComposeResult

from tui.app.tabs import TABS, Tab, TabGroup
from tui.dialogs.dialog import Dialog
from tui.text.line import Line, cut
from tui.widgets.line_view import LineView

KEY, NAME, QUESTION = 2, 9, 20
"""Columns of a row: the key's letter follows the key."""

ROOMY = 70
"""Cells from which a row says what waits on its screen."""


class MapRow(NamedTuple):
    """A heading (`tab` is None) or a screen, with what waits there."""

    group: TabGroup
    tab: Tab | None = None
    waits: str = ""


class MapView(LineView):
    """Screens by what one goes to them for."""

    DEFAULT_CSS = "MapView { height: auto; }"

    def __init__(self, here: str, summaries: Mapping[str, str]) -> None:
        super().__init__()
        self.rows: list[MapRow] = []
        for group in TabGroup:
            found = [one for one in TABS if one.group is group]
            self.rows.append(MapRow(group))
            self.rows += [MapRow(group, one, summaries.get(one.tab, "")) for one in found]
        seen = (at for at, row in enumerate(self.rows) if row.tab and row.tab.tab == here)
        self.cursor = next(seen, None)

    def row_count(self) -> int:
        """Groups and screens."""
        return len(self.rows)

    def choosable(self, row: int) -> bool:
        """Whether the row is a screen."""
        return self.rows[row].tab is not None

    def draw(self, row: int, line: int, width: int) -> Line:
        """A group's name with a hairline, or a screen."""
        group, tab, waits = self.rows[row]
        if tab is None:
            return Line(f" {group} ", "ink-3").rule(width - 1)
        drawn = Line(" ").add(f"{tab.key.upper()}  {tab.letter}  ", "accent bold")
        drawn.add(tab.name, "ink bold").to(QUESTION)
        if width < ROOMY:
            return drawn.add(cut(waits or tab.question, width - QUESTION - 1), "ink-2")
        side = (width - QUESTION) * 2 // 3
        drawn.add(cut(tab.question, side - 2), "ink-2").to(QUESTION + side)
        return drawn.add(cut(waits, width - QUESTION - side - 1), "ink-3")


class Go(Dialog[str]):
    """All screens; a letter, a digit, `enter` or a click goes there, `escape` stays."""

    heading = "go to"
    hint = "a letter, a digit or enter · esc closes"
    MOVES: ClassVar = ("up", "down", "home", "end", "enter", "tab", "shift+tab")

    def __init__(self, here: str, summaries: Mapping[str, str]) -> None:
        super().__init__()
        self._here, self._summaries = here, summaries

    def body(self) -> ComposeResult:
        """One line a screen."""
        yield MapView(self._here, self._summaries)

    def on_key(self, event: events.Key) -> None:
        """Go; keys that move act on the list."""
        tabs = {place.letter: place.tab for place in TABS}
        tabs |= {place.digit: place.tab for place in TABS} | {one.key: one.tab for one in TABS}
        tab = tabs.get(event.key) or tabs.get(event.character or "")
        if tab is not None:
            event.stop()
            self.dismiss(tab)
        elif event.key == "enter":
            event.stop()
            self.choose()

    def choose(self) -> None:
        """Go to the screen under the cursor."""
        view = self.query_one(MapView)
        tab = None if view.cursor is None else view.rows[view.cursor].tab
        self.dismiss(tab.tab if tab else None)

    @on(LineView.Clicked)
    def clicked(self, event: LineView.Clicked) -> None:
        """Go to the screen that was clicked."""
        event.stop()
        if event.view.choosable(event.row):
            self.choose()
