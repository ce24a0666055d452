"""The panes of the Figures screen: the list, the figure, the numbers under its cursor."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from textual import events
from textual.app import ComposeResult

from core.figures.figure import Figure
from core.figures.figure_table import CATALOGUE, THEMES, FigureEntry
from tui import keys
from tui.screens.figures import sentences
from tui.screens.figures.render_detail import detail
from tui.screens.figures.render_figure import FigureLine, FigureRoom, draw_figure
from tui.screens.figures.render_table import draw_table
from tui.screens.figures.state import FiguresPosition, FiguresState
from tui.screens.screen_panes import ScreenPanes
from tui.text.line import Line, Span
from tui.text.line_wrap import wrap_spans
from tui.text.speech import SPOKEN_ROOM
from tui.widgets.line_view import LineView
from tui.widgets.line_widget import LineWidget
from tui.widgets.pane import Pane

NUMBER = 5


@dataclass(frozen=True, slots=True)
class FigureListRow:
    """A line of the list: a figure, the heading of a theme, how many have no data, or a blank."""

    entry: FigureEntry | None = None
    theme: str = ""
    without_data: int = 0


def list_rows(
    roomy: bool, missing: Mapping[str, str] = MappingProxyType({}), unfolded: bool = True
) -> list[FigureListRow]:
    """All figures by theme; with blank lines between the themes where there is room.

    Those without data stand below all others, in one line unless they are `unfolded`.
    """
    rest = [one for one in CATALOGUE if one.name in missing]
    shown = [one for one in CATALOGUE if one.name not in missing] or rest
    found: list[FigureListRow] = []
    for theme in THEMES:
        rows = [FigureListRow(entry) for entry in shown if entry.theme == theme]
        if found and rows and roomy:
            found.append(FigureListRow())
        found += [FigureListRow(theme=theme), *rows] if rows else []
    if rest and shown is not rest:
        found += [FigureListRow()] if roomy else []
        found.append(FigureListRow(without_data=len(rest)))
        found += [FigureListRow(entry) for entry in rest] if unfolded else []
    return found


def draw(row: FigureListRow, missing: Mapping[str, str], width: int, chosen: bool) -> Line:
    """A line of it; `no data` where a figure cannot be made."""
    if row.without_data:
        line = Line(f" {row.without_data} without data", "ink bold" if chosen else "ink-2")
        return line.right(Line("enter ", "accent"), width)
    if row.entry is None:
        return Line(f" {row.theme} ", "ink-3").rule(width - 1) if row.theme else Line()
    absent = row.entry.name in missing
    ink = "ink-3" if absent else "ink bold" if chosen else "ink"
    line = Line(" ").cell(row.entry.number, NUMBER - 1, "ink-3", right=True).to(NUMBER + 2)
    line.add(row.entry.name, ink)
    return line.right(Line("no data ", "ink-3"), width) if absent else line.clip(width)


class FigureList(LineView):
    """All figures; the cursor is on the one that is shown."""

    BINDINGS = keys.bindings("list")

    def __init__(self) -> None:
        super().__init__(id="figure-list")
        self.rows: list[FigureListRow] = list_rows(False)
        self.missing: Mapping[str, str] = {}
        self._unfolded = False
        """Whether the figures without data are listed."""
        self.cursor = 1

    def row_count(self) -> int:
        """Headings, figures and blanks."""
        return len(self.rows)

    def is_choosable(self, row: int) -> bool:
        """The cursor stands on figures, and where those without data are folded."""
        return self.rows[row].entry is not None or self.rows[row].without_data > 0

    def draw(self, row: int, line: int, width: int) -> Line:
        """A line of the list."""
        return draw(self.rows[row], self.missing, width, row == self.cursor)

    @property
    def chosen(self) -> FigureEntry | None:
        """The figure under the cursor."""
        return None if self.cursor is None else self.rows[self.cursor].entry

    @property
    def on_fold(self) -> bool:
        """Whether the cursor is on the line that stands for the figures without data."""
        return self.cursor is not None and self.rows[self.cursor].without_data > 0

    def fold(self) -> None:
        """List the figures without data below that line, or hide them."""
        self._unfolded = not self._unfolded
        self._list_rows()

    def go_to(self, name: str) -> None:
        """The cursor to a figure."""
        if name in self.missing and not self._unfolded:
            self.fold()
        names = [row.entry.name if row.entry else None for row in self.rows]
        self.move_to(names.index(name), tell=False)

    def put(self, missing: Mapping[str, str]) -> None:
        """Take in which figures cannot be made; the one under the cursor stays in sight.

        Where a person has chosen none yet, the first one with data is gone to.
        """
        if missing != self.missing:
            is_first, self.missing = not self.missing and self.cursor == 1, missing
            lacks = self.chosen is not None and self.chosen.name in missing
            goes = is_first and lacks and len(missing) < len(CATALOGUE)
            self._unfolded |= lacks and not goes
            self._list_rows()
            if goes:
                self.cursor = None
                self.move_to(1)
        self.refresh_changed()

    def _list_rows(self) -> None:
        """List all anew, with blank lines where all of it is in sight then."""
        row = None if self.cursor is None else self.rows[self.cursor]
        roomy = list_rows(True, self.missing, self._unfolded)
        fits = len(roomy) <= self.size.height
        self.rows = roomy if fits else list_rows(False, self.missing, self._unfolded)
        self.cursor = self.rows.index(row) if row in self.rows else 1
        self.refresh_changed()
        if self.size.height:
            self.show_row(self.cursor)

    def on_resize(self, event: events.Resize) -> None:
        """Blank lines between the themes where all of it is in sight then."""
        self._list_rows()
        super().on_resize(event)


class FigureView(LineView):
    """The figure in lines; the cursor stands on its rows, and on one number of a row."""

    BINDINGS = keys.bindings("list")

    def __init__(self) -> None:
        super().__init__(id="figure-view")
        self.figure: Figure | None = None
        self.tabled = False
        self.point = 0
        self._words: Sequence[Line] = ()
        self._content: list[FigureLine] = []
        self._kept: FigureLine | None = None

    def row_count(self) -> int:
        """Lines at the present size."""
        return len(self._content)

    def is_choosable(self, row: int) -> bool:
        """The cursor stands on rows with numbers."""
        return bool(self._content[row].places)

    def draw(self, row: int, line: int, width: int) -> Line:
        """One line; the name on the cursor's is bold."""
        one = self._content[row].line
        if row != self.cursor:
            return Line().join(one)
        bold = Line()
        for place, span in enumerate(one.spans):
            bold.put(span._replace(role=f"{span.role} bold") if place == 1 else span)
        return bold

    @property
    def chosen(self) -> FigureLine | None:
        """The row under the cursor."""
        return None if self.cursor is None else self._content[self.cursor]

    def put(self, figure: Figure | None, table: bool, words: Sequence[Line] = ()) -> None:
        """Show a figure, or words where there is none; the cursor stays on its row."""
        other = figure is None or self.figure is None or figure.name != self.figure.name
        self.figure, self.tabled, self._words = figure, table, words
        if other:
            self.point, self.cursor, self._kept = 0, None, None
        self._make()
        if other:
            self._scroll(0)

    def move_by(self, rows: int) -> None:
        """To another row; beyond the last one to what stands below, its notes and caption."""
        before = self.cursor
        super().move_by(rows)
        if before is not None and self.cursor == before:
            self._scroll(self.scroll_y + rows)

    def sentence(self, row: int) -> Line | None:
        """All numbers of a row; those of a figure without them as they are drawn."""
        one = self._content[row]
        if self.figure is None or not one.places:
            return None
        point = min(self.point, len(one.places) - 1)
        return detail(self.figure, one, point, SPOKEN_ROOM, spoken=True)

    @property
    def row_called(self) -> tuple[str | None, int]:
        """The name of the row under the cursor, and how many of that name stand above it."""
        if self.cursor is None or self.chosen is None:
            return None, 0
        name = self.chosen.name
        return name, sum(one.name == name for one in self._numbered[: self.cursor])

    @property
    def _numbered(self) -> list[FigureLine]:
        return [one if one.places else FigureLine(Line()) for one in self._content]

    def go_to(self, name: str | None, turn: int, point: int, height: int) -> None:
        """The cursor to a row and a number of it, at a height on the screen."""
        rows = [row for row, one in enumerate(self._content) if one.places and one.name == name]
        if turn < len(rows):
            self.hold_cursor(rows[turn], height)
            self.point = 0
            self.side(point)

    def side(self, step: int) -> None:
        """Another number of the row."""
        if self.chosen is not None:
            self.point = min(max(self.point + step, 0), len(self.chosen.places) - 1)

    def _make(self) -> None:
        """Make all lines anew, for another figure or size."""
        if self.chosen is not None:
            self._kept = self.chosen
        width, height = self.size.width, self.size.height
        if not width:  # hidden: drawn when it has room
            self._content, self.cursor = [], None
            return
        self._content = self._lines_in(width, height)
        if len(self._content) > height:  # the scroll bar takes a column
            self._content = self._lines_in(width - self.styles.scrollbar_size_vertical, height)
        self.cursor = self._find_kept_row()
        if self.chosen is not None:
            self.point = min(self.point, len(self.chosen.places) - 1)
        self.refresh_changed()

    def _lines_in(self, width: int, height: int) -> list[FigureLine]:
        """The figure, its table, or the words in its place, in so much room."""
        if self.figure is None or self.figure.missing:
            return [
                FigureLine(Line(" ").join(line))
                for one in self._words
                for line in wrap_spans(one.spans or [Span("", "ink")], width - 2)
            ]
        if self.tabled:
            return draw_table(self.figure, width)
        return draw_figure(self.figure, FigureRoom(width, height), self.look)

    def _find_first_row(self) -> int | None:
        return next((row for row, one in enumerate(self._content) if one.places), None)

    def _find_kept_row(self) -> int | None:
        """The row that the cursor was on, by its name and panel, else by its name."""
        if self._kept is None:
            return self._find_first_row()
        kept = self._kept
        rows = [(row, one) for row, one in enumerate(self._content) if one.places]
        same = [row for row, one in rows if (one.name, one.places) == (kept.name, kept.places)]
        alike = [row for row, one in rows if one.name == kept.name]
        return next(iter((*same, *alike)), self._find_first_row())

    def on_resize(self, event: events.Resize) -> None:
        """Other room."""
        self._make()
        super().on_resize(event)
        if self.cursor is not None:  # other panels may stand on its line now
            self.post_message(self.CursorMoved(self, self.cursor))


class Detail(LineWidget):
    """The numbers under the cursor."""

    def draw(self, width: int) -> Line:
        """Numbers of all panels in the row."""
        view = self.screen.query_one(FigureView)
        if view.figure is None or view.chosen is None or self.look.is_spoken:
            return Line()  # who hears the row hears its numbers
        return detail(view.figure, view.chosen, view.point, width)


class FigurePanes(ScreenPanes):
    """Panes that show a state: figures at the left, the chosen one at the right.

    Below 100 columns one of the two.
    """

    SCOPED_CSS = False  # what is seen depends on the screen's size class
    DEFAULT_CSS = """
    FigurePanes #figures { dock: left; width: 33; height: 100%; }
    .-wide FigurePanes #figures { width: 40; }
    FigurePanes #figure { height: 1fr; }
    FigurePanes Detail { dock: bottom; }
    .-narrow FigurePanes #figures { display: none; width: 100%; }
    .-narrow.-listing FigurePanes #figures { display: block; }
    .-narrow.-listing FigurePanes #figure { display: none; }
    """

    def __init__(self, state: FiguresState) -> None:
        super().__init__()
        self._state = state
        self.list_view, self.figure_view, self.detail = FigureList(), FigureView(), Detail()

    def compose(self) -> ComposeResult:
        """List and figure."""
        with Pane(id="figures"):
            yield self.list_view
        with Pane(id="figure"):
            yield self.figure_view
            yield self.detail

    def on_mount(self) -> None:
        """A title that stays."""
        self.query_one("#figures", Pane).title(Line("Figures"))
        self.figure_pane.title(sentences.title(self._state.name))

    @property
    def figure_pane(self) -> Pane:
        """The pane that says that a figure is being made, and why it could not be."""
        return self.query_one("#figure", Pane)

    @property
    def listing(self) -> bool:
        """Whether the focus is in the list."""
        return self.screen.focused is self.list_view

    @property
    def position(self) -> FiguresPosition:
        """The figure as it is asked for, and the row under the cursor."""
        now, view = self._state, self.figure_view
        if now.sought is not None:
            return now.sought
        return FiguresPosition(
            now.name,
            now.models,
            now.intervals,
            now.tabled,
            not self.listing,
            *view.row_called,
            view.point,
            view.cursor_height,
            now.set_name,
        )

    def paint(self) -> None:
        """Show all of the state."""
        now = self._state
        self.list_view.put(now.missing)
        self.figure_view.put(now.figure, now.tabled, sentences.explain_missing(now.figure))
        self._hold()
        self.figure_pane.title(sentences.title(now.name, now.set_name if now.has_sets else None))
        self.figure_pane.edge(sentences.edge(now.figure))
        self.detail.refresh_changed()

    def _hold(self) -> None:
        """Bring the cursor to where it is sought, once the figure is there."""
        sought, figure = self._state.sought, self._state.figure
        if sought is not None and figure is not None and figure.name == self._state.name:
            self._state.sought = None
            self.figure_view.go_to(sought.row, sought.turn, sought.point, sought.height)
