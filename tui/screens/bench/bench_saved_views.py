"""The lists of Bench as views name them and as files hold them."""

from dataclasses import replace
from typing import TYPE_CHECKING

from core.views.board_query import parse_bench
from core.views.board_rows import bench_arms, bench_groups, bench_questions
from core.views.list_file import ListTable
from core.views.list_words import ListWords
from core.views.saved_views import SavedView
from tui.dialogs.list_file_dialog import ReadTable
from tui.dialogs.save_view_dialog import NamedParts
from tui.screens.bench.state import ARMS, BOARD, QUESTIONS, BenchState
from tui.screens.bench.widgets import BenchPanes

if TYPE_CHECKING:
    from core.views.session import Session

TABLES = {ARMS: bench_arms, BOARD: bench_groups, QUESTIONS: bench_questions}


class BenchViews:
    """The list of the pane with the focus: arms, groups of one, or questions of a group."""

    screen_name = "Bench"

    def __init__(self, state: BenchState, panes: BenchPanes) -> None:
        self._state, self._panes = state, panes

    @property
    def words(self) -> ListWords:
        """Set and split, the arm, the group, and the order."""
        return self._state.build_words(self._panes.pane)

    @property
    def seen(self) -> SavedView:
        """The same as a view."""
        return self.as_view(NamedParts())

    @property
    def read_table(self) -> ReadTable | None:
        """The rows in their order."""
        lists, make = self._state.lists, TABLES[self._panes.pane]
        if lists is None:
            return None
        shown = lists

        def make_table(_: "Session") -> ListTable:
            return make(shown)

        return make_table

    def as_view(self, named: NamedParts) -> SavedView:
        """The list as a view."""
        words = self.words
        return SavedView(named.name, words.name, words.where, words.sort, lens=named.lens)

    def show_view(self, view: SavedView) -> None:
        """Ask for what a view asks for, in the pane that shows it."""
        wanted, now = parse_bench(view.where, view.sort), self._panes.position
        viewed = ListWords(view.list, view.where, view.sort, view=view.name)
        if wanted.arm is None:
            place, more = ARMS, replace(now, arm_order=wanted.arm_order)
        elif wanted.group is None:
            place = BOARD
            more = replace(now, arm=wanted.arm, by=wanted.by, group_order=wanted.group_order)
        else:
            place = QUESTIONS
            more = replace(now, arm=wanted.arm, by=wanted.by, group=wanted.group)
            more = replace(more, question_order=wanted.question_order)
        more = replace(more, set_name=wanted.set_name, split=wanted.split)
        self._panes.base.take_position(replace(more, pane=place, viewed=viewed))

    @property
    def viewed(self) -> ListWords | None:
        """The view that it comes from, as it was then."""
        return self._state.viewed

    def name_view(self, viewed: ListWords | None) -> None:
        """Say that it comes from a view, or from none."""
        self._state.viewed = viewed
        self._panes.paint_edges()
