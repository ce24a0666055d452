"""The Facts screen: the list at the left, the fact under its cursor at the right."""

from typing import TYPE_CHECKING

from textual import events, on
from textual.app import ComposeResult

from core.dataset.fact_filters import Filters
from core.views.fact_query import FactOrder, Listing
from core.views.snapshot import Snapshot
from core.vocabulary import TASKS, Task
from tui import keys
from tui.screens.base_screen import BaseScreen
from tui.screens.facts.column_layout import list_width
from tui.screens.facts.fact_list import FactList
from tui.screens.facts.fact_pane import FactPane, PageView, SummaryPane, topic_line
from tui.screens.facts.list_pane import ListPane, SearchField
from tui.screens.facts.state import FactsPosition, FactsState
from tui.screens.screen_panes import ScreenPanes
from tui.text.line import Line
from tui.widgets.pane_layout import NARROW, Split

if TYPE_CHECKING:
    from tui.screens.facts.fact_saved_views import FactViews


# The panes of the Facts screen: list, its summary, the fact; offers where there are no facts.


class FactsPanes(ScreenPanes):
    """List and fact side by side; below 100 columns one of them, the list with a summary."""

    SCOPED_CSS = False  # what is seen depends on the screen's size class
    DEFAULT_CSS = """
    FactsPanes { layout: horizontal; }
    FactsPanes FactPane { width: 1fr; }
    FactsPanes SummaryPane { display: none; }
    .-narrow FactsPanes { layout: vertical; }
    .-narrow FactsPanes ListPane { width: 1fr; height: 1fr; }
    .-narrow FactsPanes SummaryPane { display: block; }
    .-narrow FactsPanes FactPane { display: none; }
    .-narrow.-inside FactsPanes FactPane { display: block; }
    .-narrow.-inside FactsPanes ListPane { display: none; }
    .-narrow.-inside FactsPanes SummaryPane { display: none; }
    .-empty FactsPanes ListPane, .-empty FactsPanes FactPane { display: none; }
    .-empty FactsPanes SummaryPane { display: none; }
    """

    def __init__(self, facts: ListPane, fact: FactPane) -> None:
        super().__init__()
        self._list, self._fact = facts, fact

    def compose(self) -> ComposeResult:
        """List, its summary, fact."""
        yield self._list
        yield SummaryPane()
        yield self._fact

    @property
    def inside(self) -> bool:
        """Whether the focus is in the fact."""
        return self.screen.focused is self.query_one(PageView)

    @property
    def open_question(self) -> tuple[int, Task] | None:
        """The fact (id) in the fact pane and the task chosen there."""
        return None if self._fact.fact is None else (self._fact.fact, self._fact.chosen)

    def go_in(self) -> None:
        """Into the fact."""
        self.screen.add_class("-inside")
        self.screen.set_focus(self.query_one(PageView))

    def go_out(self) -> None:
        """Back to the list."""
        self.screen.remove_class("-inside")
        self.screen.set_focus(self.query_one(FactList))

    def show_summary(self) -> None:
        """Sum up the fact that is shown."""
        self.query_one(SummaryPane).refresh_changed(self._fact.view)

    # Where a person is

    @property
    def position(self) -> FactsPosition:
        """Search, filters and order, the fact under the cursor, and what of it is unfolded."""
        (fact, height), pane = self._list.held, self._fact
        asking, inside = self._list.asking, self.inside
        return FactsPosition(asking, fact, height, inside, pane.chosen, pane.folded, *pane.held)

    def go_to(self, position: FactsPosition) -> None:
        """List what was listed, with the cursor on its fact."""
        self._fact.go_to(position)
        self._list.go_to(position.asking, position.fact, position.height)
        if not self.empty:
            (self.go_in if position.inside else self.go_out)()

    # The empty state

    @property
    def empty(self) -> bool:
        """Whether there are no facts."""
        return self.screen.has_class("-empty")

    def show_start(self, empty: bool) -> None:
        """Offer something to begin with where there are no facts."""
        if empty == self.empty:
            return
        self.screen.set_class(empty, "-empty")
        if empty:
            self.call_next(self._start)
        else:
            self.query("StartPane").remove()
            self.screen.set_focus(self.query_one(FactList))

    async def _start(self) -> None:
        from tui.screens.start.offers_pane import StartPane
        from tui.widgets.offers import Offers

        await self.mount(StartPane())
        self.screen.set_focus(self.query_one(Offers))


class FactsScreen(BaseScreen):
    """Home: find a fact, see its verdict and why. Below 100 columns one pane at a time."""

    BINDINGS = keys.bindings("facts")
    AUTO_FOCUS = "FactList"
    tab = "facts"
    position_type = FactsPosition
    splits = (Split("list", "fact"),)

    def __init__(self) -> None:
        super().__init__()
        self.list, self.fact = ListPane(), FactPane()
        self.panes = FactsPanes(self.list, self.fact)

    def body(self) -> ComposeResult:
        """List, its summary, fact."""
        yield self.panes

    def on_mount(self) -> None:
        """Begin in the list."""
        self.panes.go_out()

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
        return self.panes.open_question

    def step_fact(self, step: int) -> None:
        """Move the list's cursor."""
        self.list.view.move_by(step)
        self.lostkeys.places.keep_origin(self.tab, self.position)

    # What the app asks for

    @property
    def summary(self) -> str:
        """How many facts are listed, and by which view."""
        return self.list.summary

    @property
    def facts_in_sight(self) -> frozenset[int]:
        """The fact in the fact pane."""
        return frozenset(() if self.fact.fact is None else (self.fact.fact,))

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Take in a snapshot; nothing jumps."""
        self.panes.show_start(not len(snapshot.index))
        if self.lostkeys.jobs.working and self.list.fact is None:
            self.list.follow_work()
        self.list.take(snapshot)
        self.fact.show(self.fact.fact)

    def open(self, filters: Filters | None, fact: str | None = None) -> None:
        """Show the facts that filters let through, with the cursor on one of them.

        Without filters the list stays as it is, if the fact is in it.
        """
        self.panes.go_out()
        self.viewed_list.open(filters, fact)

    @property
    def position(self) -> FactsPosition:
        """Search, filters and order, the fact under the cursor, and what of it is unfolded."""
        return self.panes.position

    def take_position(self, position: FactsPosition) -> None:
        """List what was listed, with the cursor on its fact."""
        self.panes.go_to(position)

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
        self.panes.go_out()

    def reload(self) -> None:
        """Show what is new."""
        self.list.reload()
        self.fact.show(self.fact.fact)

    def status(self) -> Line | None:
        """Where only the fact is in sight, where it is from: there is no bottom edge for it."""
        view = self.fact.view
        return topic_line(view) if view and self.narrow and self.panes.inside else None

    def follow_index(self) -> None:
        """More can be found than before."""
        self.list.follow_index()

    def repaint(self) -> None:
        """Paint everything anew (another theme)."""
        self.fact.rebuild()
        super().repaint()

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that do something now."""
        if self.panes.empty:
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
        if self.fact.chosen is task and (self.panes.inside or not self.narrow):
            self.action_open_task()
            return
        self.fact.choose(task)
        if self.narrow:
            self.panes.go_in()

    def action_open(self) -> None:
        """The task, or where only the list is seen, the fact."""
        if self.narrow and not self.panes.inside:
            self.panes.go_in()
        else:
            self.action_open_task()

    def action_open_task(self) -> None:
        """The Task screen on the chosen task of the fact."""
        if self.fact.fact is not None:
            self.lostkeys.places.jump("task", self.fact.fact, self.fact.chosen)

    @property
    def outermost(self) -> bool:
        """In the list, with nothing searched."""
        return not self.panes.inside and not self.list.asking.searching

    def step_out(self) -> None:
        """Out of the fact; in the list, out of the search."""
        if self.panes.inside:
            self.panes.go_out()
        else:
            self.list.clear_search()

    def action_side(self, step: int) -> None:
        """Into the fact, or back to the list."""
        (self.panes.go_in if step > 0 else self.panes.go_out)()

    def action_unfold(self) -> None:
        """Unfold the chosen task, or fold it."""
        if self.narrow and not self.panes.inside:
            self.panes.go_in()
        self.fact.fold()

    def action_text(self) -> None:
        """All of the source text, or its end."""
        if self.narrow and not self.panes.inside:
            self.panes.go_in()
        self.fact.turn_text()

    def action_search(self) -> None:
        """Type what is to be searched."""
        self.panes.go_out()
        self.list.search()

    def action_sort(self) -> None:
        """The next order."""
        self.list.ask_for(self.list.asking.next_order())

    def action_sort_by(self, order: str) -> None:
        """In the order of a column; the other way round where it is in that already."""
        self.list.ask_for(self.list.asking.sort_by(FactOrder(order)))

    def action_turn(self) -> None:
        """The same order the other way round."""
        self.list.ask_for(self.list.asking.reverse_order())

    def action_filter(self) -> None:
        """Choose what to filter by."""
        self.viewed_list.ask_filters()

    @property
    def viewed_list(self) -> "FactViews":
        """The list of facts."""
        from tui.screens.facts.fact_saved_views import FactViews

        return FactViews(self.list)

    def action_columns(self) -> None:
        """Choose the columns of the list."""
        self.viewed_list.ask_columns()

    def action_unfilter(self) -> None:
        """No filters, and no view."""
        self.viewed_list.clear_filters()

    def action_flag(self) -> None:
        """Flag the fact, or take its flag away."""
        self.fact.turn_flag()

    def action_tags(self) -> None:
        """Tag the fact."""
        from tui.dialogs.tag_dialog import ask_tags

        view = self.fact.view
        if view is not None:
            ask_tags(self.lostkeys, "fact", view.fact, view.subject[:40])

    def action_copy(self) -> None:
        """Copy the fact's row, or in the fact the question."""
        view = self.fact.view
        if view is None:
            return
        asked = next(row.text for row in view.tasks if row.task is self.fact.chosen)
        row = "\t".join((view.fact_id, view.title, view.subject, view.object, view.code))
        self.lostkeys.copy(asked if self.panes.inside else row)

    # Events

    @on(ListPane.FactChosen)
    def follow_list(self, event: ListPane.FactChosen) -> None:
        """The fact pane follows the list."""
        self.fact.position = self.list.position
        if self.fact.fact is None:  # the list is painted before what reads a fact is loaded
            self.call_after_refresh(self.fact.show, event.fact)
            if isinstance(front := self.app.screen, BaseScreen) and front is not self:
                front.paint()  # it may go by the list
        elif event.fact != self.fact.fact:
            self.fact.show(event.fact)
        else:
            self.fact.write_edges()
        if event.opened:
            self.action_open()

    @on(FactPane.FactShown)
    def follow_fact(self) -> None:
        """The summary follows the fact, and the status line, where that is from."""
        self.panes.show_summary()
        self.refresh_status()

    @on(FactPane.TaskOpened)
    def open_task(self) -> None:
        """A task was clicked twice."""
        self.action_open_task()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The pane with the focus is the one that is seen where there is room for one."""
        self.set_class(self.panes.inside, "-inside")
        self.refresh_frame()

    def on_resize(self, event: events.Resize) -> None:
        """Share the columns out; focus what is seen."""
        columns = event.size.width
        self.layouts.start("list", None if columns < NARROW else list_width(columns))
        self.set_class(self.panes.inside, "-inside")
