"""What people write beside labels: tags, and notes that stand without a label.

Every function is one short transaction that also notes what was before and after, for undoing.
"""

from dataclasses import dataclass

import db.person_actions
import db.tags_and_notes
from core.alignment.tag_counts import clean_tag
from core.curation.label_writer import GONE, clean_note, read_clock
from core.errors import LostkeysError, UsageError
from core.project import OpenProject
from core.scoring.precedence import grader_of
from db.connection import write_transaction
from db.person_actions import Action, ActionKind, NoteRecord, TagRecord
from db.tags_and_notes import ANSWER, FACT, KINDS, PlacedTag, StandingNote


@dataclass(frozen=True, slots=True)
class TagEffect:
    """What happened to a tag on something: whether it stood there, and stands there."""

    kind: str
    target: int
    tag: str
    before: bool
    after: bool


@dataclass(frozen=True, slots=True)
class NoteEffect:
    """What happened to a standing note; None is none."""

    kind: str
    target: int
    before: str | None
    after: str | None


def list_tags(project: OpenProject, kind: str, target: int) -> tuple[list[str], tuple[str, ...]]:
    """All tags, the most used first, and those that something has."""
    connection = project.connection
    there = db.tags_and_notes.tags_of(connection, kind, [target])
    return db.tags_and_notes.list_names(connection), there.get(target, ())


def set_tag(
    project: OpenProject, name: str, kind: str, target: int, tag: str, on: bool = True
) -> TagEffect:
    """Put a tag on an answer (slot), question or fact (id), or take it off.

    Raises `UsageError` for no proper name or tag, `LostkeysError` where the target is gone.
    """
    author, plain, connection = grader_of(name), clean_tag(tag), project.connection
    with write_transaction(connection):
        _check_target(project, kind, target)
        found = db.tags_and_notes.find_tag(connection, kind, target, plain)
        if (found is not None) == on:
            return TagEffect(kind, target, plain, on, on)
        made = PlacedTag(kind, target, plain, author, read_clock())
        before = None if found is None else _record(found)
        after = _record(made) if on else None
        _let_tag(project, kind, target, plain, after)
        action = Action(author, ActionKind.TAG, target, None, before, after, made.at)
        db.person_actions.record(connection, action)
    return TagEffect(kind, target, plain, not on, on)


def set_standing_note(
    project: OpenProject, name: str, kind: str, target: int, text: str
) -> NoteEffect:
    """Let a person's note on something that they have not labelled be this; none where empty.

    Raises as `set_tag`.
    """
    author, connection = grader_of(name), project.connection
    with write_transaction(connection):
        _check_target(project, kind, target)
        found = db.tags_and_notes.find_note(connection, kind, target, author)
        before = None if found is None else NoteRecord(kind, found.text, found.at)
        plain = clean_note(text)
        after = None if plain is None else NoteRecord(kind, plain, read_clock())
        if _text(before) != plain:
            _let_note(project, author, target, kind, after)
            action = Action(author, ActionKind.NOTE, target, None, before, after, read_clock())
            db.person_actions.record(connection, action)
    return NoteEffect(kind, target, _text(before), plain)


def rename_tag(project: OpenProject, before: str, after: str) -> int:
    """Call a tag otherwise, joining one of that name; gives on how many things it was.

    Raises `UsageError` where there is no such tag.
    """
    plain = clean_tag(after)
    with write_transaction(project.connection):
        _check_tag(project, before)
        return db.tags_and_notes.rename(project.connection, before, plain)


def remove_tag(project: OpenProject, tag: str) -> int:
    """Take a tag off everything; gives off how many things. Raises as `rename_tag`."""
    with write_transaction(project.connection):
        _check_tag(project, tag)
        return db.tags_and_notes.remove(project.connection, tag)


def take_tag_back(project: OpenProject, action: Action) -> tuple[TagEffect, bool]:
    """Undo a tag inside a transaction; says what stands now, and whether it was undone."""
    known = action.after or action.before
    assert isinstance(known, TagRecord)
    connection = project.connection
    now_there = (
        db.tags_and_notes.find_tag(connection, known.kind, action.target, known.tag) is not None
    )
    same = now_there == (action.after is not None) and _is_there(project, known.kind, action.target)
    if same:
        assert action.before is None or isinstance(action.before, TagRecord)
        _let_tag(project, known.kind, action.target, known.tag, action.before)
    after = action.before is not None if same else now_there
    return TagEffect(known.kind, action.target, known.tag, now_there, after), same


def take_note_back(project: OpenProject, action: Action) -> tuple[NoteEffect, bool]:
    """The same for a standing note."""
    known = action.after or action.before
    assert isinstance(known, NoteRecord)
    found = db.tags_and_notes.find_note(
        project.connection, known.kind, action.target, action.author
    )
    text = None if found is None else found.text
    before, after = action.before, action.after
    assert before is None or isinstance(before, NoteRecord)
    assert after is None or isinstance(after, NoteRecord)
    same = text == _text(after) and _is_there(project, known.kind, action.target)
    if same:
        _let_note(project, action.author, action.target, known.kind, before)
    stands = _text(before) if same else text
    return NoteEffect(known.kind, action.target, text, stands), same


def read_tag_change(action: Action) -> TagEffect | NoteEffect:
    """What an action did to a tag or a standing note."""
    before, after = action.before, action.after
    known = after or before
    if isinstance(known, TagRecord):
        there, stands = before is not None, after is not None
        return TagEffect(known.kind, action.target, known.tag, there, stands)
    assert isinstance(known, NoteRecord)
    assert before is None or isinstance(before, NoteRecord)
    assert after is None or isinstance(after, NoteRecord)
    return NoteEffect(known.kind, action.target, _text(before), _text(after))


def _text(note: NoteRecord | None) -> str | None:
    return None if note is None else note.text


def _record(one: PlacedTag) -> TagRecord:
    return TagRecord(one.kind, one.tag, one.author, one.at)


def _let_tag(
    project: OpenProject, kind: str, target: int, tag: str, after: TagRecord | None
) -> None:
    if after is None:
        db.tags_and_notes.remove_tag(project.connection, kind, target, tag)
    else:
        made = PlacedTag(kind, target, tag, after.author, after.at)
        db.tags_and_notes.set_tag(project.connection, made)


def _let_note(
    project: OpenProject, author: str, target: int, kind: str, after: NoteRecord | None
) -> None:
    text, at = ("", 0) if after is None else (after.text, after.at)
    db.tags_and_notes.set_note(project.connection, StandingNote(kind, target, author, text, at))


def _check_tag(project: OpenProject, tag: str) -> None:
    there = db.tags_and_notes.list_names(project.connection)
    if tag not in there:
        raise UsageError(f"no tag {tag}: tags are {', '.join(there) or 'none yet'}")


def _check_target(project: OpenProject, kind: str, target: int) -> None:
    if kind not in KINDS:
        raise UsageError(f"{kind} cannot have a tag: {', '.join(KINDS)} can")
    if not _is_there(project, kind, target):
        raise LostkeysError(GONE if kind == ANSWER else f"this {kind} is no longer there")


def _is_there(project: OpenProject, kind: str, target: int) -> bool:
    if kind == ANSWER:
        return db.person_actions.has_response(project.connection, target)
    if kind == FACT:
        return db.person_actions.flag(project.connection, target) is not None
    return db.person_actions.has_question(project.connection, target)
