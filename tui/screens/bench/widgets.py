"""The panes of the Bench screen: arms above, the board of one and the questions of a row below."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widget import Widget

from tui.screens.bench import render_arms, render_questions, sentences
from tui.screens.bench.state import ARMS, BOARD, QUESTIONS, BenchPosition, BenchState
from tui.screens.screen_panes import NamedPanes
from tui.text.line import Line
from tui.theme.glyphs import spell
from tui.widgets.headed_list import HeadedList
from tui.widgets.line_view import LineView
from tui.widgets.line_widget import LineWidget
from tui.widgets.pane import Pane, view_title

ARMS_SHARE, EDGES = 0.45, 2
"""The most of the screen's height that arms take, and the lines of a pane's edges."""

ARMS_HEAD, BOARD_HEAD, QUESTIONS_HEAD = 1, 2, 2
"""Lines above the rows of the lists."""


class ArmsView(HeadedList):
    """The arms."""

    def __init__(self, state: BenchState) -> None:
        super().__init__(ARMS_HEAD, id="bench-arms-view")
        self._state = state

    @property
    def size_of_list(self) -> int:
        """Arms."""
        return len(self._state.arms)

    def draw_row(self, place: int, width: int) -> Line:
        """An arm."""
        if place < 0:
            return render_arms.arms_heading(self._state, width)
        return render_arms.arm_line(self._state, place, width, place == self.place, self.look)


class BoardView(HeadedList):
    """The groups of an arm."""

    def __init__(self, state: BenchState) -> None:
        super().__init__(BOARD_HEAD, id="bench-board-view")
        self._state = state

    @property
    def size_of_list(self) -> int:
        """Groups."""
        return len(self._state.groups)

    def draw_row(self, place: int, width: int) -> Line:
        """A group."""
        now = self._state
        if place == -BOARD_HEAD:
            return render_arms.breakdown_chips(now, width, self._cap("bench.breakdown"))
        if place < 0:
            return render_arms.groups_heading(now, width)
        chosen = place == self.place
        return render_arms.group_line(now, now.groups[place], width, chosen, self.look)


class QuestionsView(HeadedList):
    """The questions of a group; rows are drawn when they are seen."""

    def __init__(self, state: BenchState) -> None:
        super().__init__(QUESTIONS_HEAD, id="bench-questions-view")
        self._state = state

    @property
    def size_of_list(self) -> int:
        """Questions."""
        return len(self._state.questions)

    def draw_row(self, place: int, width: int) -> Line:
        """A question."""
        now = self._state
        if place == -QUESTIONS_HEAD:
            return render_questions.questions_note(now, width, self._cap("bench.sort"))
        if place < 0:
            return render_questions.questions_heading(width, self.look)
        row, chosen = now.questions[place], place == self.place
        return render_questions.question_line(row, width, chosen, self.look)


class ArmSummary(LineWidget):
    """The arm, where there is no room for its pane."""

    def __init__(self, state: BenchState) -> None:
        super().__init__()
        self._state = state

    def draw(self, width: int) -> Line:
        """The arm in a line."""
        return sentences.summary(self._state).clip(width)


class BenchPanes(NamedPanes):
    """Three panes that show a state; below 100 columns one of them."""

    first_pane = ARMS
    SCOPED_CSS = False  # what is seen depends on the screen's size class
    DEFAULT_CSS = """
    BenchPanes { layout: vertical; }
    BenchPanes #bench-arms { height: 45%; }
    BenchPanes #bench-below { height: 1fr; }
    BenchPanes #bench-board { width: 42%; }
    BenchPanes #bench-questions { width: 1fr; }
    BenchPanes ArmSummary { display: none; dock: top; }
    .-no-arms BenchPanes #bench-below { display: none; }
    .-no-arms BenchPanes #bench-arms { height: 1fr; }
    .-narrow BenchPanes #bench-below { display: none; }
    .-narrow BenchPanes #bench-arms { height: 1fr; }
    .-narrow.-at-board BenchPanes #bench-arms { display: none; }
    .-narrow.-at-board BenchPanes #bench-below { display: block; }
    .-narrow.-at-board BenchPanes #bench-board { width: 1fr; }
    .-narrow.-at-board BenchPanes #bench-questions { display: none; }
    .-narrow.-at-questions BenchPanes #bench-arms { display: none; }
    .-narrow.-at-questions BenchPanes #bench-below { display: block; }
    .-narrow.-at-questions BenchPanes #bench-board { display: none; }
    .-narrow BenchPanes ArmSummary { display: block; }
    .-narrow.-at-arms BenchPanes ArmSummary { display: none; }
    """

    def __init__(self, state: BenchState) -> None:
        super().__init__()
        self._state = state
        self.arms_view, self.board_view = ArmsView(state), BoardView(state)
        self.questions_view = QuestionsView(state)

    def compose(self) -> ComposeResult:
        """Arms above board and questions."""
        yield ArmSummary(self._state)
        with Pane(id="bench-arms"):
            yield self.arms_view
        with Horizontal(id="bench-below"):
            with Pane(id="bench-board"):
                yield self.board_view
            with Pane(id="bench-questions"):
                yield self.questions_view

    @property
    def views(self) -> dict[str, LineView]:
        """What can have the focus, by the name of the pane."""
        return {ARMS: self.arms_view, BOARD: self.board_view, QUESTIONS: self.questions_view}

    @property
    def reading_pane(self) -> Pane:
        """The pane that says that lists are being read, and why they could not be."""
        return self.query_one(f"#bench-{self.pane}", Pane)

    # Where a person is

    @property
    def position(self) -> BenchPosition:
        """What is asked for, the row under the cursor, and the focus."""
        now = self._state
        if now.sought is not None:
            return now.sought
        one = now.question
        return BenchPosition(
            *(now.set_name, now.split, now.arm, now.by, now.group),
            None if one is None else one.fact_id,
            *(now.arm_order, now.group_order, now.question_order),
            self.pane,
            self.questions_view.cursor_height,
            now.against,
            now.viewed,
        )

    def hold(self) -> None:
        """Bring the cursor to where it is sought, once its rows are there."""
        sought, view = self._state.sought, self.questions_view
        self._state.sought = None
        if sought is not None and view.cursor is not None:
            view.hold_cursor(view.cursor, sought.height)

    # Painting

    @on(HeadedList.TailOutdated)
    def fit_width(self, event: HeadedList.TailOutdated) -> None:
        """Break anew what stands below rows, once every pane has its size."""
        event.stop()
        self.call_after_refresh(self.paint)

    def paint(self) -> None:
        """Show all of the state."""
        now = self._state
        words: list[Line] = []
        if now.is_read:
            words = sentences.no_sets() if now.lists is None else sentences.no_arms(now)
        width = self._width_of(self.arms_view)
        self.arms_view.tail = render_arms.board_words(now, width) if self.base.narrow else []
        self.arms_view.put(now.arm_place, words)
        methods = None if now.lists is None else now.lists.methods
        width = self._width_of(self.board_view)
        self.board_view.tail = [
            *render_arms.comparison_lines(now, width),
            *render_arms.method_lines(methods, width),
        ]
        self.board_view.put(now.group_place, [])
        exemplars = () if now.lists is None else now.lists.exemplars
        width = self._width_of(self.questions_view)
        self.questions_view.tail = render_questions.exemplar_lines(exemplars, width)
        self.questions_view.put(now.place, [])
        self._share_height()
        self.paint_edges()

    def _width_of(self, view: LineView) -> int:
        """The width of a view, that of the screen where one pane alone is seen."""
        return self.size.width if self.base.narrow else view.size.width

    def _share_height(self) -> None:
        """The arms take the lines that they need, up to a share; what is below has the rest."""
        lines, most = self.arms_view.row_count() + EDGES, int(ARMS_SHARE * self.app.size.height)
        now = self._state
        self.screen.set_class(now.is_read and not now.arms, "-no-arms")
        fits = bool(now.arms) and not self.base.narrow
        self.base.layouts.start("bench-arms", min(lines, most) if fits else None)

    def paint_edges(self) -> None:
        """Titles, and where in the lists the cursors are."""
        now = self._state
        title = view_title("Arms", now.view_title(ARMS))
        if now.lists is not None:
            title.add("  ").add(now.lists.set_name[:60], "ink-3")
        self._label(ARMS, title, sentences.arms_edge(now))
        row = now.arm_row
        name = "" if row is None else sentences.arm_words(row)[:60]
        title = view_title(name, now.view_title(BOARD))
        self._label(BOARD, title, sentences.position(now.group_place, len(now.groups)))
        edge = sentences.position(now.place, len(now.questions))
        title = view_title((now.group or "")[:60], now.view_title(QUESTIONS))
        self._label(QUESTIONS, title, edge)

    def _label(self, pane: str, title: Line, edge: Line) -> None:
        found = self.query_one(f"#bench-{pane}", Pane)
        found.edge(edge)
        above = self.base.edges_above and edge.spans
        found.title(
            title.add("  ").add(edge.text.partition(spell("·"))[0].rstrip(), "ink-3")
            if above
            else title
        )

    def next_pane(self, step: int) -> Widget:
        """Focus the next pane, or the one before."""
        names = [*self.views]
        self.go(names[(names.index(self.pane) + step) % len(names)])
        return self.views[self.pane]
