"""Undoing what a person did, without end, and redoing it until they do something else.

One key is one act: an action, or all actions of a decision. An act is undone and redone as far as
what it left, or found, still stands: what others have changed meanwhile is left alone.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from time import time_ns

import core.curation.question_edits
import db.person_actions
from core.curation import label_writer, question_reviews, tag_writer
from core.curation.label_writer import FlagEffect, LabelEffect
from core.curation.question_edits import EditEffect
from core.curation.question_reviews import ReviewEffect
from core.curation.tag_writer import NoteEffect, TagEffect
from core.errors import LostkeysError
from core.project import OpenProject
from core.scoring.precedence import grader_of
from db.connection import read_transaction, write_transaction
from db.person_actions import Action, ActionKind, UndoneActions

What = LabelEffect | FlagEffect | EditEffect | ReviewEffect | TagEffect | NoteEffect

RECENT_ACTS = 200
"""Acts that are listed."""


@dataclass(frozen=True, slots=True)
class UndoResult:
    """What undoing did. Unless `restored`, it found things changed since and left them alone.

    `also` are the other labels of a decision that covered several answers. `redone` says that
    an act was done again instead.
    """

    what: What
    restored: bool
    also: tuple[LabelEffect, ...] = ()
    redone: bool = False


@dataclass(frozen=True, slots=True)
class Act:
    """What a person did by one key, at a time in milliseconds.

    `key` is the id of its first action, which `what` stands for, `labels` how many labels it
    wrote. `between` says that it decided between two graders.
    """

    key: int
    what: What
    at: int
    labels: int
    between: bool
    undone: bool


def undo(project: OpenProject, name: str | None) -> UndoResult | None:
    """Undo the newest act of a person, or of nobody named; None where none is left.

    Restores exactly what was before, with its old time and note, unless it has changed since.
    """
    author = _author(name)
    with write_transaction(project.connection):
        found = db.person_actions.find_newest(project.connection, author)
        return None if found is None else _undo(project, author, *found)


def undo_on(
    project: OpenProject, name: str | None, facts: Collection[int]
) -> UndoResult | Act | None:
    """Undo the newest act on some facts (ids): flags, questions, answers.

    Where there is none, gives the newest act on another fact, which is left as it is.
    """
    author, connection = _author(name), project.connection
    with write_transaction(connection):
        found = db.person_actions.find_newest(connection, author, facts)
        if found is not None:
            return _undo(project, author, *found)
        other = db.person_actions.find_newest(connection, author)
        if other is None:
            return None
        members = _members(project, *other)
        labels = sum(one.kind is ActionKind.LABEL for _, one in members)
        return _act(project, *members[0], labels, undone=False)


def undo_act(project: OpenProject, name: str | None, key: int, retry: bool = True) -> UndoResult:
    """Undo one act. Where something has changed since, it may be tried again, unless not `retry`.

    Raises `LostkeysError` where it is undone already.
    """
    author = _author(name)
    with write_transaction(project.connection):
        found = db.person_actions.read_action(project.connection, key)
        undone, action = found or (True, None)
        if action is None or undone:
            raise LostkeysError("this is undone already")
        return _undo(project, author, key, action, retry)


def redo(project: OpenProject, name: str | None) -> UndoResult | None:
    """Do again what was undone last; None where nothing was, or something was done since."""
    author, connection = _author(name), project.connection
    with write_transaction(connection):
        found = db.person_actions.newest_undo(connection, author)
        if found is None:
            return None
        taken = found[1].before
        assert isinstance(taken, UndoneActions)
        actions = [(key, db.person_actions.read_action(connection, key)) for key in taken.actions]
        done = _restore(project, [(key, _inverse(one[1])) for key, one in actions if one])
        db.person_actions.mark_redone(
            connection, found[0], [one.key for one in done if one.restored]
        )
        return replace(_summary(done), redone=True)


def list_acts(project: OpenProject, name: str | None, count: int = RECENT_ACTS) -> list[Act]:
    """The newest acts of a person, or of nobody named, undone ones too."""
    with read_transaction(project.connection):
        found = db.person_actions.acts(project.connection, _author(name), count)
        return [_act(project, *one) for one in found]


@dataclass(frozen=True, slots=True)
class _RestoredAction:
    """An action (its id) and whether what it found is there again."""

    key: int
    what: What
    restored: bool


def _author(name: str | None) -> str:
    return db.person_actions.NOBODY if name is None else grader_of(name)


def _members(project: OpenProject, key: int, action: Action) -> list[tuple[int, Action]]:
    """The actions of an act that stand, the first of them first."""
    if action.decision is None:
        return [(key, action)]
    return db.person_actions.read_decision(project.connection, action.decision)


def _undo(
    project: OpenProject, author: str, key: int, action: Action, retry: bool = False
) -> UndoResult:
    """Undo all of an act. What cannot be is given up, unless it may be tried again."""
    connection, members = project.connection, _members(project, key, action)
    done = _restore(project, members)
    taken = tuple(one.key for one in done if one.restored)
    if taken or not retry:
        for one, _ in members:
            db.person_actions.mark_undone(connection, one)
    if taken:
        note = Action(
            author, ActionKind.UNDO, members[0][0], None, UndoneActions(taken), None, _now()
        )
        db.person_actions.mark_undone(connection, db.person_actions.record(connection, note))
    return _summary(done)


def _restore(project: OpenProject, members: Iterable[tuple[int, Action]]) -> list[_RestoredAction]:
    """Restore what each action found. Where an edit stands, so does what was said of it."""
    done: list[_RestoredAction] = []
    for key, action in members:
        done.append(_RestoredAction(key, *_take_back(project, action)))
        if isinstance(done[0].what, EditEffect) and not done[0].restored:
            break
    return done


def _inverse(action: Action) -> Action:
    """The action that does it again once it is undone."""
    return replace(action, before=action.after, after=action.before)


def _summary(done: Sequence[_RestoredAction]) -> UndoResult:
    """What was done to an act; the first action that could be restored stands for it."""
    first = next((one for one in done if one.restored), done[0])
    also = [one.what for one in done if one is not first and one.restored]
    labels = tuple(one for one in also if isinstance(one, LabelEffect))
    return UndoResult(first.what, first.restored, labels)


def _act(project: OpenProject, key: int, action: Action, labels: int, undone: bool) -> Act:
    what = _read_what(project, action)
    return Act(key, what, action.at, labels, action.between is not None, undone)


def _read_what(project: OpenProject, action: Action) -> What:
    """What an action did when it was done."""
    match action.kind:
        case ActionKind.FLAG:
            return FlagEffect(action.target, bool(action.before), bool(action.after))
        case ActionKind.EDIT:
            return core.curation.question_edits.read_edit(project, action)
        case ActionKind.REVIEW:
            return question_reviews.read_review(action)
        case ActionKind.TAG | ActionKind.NOTE:
            return tag_writer.read_tag_change(action)
        case _:
            return label_writer.read_label_change(action)


def _take_back(project: OpenProject, action: Action) -> tuple[What, bool]:
    match action.kind:
        case ActionKind.FLAG:
            return label_writer.take_flag_back(project, action)
        case ActionKind.EDIT:
            return core.curation.question_edits.take_back(project, action)
        case ActionKind.REVIEW:
            return question_reviews.take_back(project, action)
        case ActionKind.TAG:
            return tag_writer.take_tag_back(project, action)
        case ActionKind.NOTE:
            return tag_writer.take_note_back(project, action)
        case _:
            return label_writer.take_back(project, action)


def _now() -> int:
    return time_ns() // 1_000_000
