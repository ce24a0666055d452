"""The rows of the Profiles screen, or both tables of a comparison, copied or written to a file."""

from tui.dialogs.list_file_dialog import ask_and_write
from tui.screens.profiles import selection
from tui.screens.profiles.state import ProfilesState
from tui.screens.profiles.widgets import ProfilesPanes
from tui.text.line import Line


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
