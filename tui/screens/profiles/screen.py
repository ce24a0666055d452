"""The Profiles screen: every model's profiles at once, live under every lens key."""

from collections.abc import Callable
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType

from core.dataset.fact_filters import Filters
from core.stats.number_format import format_amount
from core.views.fact_query import FactQuery
from core.views.lens import Lens
from core.views.profiles.profile_rows import RowKind
from core.views.snapshot import Snapshot
from tui import keys
from tui.dialogs.list_file_dialog import ask_and_write
from tui.screens.base_screen import BaseScreen
from tui.screens.profiles import render_bars, render_lens, selection, sentences, subset_dialog
from tui.screens.profiles.bars_view import Bars
from tui.screens.profiles.lens_controls import LensControls
from tui.screens.profiles.loader import ProfileLoader
from tui.screens.profiles.state import ProfilesPosition, ProfilesState
from tui.screens.profiles.widgets import ProfilesPanes
from tui.text.line import Line
from tui.widgets.line_view import LineView
from tui.widgets.line_widget import ClickableLine
from tui.widgets.pane_layout import Split

# The rows of the Profiles screen, or both tables of a comparison, copied or written to a file.


class RowExport:
    """Copies and writes what is in sight, through the lens as it is now."""

    def __init__(self, state: ProfilesState, panes: ProfilesPanes) -> None:
        self._state, self._panes = state, panes

    def copy(self) -> None:
        """Copy the rows as text, or both tables of a comparison."""
        app, view = self._panes.base.lostkeys, self._panes.leading
        lens, start, by = app.lens, app.start_lens, self._panes.by_of(view)
        if lens is None or start is None:
            return
        found = selection.format_copy(self._state, view.rows, by, lens, start)
        if found is not None:
            app.copy(found[0], Line(f"copied {found[1]} as text, with tabs between"))

    def write(self) -> None:
        """Write the rows to a file, or the table of a comparison that has the focus."""
        app, panes = self._panes.base.lostkeys, self._panes
        lens, view = app.lens, panes.leading
        if lens is None:
            return
        if self._state.comparing:
            found = selection.make_comparison_table(self._state, panes.screen.focused is panes.flow)
        else:
            by = panes.by_of(view)
            found = selection.make_row_table(self._state, view.rows, by, lens.model or "")
        if found is not None:
            table = found.table
            ask_and_write(app, lambda _: table, found.words, lens, found.command)
        else:
            app.say("there are no rows to write")


# Opens the facts behind what is chosen on the Profiles screen, in Facts.


class FactOpener:
    """Goes to Facts with the facts of a segment, a cell or a number, or says that none are."""

    def __init__(self, state: ProfilesState, panes: ProfilesPanes) -> None:
        self._state, self._panes = state, panes

    def open_chosen(self) -> None:
        """The facts of the chosen segment or cell."""
        if self._state.comparing:
            self._open_crossed()
            return
        view, found = self._panes.leading, self._state.material
        if view.row is not None and view.chosen is not None and found is not None:
            by = self._panes.by_of(view)
            self._open(subset_dialog.filters_of(found, view.row, by, view.chosen))

    def _open_crossed(self) -> None:
        """The facts of the cell, or those for which the number differs."""
        found, panes = self._state.crossed, self._panes
        if found is None:
            return
        if panes.screen.focused is panes.numbers and panes.numbers.change is not None:
            filters = selection.differing_facts(self._state, found, panes.numbers.change)
        elif panes.flow.table is not None and panes.flow.bracket is not None:
            look = panes.base.lostkeys.look
            filters = selection.cell_facts(self._state, found, panes.flow.bracket, look)
        else:
            return
        self._open(filters, "there are no such facts")

    def open_moved(self) -> None:
        """The facts of the row that moved since the start."""
        app, view = self._panes.base.lostkeys, self._panes.leading
        lens, start = app.lens, app.start_lens
        if view.row is None or lens is None or start is None:
            return
        since = render_lens.describe_start(lens, start, app.look)
        filters = selection.select_moved(self._state, view.row, self._panes.by_of(view))
        if since is None:
            app.say("these are the start values: nothing has moved")
        else:
            self._open(filters, f"no fact has moved since {since}")

    def _open(self, filters: Filters | None, none: str = "") -> None:
        """Show facts in Facts, or say that there are none."""
        app = self._panes.base.lostkeys
        if filters is None:
            app.say(none)
        else:
            app.flush_lens()
            app.places.jump("facts", filters)


class ProfilesScreen(BaseScreen):
    """Move thresholds and strategies and see all bars move; open the facts behind a segment."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("profiles")
    tab = "profiles"
    outer_pane = "models"
    position_type = ProfilesPosition
    splits = (
        Split("profiles", "below", rows=True),
        Split("tasks", "breakdown"),
        Split("flow", "numbers", rows=True),
    )

    def __init__(self) -> None:
        super().__init__()
        self.state = ProfilesState()
        self.panes = ProfilesPanes(self.state)
        self.loader = ProfileLoader(self.state, self.panes)
        self.first_read = self.loader.counts
        self.controls = LensControls(self.state, self.panes, self.loader)
        self.opener = FactOpener(self.state, self.panes)
        self.export = RowExport(self.state, self.panes)

    def body(self) -> ComposeResult:
        """Lens, bars or a comparison, segment."""
        yield self.panes

    def on_mount(self) -> None:
        """Begin in the bars."""
        self.set_focus(self.panes.main)
        self.paint()

    # What the app asks for

    @property
    def model_words(self) -> str | None:
        """Nothing of its own; to who hears it the row says which model it is."""
        models = self.state.by is RowKind.MODELS
        return "the model of the row," if self.is_spoken and models else None

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Take in a snapshot: read again where it counts other labels or facts."""
        start = self.lostkeys.start_lens
        if start is None or not snapshot.models:
            self.state.clear_counts()
            self.paint()
        elif self.state.fits(snapshot, start):
            self.paint()
        else:
            self.loader.request_counts(snapshot.lens)

    def preview_lens(self, lens: Lens) -> bool:
        """Paint a lens at once, unless other labels count under it."""
        found = self.state.material
        if found is None or found.now.graders != lens.ranked:
            return False
        self.paint_panes()
        return True

    @property
    def position(self) -> ProfilesPosition:
        """What is shown, compared and chosen."""
        return self.panes.position

    def take_position(self, position: ProfilesPosition) -> None:
        """Show and compare what was shown and compared, with the same row and segment chosen."""
        self.state.go_to(position)
        self.panes.go_to(position)
        self.loader.request_counts()

    def forget(self) -> None:
        """Nothing is read."""
        self.state.clear()
        self.loader.end_waiting()
        self.paint()

    def reload(self) -> None:
        """Read everything again."""
        snapshot = self.lostkeys.snapshot
        if snapshot is not None and snapshot.models:
            self.state.doubts_of = -1
            self.loader.request_counts(snapshot.lens)

    def status(self) -> Line | None:
        """How many answers all this is from."""
        found = self.state.material
        if found is None:
            return None
        line = Line(self.lostkeys.path.name, "ink-2")
        return line.add(f"  from {format_amount(found.answers, 'answer')}", "ink-3")

    def paint_panes(self) -> None:
        """All of them through the lens as it is now."""
        lens, start, found = self.lostkeys.lens, self.lostkeys.start_lens, self.state.material
        countable = sentences.explain_no_bars(self.lostkeys.snapshot, found) is None
        if lens is not None and start is not None:
            self.state.follow(lens, start, self.panes.has_breakdown, countable)
        self.panes.paint()
        self.loader.work_out_soon()

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that do something now."""
        if action == "unfilter":
            return subset_dialog.is_set(self.state.wanted)
        if self.state.comparing and action in ("rows", "sort", "moved", "intervals"):
            return False
        if action == "compare":
            return self.state.material is not None and bool(self.state.material.models)
        if self.state.comparing:
            return action != "side" or self.focused is self.panes.flow
        if action in ("open", "moved", "side", "copy", "intervals"):
            return self.state.shown is not None and bool(self.panes.main.rows)
        return True

    def action_side(self, step: int) -> None:
        """The segment beside the chosen one, or the cell."""
        if self.state.comparing:
            self.panes.flow.move(0, step)
            return
        view = self.panes.leading
        if view.row is not None:
            self.panes.show_code(render_bars.next_code(view.row.now, view.chosen, step))

    def action_open(self) -> None:
        """The facts of the chosen segment or cell, in Facts."""
        self.opener.open_chosen()

    def action_moved(self) -> None:
        """The facts of the row that moved since the start, in Facts."""
        self.opener.open_moved()

    def action_rows(self) -> None:
        """Models, or the lens's model by topics, types, tiers."""
        self.state.step_rows(self.panes.has_breakdown)
        self.paint()

    @property
    def outermost(self) -> bool:
        """In the bars, of models."""
        return not self.state.comparing and self.state.by is RowKind.MODELS

    def step_out(self) -> None:
        """The bars again, or models again."""
        if self.state.comparing:
            self.state.compare(None)
        else:
            self.state.show_by(RowKind.MODELS)
        self.paint()

    def action_sort(self) -> None:
        """The next order."""
        self.state.step_order()
        self.paint()

    def action_compare(self) -> None:
        """Choose what the lens's model is compared with."""
        self.controls.ask_comparison()

    def action_nudge(self, step: int) -> None:
        """The threshold a hundredth up or down."""
        self.controls.nudge(step)

    def action_typed(self) -> None:
        """Type a threshold."""
        self.controls.ask_threshold()

    def action_intervals(self) -> None:
        """Intervals instead of differences, or differences again."""
        self.state.turn_intervals()
        self.paint()

    def action_copy(self) -> None:
        """Copy the rows as text, or both tables of a comparison."""
        self.export.copy()

    def action_write_list(self) -> None:
        """Write the rows to a file, or the table of a comparison that has the focus."""
        self.export.write()

    def action_filter(self) -> None:
        """Choose which facts the bars are of."""
        self.controls.ask_filters()

    def action_search(self) -> None:
        """Only facts in which something is found."""
        self.controls.ask_search()

    def action_unfilter(self) -> None:
        """All facts again."""
        self.controls.show_facts(FactQuery())

    def action_save(self) -> None:
        """Name the policy, and save it."""
        self.controls.save()

    # Events

    @on(LineView.CursorMoved)
    def follow_cursor(self, event: LineView.CursorMoved) -> None:
        """The cursor is on another row: the lens follows it from model to model."""
        event.stop()
        lens, main = self.lostkeys.lens, self.panes.main
        models = event.view is main and self.panes.by_of(main) is RowKind.MODELS
        row = main.row if models else None
        if row is not None and lens is not None and lens.model != row.name:
            self.lostkeys.look_at(row.name)
            return
        self.panes.paint_segment()

    @on(Bars.CodeWanted)
    def show_code(self, event: Bars.CodeWanted) -> None:
        """The segment that the only row, or a click on one of its profiles, asks for."""
        event.stop()
        self.panes.show_code(event.code)

    @on(LineView.RowClicked)
    def open_clicked(self, event: LineView.RowClicked) -> None:
        """A second click on a segment is as good as enter."""
        event.stop()
        if event.again:
            self.call_after_refresh(self.action_open)
        else:
            self.panes.paint_segment()

    @on(ClickableLine.PartPressed)
    def take_click(self, event: ClickableLine.PartPressed) -> None:
        """A click on the slider, a strategy, graders, facts, rows or the order."""
        event.stop()
        kind, _, value = event.part.partition(":")
        if kind == "tau":
            self.controls.set_threshold(value)
        elif kind == "strategy":
            self.controls.set_strategy(value)
        elif kind == "by":
            self.state.show_by(RowKind(value))
            self.paint()
        else:
            acts: dict[str, Callable[[], object]] = {
                "typed": self.action_typed,
                "grader": self.lostkeys.action_grader,
                "facts": self.action_filter,
                "enter": self.action_open,
                "C": self.action_compare,
                "r": partial(self.call_next, self.app.run_action, "start"),
                "F4": partial(self.call_next, self.app.run_action, "visit('confusion')"),
            }
            acts.get(kind, self.action_sort)()

    @on(Bars.WidthChanged)
    def fit_bars(self, event: Bars.WidthChanged) -> None:
        """Bars are drawn for their width."""
        event.stop()
        self.paint_panes()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The segment is that of the bars with the focus."""
        if isinstance(event.widget, Bars) and not self.state.comparing:
            self.panes.activate_leading()
            self.panes.paint_segment()
        elif self.state.comparing:
            self.panes.paint_segment()

    def on_resize(self, event: events.Resize) -> None:
        """Other room, and perhaps other panes."""
        if not self.panes.has_breakdown and not self.state.comparing:
            self.set_focus(self.panes.main)
        self.paint()
