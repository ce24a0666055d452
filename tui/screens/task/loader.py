"""Reading and writing of the Task screen: the question, what labels on its answers would do."""

from functools import partial
from typing import TYPE_CHECKING

from core.curation.question_edits import EditEffect, QuestionDraft
from core.errors import LostkeysError
from core.views.question_context import QuestionContext
from core.views.snapshot import Snapshot
from core.views.task_view import AnswerView, TaskView
from core.vocabulary import Label, Task
from tui.app.loader import Loader
from tui.screens.task import sentences
from tui.screens.task.state import (
    AnswerPosition,
    Effects,
    QuestionRejection,
    ReadQuestion,
    TaskState,
    find_slot,
)
from tui.screens.task.widgets import TaskPanes

if TYPE_CHECKING:
    from core.views.session import Session


def read_question(
    fact: int, task: Task, before: AnswerView | AnswerPosition | None, session: "Session"
) -> ReadQuestion:
    """A question, and what labels would do to the answer in the same place as another one.

    Where the fact lacks the question, its first one.
    """
    view = session.task(fact, task)
    if view is None:
        there = session.fact(fact)
        others = [row.task for row in there.tasks if row.question] if there else []
        view = session.task(fact, others[0]) if others else None
    if view is None:
        return ReadQuestion(None, None)
    slot = find_slot(view, before, view.fact.lens.thinking.settings)
    return ReadQuestion(view, None if slot is None else session.consequences(slot))


def read_context(view: TaskView, session: "Session") -> QuestionContext | None:
    """What stands around a question, of the model of its view."""
    return session.context(view.fact.fact, view.task, view.fact.lens.model)


def read_effects(slot: int, session: "Session") -> Effects:
    """What labels on an answer would do."""
    return session.consequences(slot)


def write_label(slot: int, label: Label | None, note: str | None, session: "Session") -> Snapshot:
    """Label an answer, or withdraw the label."""
    done = session.withdraw(slot) if label is None else session.set_label(slot, label, note)
    return done[1]


def write_note(slot: int, note: str, session: "Session") -> Snapshot:
    """Write a note on one's label, or remove it."""
    return session.set_note(slot, note)[1]


def write_edit(
    view: TaskView, draft: QuestionDraft, seen: QuestionDraft, session: "Session"
) -> tuple[EditEffect, Snapshot]:
    """Edit a question as it was `seen`."""
    return session.reviews.edit(view.question, draft, seen)


def write_rejection(
    view: TaskView, answer: AnswerView, reason: str, note: str | None, session: "Session"
) -> tuple[QuestionRejection, Snapshot]:
    """Reject a question for a reason, perhaps with a note, while an answer to it is open."""
    effect, snapshot = session.reviews.reject(view.question, reason, note)
    kept = effect.after.note if effect.after is not None else ""
    return QuestionRejection(view.question, answer.slot, reason, kept), snapshot


def write_rejection_note(rejection: QuestionRejection, note: str, session: "Session") -> Snapshot:
    """Write the note on a rejection, or remove it."""
    return session.reviews.note(rejection.question, note)[1]


def write_flag(fact: int, flagged: bool, session: "Session") -> Snapshot:
    """Flag a fact, or take its flag away."""
    return session.set_flag(fact, flagged)[1]


class QuestionLoader:
    """Has read what a state lacks, and shows it in the panes; what was shown stays until then."""

    def __init__(self, state: TaskState, panes: TaskPanes) -> None:
        self._state, self._panes = state, panes
        self._loader = Loader(panes, lambda: panes.answers_pane)

    def request_question(self) -> None:
        """Have the question read, with what labels on the answer under the cursor would do."""
        now = self._state
        self._want_list()
        if now.fact is not None:
            now.failed = False
            work = partial(read_question, now.fact, now.task, now.begun)
            self._loader.load("task", work, self._take, self._miss)

    def _want_list(self) -> None:
        """Have the list of facts read, by which the open one goes, where nobody has seen it."""
        host = self._panes.base.lostkeys
        facts, snapshot = host.fact_steps(), host.snapshot
        if facts is not None and facts.listing is None and snapshot is not None:
            host.tab_screen("facts").apply_unseen(snapshot)

    def stop(self) -> None:
        """Nothing is waited for."""
        self._loader.stop()

    def _take(self, read: ReadQuestion) -> None:
        lacking = self._state.take_read(read)
        if lacking is not None:
            self._panes.base.lostkeys.say(sentences.no_question(lacking))
        self._panes.base.paint()
        self.read_context()

    def read_context(self) -> None:
        """Have read what stands around the question, where there is a column for it."""
        view = self._state.view
        if self._panes.base.wide and view is not None and self._state.lacks_context:
            work, take = partial(read_context, view), partial(self._take_context, view)
            self._panes.base.lostkeys.ask("context", work, take, _skip, patient=True)

    def _take_context(self, view: TaskView, context: QuestionContext | None) -> None:
        self._state.around = view, context
        self._panes.paint()

    def _miss(self, error: LostkeysError) -> None:
        self._state.failed = True

    def weigh(self) -> None:
        """Have it worked out what labels on the answer under the cursor would do."""
        slot = self._state.slot
        if slot is not None and slot not in self._state.effects:
            work = partial(read_effects, slot)
            self._panes.base.lostkeys.ask("effects", work, partial(self._take_effects, slot))

    def _take_effects(self, slot: int, effects: Effects) -> None:
        if self._state.take_effects(slot, effects):
            self._panes.paint_open()


def _skip(error: LostkeysError) -> None:
    """What stands around a question is left out where it cannot be read."""
