"""The list pane: search, filters, order, and the facts that are asked for."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input

from core.dataset.fact_filters import Filters
from core.errors import LostkeysError
from core.stats.number_format import format_amount
from core.views.fact_query import FactOrder, FactQuery, Listing, find_nearest, keep_places
from core.views.list_words import ListWords
from core.views.snapshot import Snapshot
from tui import keys
from tui.screens.facts.fact_list import FactList, ListHeading
from tui.screens.facts.filter_chips import FilterChips, SearchKey
from tui.screens.facts.state import FactsState
from tui.text.line import Line
from tui.theme.glyphs import spell
from tui.widgets.line_view import LineView
from tui.widgets.pane import Pane, news_line, view_title
from tui.widgets.text_field import TextField

if TYPE_CHECKING:
    from tui.app.app import LostkeysApp

FIELD = 12
"""Cells that the search field keeps beside chips and order."""


class SearchField(TextField):
    """What is searched. The focus comes here by key or click only, not on the way of `tab`."""

    DEFAULT_CSS = "SearchField { width: 1fr; }"
    BINDINGS = keys.bindings("search")

    def __init__(self) -> None:
        super().__init__(placeholder="search", id="search")
        self.can_focus = False

    def enter(self) -> None:
        """Type here from now on."""
        self.can_focus = True
        self.focus()

    def on_mouse_down(self) -> None:
        """A click is as good as the key."""
        self.enter()

    def on_blur(self) -> None:
        """Be passed over again."""
        self.can_focus = False

    def action_leave(self) -> None:
        """On to the list; the cursor belongs on the fact that was found from now on."""
        self.screen.query_one(ListPane).stay()
        self.screen.query_one(FactList).focus()

    def action_clear(self) -> None:
        """Search nothing, and back to the list, where it was."""
        self.value = ""
        self.screen.query_one(FactList).focus()

    def action_move(self, rows: int) -> None:
        """Move in the list while typing."""
        self.screen.query_one(FactList).move_by(rows)


class ListPane(Pane):
    """The facts asked for. `home` is the fact (id) that the cursor belongs on."""

    DEFAULT_CSS = "ListPane Horizontal { height: 1; padding-right: 2; }"

    class FactChosen(Message):
        """The cursor is on another fact, or the fact is to be opened."""

        def __init__(self, fact: int | None, opened: bool = False) -> None:
            super().__init__()
            self.fact, self.opened = fact, opened

    def __init__(self) -> None:
        super().__init__(id="list")
        self.asking = FactsState()
        self.home: int | None = None
        self._sought: tuple[str | None, int] | None = None
        """The fact that the cursor goes to when facts are listed, and at which height."""
        self.snapshot: Snapshot | None = None
        self.waiting = 0
        self._newest: Listing | None = None
        self._load_error: LostkeysError | None = None

    def compose(self) -> ComposeResult:
        """Search row, heading, list."""
        with Horizontal():
            yield SearchKey()
            yield SearchField()
            yield FilterChips()
        yield ListHeading()
        yield FactList()

    def on_mount(self) -> None:
        """Say where we are, though nothing has been read yet."""
        self._write_edges()

    @property
    def lostkeys(self) -> "LostkeysApp":
        """What it may ask of the app."""
        return cast("LostkeysApp", self.app)

    @property
    def view(self) -> FactList:
        """The list itself."""
        return self.query_one(FactList)

    @property
    def fact(self) -> int | None:
        """The fact (id) under the cursor."""
        place = self.view.place
        if place is None or self.snapshot is None:
            return None
        return int(self.snapshot.index.ids[place])

    @property
    def position(self) -> Line:
        """Where in the list the cursor is: `107 of 2,150`."""
        listing, view = self.view.listing, self.view
        if listing is None:
            return Line(spell("…"), "ink-3")
        shown = len(listing.places)
        words = f"{0 if view.cursor is None else view.cursor + 1:,} of {shown:,}"
        if shown != listing.total and (listing.wanted.search or listing.wanted.filters.count):
            words += f", of {listing.total:,}"
        return Line(words, "ink-3")

    @property
    def summary(self) -> str:
        """`131 of 2,150, rare and lost`: how many facts are listed, and by which view."""
        listing = self.view.listing
        if listing is None:
            return ""
        shown, total = len(listing.places), format_amount(listing.total, "fact")
        amount = total if shown == listing.total else f"{shown:,} of {listing.total:,}"
        return ", ".join(filter(None, (amount, self.asking.view_words)))

    # What the screen asks for

    def take(self, snapshot: Snapshot) -> None:
        """Take in a snapshot: in place where it is news, anew where the lens is another."""
        before, self.snapshot = self.snapshot, snapshot
        if before is not None and not _same_facts(before, snapshot):
            self.view.listing = self.view.cursor = self.home = before = None
        shown = self.view.listing
        self.query_one(ListHeading).refresh_changed()
        if before is None or shown is None or not len(shown.places):
            self._ask(self._show)
            return
        self.view.take(snapshot)
        self.view.refresh_changed()
        another = before.lens != snapshot.lens and _depends_on_lens(self.asking.wanted)
        self._ask(self._show if another else self._keep)

    @property
    def held(self) -> tuple[str | None, int]:
        """The fact that the cursor is on, or is to go to, and at which height it stands."""
        fact = self.fact
        if self._sought is not None or fact is None or self.snapshot is None:
            return self._sought or (None, 0)
        return self.snapshot.fact_id(fact), self.view.cursor_height

    def holds(self, fact: str | None) -> bool:
        """Whether a fact is listed."""
        listing, snapshot = self.view.listing, self.snapshot
        found = None if snapshot is None else snapshot.fact_called(fact)
        if listing is None or snapshot is None or found is None:
            return False
        return snapshot.place(found) in listing.places.tolist()

    def go_to(self, asking: FactsState, fact: str | None, height: int) -> None:
        """Show what is asked for, with the cursor on a fact at a height: once that can be had."""
        listing, same = self.view.listing, asking == self.asking
        self._sought = fact, height
        self.asking = asking
        with self.prevent(Input.Changed):
            self.query_one(SearchField).value = asking.search
        if self.snapshot is None:
            return
        if same and listing is not None:
            self._show(listing)
        else:
            self._ask(self._show)

    def forget(self) -> None:
        """Show no facts; of what is asked for only the order stays."""
        now = self.asking
        self.asking = FactsState(order=now.order, descending=now.descending, columns=now.columns)
        self.snapshot = self.home = self._sought = None
        self.waiting, self._newest, self._load_error = 0, None, None
        with self.prevent(Input.Changed):
            self.query_one(SearchField).value = ""
        self.view.clear()
        self._write_edges()

    def ask_for(self, asking: FactsState) -> None:
        """Show something else."""
        self.asking = asking
        self._ask(self._show)

    def filter(self, filters: Filters) -> None:
        """Show only what filters let through."""
        self.ask_for(replace(self.asking, filters=filters))

    def stay(self) -> None:
        """Let the cursor belong on the fact where it is."""
        self.home = self.fact

    def search(self) -> None:
        """Type what is to be searched."""
        self.query_one(SearchField).enter()

    def clear_search(self) -> None:
        """Search nothing."""
        self.query_one(SearchField).value = ""

    def reload(self) -> None:
        """Show what is new, in order."""
        self._ask(self._show)

    def follow_work(self) -> None:
        """List facts in the order in which a job takes them."""
        self.asking = replace(self.asking, order=FactOrder.IMPORTED)

    def follow_index(self) -> None:
        """Say how far the index is; search the answers again once it has all of them."""
        listing = self.view.listing
        if listing is None or not listing.wanted.search or listing.complete:
            return
        self._write_edges()
        if self.lostkeys.index.share is None:
            self._ask_answers(listing.wanted)

    # Reading

    def _ask(self, then: Callable[[Listing], None]) -> None:
        wanted = self.asking.wanted
        self.call_after_refresh(self._write_asked)
        self.lostkeys.ask(
            "listing",
            lambda session: session.listing(wanted),
            partial(self._take_listing, then),
            self._take_error,
        )

    def _take_listing(self, then: Callable[[Listing], None], listing: Listing) -> None:
        self._load_error = None
        then(listing)
        if listing.wanted.search and not listing.complete:
            self._ask_answers(listing.wanted)

    def _ask_answers(self, wanted: FactQuery) -> None:
        self.lostkeys.ask(
            "searched",
            lambda session: session.search_all(wanted),
            self._take_found,
            self._take_error,
            patient=True,
        )

    def _take_found(self, listing: Listing) -> None:
        """Facts that were found by their answers stand after the others: nothing moves."""
        if listing.wanted != self.asking.wanted:
            return
        shown = self.view.listing
        before = (
            shown is not None
            and shown.places.tolist() == listing.places[: len(shown.places)].tolist()
        )
        if before or self.view.has_focus is False:
            self._show(listing)
        else:
            self._keep(listing)

    def _show(self, listing: Listing) -> None:
        """Show a listing with the cursor on its fact, or on the nearest that is left."""
        if self.snapshot is None or self.lostkeys.snapshot is None:
            return
        view, before, height = self.view, self.view.listing, None
        if self._sought is not None:
            fact, height = self._sought
            self.home, self._sought = self.snapshot.fact_called(fact) or self.home, None
        home = self.home
        if home is None and before is not None and before.wanted.search == listing.wanted.search:
            home = self.fact
        row = _row_of(self.snapshot, home, before, listing)
        self.waiting, self._newest = 0, None
        view.columns = self.asking.columns
        view.show(self.snapshot, listing, row, height)
        self._settle()

    def _keep(self, listing: Listing) -> None:
        """Leave the rows of the same query as they stand; count what would be new."""
        shown, snapshot = self.view.listing, self.snapshot
        if shown is None or snapshot is None:
            return
        if listing.wanted != shown.wanted:
            self._show(listing)
            return
        same, self.waiting = keep_places(shown, listing)
        self.view.show(snapshot, same, self.view.cursor)
        self._settle()

    def _settle(self) -> None:
        self._write_edges()
        self._write_asked()
        self.query_one(ListHeading).refresh_changed()
        self._read_hits()
        self._read_notes()
        self.post_message(self.FactChosen(self.fact))

    def _read_hits(self) -> None:
        places = self.view.without_hits()
        listing = self.view.listing
        if places and listing is not None:
            wanted = listing.wanted
            self.lostkeys.ask(
                "hits",
                lambda session: session.hits(wanted, places),
                partial(self.view.put_hits, wanted),
                self._take_error,
            )

    def _read_notes(self) -> None:
        if "note" in (self.asking.columns or ()):
            self.lostkeys.ask("notes", lambda session: session.notes(), self.view.put_notes)

    def choose_columns(self, columns: tuple[str, ...] | None) -> None:
        """Show other columns; None: those for which there is room."""
        self.asking = replace(self.asking, columns=columns)
        self.view.columns = columns
        self.view.repaint()
        self._settle()

    def name_view(self, viewed: ListWords | None) -> None:
        """Say that the list comes from a view, or from none."""
        self.asking = replace(self.asking, viewed=viewed)
        self._write_edges()

    def _take_error(self, error: LostkeysError) -> None:
        """Keep what there is; say why it is old."""
        self._load_error = error
        self._write_edges()

    # Writing

    def _write_edges(self) -> None:
        title, edge = view_title("Facts", self.asking.view_words), self.position
        if self.waiting:
            edge = news_line(self.waiting).join(edge)
        listing, indexed = self.view.listing, self.lostkeys.index.share
        if listing is not None and listing.wanted.search and not listing.complete and indexed:
            edge = Line(f"{indexed:.0%} of new answers indexed  ", "ink-2").join(edge)
        if self._load_error is not None:
            edge = self.error_line(self._load_error)
        self.edge(edge)
        if self.screen.has_class("-narrow") and (self.waiting or self._load_error):
            title.add("  ").join(edge)
        self.title(title)

    def _write_asked(self) -> None:
        room = max(0, self.size.width - 5 - FIELD)
        self.query_one(FilterChips).show(self.asking.wanted, room)

    # Events

    @on(Input.Changed)
    def search_typed(self, event: Input.Changed) -> None:
        """Search as one types."""
        event.stop()
        self.ask_for(replace(self.asking, search=event.value))

    @on(LineView.CursorMoved)
    def follow_cursor(self, event: LineView.CursorMoved) -> None:
        """The cursor belongs on this fact from now on."""
        event.stop()
        self.home, self._sought = self.fact, None
        self._write_edges()
        self.post_message(self.FactChosen(self.home))

    @on(LineView.RowClicked)
    def open_clicked(self, event: LineView.RowClicked) -> None:
        """A second click opens."""
        event.stop()
        if event.again and self.fact is not None:
            self.post_message(self.FactChosen(self.fact, opened=True))

    @on(FactList.ViewScrolled)
    def read_seen_hits(self, event: FactList.ViewScrolled) -> None:
        """Read the hits that have come into sight."""
        event.stop()
        self._read_hits()

    def on_resize(self) -> None:
        """Other room for chips, other rows in sight."""
        self._write_asked()
        self._write_edges()
        self._read_hits()


def _row_of(
    snapshot: Snapshot, anchor: int | None, before: Listing | None, listing: Listing
) -> int | None:
    """The row that the cursor belongs on: the anchor's, or of what is left the nearest."""
    if not len(listing.places):
        return None
    place = None if anchor is None else snapshot.place(anchor)
    if place is None:
        return 0
    here = (listing.places == place).nonzero()[0]
    if len(here):
        return int(here[0])
    if before is None or listing.wanted.search != before.wanted.search:
        return 0
    return find_nearest(before, listing, place)


def _same_facts(before: Snapshot, snapshot: Snapshot) -> bool:
    """Whether a snapshot is of the same database: all facts are where they were, new ones after."""
    old, new = before.index, snapshot.index
    return old is new or (bool(old.fact_ids) and new.fact_ids[: len(old)] == old.fact_ids)


def _depends_on_lens(wanted: FactQuery) -> bool:
    filters = wanted.filters
    return bool(
        filters.verdicts or filters.differs or wanted.order in (FactOrder.PROFILE, FactOrder.STAKE)
    )
