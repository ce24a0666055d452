"""Opens the facts behind what is chosen on the Profiles screen, in Facts."""

from core.dataset.fact_filters import Filters
from tui.screens.profiles import render_lens, selection, subset_dialog
from tui.screens.profiles.state import ProfilesState
from tui.screens.profiles.widgets import ProfilesPanes


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
