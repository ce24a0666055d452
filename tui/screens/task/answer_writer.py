"""Labels, notes and aliases: what is written of the open answer."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from core.graders.answer_text import normalise_answer
from core.views.snapshot import Snapshot
from core.views.task_view import AnswerView, TaskView
from core.vocabulary import Label
from tui.screens.task import loader, sentences
from tui.screens.task.loader import QuestionLoader
from tui.screens.task.state import QuestionRejection, ReadQuestion, TaskState
from tui.screens.task.widgets import TaskPanes
from tui.text.task_names import format_task_title
from tui.widgets.question_faults import describe_edit

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.curation.question_edits import EditEffect, QuestionDraft
    from core.views.session import Session
    from tui.app.app import LostkeysApp
    from tui.dialogs.note_dialog import Note
    from tui.dialogs.question_edit_dialog import EditQuestion, Landing
    from tui.dialogs.tag_dialog import TagWrite
    from tui.text.line import Line


class AnswerWriter:
    """Writes, and reads everything that is on screen in the same go."""

    def __init__(self, state: TaskState, panes: TaskPanes, loader: QuestionLoader) -> None:
        self._state, self._panes, self._loader = state, panes, loader

    @property
    def _app(self) -> "LostkeysApp":
        return self._panes.base.lostkeys

    @property
    def _open_answer(self) -> AnswerView | None:
        """The answer under the cursor, unless another question is on its way."""
        return None if self._state.waiting else self._state.answer

    # Labels and notes

    def judge(self, label: Label | None) -> None:
        """Set your label of the open answer, or withdraw it."""
        answer = self._open_answer
        if answer is None:
            return
        if label is None and answer.own is None:
            self._app.say("you have not labelled this answer")
            return
        self._app.with_name(lambda _: self._write_label(answer, label))

    def _write_label(self, answer: AnswerView, label: Label | None) -> None:
        note = None if label is None else self._state.notes.get(answer.slot)
        work = partial(loader.write_label, answer.slot, label, note)
        self._send(
            answer, work, partial(sentences.describe_label, label), decides=label is not None
        )

    def ask_note(self) -> None:
        """Ask for a note: on the rejection made just before, else on your label."""
        answer = self._open_answer
        if answer is None:
            return
        from tui.dialogs.note_dialog import NoteDialog, NoteSubject

        said = answer.own.value if answer.own else "not labelled yet"
        note = answer.note or self._state.notes.get(answer.slot, "")
        subjects = [NoteSubject(f"{sentences.place_of(answer)}, {said}", note)]
        rejection = self._rejection_of(answer)
        if rejection is not None:
            name = f"the question, rejected: {rejection.reason}"
            subjects.insert(0, NoteSubject(name, rejection.note))
        self._app.push_screen(NoteDialog(subjects), partial(self._take_note, answer, rejection))

    def _rejection_of(self, answer: AnswerView) -> QuestionRejection | None:
        """The rejection made just before with this answer open, unless it was undone."""
        last, snapshot, fact = self._state.rejection, self._app.snapshot, self._state.fact
        place = None if snapshot is None or fact is None else snapshot.place(fact)
        stands = place is not None and snapshot is not None and snapshot.index.rejected[place]
        return last if last is not None and last.slot == answer.slot and stands else None

    def _take_note(
        self, answer: AnswerView, rejection: QuestionRejection | None, said: "Note | None"
    ) -> None:
        if said is None:
            return
        if rejection is not None and said.subject == 0:
            self._state.rejection = replace(rejection, note=said.text)
            work = partial(loader.write_rejection_note, rejection, said.text)
            self._app.write(work, self._app.snapshot_changed)
        else:
            self._write_note(answer, said)

    def _write_note(self, answer: AnswerView, said: "Note") -> None:
        if self._state.keep_note(answer, said.text):
            work = partial(loader.write_note, answer.slot, said.text)
            self._send(answer, work, partial(sentences.describe_note, bool(said.text)))
        elif answer.own is None:
            self._app.say("your note is written with your label" if said.text else "no note")
            self._panes.paint_open()

    def ask_tags(self) -> None:
        """Ask for a tag of the open answer."""
        answer = self._open_answer
        if answer is None:
            return
        from tui.dialogs.tag_dialog import ask_tags

        def send(work: "TagWrite", said: "Line") -> None:
            self._send(answer, lambda session: work(session)[1], lambda *_: said)

        ask_tags(self._app, "answer", answer.slot, sentences.place_of(answer), send)

    def _send(
        self,
        answer: AnswerView,
        work: "sentences.Write",
        say: "sentences.Say",
        decides: bool = False,
    ) -> None:
        view = self._state.view
        if view is not None:
            taken = partial(self._take_written, view, answer, say)

            def take(done: tuple[Snapshot, ReadQuestion]) -> None:
                if decides:
                    self._state.take_decided(answer)
                taken(done)

            self._app.write(partial(_write_and_read, work, view, answer), take)

    def _take_written(
        self,
        before: TaskView,
        answer: AnswerView,
        say: "sentences.Say",
        done: tuple[Snapshot, ReadQuestion],
    ) -> None:
        snapshot, read = done
        if self._state.take_written(answer, before, read):
            self._panes.base.paint()
            self._loader.weigh()
            self._panes.base.snapshot_written(snapshot)
        else:
            self._app.snapshot_changed(snapshot)
        if read.view is not None:
            self._app.say(say(answer, before.fact.code, read.view.fact.code))

    # Aliases and edits

    def accept(self) -> None:
        """Accept the open answer as an alias."""
        view, answer = self._state.view, self._open_answer
        if view is None or answer is None:
            return
        if view.task.is_choice:
            self._app.say("multiple choice has no aliases: the gold is one of its options")
            return
        from tui.dialogs.question_edit_dialog import make_accept_dialog

        start, end = answer.answer or (0, len(answer.text))
        named = normalise_answer(answer.text[start:end])
        make = partial(make_accept_dialog, view.question, _draft_of(view), named)
        self._open_editor(view, answer, make)

    def edit(self) -> None:
        """Edit question, gold, aliases or options."""
        from tui.dialogs.question_edit_dialog import EditQuestion

        view, answer = self._state.view, self._open_answer
        if view is not None and answer is not None:
            heading = f"edit {format_task_title(view.task)}"
            make = partial(EditQuestion, heading, view.question, _draft_of(view))
            self._open_editor(view, answer, make)

    def _open_editor(
        self,
        view: TaskView,
        answer: AnswerView,
        make: "Callable[[Landing], EditQuestion]",
    ) -> None:
        from tui.dialogs.question_edit_dialog import open_editor

        def work(
            draft: "QuestionDraft", session: "Session"
        ) -> "tuple[EditEffect, tuple[Snapshot, ReadQuestion]]":
            effect, snapshot = loader.write_edit(view, draft, _draft_of(view), session)
            return effect, _write_and_read(lambda _: snapshot, view, answer, session)

        def take(done: "tuple[EditEffect, tuple[Snapshot, ReadQuestion]]") -> None:
            said = describe_edit(done[0])
            self._take_written(view, answer, lambda *_: said, done[1])

        open_editor(self._app, make, work, take)

    def ask_reason(self) -> None:
        """Ask why the question is rejected."""
        from tui.dialogs.reject_dialog import RejectDialog, ask_reason

        def take_number(number: int | None) -> None:
            if number is not None:
                ask_reason(self._app, number, self._reject)

        if self._open_answer is not None:
            self._app.push_screen(RejectDialog(), take_number)

    def _reject(self, reason: str) -> None:
        view, answer = self._state.view, self._open_answer
        if view is not None and answer is not None:
            self._app.with_name(lambda _: self._write_rejection(view, answer, reason))

    def _write_rejection(self, view: TaskView, answer: AnswerView, reason: str) -> None:
        note = self._state.notes.get(answer.slot)

        def work(session: "Session") -> tuple[QuestionRejection, tuple[Snapshot, ReadQuestion]]:
            done, snapshot = loader.write_rejection(view, answer, reason, note, session)
            return done, _write_and_read(lambda _: snapshot, view, answer, session)

        def take(done: tuple[QuestionRejection, tuple[Snapshot, ReadQuestion]]) -> None:
            self._take_written(view, answer, partial(sentences.describe_rejection, reason), done[1])
            self._state.take_decided(answer, done[0])

        self._app.write(work, take)

    # Flags

    def flag(self) -> None:
        """Flag the fact, or take its flag away."""
        snapshot, fact = self._app.snapshot, self._state.fact
        place = None if snapshot is None or fact is None else snapshot.place(fact)
        if snapshot is None or fact is None or place is None:
            return
        flagged = not snapshot.index.flagged[place]
        work = partial(loader.write_flag, fact, bool(flagged))
        self._app.write(work, partial(self._take_flagged, bool(flagged)))

    def _take_flagged(self, flagged: bool, snapshot: Snapshot) -> None:
        self._app.snapshot_changed(snapshot)
        self._app.say(sentences.describe_flag(flagged))


def _draft_of(view: TaskView) -> "QuestionDraft":
    """The question as it can be edited."""
    from core.curation.question_edits import QuestionDraft

    return QuestionDraft(view.text, view.gold, view.aliases, view.choices)


def _write_and_read(
    work: "sentences.Write", view: TaskView, answer: AnswerView, session: "Session"
) -> tuple[Snapshot, ReadQuestion]:
    snapshot = work(session)
    return snapshot, loader.read_question(view.fact.fact, view.task, answer, session)
