"""The Bench screen: what models say of triples, by mode, group and question."""

from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widget import Widget

from core.vocabulary import Task
from tui import keys
from tui.dialogs.choice_dialog import Choose, Option
from tui.screens.base_screen import BaseScreen
from tui.screens.bench import sentences
from tui.screens.bench.loader import BenchLoader
from tui.screens.bench.state import ARMS, BOARD, QUESTIONS, BenchPosition, BenchState
from tui.screens.bench.widgets import BenchPanes
from tui.text.line import ELLIPSIS, Line
from tui.theme.glyphs import spell
from tui.widgets.line_view import LineView
from tui.widgets.pane_layout import Split

if TYPE_CHECKING:
    from core.views.snapshot import Snapshot
    from tui.screens.bench.bench_saved_views import BenchViews


class BenchScreen(BaseScreen):
    """Step through arms, groups and questions. Below 100 columns one pane at a time."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("bench")
    tab = "bench"
    starts = "fact-bench"
    outer_pane = ARMS
    position_type = BenchPosition
    splits = (
        Split("bench-board", "bench-questions"),
        Split("bench-arms", "bench-below", rows=True),
    )

    def __init__(self) -> None:
        super().__init__()
        self.state = BenchState()
        self.panes = BenchPanes(self.state)
        self.loader = BenchLoader(self.state, self.panes)
        self.first_read = self.loader.lists

    def body(self) -> ComposeResult:
        """Arms, the board of one, the questions of a row."""
        yield self.panes

    def on_mount(self) -> None:
        """Begin in the arms."""
        self.panes.go(ARMS)
        self.paint()

    # What the app asks for

    @property
    def model_words(self) -> str | None:
        """The model whose arm is chosen."""
        row = self.state.arm_row
        if row is not None:
            return row.model
        return "no arms yet" if self.state.is_read else spell(ELLIPSIS)

    @property
    def lens_words(self) -> tuple[str, ...]:
        """What this screen goes by instead of grader, threshold and strategy."""
        row, lists = self.state.arm_row, self.state.lists
        return (*([] if row is None else [row.mode]), *([] if lists is None else [lists.split]))

    @property
    def facts_in_sight(self) -> frozenset[int]:
        """The fact under the cursor."""
        return frozenset(() if self.state.fact is None else (self.state.fact,))

    @property
    def summary(self) -> str:
        """The arm, and what it says right."""
        return sentences.summary(self.state).text.strip()

    @property
    def set_in_sight(self) -> str:
        """The set whose arms are shown."""
        return self.state.set_name or ""

    def status(self) -> Line | None:
        """What the figures are over, and what a shuffled arm loses."""
        return sentences.status(self.state, self.lostkeys.path.name)

    def show_snapshot(self, snapshot: "Snapshot") -> None:
        """Take in other facts, answers and labels; nothing jumps."""
        self.loader.read_lists()

    @property
    def position(self) -> BenchPosition:
        """Set, arm, group, question, orders, and the focus."""
        return self.panes.position

    def take_position(self, position: BenchPosition) -> None:
        """Show what was shown."""
        self.state.go_to(position)
        self.panes.go(position.pane if position.pane in self.panes.views else ARMS)
        self.loader.read_lists()

    def forget(self) -> None:
        """Nothing is read."""
        self.state.clear()
        self.loader.stop()
        self.paint()

    def reload(self) -> None:
        """Read all of it anew."""
        self.loader.read_lists()

    @property
    def viewed_list(self) -> "BenchViews":
        """The list of the pane with the focus."""
        from tui.screens.bench.bench_saved_views import BenchViews

        return BenchViews(self.state, self.panes)

    def paint_panes(self) -> None:
        """All three."""
        self.panes.paint()

    def choose_models(self) -> bool:
        """Choose the set whose arms are shown."""
        sets = () if self.state.lists is None else self.state.lists.sets
        if len(sets) < 2:
            if self.state.is_read:
                self.lostkeys.say(sentences.NO_OTHER_SET)
            return True
        options = [Option(name, name) for name in sets]
        from tui.dialogs.removal_dialog import remover

        remove = remover(self.lostkeys, "set")
        dialog = Choose("set", options, self.state.set_name, remove)
        self.app.push_screen(dialog, self._show_set)
        return True

    def _show_set(self, name: str | None) -> None:
        if name is not None:
            self.state.choose_set(name)
            self.loader.read_lists()

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that do something now."""
        if action in ("open", "breakdown", "sort", "next_split", "copy", "compare", "write_list"):
            return bool(self.state.arms)
        return True

    def action_breakdown(self) -> None:
        """Group by the next: tier, property, domain, type."""
        self.state.step_breakdown()
        self.loader.read_lists()

    def action_compare(self) -> None:
        """Choose an arm to compare with, or none."""
        others = [row for row in self.state.arms if row.label != self.state.arm]
        if not others:
            self.lostkeys.say(sentences.NO_OTHER_ARM)
            return
        options = [Option(row.label, sentences.arm_words(row)) for row in others]
        if self.state.against is not None:
            options.insert(0, Option("", sentences.NO_COMPARISON))
        dialog = Choose("compare with", options, self.state.against)
        self.app.push_screen(dialog, self._compare_with)

    def _compare_with(self, label: str | None) -> None:
        if label is not None:
            self.state.against = label or None
            self.loader.read_lists()
            if label and self.panes.pane == ARMS and self.narrow:
                self.panes.go(BOARD)  # the comparison stands there

    def action_sort(self) -> None:
        """The next order of the rows of the pane with the focus."""
        order = self.state.step_order(self.panes.pane)
        self.lostkeys.say(sentences.ORDER_WORDS[order])
        self.loader.read_lists()

    def action_next_split(self) -> None:
        """The next split."""
        if self.state.step_split():
            self.loader.read_lists()
        else:
            self.lostkeys.say(sentences.NO_OTHER_SPLIT)

    def action_prepare(self) -> None:
        """Prepare the set in sight as it was prepared last, once a person agrees."""
        name = self.state.set_name
        if self.state.lists is not None and name is not None:
            self.loader.prepare(name, sentences.ask_prepare(name))

    def action_remove(self) -> None:
        """Offer to remove the set in sight, or the arm under the cursor."""
        from tui.dialogs.removal_dialog import offer_removal

        now = self.state
        things = (("set", now.set_name), ("model", now.arm))
        offer_removal(self.lostkeys, *((kind, name) for kind, name in things if name))

    def action_copy(self) -> None:
        """Copy the row under the cursor."""
        view = self.panes.views[self.panes.pane]
        if view.cursor is not None:
            text = " ".join(view.draw(view.cursor, 0, view.line_width).text.split())
            self.lostkeys.copy(text, sentences.describe_copy("the row"))

    def action_open(self) -> None:
        """From arms to the board, from there to the questions, from a question to Task."""
        pane, one = self.panes.pane, self.state.question
        if pane == ARMS and self.state.groups:
            self.panes.go(BOARD)
        elif pane == BOARD and self.state.questions:
            self.panes.go(QUESTIONS)
        elif pane == QUESTIONS and one is not None:
            answer = None if one.answer is None else (False, 0)
            model = None if one.answer is None else self.state.arm
            self.lostkeys.places.jump("task", one.fact, Task.DIRECT, answer, model=model)

    @property
    def outermost(self) -> bool:
        """In the arms."""
        return self.panes.pane == ARMS

    @property
    def back_words(self) -> str:
        """One pane out."""
        if not self.layouts.alone and self.panes.pane == QUESTIONS:
            return BOARD
        return super().back_words

    def step_out(self) -> None:
        """From the questions to the board, from there to the arms."""
        self.panes.go(BOARD if self.panes.pane == QUESTIONS else ARMS)

    def action_side(self, step: int) -> None:
        """Into the next pane or out of it."""
        pane = self.panes.pane
        if step > 0 and pane != QUESTIONS:
            self.action_open()
        elif step < 0 and pane != ARMS:
            self.step_out()

    # Focus

    def focus_next(self, selector: object = "*") -> Widget | None:
        """Arms, board, questions."""
        return self._focus_by(lambda _: self.panes.next_pane(1), "*")

    def focus_previous(self, selector: object = "*") -> Widget | None:
        """The other way round."""
        return self._focus_by(lambda _: self.panes.next_pane(-1), "*")

    # Events

    @on(LineView.CursorMoved)
    def follow_cursor(self, event: LineView.CursorMoved) -> None:
        """The cursor is on another arm, group or question."""
        event.stop()
        panes, now = self.panes, self.state
        if event.view is panes.arms_view and panes.arms_view.place is not None:
            if now.choose_arm(panes.arms_view.place):
                self.loader.read_lists()
        elif event.view is panes.board_view and panes.board_view.place is not None:
            if now.choose_group(panes.board_view.place):
                self.loader.read_lists()
        elif event.view is panes.questions_view and panes.questions_view.place is not None:
            now.sought = None
            now.choose_place(panes.questions_view.place)
        panes.paint_edges()
        self.refresh_frame()

    @on(LineView.RowClicked)
    def open_clicked(self, event: LineView.RowClicked) -> None:
        """A second click is as good as enter."""
        event.stop()
        if event.again:
            event.view.focus()
            self.call_after_refresh(self.action_open)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The pane with the focus is the one that is seen where there is room for one."""
        pane = self.panes.pane
        for name in self.panes.views:
            self.set_class(name == pane, f"-at-{name}")
        self.refresh_frame()

    def on_resize(self, event: events.Resize) -> None:
        """Other room."""
        self.call_after_refresh(self.paint)
