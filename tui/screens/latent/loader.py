"""Reading for the Latent screen: lists under a setup, and the fact under the cursor."""

from dataclasses import replace
from typing import TYPE_CHECKING

from core.views.latent.latent_fact import LatentFact
from core.views.latent.latent_service import LatentLists, LatentRequest
from tui.app.loader import Loader
from tui.screens.latent.state import LatentPosition, LatentState

if TYPE_CHECKING:
    from core.views.session import Session
    from tui.screens.latent.widgets import LatentPanes


def read_lists(
    session: "Session", wanted: LatentRequest, sought: LatentPosition | None
) -> tuple[LatentLists, int | None]:
    """Relations and facts, and the fact (its id) that is sought."""
    if sought is not None and sought.relation is not None:
        key = session.latent.relation_called(sought.relation, sought.set_name)
        wanted = replace(wanted, relation=key)
    lists = session.latent.lists(wanted)
    return lists, session.snapshot.fact_called(None if sought is None else sought.fact)


class LatentLoader:
    """Has lists and facts read that a state asks for; what was shown stays until they are."""

    def __init__(self, state: LatentState, panes: "LatentPanes") -> None:
        self._state, self._panes = state, panes
        self.lists = Loader(panes, lambda: panes.facts_pane)
        self._fact = Loader(panes, lambda: panes.fact_pane)

    @property
    def edges(self) -> tuple[object, object]:
        """What the edges of list and fact say of what is being read."""
        return self.lists.edge(), self._fact.edge()

    def stop(self) -> None:
        """Nothing is waited for: another database is opened."""
        self.lists.stop()
        self._fact.stop()

    def read_lists(self) -> None:
        """Have relations and facts read; the fact follows."""
        wanted, sought = self._state.wanted, self._state.sought

        def take(found: tuple[LatentLists, int | None]) -> None:
            lists, fact = found
            if fact is not None and sought is self._state.sought:
                self._state.fact = fact
            self._state.take_lists(lists)
            self.read_fact()
            self._panes.base.paint()
            self._panes.hold()

        self.lists.load("latent lists", lambda one: read_lists(one, wanted, sought), take)

    def read_fact(self) -> None:
        """Have the chosen fact read."""
        now = self._state
        fact, relation, setup, model = now.fact, now.relation, now.setup, now.model
        if fact is None or relation is None:
            now.shown = None
            return
        known, key = fact, relation

        def take(found: LatentFact) -> None:
            self._state.take_fact(found)
            self._panes.paint_fact()
            self._panes.base.refresh_frame()

        self._fact.load("latent fact", lambda one: one.latent.fact(key, known, setup, model), take)
