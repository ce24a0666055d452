"""What a label, flag, edit or review is about, in what people know it by."""

from dataclasses import dataclass

import db.model_rows
import db.question_versions
from core.curation.label_writer import FlagEffect
from core.curation.question_edits import EditEffect
from core.curation.question_reviews import ReviewEffect
from core.curation.tag_writer import NoteEffect, TagEffect
from core.curation.undo_history import What
from core.project import OpenProject
from core.views.snapshot import Snapshot
from core.vocabulary import TASKS, Task
from db.slot_ids import unpack
from db.tags_and_notes import FACT, QUESTION


@dataclass(frozen=True, slots=True)
class AnswerKey:
    """One answer: to which task, of which model, thinking off or on, which sample (from 0)."""

    task: Task
    model: str
    thinking: bool
    sample: int


@dataclass(frozen=True, slots=True)
class Target:
    """A fact (its id) by its subject, and the answer or question (by its task) of it, if any."""

    fact: int
    subject: str
    answer: AnswerKey | None = None
    task: Task | None = None


def target_of(project: OpenProject, snapshot: Snapshot, what: What) -> Target | None:
    """What was written about; None where the snapshot no longer has it."""
    match what:
        case FlagEffect():
            return _target(snapshot, what.fact)
        case EditEffect():
            return _target(snapshot, what.fact, what.task)
        case ReviewEffect():
            found = db.question_versions.question(project.connection, what.question)
            return None if found is None else _target(snapshot, found.fact, found.task)
    if isinstance(what, TagEffect | NoteEffect):
        if what.kind == FACT:
            return _target(snapshot, what.target)
        if what.kind == QUESTION:
            found = db.question_versions.question(project.connection, what.target)
            return None if found is None else _target(snapshot, found.fact, found.task)
    slot = what.target if isinstance(what, TagEffect | NoteEffect) else what.slot
    question, setting, sample = unpack(slot)
    places = (snapshot.index.questions == question).nonzero()
    named = db.model_rows.settings(project.connection).get(setting)
    if not len(places[0]) or named is None:
        return None
    place, task = int(places[0][0]), TASKS[int(places[1][0])]
    fact = int(snapshot.index.ids[place])
    return Target(fact, snapshot.headings[place].subject, AnswerKey(task, *named, sample), task)


def _target(snapshot: Snapshot, fact: int, task: Task | None = None) -> Target | None:
    place = snapshot.place(fact)
    return None if place is None else Target(fact, snapshot.headings[place].subject, None, task)
