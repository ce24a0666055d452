"""The list of facts as views name it and as files hold it, and its columns."""

from dataclasses import replace
from functools import partial

from core.errors import UsageError
from core.views.fact_columns import SORTED, START
from core.views.list_file import ListWords
from core.views.saved_views import SavedView
from tui.dialogs.columns_dialog import ChosenColumns, ColumnsDialog
from tui.dialogs.list_file_dialog import ReadTable
from tui.dialogs.save_view_dialog import NamedParts
from tui.screens.facts.list_pane import ListPane
from tui.screens.facts.loader import column_offers, read_facts, to_save
from tui.screens.facts.state import FactsState


class FactViews:
    """The list of a pane."""

    screen_name = "Facts"

    def __init__(self, pane: ListPane) -> None:
        self._pane = pane

    @property
    def words(self) -> ListWords:
        """Filter, search, order and columns."""
        return self._pane.asking.words

    @property
    def read_table(self) -> ReadTable | None:
        """The facts listed, in their order."""
        view = self._pane.view
        snapshot, listing = view.snapshot, view.listing
        if snapshot is None or listing is None:
            return None
        columns = self._pane.asking.shown_columns
        return partial(read_facts, snapshot, listing.places.tolist(), columns)

    @property
    def seen(self) -> SavedView:
        """The same with the columns that a person has chosen."""
        words = self.words
        columns = self._pane.asking.columns or ()
        return SavedView("", words.name, words.where, words.sort, columns)

    def as_view(self, named: NamedParts) -> SavedView:
        """The list as a view, its single facts by their ids."""
        snapshot = self._pane.view.snapshot
        if snapshot is None:
            raise UsageError("no facts are listed yet")
        return to_save(named, self._pane.asking, snapshot)

    def show_view(self, view: SavedView) -> None:
        """Ask for what a view asks for; the cursor stays on its fact."""
        self._pane.go_to(FactsState.of_view(view), *self._pane.held)

    def name_view(self, name: str) -> None:
        """Call the list by a name."""
        self._pane.name_view(replace(self.words, view=name))

    # Columns

    def ask_columns(self) -> None:
        """Choose the columns of the list."""
        snapshot, asking = self._pane.view.snapshot, self._pane.asking
        if snapshot is not None:
            offers, order = column_offers(snapshot), SORTED.get(asking.wanted.order)
            dialog = ColumnsDialog(offers, asking.columns or START, order)
            self._pane.lostkeys.push_screen(dialog, self._take_columns)

    def _take_columns(self, chosen: ChosenColumns | None) -> None:
        if chosen is not None:
            self._pane.choose_columns(chosen.names)
