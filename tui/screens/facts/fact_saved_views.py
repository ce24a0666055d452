"""The list of facts as views name it and as files hold it, its filters and columns."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from core.dataset.fact_filters import Filters, format_where
from core.dataset.subsets import FactKinds, find_passing
from core.errors import UsageError
from core.stats.number_format import format_amount
from core.views.fact_cells import FactCells
from core.views.fact_columns import SORTED, START, columns_of, grade_of, model_of_column
from core.views.filter_choices import Choices
from core.views.list_file import ListTable
from core.views.list_rows import facts_table
from core.views.list_words import ListWords
from core.views.saved_views import SavedView
from core.views.session import Session
from core.views.snapshot import Snapshot
from core.views.snapshot_lookups import SnapshotLookups
from core.views.verdict_reasons import task_words
from tui.dialogs.columns_dialog import ChosenColumns, ColumnOffer, ColumnsDialog
from tui.dialogs.list_file_dialog import ReadTable
from tui.dialogs.save_view_dialog import NamedParts
from tui.screens.facts.list_pane import ListPane
from tui.screens.facts.state import FactsState
from tui.text.line import Line

# What the Facts screen reads of a session beside lists and facts: the rows of a file, columns.

MOST_FACTS = 1_000
"""Single facts that a view holds at most."""

WORDS = {
    "profile": "the profile for the lens's model",
    "title": "title of the document",
    "subject": "who or what the fact is about",
    "object": "what it says of the subject",
    "topic": "its category",
    "type": "type of the object",
    "views": "page views",
    "marks": "graders differ, edited, flagged, noted, Z",
    "note": "the newest note on an answer",
    "number": "its number in this database, as imported",
    "id": "its id wherever it is stored",
}


def read_facts(
    snapshot: Snapshot, places: Sequence[int], columns: tuple[str, ...], session: Session
) -> ListTable:
    """Facts of a snapshot as rows."""
    notes = session.notes() if "note" in columns else {}
    return facts_table(FactCells(snapshot, notes), places, columns)


NO_NUMBER = frozenset({"0"})
"""The number of no fact: a list of single facts of which none is left stays empty."""


def to_save(named: NamedParts, asking: FactsState, snapshot: Snapshot) -> SavedView:
    """The list as a view, which other databases can show too: its facts go by their ids.

    Raises `UsageError` for a list of very many single facts.
    """
    words, filters = asking.words, asking.filters
    if filters.only is not None or filters.numbers:
        alone = Filters(only=filters.only, numbers=filters.numbers)
        mask = find_passing(
            alone, snapshot.index, FactKinds(snapshot.index), SnapshotLookups(snapshot)
        )
        ids = [snapshot.index.fact_ids[place] for place in mask.nonzero()[0].tolist()]
        if len(ids) > MOST_FACTS:
            raise UsageError(f"a view holds {MOST_FACTS:,} single facts at most, not {len(ids):,}")
        if filters.fact_ids:
            ids = [one for one in ids if one in filters.fact_ids]
        nobody = NO_NUMBER if not ids else frozenset[str]()
        filters = replace(filters, only=None, numbers=nobody, fact_ids=frozenset(ids))
    where = format_where(filters, asking.wanted.search)
    return SavedView(named.name, words.name, where, words.sort, asking.columns or (), named.lens)


def column_offers(snapshot: Snapshot) -> list[ColumnOffer]:
    """The columns that there are, and what each holds."""
    return [ColumnOffer(name, _describe_column(name)) for name in columns_of(snapshot)]


def _describe_column(name: str) -> str:
    graded, model = grade_of(name), model_of_column(name)
    if graded is not None:
        task, thinking = graded
        return f"grade of {task_words(task)}, thinking {'on' if thinking else 'off'}"
    return WORDS[name] if model is None else "its profile for this model"


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
