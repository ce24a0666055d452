"""The Task screen: one question with all its answers, judged one by one."""

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType

from core.views.snapshot import Snapshot
from core.vocabulary import TASK_INDEX, TASKS, Task
from tui import keys
from tui.screens.base_screen import BaseScreen
from tui.screens.task import render_pages, sentences
from tui.screens.task.answer_writer import AnswerWriter
from tui.screens.task.loader import QuestionLoader
from tui.screens.task.state import AnswerPage, TaskPosition, TaskState
from tui.screens.task.widgets import OpenView, TaskPanes
from tui.text.line import Line
from tui.text.task_names import format_task_title
from tui.widgets.document_view import DocumentView
from tui.widgets.line_view import LineView
from tui.widgets.pane_layout import Split


class TaskScreen(BaseScreen):
    """Judge answers one by one. Below 100 columns one pane at a time."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("task")
    tab = "task"
    outer_pane = "answers"
    position_type = TaskPosition
    splits = (Split("answers", "open"), Split("text", "open"))

    def __init__(self) -> None:
        super().__init__()
        self.state = TaskState()
        self.panes = TaskPanes(self.state)
        self.loader = QuestionLoader(self.state, self.panes)
        self.writer = AnswerWriter(self.state, self.panes, self.loader)
        self._sought: TaskPosition | None = None
        """Where to go once facts are known."""

    def body(self) -> ComposeResult:
        """Head above, answers and the open answer below."""
        yield self.panes

    def on_mount(self) -> None:
        """Begin among the answers."""
        self.set_focus(self.panes.answers_view)
        self.paint()

    # What the app asks for

    @property
    def facts_in_sight(self) -> frozenset[int]:
        """The fact whose question is open."""
        return frozenset(() if self.state.fact is None else (self.state.fact,))

    @property
    def takes_keys(self) -> bool:
        """Whether the open answer has been painted."""
        now, view = self.state, self.panes.open_view
        painted = now.slot is None or view.has_painted(now.slot)
        return not self.panes.inside or now.failed or (painted and not now.waiting)

    def open(self, fact: int, task: Task, answer: tuple[bool, int] | None = None) -> None:
        """Show one question of a fact (its id), with one of its answers open."""
        self._sought = None
        self.state.open(fact, task, answer)
        self._focus(self.state.direct)
        self.loader.request_question()

    @property
    def summary(self) -> str:
        """The question that is open."""
        view = self.state.view
        return f"{view.fact.subject[:40]}, {format_task_title(view.task)}" if view else ""

    def _focus(self, inside: bool) -> None:
        """At once: keys that wait are meant for what has the focus then."""
        self.set_class(inside, "-inside")
        self.set_focus(self.panes.open_view if inside else self.panes.answers_view)

    @property
    def position(self) -> TaskPosition:
        """The question, the answer under the cursor, and what is shown of it."""
        snapshot, now, panes = self.lostkeys.snapshot, self.state, self.panes
        if self._sought is not None:
            return self._sought
        fact = None if snapshot is None or now.fact is None else snapshot.fact_id(now.fact)
        height, scroll = panes.answers_view.cursor_height, panes.open_view.scroll_offset.y
        return now.position(fact, panes.inside, height, scroll)

    def take_position(self, position: TaskPosition) -> None:
        """Open what was open; where its fact is gone, what is open stays."""
        snapshot = self.lostkeys.snapshot
        self._sought = position if snapshot is None else None
        fact = None if snapshot is None else snapshot.fact_called(position.fact)
        if fact is not None:
            self.state.go_to(fact, position)
            self._focus(position.inside)
            self.loader.request_question()

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Read again under another snapshot; nothing jumps."""
        if self._sought is not None:
            self.take_position(self._sought)
        else:
            self.loader.request_question()

    def forget(self) -> None:
        """No question is open."""
        self._sought = None
        self.state.clear()
        self.loader.stop()
        self.paint()

    def reload(self) -> None:
        """Read again."""
        self.loader.request_question()

    def status(self) -> Line | None:
        """Where only the open answer is in sight, the fact's name."""
        view = self.state.view
        return sentences.fact_name(view) if view and self.narrow and self.panes.inside else None

    def on_screen_resume(self) -> None:
        """Where nothing is open yet, open the fact and the task that the Facts screen is at."""
        steps = self.lostkeys.fact_steps()
        nothing = self.state.fact is None and self._sought is None
        if nothing and steps is not None and steps.open_question is not None:
            self.open(*steps.open_question)
        super().on_screen_resume()

    def paint_panes(self) -> None:
        """All three."""
        self.panes.paint()

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that do something now."""
        if action == "open":
            return self.state.answer is not None and not self.panes.inside
        if action in ("view", "copy", "also", "edit", "reject"):
            return self.state.answer is not None
        return True

    def action_choose(self, place: int) -> None:
        """Another of the ten tasks."""
        task = TASKS[place]
        if not self.state.has_question(task):
            self.lostkeys.say(sentences.no_question(task))
        elif self.state.fact is not None:
            self.state.choose_task(task)
            self.loader.request_question()

    def action_next_fact(self, step: int) -> None:
        """The same question of the next fact in the list."""
        facts = self.lostkeys.fact_steps()
        if facts is None:
            return
        facts.step_fact(step)
        if facts.listed_fact is not None:
            self.state.choose_fact(facts.listed_fact)
            self.loader.request_question()

    def action_next_differing(self) -> None:
        """The next answer of this fact on which the graders differ."""
        now = self.state
        if now.waiting:
            return
        before = now.task
        if not now.seek(now.settings):
            self.lostkeys.say(sentences.no_difference(self.lostkeys.snapshot))
        elif now.task is before:
            now.show(now.settings)
            self._show_answer()
        else:
            self.loader.request_question()

    def action_open(self) -> None:
        """Into the open answer: only there labels are set."""
        if self.state.answer is not None:
            self._focus(True)

    @property
    def outermost(self) -> bool:
        """Among the answers, or where one came in."""
        direct = self.panes.inside and self.state.direct
        return direct or self.focused not in (self.panes.open_view, self.panes.text_view)

    def step_out(self) -> None:
        """Back to the answers."""
        self.state.direct = False
        self._focus(False)

    def action_side(self, step: int) -> None:
        """Into the open answer, or back to the answers."""
        if step > 0:
            self.action_open()
        elif self.panes.inside:
            self.step_out()

    def action_view(self) -> None:
        """Turn the page."""
        self.state.turn_page()
        self.panes.paint_open()

    def action_copy(self) -> None:
        """Copy the page: the answer, the prompt, the options."""
        view, answer = self.state.view, self.state.answer
        if view is not None and answer is not None:
            self.lostkeys.copy(render_pages.format_copy(self.state.shown_page, view, answer))

    def action_flag(self) -> None:
        """Flag the fact, or take its flag away."""
        self.writer.flag()

    def action_also(self) -> None:
        """Accept the open answer as an alias."""
        self.writer.accept()

    def action_edit(self) -> None:
        """Edit question, gold, aliases or options."""
        self.writer.edit()

    def action_reject(self) -> None:
        """Ask why the question is rejected."""
        self.writer.ask_reason()

    # Events

    @on(OpenView.LabelChosen)
    def judge(self, event: OpenView.LabelChosen) -> None:
        """Set your label of the open answer, or withdraw it."""
        event.stop()
        self.writer.judge(event.label)

    @on(OpenView.NoteWanted)
    def ask_note(self, event: OpenView.NoteWanted) -> None:
        """Ask for a note on your label."""
        event.stop()
        self.writer.ask_note()

    @on(DocumentView.TagsWanted)
    def ask_tags(self, event: DocumentView.TagsWanted) -> None:
        """Tag the open answer."""
        event.stop()
        self.writer.ask_tags()

    @on(DocumentView.StepWanted)
    def step_answer(self, event: DocumentView.StepWanted) -> None:
        """Next or previous answer, from either pane."""
        event.stop()
        if self.state.step(event.by, self.state.settings):
            self._show_answer()

    @on(LineView.CursorMoved)
    def go_to_answer(self, event: LineView.CursorMoved) -> None:
        """The cursor went to another answer by other means."""
        event.stop()
        answers = self.panes.answers_view
        slot = answers.slot_at(event.row) if event.view is answers else None
        if slot is not None and slot != self.state.slot:
            self.state.slot = slot
            self._show_answer()

    def _show_answer(self) -> None:
        """Another answer is open."""
        self.panes.place_cursor()
        self.panes.paint_open()
        self.panes.paint_text()
        self.loader.weigh()

    @on(LineView.RowClicked)
    def open_clicked(self, event: LineView.RowClicked) -> None:
        """A task, a page, or an answer that has the cursor already."""
        event.stop()
        kind, _, name = (event.part or "").partition(":")
        if kind == "task":
            self.action_choose(TASK_INDEX[Task(name)])
        elif kind == "page":
            self.state.page = AnswerPage(name)
            self.panes.paint_open(from_top=True)
        elif event.view is self.panes.answers_view and event.again:
            self.action_open()

    @on(OpenView.SizeChanged)
    def break_lines(self, event: OpenView.SizeChanged) -> None:
        """Break pages into lines anew."""
        event.stop()
        self.panes.place_cursor()
        self.panes.paint_open()
        self.panes.paint_text()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The pane with the focus is seen where there is room for one; keys are armed in it."""
        self.set_class(self.panes.inside, "-inside")
        self.panes.paint_open()
        self.refresh_bindings()

    def on_resize(self, event: events.Resize) -> None:
        """Other room for the head, and perhaps another number of panes."""
        self.paint()
        self.loader.read_context()
