"""Reading for the Bench screen: arms, the groups of one, and the questions of one of these."""

from typing import TYPE_CHECKING

from core.views.bench.bench_service import BenchLists
from tui.app.loader import Loader
from tui.screens.bench.state import BenchState

if TYPE_CHECKING:
    from tui.screens.bench.widgets import BenchPanes


class BenchLoader:
    """Has the lists read that a state asks for; what was shown stays until they are."""

    def __init__(self, state: BenchState, panes: "BenchPanes") -> None:
        self._state, self._panes = state, panes
        self.lists = Loader(panes, lambda: panes.reading_pane)

    def stop(self) -> None:
        """Nothing is waited for: another database is opened."""
        self.lists.stop()

    def read_lists(self) -> None:
        """Have the lists read."""
        wanted = self._state.wanted

        def take(found: BenchLists | None) -> None:
            self._state.take_lists(found)
            self._panes.base.paint()
            self._panes.hold()

        self.lists.load("bench lists", lambda session: session.bench.lists(wanted), take)
