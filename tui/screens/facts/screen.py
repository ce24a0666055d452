"""The Facts screen: the list at the left, the fact under its cursor at the right."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual import events, on
from textual.app import ComposeResult

from core.dataset.fact_filters import Filters
from core.views.fact_query import Choices, FactOrder, Listing
from core.views.snapshot import Snapshot
from core.vocabulary import TASKS, Task
from tui import keys
from tui.screens.audit_screen import AuditScreen, Body
from tui.screens.facts.fact_list import FactList
from tui.screens.facts.fact_pane import FactPane, PageView, SummaryPane, topic_line
from tui.screens.facts.list_pane import ListPane, SearchField
from tui.screens.facts.render_numbers import amount
from tui.screens.facts.state import FactsPosition, FactsState
from tui.screens.size_classes import NARROW
from tui.screens.start.offers_pane import StartPane
from tui.text.line import Line
from tui.widgets.offers import Offers
from tui.widgets.pane_layout import Split

if TYPE_CHECKING:
    from tui.screens.facts.fact_views import FactViews

LIST_SHARE = 0.425
LEAST_FACT, MOST_LIST = 60, 64
"""The list's share of a screen's columns, what the fact needs of them at least, and the most
that the list gets before questions stand beside the tasks."""


class FactsScreen(AuditScreen):
    """Home: find a fact, see its verdict and why. Below 100 columns one pane at a time."""

    DEFAULT_CSS = """
    FactsScreen Body { layout: horizontal; }
    FactsScreen FactPane { width: 1fr; }
    FactsScreen.-narrow ListPane { width: 1fr; }
    FactsScreen SummaryPane { display: none; }
    FactsScreen.-narrow Body { layout: vertical; }
    FactsScreen.-narrow ListPane { height: 1fr; }
    FactsScreen.-narrow SummaryPane { display: block; }
    FactsScreen.-narrow FactPane { display: none; }
    FactsScreen.-narrow.-inside FactPane { display: block; }
    FactsScreen.-narrow.-inside ListPane, FactsScreen.-narrow.-inside SummaryPane { display: none; }
    FactsScreen.-empty ListPane, FactsScreen.-empty FactPane, FactsScreen.-empty SummaryPane {
        display: none;
    }
    """
    BINDINGS = keys.bindings("facts")
    tab = "facts"
    position_type = FactsPosition
    splits = (Split("list", "fact"),)

    def body(self) -> ComposeResult:
        """List, its summary, fact."""
        yield ListPane()
        yield SummaryPane()
        yield FactPane()

    def on_mount(self) -> None:
        """Begin in the list."""
        self.set_focus(self.query_one(FactList))

    @property
    def list(self) -> ListPane:
        """The list pane."""
        return self.query_one(ListPane)

    @property
    def fact(self) -> FactPane:
        """The fact pane."""
        return self.query_one(FactPane)

    @property
    def inside(self) -> bool:
        """Whether the focus is in the fact."""
        return self.focused is self.query_one(PageView)

    # What others go by

    @property
    def listing(self) -> Listing | None:
        """The list as it is seen, or was seen last."""
        return self.list.view.listing

    @property
    def listed_fact(self) -> int | None:
        """The fact (id) under the list's cursor."""
        return self.list.fact

    @property
    def list_position(self) -> Line:
        """Where in the list the cursor is."""
        return self.list.position

    @property
    def open_question(self) -> tuple[int, Task] | None:
        """The fact (id) in the fact pane and the task chosen there."""
        return None if self.fact.fact is None else (self.fact.fact, self.fact.chosen)

    def step_fact(self, step: int) -> None:
        """Move the list's cursor."""
        self.list.view.move_by(step)
        self.lostkeys.places.origin_moved(self.tab, self.position)

    # What the app asks for

    @property
    def summary(self) -> str:
        """Where in the list the cursor is."""
        return self.list.position.text

    @property
    def facts_in_sight(self) -> frozenset[int]:
        """The fact in the fact pane."""
        return frozenset(() if self.fact.fact is None else (self.fact.fact,))

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Take in a snapshot; nothing jumps."""
        self._show_start(not len(snapshot.index))
        if self.lostkeys.jobs.working and self.list.fact is None:
            self.list.follow_work()
        self.list.take(snapshot)
        self.fact.show(self.fact.fact)

    def open(self, filters: Filters | None, fact: str | None = None) -> None:
        """Show the facts that filters let through, with the cursor on one of them.

        Without filters the list stays as it is, if the fact is in it.
        """
        self.go_out()
        asking = self.list.asking
        if filters is not None or not self.list.holds(fact):
            asking = replace(asking, search="", filters=filters or Filters())
        self.list.go_to(asking, fact, self.list.view.cursor_height)
        self._say_filters(filters or Filters())

    @property
    def position(self) -> FactsPosition:
        """Search, filters and order, the fact under the cursor, and what of it is unfolded."""
        (fact, height), pane = self.list.held, self.fact
        return FactsPosition(
            self.list.asking, fact, height, self.inside, pane.chosen, pane.folded, *pane.held
        )

    def take_position(self, position: FactsPosition) -> None:
        """List what was listed, with the cursor on its fact."""
        self.fact.go_to(position)
        self.list.go_to(position.asking, position.fact, position.height)
        if not self.has_class("-empty"):
            (self.go_in if position.inside else self.go_out)()

    @property
    def asked(self) -> FactsState:
        """Search, filters and order."""
        return self.list.asking

    def ask_again(self, asked: FactsState) -> None:
        """List by other search, filters and order; the cursor stays on its fact."""
        self.list.go_to(asked, *self.list.held)

    def forget(self) -> None:
        """No list, no fact."""
        self.list.forget()
        self.fact.forget()
        self.go_out()

    def reload(self) -> None:
        """Show what is new."""
        self.list.reload()
        self.fact.show(self.fact.fact)

    def status(self) -> Line | None:
        """Where only the fact is in sight, where it is from: there is no bottom edge for it."""
        view = self.fact.view
        return topic_line(view) if view and self.narrow and self.inside else None

    def index_told(self) -> None:
        """More can be found than before."""
        self.list.index_told()

    def repaint(self) -> None:
        """Paint everything anew (another theme)."""
        self.fact.rebuild()
        super().repaint()

    def _show_start(self, empty: bool) -> None:
        """Offer something to begin with where there are no facts."""
        if empty == self.has_class("-empty"):
            return
        self.set_class(empty, "-empty")
        if empty:
            self.call_next(self._start)
        else:
            self.query(StartPane).remove()
            self.set_focus(self.query_one(FactList))

    async def _start(self) -> None:
        await self.query_one(Body).mount(StartPane())
        self.set_focus(self.query_one(Offers))

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that do something now."""
        if self.has_class("-empty"):
            return not hasattr(type(self), f"action_{action}")
        typing = isinstance(self.focused, SearchField)
        if typing and hasattr(type(self), f"action_{action}"):
            return False
        if action == "unfilter":
            return self.list.asking.filters.count > 0
        if action == "back":
            away = not self.outermost or self.layouts.alone
            return away or self.lostkeys.places.way_out is not None
        return True

    def action_choose(self, place: int) -> None:
        """Choose one of the ten tasks; the same digit again opens it."""
        task: Task = TASKS[place]
        if self.fact.chosen is task and (self.inside or not self.narrow):
            self.action_open_task()
            return
        self.fact.choose(task)
        if self.narrow:
            self.go_in()

    def action_open(self) -> None:
        """The task, or where only the list is seen, the fact."""
        if self.narrow and not self.inside:
            self.go_in()
        else:
            self.action_open_task()

    def action_open_task(self) -> None:
        """The Task screen on the chosen task of the fact."""
        if self.fact.fact is not None:
            self.lostkeys.places.jump("task", self.fact.fact, self.fact.chosen)

    @property
    def outermost(self) -> bool:
        """In the list, with nothing searched."""
        return not self.inside and not self.list.asking.searching

    def step_out(self) -> None:
        """Out of the fact; in the list, out of the search."""
        if self.inside:
            self.go_out()
        else:
            self.list.clear_search()

    def action_side(self, step: int) -> None:
        """Into the fact, or back to the list."""
        if step > 0:
            self.go_in()
        else:
            self.go_out()

    def action_unfold(self) -> None:
        """Unfold the chosen task, or fold it."""
        if self.narrow and not self.inside:
            self.go_in()
        self.fact.fold()

    def action_text(self) -> None:
        """All of the source text, or its end."""
        if self.narrow and not self.inside:
            self.go_in()
        self.fact.turn_text()

    def action_search(self) -> None:
        """Type what is to be searched."""
        self.go_out()
        self.list.search()

    def action_sort(self) -> None:
        """The next order."""
        self.list.ask_for(self.list.asking.stepped())

    def action_sort_by(self, order: str) -> None:
        """In the order of a column; the other way round where it is in that already."""
        self.list.ask_for(self.list.asking.sorted_by(FactOrder(order)))

    def action_turn(self) -> None:
        """The same order the other way round."""
        self.list.ask_for(self.list.asking.turned())

    def action_filter(self) -> None:
        """Choose what to filter by."""
        self.lostkeys.ask("choices", lambda session: session.choices(), self._offer_filters)

    @property
    def viewed_list(self) -> "FactViews":
        """The list of facts."""
        from tui.screens.facts.fact_views import FactViews

        return FactViews(self.list)

    def action_columns(self) -> None:
        """Choose the columns of the list."""
        self.viewed_list.ask_columns()

    def action_unfilter(self) -> None:
        """No filters, and no view."""
        self.list.asking = replace(self.list.asking, viewed=None)
        self._filtered(Filters())

    def action_flag(self) -> None:
        """Flag the fact, or take its flag away."""
        snapshot, fact, view = self.lostkeys.snapshot, self.fact.fact, self.fact.view
        place = None if snapshot is None or fact is None else snapshot.place(fact)
        if snapshot is None or fact is None or place is None or view is None:
            return
        flagged = not snapshot.index.flagged[place]
        self.lostkeys.write(
            lambda session: session.set_flag(fact, flagged),
            partial(self._flagged, view.subject, flagged),
        )

    def action_copy(self) -> None:
        """Copy the fact's row, or in the fact the question."""
        view = self.fact.view
        if view is None:
            return
        asked = next(row.text for row in view.tasks if row.task is self.fact.chosen)
        row = "\t".join((view.fact_id, view.title, view.subject, view.object, view.code))
        self.lostkeys.copy(asked if self.inside else row)

    def go_in(self) -> None:
        """Into the fact."""
        self.add_class("-inside")
        self.set_focus(self.query_one(PageView))

    def go_out(self) -> None:
        """Back to the list."""
        self.remove_class("-inside")
        self.set_focus(self.query_one(FactList))

    # What comes back

    def _offer_filters(self, choices: Choices) -> None:
        from tui.dialogs.filter_dialog import FilterForm

        self.app.push_screen(FilterForm(self.list.asking.filters, choices), self._filtered)

    def _filtered(self, filters: Filters | None) -> None:
        if filters is None or filters == self.list.asking.filters:
            return
        self.list.filter(filters)
        self._say_filters(filters)
        self.refresh_bindings()

    def _say_filters(self, filters: Filters) -> None:
        if filters.count:
            said = Line(amount(filters.count, "filter"), "ink-2")
            self.lostkeys.say(said.add("  F ", "accent bold").add("clears", "ink-2"))

    def _flagged(self, name: str, flagged: bool, done: tuple[object, Snapshot]) -> None:
        self.lostkeys.snapshot_changed(done[1])
        said = Line(name[:80], "ink").add(" is flagged" if flagged else " has no flag now", "ink-2")
        self.lostkeys.say(said.add(". ", "ink-2").add("u", "accent").add(" undoes it", "ink-2"))

    # Events

    @on(ListPane.Chosen)
    def chosen(self, event: ListPane.Chosen) -> None:
        """The fact pane follows the list."""
        self.fact.position = self.list.position
        if event.fact != self.fact.fact:
            self.fact.show(event.fact)
        else:
            self.fact.write_edges()
        if event.opened:
            self.action_open()

    @on(FactPane.Shown)
    def shown(self) -> None:
        """The summary follows the fact."""
        self.query_one(SummaryPane).refresh_changed(self.fact.view)
        self.refresh_frame()

    @on(FactPane.Opened)
    def opened(self) -> None:
        """A task was clicked twice."""
        self.action_open_task()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The pane with the focus is the one that is seen where there is room for one."""
        self.set_class(self.inside, "-inside")
        self.refresh_bindings()
        self.refresh_frame()

    def on_resize(self, event: events.Resize) -> None:
        """Share the columns out; focus what is seen."""
        columns = event.size.width
        self.layouts.start("list", None if columns < NARROW else list_width(columns))
        self.set_class(self.inside, "-inside")


def list_width(columns: int) -> int:
    """The list's columns of a screen of at least 100: less where the fact needs it, more where
    there is room for titles as well."""
    if columns < 160:
        return min(round(LIST_SHARE * columns), columns - LEAST_FACT, MOST_LIST)
    if columns < 200:
        return MOST_LIST + round(0.7 * (columns - 160))
    return round(0.46 * columns)
