"""The panes of the Facts screen: list, its summary, the fact; offers where there are no facts."""

from textual.app import ComposeResult

from core.vocabulary import Task
from tui.screens.facts.fact_list import FactList
from tui.screens.facts.fact_pane import FactPane, PageView, SummaryPane
from tui.screens.facts.list_pane import ListPane
from tui.screens.facts.state import FactsPosition
from tui.screens.screen_panes import ScreenPanes


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
