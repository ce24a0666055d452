"""The Task screen: one question with all its answers, judged one by one."""

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.binding import BindingType

from core.graders.answer_text import same
from core.views.snapshot import Snapshot
from core.views.task_view import AnswerView, TaskView
from core.vocabulary import TASK_INDEX, TASKS, Label, Task
from tui import keys
from tui.screens.task import messages, render_pages
from tui.screens.task.render_pages import AnswerPage
from tui.screens.task.showing import Read, ShowingScreen, read_task
from tui.screens.task.widgets import OpenView
from tui.widgets.document_view import DocumentView
from tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from core.curation.question_edits import QuestionDraft
    from core.views.session import Session
    from tui.dialogs.note_dialog import Note
    from tui.screens.review.edit_dialog import EditQuestion


class TaskScreen(ShowingScreen):
    """Judge answers one by one. Below 100 columns one pane at a time."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("task")
    tab = "task"

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that do something now."""
        if action == "open":
            return self.reading.answer is not None and not self.inside
        if action in ("view", "copy", "also"):
            return self.reading.answer is not None
        return True

    def action_choose(self, place: int) -> None:
        """Another of the ten tasks."""
        view, task = self.reading.view, TASKS[place]
        if view is not None and not view.fact.tasks[TASK_INDEX[task]].question:
            self.lostkeys.say(messages.no_question(task))
        elif self.reading.fact is not None:
            self.reading.task, self.reading.sought = task, None
            self.read()

    def action_next_fact(self, step: int) -> None:
        """The same question of the next fact in the list."""
        facts = self.lostkeys.fact_steps()
        if facts is None:
            return
        facts.step_fact(step)
        if facts.listed_fact is not None:
            self.reading.fact, self.reading.sought = facts.listed_fact, None
            self.read()

    def action_next_differing(self) -> None:
        """The next answer of this fact on which the graders differ."""
        if self.reading.waiting:
            return
        before = self.reading.task
        if not self.reading.seek(self.settings):
            self.lostkeys.say(messages.no_difference(self.lostkeys.board))
        elif self.reading.task is before:
            self.reading.show(self.settings)
            self._moved()
        else:
            self.read()

    def action_open(self) -> None:
        """Into the open answer: only there labels are set."""
        if self.reading.answer is not None:
            self.add_class("-inside")
            self.opened.focus()

    def action_back(self) -> None:
        """Back to the answers, and from where one came in to the screen that one came from."""
        if self.inside and not self.direct:
            self._leave()
        else:
            self.app.call_later(self.lostkeys.go_back)

    def _leave(self) -> None:
        """Out of the open answer."""
        self.direct = False
        self.remove_class("-inside")
        self.answers.focus()

    def action_side(self, step: int) -> None:
        """Into the open answer, or back to the answers."""
        if step > 0:
            self.action_open()
        elif self.inside:
            self._leave()

    def action_view(self) -> None:
        """Turn the page."""
        view, answer = self.reading.view, self.reading.answer
        if view is not None and answer is not None:
            there = render_pages.available(view, answer)
            self.reading.page = render_pages.turned(self.reading.shown_page, there)
            self.paint_open()

    def action_copy(self) -> None:
        """Copy the page: the answer, the prompt, the options."""
        view, answer = self.reading.view, self.reading.answer
        if view is not None and answer is not None:
            self.lostkeys.copy(render_pages.plain(self.reading.shown_page, view, answer))

    def action_flag(self) -> None:
        """Flag the fact, or take its flag away."""
        board, fact = self.lostkeys.board, self.reading.fact
        place = None if board is None or fact is None else board.place(fact)
        if board is None or fact is None or place is None:
            return
        flagged = not board.index.flagged[place]
        self.lostkeys.write(
            lambda session: session.set_flag(fact, flagged)[1], partial(self._flagged, flagged)
        )

    def _flagged(self, flagged: bool, board: Snapshot) -> None:
        self.lostkeys.board_changed(board)
        self.lostkeys.say(messages.flagged(flagged))

    def action_also(self) -> None:
        """Accept the open answer as another name of the gold."""
        view, answer = self.reading.view, self.reading.answer
        if view is None or answer is None or self.reading.waiting:
            return
        if view.task.is_choice:
            self.lostkeys.say("an option is no other name of the gold")
            return
        from core.curation.question_edits import QuestionDraft
        from tui.screens.review.edit_dialog import accepting

        seen = QuestionDraft(view.text, view.gold, view.aliases, view.choices)
        start, end = answer.answer or (0, len(answer.text))
        named = same(answer.text[start:end])
        land = partial(self._accept, view, answer, seen)
        self.app.push_screen(accepting(view.question, seen, named, land))

    def _accept(
        self,
        view: TaskView,
        answer: AnswerView,
        seen: "QuestionDraft",
        draft: "QuestionDraft",
        dialog: "EditQuestion",
    ) -> None:
        def written(session: "Session") -> tuple[Snapshot, Read]:
            board = session.reviews.edit(view.question, draft, seen)[1]
            return board, read_task(view.fact.fact, view.task, answer, session)

        def landed(done: tuple[Snapshot, Read]) -> None:
            dialog.kept()
            self._written(view, answer, messages.accepted, done)

        def write(name: str) -> None:
            if dialog.begin():
                self.lostkeys.write(written, landed, dialog.failed)

        self.lostkeys.with_name(write)

    # Labels

    @on(OpenView.Judged)
    def judged(self, event: OpenView.Judged) -> None:
        """Set your label of the open answer, or withdraw it."""
        event.stop()
        answer = self.reading.answer
        if answer is None or self.reading.waiting:
            return
        if event.label is None and answer.own is None:
            self.lostkeys.say("you have not labelled this answer")
            return
        self.lostkeys.with_name(lambda _: self._write(answer, event.label))

    def _write(self, answer: AnswerView, label: Label | None) -> None:
        note = None if label is None else self.reading.notes.get(answer.slot)
        work = partial(_label, answer.slot, label, note)
        self._send(answer, work, partial(messages.labelled, label))

    @on(OpenView.Noting)
    def noting(self, event: OpenView.Noting) -> None:
        """Ask for a note on your label."""
        event.stop()
        answer = self.reading.answer
        if answer is None or self.reading.waiting:
            return
        from tui.dialogs.note_dialog import NoteDialog, Subject

        said = answer.own.value if answer.own else "not labelled yet"
        note = answer.note or self.reading.notes.get(answer.slot, "")
        subject = Subject(f"{messages.place_of(answer)}, {said}", note)
        self.app.push_screen(NoteDialog([subject]), partial(self._noted, answer))

    def _noted(self, answer: AnswerView, said: "Note | None") -> None:
        if said is None:
            return
        if answer.own is None:
            self.reading.notes[answer.slot] = said.text
            self.lostkeys.say("your note is written with your label" if said.text else "no note")
            self.paint_open(from_top=False)
        elif said.text != (answer.note or ""):
            work = partial(_note, answer.slot, said.text)
            self._send(answer, work, partial(messages.noted, bool(said.text)))

    def _send(self, answer: AnswerView, work: "messages.Write", say: "messages.Say") -> None:
        """Write, and read everything that is on screen in the same go."""
        view = self.reading.view
        if view is None:
            return

        def written(session: "Session") -> tuple[Snapshot, Read]:
            board = work(session)
            return board, read_task(view.fact.fact, view.task, answer, session)

        self.lostkeys.write(written, partial(self._written, view, answer, say))

    def _written(
        self, before: TaskView, answer: AnswerView, say: "messages.Say", done: tuple[Snapshot, Read]
    ) -> None:
        board, read = done
        now = self.reading
        now.notes.pop(answer.slot, None)
        if read[0] is not None and (now.fact, now.task) == (before.fact.fact, before.task):
            self._shown = board
            slot = now.slot
            self.take(read if slot == answer.slot else (read[0], None))
            self.weigh()
        self.lostkeys.board_changed(board)
        if read[0] is not None:
            self.lostkeys.say(say(answer, before.fact.code, read[0].fact.code))

    # Events

    @on(DocumentView.Stepped)
    def stepped(self, event: DocumentView.Stepped) -> None:
        """Next or previous answer, from either pane."""
        event.stop()
        if self.reading.step(event.by, self.settings):
            self._moved()

    @on(LineView.Moved)
    def moved(self, event: LineView.Moved) -> None:
        """The cursor went to another answer by other means."""
        event.stop()
        slot = self.answers.slot_at(event.row) if event.view is self.answers else None
        if slot is not None and slot != self.reading.slot:
            self.reading.slot = slot
            self._moved()

    def _moved(self) -> None:
        rows = self.answers.rows
        if any(row.answer and row.answer.slot == self.reading.slot for row in rows):
            self.answers.place(self.reading.slot)
        else:
            self.paint_head()
            self.paint_answers()
        self.paint_open()
        self.weigh()

    @on(LineView.Clicked)
    def clicked(self, event: LineView.Clicked) -> None:
        """A task, a page, or an answer that has the cursor already."""
        event.stop()
        kind, _, name = (event.part or "").partition(":")
        if kind == "task":
            self.action_choose(TASK_INDEX[Task(name)])
        elif kind == "page":
            self.reading.page = AnswerPage(name)
            self.paint_open()
        elif event.view is self.answers and event.again:
            self.action_open()

    @on(OpenView.Resized)
    def resized(self, event: OpenView.Resized) -> None:
        """Break the page into lines anew."""
        event.stop()
        self.paint_open(from_top=False)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The pane with the focus is seen where there is room for one; keys are armed in it."""
        self.set_class(self.inside, "-inside")
        self.paint_open(from_top=False)
        self.refresh_bindings()

    def on_resize(self, event: events.Resize) -> None:
        """Other room for the head, and perhaps another number of panes."""
        self.paint(from_top=False)


def _label(slot: int, label: Label | None, note: str | None, session: "Session") -> Snapshot:
    done = session.withdraw(slot) if label is None else session.set_label(slot, label, note)
    return done[1]


def _note(slot: int, note: str, session: "Session") -> Snapshot:
    return session.set_note(slot, note)[1]
