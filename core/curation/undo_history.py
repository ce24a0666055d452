"""Undoing what a person did, newest first and without end: labels, flags, edits, reviews."""

from dataclasses import dataclass

import core.curation.question_edits
import db.actions
from core.curation import label_writer, review_decisions
from core.curation.label_writer import Flagged, Labelled, grader_of
from core.curation.question_edits import Edited
from core.curation.review_decisions import ReviewEffect
from core.project import Project
from db.actions import Action, ActionKind
from db.connection import writing

What = Labelled | Flagged | Edited | ReviewEffect


@dataclass(frozen=True, slots=True)
class Undone:
    """What undoing did. Unless `restored`, it found things changed since and left them alone.

    `also` are the other labels of a decision that covered several answers.
    """

    what: What
    restored: bool
    also: tuple[Labelled, ...] = ()


def undo(project: Project, name: str | None) -> Undone | None:
    """Undo the newest action of a person, or of nobody named; None where none is left.

    Restores exactly what was before, with its old time and note, unless it has changed since.
    """
    author = db.actions.NOBODY if name is None else grader_of(name)
    connection = project.connection
    with writing(connection):
        found = db.actions.newest(connection, author)
        if found is None:
            return None
        if found[1].decision is not None:
            return _undo_decision(project, found[1].decision)
        key, action = found
        db.actions.mark_undone(connection, key)
        return Undone(*_take_back(project, action))


def _undo_decision(project: Project, decision: int) -> Undone:
    """Undo all of a decision; what its first action was about stands for it."""
    done: list[tuple[What, bool]] = []
    for key, action in db.actions.of_decision(project.connection, decision):
        db.actions.mark_undone(project.connection, key)
        if done and isinstance(done[0][0], Edited) and not done[0][1]:
            continue  # the edit stands, and so does what was said of it
        done.append(_take_back(project, action))
    (what, restored), *others = done
    also = [one for one, well in others if well and isinstance(one, Labelled)]
    return Undone(what, restored, tuple(also))


def _take_back(project: Project, action: Action) -> tuple[What, bool]:
    match action.kind:
        case ActionKind.LABEL:
            return label_writer.take_back(project, action)
        case ActionKind.FLAG:
            return label_writer.take_flag_back(project, action)
        case ActionKind.EDIT:
            return core.curation.question_edits.take_back(project, action)
        case ActionKind.REVIEW:
            return review_decisions.take_back(project, action)
