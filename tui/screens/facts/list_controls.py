"""What keys do to the list as a whole: its columns, its views, the list as a file and as rows."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from core.errors import LostkeysError
from core.views import saved_views
from core.views.fact_columns import SORTED, START
from core.views.fact_query import query_of
from core.views.list_file import count_facts
from core.views.saved_views import FACTS, READY_MADE, ReadViews, SavedView
from tui.dialogs.columns_dialog import ChosenColumns, ColumnsDialog
from tui.dialogs.confirm_dialog import Confirm
from tui.dialogs.line_dialog import AskLine
from tui.dialogs.list_file_dialog import ReadTable, ask_and_write, copy_rows
from tui.dialogs.save_view_dialog import NamedParts, SaveView
from tui.dialogs.views_dialog import ViewsDialog, ViewStep
from tui.screens.facts.list_pane import ListPane
from tui.screens.facts.loader import column_offers, read_facts, to_save
from tui.screens.facts.state import FactsState
from tui.text.line import Line

if TYPE_CHECKING:
    from core.views.session import Session
    from core.views.snapshot import Snapshot
    from tui.app.services import AppServices

HEADING = "Views of Facts"


class ListControls:
    """Changes the list of facts as a whole, and writes it."""

    def __init__(self, pane: ListPane) -> None:
        self._pane = pane

    @property
    def _app(self) -> "AppServices":
        return self._pane.lostkeys

    @property
    def _snapshot(self) -> "Snapshot | None":
        """The snapshot of the list; None until there is one."""
        return self._pane.view.snapshot

    # Columns

    def choose_columns(self) -> None:
        """Choose the columns of the list."""
        snapshot, asking = self._snapshot, self._pane.asking
        if snapshot is not None:
            offers, order = column_offers(snapshot), SORTED.get(asking.wanted.order)
            dialog = ColumnsDialog(offers, asking.columns or START, order)
            self._app.push_screen(dialog, self._take_columns)

    def _take_columns(self, chosen: ChosenColumns | None) -> None:
        if chosen is not None:
            self._pane.choose_columns(chosen.names)

    # Files

    def write(self) -> None:
        """Write the list to a file."""
        read, snapshot = self._read_table(), self._snapshot
        if read is not None and snapshot is not None:
            ask_and_write(self._app, read, self._pane.asking.words, snapshot.lens)

    def copy(self) -> None:
        """Copy the rows of the list."""
        read = self._read_table()
        if read is not None:
            copy_rows(self._app, read)

    def _read_table(self) -> ReadTable | None:
        """What makes rows of the list as it is in sight; None while there is none."""
        snapshot, listing = self._snapshot, self._pane.view.listing
        if snapshot is None or listing is None:
            return None
        columns = self._pane.asking.shown_columns
        return partial(read_facts, snapshot, listing.places.tolist(), columns)

    # Views

    def open_views(self) -> None:
        """Show the views, saved and ready-made."""
        self._load(self._show)

    def switch_to(self, digit: int) -> None:
        """Switch to the view of a digit."""

        def switch(read: ReadViews) -> None:
            own = read.of(FACTS)
            if digit <= len(own):
                self._switch(own[digit - 1])
            else:
                why = read.faults[0] if read.faults else "V shows the views, + saves one"
                self._app.say(Line(f"no view {digit}: {why}", "ink-2"))

        self._load(switch)

    def _load(self, then: Callable[[ReadViews], None]) -> None:
        self._app.ask_background("views", lambda _: saved_views.load(), then)

    def _show(self, read: ReadViews, chosen: str | None = None) -> None:
        snapshot, words = self._snapshot, self._pane.asking.words
        if snapshot is None:
            return
        own = read.of(FACTS)
        chosen = chosen or words.view or None
        seen = replace(words, columns=self._pane.asking.columns or ())
        dialog = ViewsDialog(HEADING, seen, own, READY_MADE, snapshot.lens, read.faults, chosen)
        self._app.push_screen(dialog, partial(self._do, read))
        self._count(dialog, [*own, *READY_MADE])

    def _count(self, dialog: ViewsDialog, views: list[SavedView]) -> None:
        """Count the rows of views, one after the other while they are in sight."""
        lens = self._app.lens
        if not views or lens is None:
            return
        view, *rest = views

        def count(session: "Session") -> int:
            return count_facts(session, query_of(view.where, view.sort), view.lens.change(lens))

        def take(rows: int) -> None:
            if dialog.is_open:
                dialog.put_rows(view, rows)
                self._count(dialog, rest)

        self._app.ask("view rows", count, take, lambda _: self._count(dialog, rest))

    def _do(self, read: ReadViews, step: ViewStep | None) -> None:
        if step is None:
            return
        view = step.view
        if view is None:
            self._ask_name(read)
        elif step.what == "switch":
            self._switch(view)
        elif step.what == "shift":
            self._change(partial(saved_views.shift, view, step.step), view.name)
        elif step.what == "rename":
            dialog = AskLine("name", "Another name of the view", view.name, saved_views.wrong_name)
            self._app.push_screen(dialog, partial(self._rename, view))
        else:
            question = f"Remove the view {view.name}?"
            dialog_ = Confirm("remove", question, "removes it", "leaves it")
            self._app.push_screen(dialog_, partial(self._remove, view))

    def _rename(self, view: SavedView, name: str | None) -> None:
        if name is not None and name != view.name:
            self._change(partial(saved_views.rename, view, name), name)

    def _remove(self, view: SavedView, yes: bool | None) -> None:
        if yes:
            self._change(partial(saved_views.remove, view), None)

    def _change(self, work: Callable[[], ReadViews], chosen: str | None) -> None:
        """Change the file, and show the views as they are then."""

        def show(read: ReadViews) -> None:
            self._show(read, chosen)

        self._app.write_background(lambda _: work(), show)

    def _ask_name(self, read: ReadViews) -> None:
        snapshot = self._snapshot
        if snapshot is None:
            return
        taken = [view.name for view in read.of(FACTS)]
        name = self._pane.asking.words.view
        dialog = SaveView(name, snapshot.lens, taken)
        self._app.push_screen(dialog, self._save)

    def _save(self, named: NamedParts | None) -> None:
        snapshot = self._snapshot
        if named is None or snapshot is None:
            return
        try:
            view = to_save(named, self._pane.asking, snapshot)
        except LostkeysError as error:
            self._app.report(error)
            return

        def say(read: ReadViews) -> None:
            asking = self._pane.asking
            self._pane.name_view(replace(asking.words, view=view.name))
            digit = [one.name for one in read.of(FACTS)].index(view.name) + 1
            said = Line("saved as ", "ink-2").add(view.name)
            self._app.say(said.add(f"  alt+{digit}", "accent bold") if digit <= 9 else said)

        self._app.write_background(lambda _: saved_views.save(view), say)

    def _switch(self, view: SavedView) -> None:
        """Show what a view shows, under its lens; the cursor stays on its fact."""
        lens, snapshot = self._app.lens, self._snapshot
        self._pane.go_to(FactsState.of_view(view), *self._pane.held)
        if lens is None or snapshot is None:
            return
        changed = view.lens.change(lens)
        if view.lens.model is not None and view.lens.model not in snapshot.models:
            said = Line("no answers here of ", "ink-2").add(view.lens.model)
            self._app.say(said.add(f", the model of {view.name}", "ink-2"))
            changed = replace(changed, model=lens.model)
        if changed != lens:
            self._app.set_lens(changed)
