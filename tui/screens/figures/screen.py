"""The Figures screen: the paper's figures from one's own data, through the lens."""

from collections.abc import Callable
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
from core.views import figure_reader
from core.views.figure_reader import FigureFound, FigureRequest
from tui import keys
from tui.app.loader import Loader
from tui.dialogs.choice_dialog import Choose, Option, SubsetChoice
from tui.screens.base_screen import BaseScreen
from tui.screens.figures import render_table, save_dialog, sentences
from tui.screens.figures.figure_facts import FactsBehind, facts_behind
from tui.screens.figures.sentences import NO_FACTS
from tui.screens.figures.state import FiguresPosition, FiguresState
from tui.screens.figures.widgets import FigurePanes
from tui.widgets.line_view import LineView
from tui.widgets.pane_layout import Split

if TYPE_CHECKING:
    from core.dataset.fact_filters import Filters
    from core.views.lens import Lens
    from core.views.snapshot import Snapshot


# Reading for the Figures screen: the chosen figure, made again where something is written.

EVERY = 2.0
"""Seconds after which a figure is made again where answers or labels come."""


class FigureLoader:
    """Has the figure made that a state asks for; what was shown stays until it is there."""

    def __init__(self, state: FiguresState, panes: FigurePanes) -> None:
        self._state, self._panes = state, panes
        self._loader = Loader(panes, lambda: panes.figure_pane)
        self._of: Snapshot | None = None
        """The snapshot that the figure was asked for with last."""
        self._last = 0.0
        self._later: Timer | None = None

    @property
    def busy(self) -> bool:
        """Whether a figure is being made."""
        return self._loader.busy

    @property
    def failed(self) -> bool:
        """Whether there is nothing newer, which the pane says."""
        return self._loader.error is not None

    def follow(self, snapshot: "Snapshot") -> None:
        """Make the figure again where another lens, or what was written, changes it."""
        before = self._of
        if before is None or self._build_request(snapshot) != self._build_request(before):
            self.request_figure()
        elif snapshot.lens == before.lens or not _same_data(snapshot, before):
            self._request_later()
        else:  # another model or setting is looked at, which figures do not go by
            self._of = snapshot

    def stop(self) -> None:
        """Nothing is waited for: another database is opened."""
        self._of = None
        self._loader.stop()

    def request_figure(self) -> None:
        """Have the chosen figure made."""
        services = self._panes.base.lostkeys
        snapshot = services.snapshot
        if snapshot is None:
            return
        self._of, self._last = snapshot, monotonic()
        if self._later is not None:
            self._later.stop()
            self._later = None
        if services.load_error is not None:
            self._last = 0.0
            self._loader.fail(services.load_error)
        elif not len(snapshot.index):
            self._loader.stop()
            self._take(FigureFound(Figure("", self._state.name, "", missing=NO_FACTS)))
        else:
            asked, again = self._build_request(snapshot), self._loader.error is not None
            self._loader.load(
                "figure",
                lambda session: figure_reader.figure(session, asked, again),
                self._take,
                self._miss,
                aside=True,
            )

    def find_facts(self, one: FactsBehind, lens: "Lens", then: "Callable[[Filters], None]") -> None:
        """Have the facts found that stand behind a number."""
        self._panes.base.lostkeys.ask(
            "figure facts",
            lambda session: figure_reader.facts(
                session, one.where, one.model, lens.policy, one.words
            ),
            then,
        )

    def _build_request(self, snapshot: "Snapshot") -> FigureRequest:
        now = self._state
        set_name = now.set_name if BY_NAME[now.name].is_of_set else None
        return FigureRequest.from_lens(now.name, snapshot.lens, now.models, now.intervals, set_name)

    def _request_later(self) -> None:
        """Make the figure again, as something was written: not at every answer of a job."""
        rest = self._last + EVERY - monotonic()
        if rest <= 0:
            self.request_when_idle()
        elif self._later is None:
            self._later = self._panes.set_timer(rest, self.request_when_idle)

    def request_when_idle(self) -> None:
        """Make the figure again; what takes long is not begun anew before it is there."""
        if self._loader.busy:
            self._later = self._panes.set_timer(EVERY, self.request_when_idle)
        else:
            self.request_figure()

    def _take(self, found: FigureFound) -> None:
        self._state.take(found)
        self._panes.base.paint()

    def _miss(self, error: LostkeysError) -> None:
        self._last = 0.0  # it is tried again as soon as there is something new
        shown = self._state.figure
        if shown is None or shown.name != self._state.name:  # another one is not to be seen for it
            self._state.figure = Figure("", self._state.name, "", missing=str(error))
            self._panes.base.paint()


def _same_data(one: "Snapshot", other: "Snapshot") -> bool:
    """Whether nothing was written between two snapshots."""
    return one.tally is other.tally and one.index is other.index


OF_FIGURE = frozenset(("save", "copy", "table", "intervals"))
"""Actions on the figure that is chosen, which wait until it is made."""


class FiguresScreen(BaseScreen):
    """Choose a figure, and go from its numbers to the facts behind them."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("figures")
    tab = "figures"
    position_type = FiguresPosition
    splits = (Split("figures", "figure"),)

    def __init__(self) -> None:
        super().__init__()
        self.state = FiguresState()
        self.panes = FigurePanes(self.state)
        self.loader = FigureLoader(self.state, self.panes)

    def body(self) -> ComposeResult:
        """List and figure."""
        yield self.panes

    def on_mount(self) -> None:
        """Begin in the list, or in the figure where that alone is seen."""
        self.panes.list_view.go_to(self.state.name)
        self.go(self.panes.figure_view if self.narrow else self.panes.list_view)

    # What the app asks for

    @property
    def model_words(self) -> str | None:
        """Figures show all models, or those that were chosen."""
        snapshot = self.lostkeys.snapshot
        if snapshot is None or not snapshot.models:
            return None
        return sentences.models(self.state.models, snapshot.models)

    @property
    def summary(self) -> str:
        """How many figures can be made, and the one that is shown."""
        return self.state.summary

    def show_snapshot(self, snapshot: "Snapshot") -> None:
        """Another lens, or other answers and labels."""
        self.state.keep_models(snapshot.models)
        self.loader.follow(snapshot)

    @property
    def position(self) -> FiguresPosition:
        """The figure as it is asked for, and the row under the cursor."""
        return self.panes.position

    def take_position(self, position: FiguresPosition) -> None:
        """Show the figure that was shown, with the cursor on the same row."""
        self.state.go_to(position)
        self.panes.list_view.go_to(self.state.name)
        self.go(self.panes.figure_view if position.inside else self.panes.list_view)
        self.panes.figure_pane.title(sentences.title(self.state.name))
        self.loader.request_figure()

    def forget(self) -> None:
        """Another database is opened."""
        self.state.clear()
        self.loader.stop()
        self.paint()

    def reload(self) -> None:
        """Make the figure again."""
        self.loader.request_figure()

    def paint_panes(self) -> None:
        """Both."""
        self.panes.paint()

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that do something now."""
        figure = self.state.figure
        if action in ("save", "copy", "table", "intervals"):
            return figure is not None and bool(figure.panels)
        if action == "set":
            return self.state.is_of_set
        return action != "open" or figure is not None or self.panes.listing

    @property
    def takes_keys(self) -> bool:
        """Whether the figure that the next key is for is made, or cannot be."""
        figure, key = self.state.figure, self.lostkeys.key_queue.next_key
        if self.loader.failed or (figure is not None and figure.name == self.state.name):
            return True
        return OF_FIGURE.isdisjoint(self.find_actions(key))

    def action_open(self) -> None:
        """From the list into the rows; from a row the facts behind its number."""
        figure, view = self.state.figure, self.panes.figure_view
        if self.panes.listing and self.panes.list_view.on_fold:
            self.panes.list_view.fold()
        elif figure is not None and figure.missing and not self.loader.failed:
            self.lostkeys.say(figure.missing)
        elif self.panes.listing:
            self.go(view)
        elif view.chosen is not None:
            self._open_facts()

    def _open_facts(self) -> None:
        figure, view, snapshot = self.state.figure, self.panes.figure_view, self.lostkeys.snapshot
        if figure is None or view.chosen is None or snapshot is None:
            return
        one = facts_behind(figure, view.chosen, view.point, snapshot.models)

        def open_found(filters: "Filters") -> None:
            self.lostkeys.places.jump("facts", filters, model=one.model)

        if one.where:
            self.loader.find_facts(one, snapshot.lens, open_found)
        else:
            self.lostkeys.say(sentences.NOTHING_BEHIND)

    @property
    def outermost(self) -> bool:
        """In the list."""
        return self.panes.listing

    def step_out(self) -> None:
        """To the list."""
        self.go(self.panes.list_view)

    def action_side(self, step: int) -> None:
        """Another number of the row; from the list into the figure."""
        if not self.panes.listing:
            self.panes.figure_view.side(step)
            self._refresh_detail()
        elif step > 0:
            self.go(self.panes.figure_view)

    def _refresh_detail(self) -> None:
        self.panes.detail.refresh_changed()
        self.panes.figure_view.refresh_changed()
        self.refresh_frame()

    def action_table(self) -> None:
        """As a table of numbers, or as a figure."""
        self.state.tabled = not self.state.tabled
        self.paint()

    def action_intervals(self) -> None:
        """With intervals, or without."""
        self.state.intervals = not self.state.intervals
        self.lostkeys.say(sentences.intervals(self.state.intervals))
        self.loader.request_figure()

    def action_copy(self) -> None:
        """Copy all numbers, tab-separated."""
        figure = self.state.figure
        if figure is not None:
            self.app.copy_to_clipboard(render_table.format_copy(figure))
            self.lostkeys.say(sentences.describe_copy(figure))

    def action_save(self) -> None:
        """Save as SVG, PNG or PDF."""
        if self.state.figure is not None:
            save_dialog.ask_and_save(self.lostkeys, self.state.figure)

    def action_set(self) -> None:
        """Choose the set of triples that the figure is of."""
        if not self.state.has_sets:
            self.lostkeys.say(sentences.NO_OTHER_SET)
            return
        options = [Option(name, name) for name in self.state.sets]
        from tui.dialogs.removal_dialog import remover

        remove = remover(self.lostkeys, "set")
        dialog = Choose("set", options, self.state.set_name, remove)
        self.app.push_screen(dialog, self._show_set)

    def _show_set(self, name: str | None) -> None:
        if name is not None:
            self.state.choose_set(name)
            self.loader.request_figure()

    def choose_models(self) -> bool:
        """Choose which models figures show."""
        snapshot = self.lostkeys.snapshot
        if snapshot is None or len(snapshot.models) < 2:
            return False
        shown = self.state.models or snapshot.models
        self.app.push_screen(SubsetChoice("models", snapshot.models, shown), self._show_models)
        return True

    def _show_models(self, models: tuple[str, ...] | None) -> None:
        snapshot = self.lostkeys.snapshot
        if models is not None and snapshot is not None:
            self.state.choose_models(models, snapshot.models)
            self.loader.request_figure()
            self.refresh_frame()

    # Focus

    def go(self, view: Widget) -> None:
        """Focus a pane; where there is room for one, it is seen instead of the other."""
        self.set_class(view is self.panes.list_view, "-listing")
        self.set_focus(view)

    def focus_next(self, selector: object = "*") -> Widget | None:
        """List and figure in turn."""
        panes = self.panes
        view: LineView = panes.figure_view if panes.listing else panes.list_view
        self.go(view)
        return view

    def focus_previous(self, selector: object = "*") -> Widget | None:
        """The same: there are two."""
        return self.focus_next()

    # Events

    @on(LineView.CursorMoved)
    def follow_cursor(self, event: LineView.CursorMoved) -> None:
        """Another figure is chosen, or another row of it."""
        event.stop()
        view = self.panes.list_view
        entry = view.chosen
        if event.view is view and entry is not None and entry.name != self.state.name:
            self.state.choose(entry.name)
            self.loader.request_figure()
        self._refresh_detail()

    @on(LineView.RowClicked)
    def open_clicked(self, event: LineView.RowClicked) -> None:
        """A second click is as good as enter."""
        event.stop()
        if event.again:
            event.view.focus()
            self.call_after_refresh(self.action_open)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The pane with the focus is the one that is seen where there is room for one."""
        self.set_class(self.panes.listing, "-listing")
        self.refresh_frame()

    def on_resize(self, event: events.Resize) -> None:
        """Other room."""
        if self.narrow and self.focused is None:
            self.go(self.panes.figure_view)
