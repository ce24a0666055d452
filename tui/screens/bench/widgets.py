"""The panes of the Bench screen: arms above, the board of one and the questions of a row below."""

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widget import Widget

from core.views.bench.bench_questions import BenchQuestion, ExemplarRow
from core.views.verdict_reasons import format_g
from tui.screens.bench import render_arms, sentences
from tui.screens.bench.sentences import ORDER_WORDS
from tui.screens.bench.state import ARMS, BOARD, QUESTIONS, BenchPosition, BenchState
from tui.screens.screen_panes import NamedPanes
from tui.text.cell_width import width_of
from tui.text.inert_text import make_inert
from tui.text.line import Line, cut
from tui.text.line_wrap import wrap_spans
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.theme.roles import outcome_mark
from tui.widgets.exemplar_marks import answer_role, exemplar_counts, find_known_mark
from tui.widgets.headed_list import HeadedList
from tui.widgets.line_view import LineView
from tui.widgets.line_widget import LineWidget
from tui.widgets.pane import Pane, view_title

# The lines of questions with an arm's answers, and of the exemplars that were sent before them.

EM, F1, JUDGE = 4, 6, 4
"""Cells of whether a gold was said to the letter, of F1, and of the judge's mark."""

LONG = 400
"""Characters of a text that are looked at."""

EXEMPLARS_SHOWN = 12
"""Exemplars that stand below the questions; Task has all of them."""


def entity_room(width: int) -> int:
    """Cells for subject and gold; the answer has the rest."""
    return max(16, (width - EM - F1 - JUDGE - 3) * 56 // 100)


def questions_note(now: BenchState, width: int, key: str) -> Line:
    """What the questions are sorted by."""
    words = ORDER_WORDS[f"questions {now.question_order}"]
    line = Line(f" {words} ", "ink-3").add(key, "accent bold")
    parted = sum(one.is_parted for one in now.questions)
    if parted:
        return line.right(Line(f"EM and judge part on {parted:,} ", "ink-3"), width)
    return line.clip(width)


def questions_heading(width: int, look: Look) -> Line:
    """What the columns of questions hold."""
    line = Line(" ").cell(f"subject {look.glyph('arrow')} gold", entity_room(width), "ink-3")
    line.add(" answer", "ink-3")
    beside = Line().cell("EM", EM, "ink-3", right=True).cell("F1", F1, "ink-3", right=True)
    return line.right(beside.cell("J", JUDGE - 1, "ink-3", right=True).add(" "), width)


def question_line(row: BenchQuestion, width: int, chosen: bool, look: Look) -> Line:
    """One question: subject and gold, the answer, whether it is right by EM, F1 and the judge."""
    line = Line(" ").join(_entities(row, entity_room(width), chosen, look)).add(" ")
    beside = Line()
    if row.answer is None:
        beside.cell("", EM).cell("", F1).cell("", JUDGE)
    else:
        mark, role = ("=", "label-c bold") if row.em else (look.glyph("INCORRECT"), "label-i bold")
        beside.cell(mark, EM, role, right=True)
        beside.cell(spell(format_g(row.f1)), F1, "ink-2", right=True)
        mark, role = outcome_mark(row.judge, look)
        beside.cell(mark, JUDGE - 1, role, right=True).add(" ")
    room = max(0, width - line.width - beside.width - 1)
    if row.answer is None:
        line.cell("no answer yet", room, "ink-3")
    else:
        line.cell(row.answer[:LONG] or spell("∅"), room, "ink" if chosen else "ink-2")
    return line.right(beside, width)


def _entities(row: BenchQuestion, width: int, chosen: bool, look: Look) -> Line:
    """Subject and gold; where both are long each is cut to half of the room."""
    room = max(0, width - 4)
    subject, gold = make_inert(row.subject[:LONG]), make_inert(row.gold[:LONG])
    first = min(width_of(subject), max(room // 2, room - width_of(gold)))
    line = Line().add(cut(subject, first), "ink bold" if chosen else "ink")
    line.add(f" {look.glyph('arrow')} ", "ink-3")
    line.add(cut(gold, max(0, width - 1 - line.width)), "object")
    return line.clip(width).to(width)


def exemplar_lines(rows: Sequence[ExemplarRow], width: int) -> list[Line]:
    """The exemplars as they were sent, each known or not, true or not; then how many of each."""
    if not rows:
        return []
    words = Line()
    for one in rows[:EXEMPLARS_SHOWN]:
        words.add(f"{make_inert(one.subject[:60])} ", "ink-2")
        words.add(make_inert(one.answer[:60]), answer_role(one))
        if not one.is_true:
            words.add(" for ", "ink-3").add(make_inert(one.gold[:60]), "ink-2")
        words.add(" ").add(*find_known_mark(one.known)).add("   ")
    if len(rows) > EXEMPLARS_SHOWN:
        words.add(f"{len(rows) - EXEMPLARS_SHOWN:,} more", "ink-3")
    head = Line(f" exemplars as sent, {len(rows):,} ", "ink-3").rule(max(0, width - 1))
    lines = [Line(" ").join(one) for one in wrap_spans(words.spans, max(12, width - 2))]
    said = exemplar_counts(rows)
    return [Line(), head.clip(width), *lines, Line(f" {said}", "ink-3").clip(width)]


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
            return questions_note(now, width, self._cap("bench.sort"))
        if place < 0:
            return questions_heading(width, self.look)
        row, chosen = now.questions[place], place == self.place
        return question_line(row, width, chosen, self.look)


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
        self.questions_view.tail = exemplar_lines(exemplars, width)
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
