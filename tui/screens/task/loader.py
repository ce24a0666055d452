"""What the Task screen has the db worker read and write."""

from typing import TYPE_CHECKING

from core.curation.question_edits import QuestionDraft
from core.views.question_context import QuestionContext
from core.views.snapshot import Snapshot
from core.views.task_view import AnswerView, TaskView
from core.vocabulary import Label, Task
from tui.screens.task.state import (
    AnswerPosition,
    Effects,
    QuestionRejection,
    ReadQuestion,
    placed,
)

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
    slot = placed(view, before, view.fact.lens.thinking.settings)
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
) -> Snapshot:
    """Edit a question as it was `seen`."""
    return session.reviews.edit(view.question, draft, seen)[1]


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
