"""The lists of Latent as views name them and as files hold them."""

from typing import TYPE_CHECKING

from core.views.board_query import parse_latent
from core.views.board_rows import latent_facts, latent_relations
from core.views.list_file import ListTable
from core.views.list_words import ListWords
from core.views.saved_views import SavedView
from tui.dialogs.list_file_dialog import ReadTable
from tui.dialogs.save_view_dialog import NamedParts
from tui.screens.latent.state import FACTS, RELATIONS, LatentPosition, LatentState
from tui.screens.latent.widgets import LatentPanes

if TYPE_CHECKING:
    from core.views.session import Session


class LatentViews:
    """Relations where they have the focus, else the facts of one."""

    screen_name = "Latent"

    def __init__(self, state: LatentState, panes: LatentPanes) -> None:
        self._state, self._panes = state, panes

    @property
    def words(self) -> ListWords:
        """Setup, model, relation and order."""
        return self._state.build_words(self._panes.pane)

    @property
    def seen(self) -> SavedView:
        """The same as a view."""
        return self.as_view(NamedParts())

    @property
    def read_table(self) -> ReadTable | None:
        """The rows in their order."""
        now, lists = self._state, self._state.lists
        if lists is None or lists.facts is None:
            return None
        board, facts, model = lists.board, lists.facts, lists.model
        of_relations = now.shows_relations(self._panes.pane)

        def make_table(session: "Session") -> ListTable:
            if of_relations:
                return latent_relations(board)
            return latent_facts(facts, model, session.snapshot.index)

        return make_table

    def as_view(self, named: NamedParts) -> SavedView:
        """The list as a view."""
        words = self.words
        return SavedView(named.name, words.name, words.where, words.sort, lens=named.lens)

    def show_view(self, view: SavedView) -> None:
        """Ask for what a view asks for; the cursor stays on its fact where it is listed."""
        query, panes = parse_latent(view.where, view.sort), self._panes
        of_relations = query.relation is None
        row = self._state.row
        here = ("", "") if row is None else (row.name, row.set_name)
        relation, set_name = here if query.relation is None else (query.relation, query.set_name)
        self._state.viewed = ListWords(view.list, view.where, view.sort, view=view.name)
        now = panes.position
        panes.base.take_position(
            LatentPosition(
                *(query.setup, query.model, relation or None, set_name, now.fact, query.order),
                of_relations and now.board,
                now.whole,
                RELATIONS if of_relations else FACTS,
                now.height,
                viewed=self._state.viewed,
            )
        )

    @property
    def viewed(self) -> ListWords | None:
        """The view that it comes from, as it was then."""
        return self._state.viewed

    def name_view(self, viewed: ListWords | None) -> None:
        """Say that it comes from a view, or from none."""
        self._state.viewed = viewed
        self._panes.paint_edges()
