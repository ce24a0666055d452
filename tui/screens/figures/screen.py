"""The Figures screen: the paper's figures from one's own data, through the lens."""

from collections.abc import Mapping
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.timer import Timer
from textual.widget import Widget

from core.errors import LostkeysError
from core.figures.figure import Figure
from core.figures.figure_table import BY_NAME
from core.stats.paired_tests import prepare
from core.views import figure_reader
from core.views.figure_reader import FigureRequest
from tui import keys
from tui.app.loader import Loader
from tui.screens.audit_screen import AuditScreen
from tui.screens.figures import model_choice, render_table, save_dialog
from tui.screens.figures.render_detail import Behind, behind
from tui.screens.figures.state import FiguresPosition, FiguresState
from tui.screens.figures.widgets import Detail, FigureList, FigureView
from tui.text.line import Line
from tui.theme.glyphs import spell
from tui.widgets.line_view import LineView
from tui.widgets.pane import Pane
from tui.widgets.pane_layout import Split

if TYPE_CHECKING:
    from core.dataset.fact_filters import Filters
    from core.views.snapshot import Snapshot

EVERY = 2.0
"""Seconds after which a figure is made again where answers or labels come."""

NO_FACTS = "No facts here yet: import some."


class FiguresScreen(AuditScreen):
    """Figures at the left, the chosen one at the right. Below 100 columns one of the two."""

    DEFAULT_CSS = """
    FiguresScreen #figures { dock: left; width: 33; height: 100%; }
    FiguresScreen.-wide #figures { width: 40; }
    FiguresScreen #figure { height: 1fr; }
    FiguresScreen Detail { dock: bottom; }
    FiguresScreen.-narrow #figures { display: none; width: 100%; }
    FiguresScreen.-narrow.-listing #figures { display: block; }
    FiguresScreen.-narrow.-listing #figure { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("figures")
    tab = "figures"
    position_type = FiguresPosition
    splits = (Split("figures", "figure"),)

    def __init__(self) -> None:
        super().__init__()
        self.known = FiguresState()
        self._of: Snapshot | None = None
        """The snapshot that the figure was asked for with last."""
        self._last = 0.0
        self._loader = Loader(self, lambda: self.query_one("#figure", Pane))
        self._later: Timer | None = None

    def body(self) -> ComposeResult:
        """List and figure."""
        with Pane(id="figures"):
            yield FigureList()
        with Pane(id="figure"):
            yield FigureView()
            yield Detail()

    def on_mount(self) -> None:
        """Begin in the list, or in the figure where that alone is seen."""
        Thread(target=prepare, name="scipy", daemon=True).start()
        self.query_one("#figures", Pane).title(Line("Figures"))
        self._write_title()
        self.list_view.go_to(self.known.name)
        self.go(self.figure_view if self.narrow else self.list_view)

    @property
    def list_view(self) -> FigureList:
        """The list."""
        return self.query_one(FigureList)

    @property
    def figure_view(self) -> FigureView:
        """The figure."""
        return self.query_one(FigureView)

    @property
    def model_words(self) -> str | None:
        """Figures show all models, or those that were chosen."""
        snapshot, chosen = self.lostkeys.snapshot, self.known.models
        if snapshot is None or not snapshot.models:
            return None
        if chosen is None:
            return "all models" if len(snapshot.models) > 1 else None
        return chosen[0] if len(chosen) == 1 else f"{len(chosen)} of {len(snapshot.models)} models"

    # Taking in

    @property
    def summary(self) -> str:
        """The figure that is shown."""
        return self.known.name

    def show_snapshot(self, snapshot: "Snapshot") -> None:
        """Another lens, or other answers and labels: make the figure again."""
        if self.known.models is not None:
            left = tuple(model for model in self.known.models if model in snapshot.models)
            self.known.models = left or None
        before = self._of
        if before is None or self._asked(snapshot) != self._asked(before):
            self.read()
        elif snapshot.lens == before.lens or not _same_data(snapshot, before):
            self._read_later()
        else:  # another model or setting is looked at, which figures do not go by
            self._of = snapshot

    @property
    def position(self) -> FiguresPosition:
        """The figure as it is asked for, and the row under the cursor."""
        now, view = self.known, self.figure_view
        if now.sought is not None:
            return now.sought
        inside = self.focused is not self.list_view
        return FiguresPosition(
            now.name,
            now.models,
            now.intervals,
            now.tabled,
            inside,
            *view.row_called,
            view.point,
            view.cursor_height,
        )

    def take_position(self, position: FiguresPosition) -> None:
        """Show the figure that was shown, with the cursor on the same row."""
        self.known.go_to(position)
        self.list_view.go_to(self.known.name)
        self.go(self.figure_view if position.inside else self.list_view)
        self._write_title()
        self.read()

    def forget(self) -> None:
        """Another database is opened."""
        self.known, self._of = FiguresState(self.known.name), None
        self._loader.stop()
        self.figure_view.put(None, False)
        self.list_view.put({})

    def reload(self) -> None:
        """Make the figure again."""
        self.read()

    def read(self) -> None:
        """Have the chosen figure made; the old one stays until it is there."""
        snapshot = self.lostkeys.snapshot
        if snapshot is None:
            return
        self._of, self._last = snapshot, monotonic()
        if self._later is not None:
            self._later.stop()
            self._later = None
        if self.lostkeys.load_error is not None:
            self._last = 0.0
            self._loader.fail(self.lostkeys.load_error)
            return
        if not len(snapshot.index):
            self._loader.stop()
            self._read((Figure("", self.known.name, "", missing=NO_FACTS), {}))
            return
        asked, again = self._asked(snapshot), self._loader.error is not None
        self._loader.load(
            "figure",
            lambda session: figure_reader.figure(session, asked, again),
            self._read,
            self._miss,
            aside=True,
        )

    def _asked(self, snapshot: "Snapshot") -> FigureRequest:
        now = self.known
        return FigureRequest.of(now.name, snapshot.lens, now.models, now.intervals)

    def _read_later(self) -> None:
        """Make the figure again, as something was written: not at every answer of a job."""
        rest = self._last + EVERY - monotonic()
        if rest <= 0:
            self._read_now()
        elif self._later is None:
            self._later = self.set_timer(rest, self._read_now)

    def _read_now(self) -> None:
        if self._loader.busy:  # what takes so long is not begun anew before it is there
            self._later = self.set_timer(EVERY, self._read_now)
        else:
            self.read()

    def _read(self, found: tuple[Figure, Mapping[str, str]]) -> None:
        self.known.figure, self.known.missing = found
        self.list_view.put(self.known.missing)
        self.show()

    def _miss(self, error: LostkeysError) -> None:
        self._last = 0.0  # it is tried again as soon as there is something new

    # Showing

    def show(self) -> None:
        """Show what is known."""
        figure = self.known.figure
        words = [Line(figure.missing, "ink-2")] if figure is not None and figure.missing else []
        self.figure_view.put(figure, self.known.tabled, words)
        self._hold()
        self._write_title()
        has_panels = figure is not None and bool(figure.panels)
        self._edge(Line("w saves SVG, PNG or PDF" if has_panels else "", "ink-3"))
        self._settle()
        self.refresh_bindings()

    def _hold(self) -> None:
        """Bring the cursor to where it is sought, once the figure is there."""
        sought, figure = self.known.sought, self.known.figure
        if sought is not None and figure is not None and figure.name == self.known.name:
            self.known.sought = None
            self.figure_view.go_to(sought.row, sought.turn, sought.point, sought.height)

    def _write_title(self) -> None:
        entry = BY_NAME[self.known.name]
        title = Line(f"{entry.number} {entry.name}")
        if entry.also:
            title.add(f" {spell('·')} as in {entry.also}", "ink-3")
        self.query_one("#figure", Pane).title(title)

    def _edge(self, line: Line) -> None:
        self.query_one("#figure", Pane).edge(line)

    def _settle(self) -> None:
        self.query_one(Detail).refresh_changed()
        self.refresh_frame()

    def repaint(self) -> None:
        """Paint everything anew (another theme)."""
        self.show()
        for pane in self.query(Pane):
            pane.repaint()
        super().repaint()

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that do something now."""
        if action in ("save", "copy", "table", "intervals"):
            return self.known.figure is not None and bool(self.known.figure.panels)
        if action == "open":
            return self.known.figure is not None
        return True

    def action_open(self) -> None:
        """From the list into the rows; from a row the facts behind its number."""
        figure = self.known.figure
        if figure is None:
            return
        if figure.missing:
            self.lostkeys.say(figure.missing)
        elif self.focused is self.list_view:
            self.go(self.figure_view)
        elif self.figure_view.chosen is not None and self.lostkeys.snapshot is not None:
            models = self.lostkeys.snapshot.models
            one = behind(figure, self.figure_view.chosen, self.figure_view.point, models)
            if one.where:
                self._open_facts(one)
            else:
                self.lostkeys.say("no facts stand behind this number: it counts answers, or none")

    def _open_facts(self, one: Behind) -> None:
        snapshot = self.lostkeys.snapshot
        if snapshot is None:
            return
        policy = snapshot.lens.policy

        def found(filters: "Filters") -> None:
            self.lostkeys.places.jump("facts", filters, model=one.model)

        self.lostkeys.ask(
            "figure facts",
            lambda session: figure_reader.facts(session, one.where, one.model, policy, one.words),
            found,
        )

    @property
    def outermost(self) -> bool:
        """In the list."""
        return self.focused is self.list_view

    def step_out(self) -> None:
        """To the list."""
        self.go(self.list_view)

    def action_side(self, step: int) -> None:
        """Another number of the row; from the list into the figure."""
        if self.focused is self.list_view:
            if step > 0:
                self.go(self.figure_view)
            return
        self.figure_view.side(step)
        self._settle()

    def action_table(self) -> None:
        """As a table of numbers, or as a figure."""
        self.known.tabled = not self.known.tabled
        self.show()

    def action_intervals(self) -> None:
        """With intervals, or without."""
        self.known.intervals = not self.known.intervals
        words = "intervals: 90 %, bootstrap over facts" if self.known.intervals else "no intervals"
        self.lostkeys.say(words)
        self.read()

    def action_copy(self) -> None:
        """Copy all numbers, tab-separated."""
        if self.known.figure is not None:
            self.app.copy_to_clipboard(render_table.copied(self.known.figure))
            self.lostkeys.say(f"copied the numbers of {self.known.figure.name}, tab-separated")

    def action_save(self) -> None:
        """Save as SVG, PNG or PDF."""
        if self.known.figure is not None:
            save_dialog.ask_and_save(self.lostkeys, self.known.figure)

    def choose_models(self) -> bool:
        """Choose which models figures show."""
        snapshot = self.lostkeys.snapshot
        if snapshot is None or len(snapshot.models) < 2:
            return False
        shown = self.known.models or snapshot.models
        self.app.push_screen(model_choice.ModelChoice(snapshot.models, shown), self._show_models)
        return True

    def _show_models(self, models: tuple[str, ...] | None) -> None:
        snapshot = self.lostkeys.snapshot
        if models is not None and snapshot is not None:
            self.known.models = None if models == snapshot.models else models
            self.read()
            self.refresh_frame()

    # Focus

    def go(self, view: Widget) -> None:
        """Focus a pane; where there is room for one, it is seen instead of the other."""
        self.set_class(view is self.list_view, "-listing")
        self.set_focus(view)

    def focus_next(self, selector: object = "*") -> Widget | None:
        """List and figure in turn."""
        listing = self.focused is self.list_view
        view: LineView = self.figure_view if listing else self.list_view
        self.go(view)
        return view

    def focus_previous(self, selector: object = "*") -> Widget | None:
        """The same: there are two."""
        return self.focus_next()

    # Events

    @on(LineView.Moved)
    def moved(self, event: LineView.Moved) -> None:
        """Another figure is chosen, or another row of it."""
        event.stop()
        entry = self.list_view.chosen
        if event.view is self.list_view and entry is not None and entry.name != self.known.name:
            self.known.name, self.known.sought = entry.name, None
            self.read()
        self._settle()

    @on(LineView.Clicked)
    def clicked(self, event: LineView.Clicked) -> None:
        """A second click is as good as enter."""
        event.stop()
        if event.again:
            event.view.focus()
            self.call_after_refresh(self.action_open)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The pane with the focus is the one that is seen where there is room for one."""
        self.set_class(self.focused is self.list_view, "-listing")
        self.refresh_bindings()
        self.refresh_frame()

    def on_resize(self, event: events.Resize) -> None:
        """Other room."""
        if self.narrow and self.focused is None:
            self.go(self.figure_view)


def _same_data(one: "Snapshot", other: "Snapshot") -> bool:
    """Whether nothing was written between two snapshots."""
    return one.tally is other.tally and one.index is other.index
