"""The list of facts as views name it and as files hold it, its filters and columns."""

from dataclasses import replace
from functools import partial

from core.dataset.fact_filters import Filters
from core.errors import UsageError
from core.stats.number_format import format_amount
from core.views.fact_columns import SORTED, START
from core.views.filter_choices import Choices
from core.views.list_words import ListWords
from core.views.saved_views import SavedView
from tui.dialogs.columns_dialog import ChosenColumns, ColumnsDialog
from tui.dialogs.list_file_dialog import ReadTable
from tui.dialogs.save_view_dialog import NamedParts
from tui.screens.facts.list_pane import ListPane
from tui.screens.facts.loader import column_offers, read_facts, to_save
from tui.screens.facts.state import FactsState
from tui.text.line import Line


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

    @property
    def viewed(self) -> ListWords | None:
        """The view that it comes from, as it was then."""
        return self._pane.asking.viewed

    def name_view(self, viewed: ListWords | None) -> None:
        """Say that it comes from a view, or from none."""
        self._pane.name_view(viewed)

    # Filters

    def open(self, filters: Filters | None, fact: str | None) -> None:
        """Show the facts that filters let through, with the cursor on one of them.

        Without filters the list stays as it is, if the fact is in it.
        """
        asking = self._pane.asking
        if filters is not None or not self._pane.holds(fact):
            asking = replace(asking, search="", filters=filters or Filters())
        self._pane.go_to(asking, fact, self._pane.view.cursor_height)
        self._say_filters(filters or Filters())

    def ask_filters(self) -> None:
        """Choose what to filter by."""
        app = self._pane.lostkeys
        app.ask_dialog("choices", lambda session: session.choices(), self._offer_filters)

    def _offer_filters(self, choices: Choices) -> None:
        from tui.dialogs.filter_dialog import FilterForm

        form = FilterForm(self._pane.asking.filters, choices)
        self._pane.lostkeys.push_screen(form, self._take_filters)

    def clear_filters(self) -> None:
        """No filters, and no view."""
        self._pane.asking = replace(self._pane.asking, viewed=None)
        self._take_filters(Filters())

    def _take_filters(self, filters: Filters | None) -> None:
        if filters is None or filters == self._pane.asking.filters:
            return
        self._pane.filter(filters)
        self._say_filters(filters)
        self._pane.screen.refresh_bindings()

    def _say_filters(self, filters: Filters) -> None:
        if filters.count:
            said = Line(format_amount(filters.count, "filter"), "ink-2")
            self._pane.lostkeys.say(said.add("  F ", "accent bold").add("clears", "ink-2"))

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
