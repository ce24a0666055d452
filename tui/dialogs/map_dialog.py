"""The map: the screens, what each answers and what waits there; a letter or a digit goes there."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from textual import events, on
from textual.app import ComposeResult

from tui.app.tab_table import TABS, Tab, TabGroup
from tui.dialogs.dialog import Dialog
from tui.text.cell_width import width_of
from tui.text.line import Line, cut
from tui.theme.glyphs import spell
from tui.widgets.line_view import LineView
from tui.widgets.line_widget import LineWidget

QUESTION = 18
"""The column at which what a screen answers begins; its keys and name stand before it."""


def short_question(tab: Tab) -> str:
    """What a screen answers, up to its first comma."""
    return tab.question.partition(",")[0]


ANSWERED = max(len(one.question) for one in TABS) + 2
ANSWERED_SHORT = max(len(short_question(one)) for one in TABS) + 2
"""Cells of that, with a gap: whole, and short where what waits has no room beside it."""

WAY = 5
"""Screens that are named of the way one came."""

ROOMY = 70
"""Cells from which a row says what waits on its screen."""


BACK = "back"
"""What the dialog gives for the way back, instead of a screen."""


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
        self._widest = max(map(width_of, summaries.values()), default=0)
        seen = (at for at, row in enumerate(self.rows) if row.tab and row.tab.tab == here)
        self.cursor = next(seen, None)

    def row_count(self) -> int:
        """Groups and screens."""
        return len(self.rows)

    def is_choosable(self, row: int) -> bool:
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
        question, answered = tab.question, ANSWERED
        if QUESTION + ANSWERED + self._widest >= width:
            question, answered = short_question(tab), ANSWERED_SHORT
        drawn.add(question, "ink-2").to(QUESTION + answered)
        return drawn.add(cut(waits, width - drawn.width - 1), "ink-3")


def way_line(came_from: Sequence[tuple[str, str]], width: int) -> Line:
    """The way that the person came, the last screen first: name and what was there.

    What was there is left out from the end on where there is no room for all of it.
    """
    way = came_from[:WAY]
    for told in range(len(way), -1, -1):
        line = Line("came from ", "ink-3")
        for place, (name, words) in enumerate(way):
            if place:
                line.add(f" {spell('‹')} ", "ink-3")
            shown = f"{name}, {words}" if words and place < told else name
            line.add(shown, "ink-2" if place else "ink bold")
        line.add("   ").add("H", "accent bold").add(" back", "ink-2")
        if line.width <= width:
            break
    return line


class WayLine(LineWidget):
    """The way that the person came, below the screens."""

    DEFAULT_CSS = "WayLine { margin-top: 1; }"

    def __init__(self, came_from: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._came_from = came_from

    def draw(self, width: int) -> Line:
        """As much of it as fits."""
        return way_line(self._came_from, width)


class Map(Dialog[str]):
    """All screens; a letter, a digit, `enter` or a click goes there, `escape` stays."""

    heading = "go to"
    hint = (("", "a letter, a digit or enter"), ("esc", "stays"))

    def __init__(
        self,
        here: str,
        summaries: Mapping[str, str],
        came_from: Sequence[tuple[str, str]] = (),
    ) -> None:
        """`came_from`: screens that the person was on and what was there, the last one first."""
        super().__init__()
        self._here, self._summaries, self._came_from = here, summaries, came_from

    def body(self) -> ComposeResult:
        """One line a screen, and the way that the person came."""
        yield MapView(self._here, self._summaries)
        if self._came_from:
            yield WayLine(self._came_from)

    def on_key(self, event: events.Key) -> None:
        """Go; keys that move act on the list."""
        tabs = {place.letter: place.tab for place in TABS}
        tabs |= {place.digit: place.tab for place in TABS} | {one.key: one.tab for one in TABS}
        tab = tabs.get(event.key) or tabs.get(event.character or "")
        if tab is not None:
            event.stop()
            self.dismiss(tab)
        elif event.character == "H":
            event.stop()
            self.dismiss(BACK)
        elif event.key == "enter":
            event.stop()
            self.choose()

    def choose(self) -> None:
        """Go to the screen under the cursor."""
        view = self.query_one(MapView)
        tab = None if view.cursor is None else view.rows[view.cursor].tab
        self.dismiss(tab.tab if tab else None)

    @on(LineView.RowClicked)
    def choose_clicked(self, event: LineView.RowClicked) -> None:
        """Go to the screen that was clicked."""
        event.stop()
        if event.view.is_choosable(event.row):
            self.choose()
