"""The queue of disagreements as views name it and as files hold it."""

from dataclasses import replace
from functools import partial

from core.views.list_words import ListWords
from core.views.queue_query import format_disagreements, parse_disagreements
from core.views.queue_rows import read_disagreements
from core.views.saved_views import SavedView
from tui.dialogs.list_controller import missing_model
from tui.dialogs.list_file_dialog import ReadTable
from tui.dialogs.save_view_dialog import NamedParts
from tui.screens.confusion.loader import DisagreementLoader
from tui.screens.confusion.state import ConfusionState
from tui.screens.confusion.widgets import ConfusionPanes


class DisagreementViews:
    """The queue of a state, which is read anew and panes show."""

    screen_name = "Confusion"

    def __init__(
        self, state: ConfusionState, panes: ConfusionPanes, loader: DisagreementLoader
    ) -> None:
        self._state, self._panes, self._loader = state, panes, loader

    @property
    def words(self) -> ListWords:
        """Which answers are queued."""
        return self._state.words

    @property
    def seen(self) -> SavedView:
        """The same as a view."""
        return self.as_view(NamedParts())

    @property
    def read_table(self) -> ReadTable | None:
        """The queue in its order; blind as it is on screen."""
        now = self._state
        return None if now.queue is None else partial(read_disagreements, now.queue, now.blind)

    def as_view(self, named: NamedParts) -> SavedView:
        """Which answers are queued, whether blind or not."""
        words = self.words
        return SavedView(named.name, words.name, words.where, lens=named.lens)

    def show_view(self, view: SavedView) -> None:
        """Queue what a view queues; a model that is not here is none to look at alone."""
        among, snapshot = parse_disagreements(view.where), self._panes.base.lostkeys.snapshot
        now = self._state
        now.viewed = ListWords(view.list, format_disagreements(among), view=view.name)
        if among.model is not None and snapshot and among.model not in snapshot.answerers:
            self._panes.base.lostkeys.say(missing_model(among.model, view))
            among = replace(among, model=None)
        self._loader.filter_queue(among if now.lens is None else among.with_lens(now.lens))

    @property
    def viewed(self) -> ListWords | None:
        """The view that it comes from, as it was then."""
        return self._state.viewed

    def name_view(self, viewed: ListWords | None) -> None:
        """Say that it comes from a view, or from none."""
        self._state.viewed = viewed
        self._panes.paint_position()
