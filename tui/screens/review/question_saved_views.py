"""The queue of questions as views name it and as files hold it."""

from functools import partial

from core.views.list_words import ListWords
from core.views.queue_query import format_questions, parse_questions
from core.views.queue_rows import read_questions
from core.views.saved_views import SavedView
from tui.dialogs.list_file_dialog import ReadTable
from tui.dialogs.save_view_dialog import NamedParts
from tui.screens.review.loader import ReviewLoader
from tui.screens.review.state import ReviewState
from tui.screens.review.widgets import ReviewPanes


class QuestionViews:
    """The queue of a state, which is read anew and panes show."""

    screen_name = "Review"

    def __init__(self, state: ReviewState, panes: ReviewPanes, loader: ReviewLoader) -> None:
        self._state, self._panes, self._loader = state, panes, loader

    @property
    def words(self) -> ListWords:
        """Which questions are queued."""
        return self._state.words

    @property
    def seen(self) -> SavedView:
        """The same as a view."""
        return self.as_view(NamedParts())

    @property
    def read_table(self) -> ReadTable | None:
        """The queue in its order."""
        shown = self._state.shown
        return None if shown is None else partial(read_questions, shown.queue)

    def as_view(self, named: NamedParts) -> SavedView:
        """Which questions are queued."""
        words = self.words
        return SavedView(named.name, words.name, words.where, lens=named.lens)

    def show_view(self, view: SavedView) -> None:
        """Queue what a view queues."""
        wanted = parse_questions(view.where)
        self._state.viewed = ListWords(view.list, format_questions(wanted), view=view.name)
        if self._state.want(wanted):
            self._loader.open_queue()
        self._panes.paint_edges()

    @property
    def viewed(self) -> ListWords | None:
        """The view that it comes from, as it was then."""
        return self._state.viewed

    def name_view(self, viewed: ListWords | None) -> None:
        """Say that it comes from a view, or from none."""
        self._state.viewed = viewed
        self._panes.paint_edges()
