"""What a person writes: labels with notes, and flags (`undo_history` takes them back).

Every function is one short transaction that also notes what was before and after, for undoing
(`db.person_actions`). A note belongs to a person's label: it is its rationale.
"""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import time_ns

import db.grades
import db.person_actions
from core.errors import LostkeysError, UsageError
from core.project import OpenProject
from core.scoring.precedence import grader_of
from core.vocabulary import Label, Outcome
from db.connection import write_transaction
from db.person_actions import Action, ActionKind, GraderPair, LabelRecord
from db.stored_values import read_member

GONE = "this answer is no longer there: it was never sampled, or it was discarded"


@dataclass(frozen=True, slots=True)
class OwnLabel:
    """A person's label of a response as it stands: label, note, time in milliseconds."""

    label: Label
    note: str | None
    at: int | None


@dataclass(frozen=True, slots=True)
class LabelEffect:
    """What happened to a person's label of the response in `slot`."""

    slot: int
    before: OwnLabel | None
    after: OwnLabel | None


@dataclass(frozen=True, slots=True)
class FlagEffect:
    """What happened to the flag of a fact (its id)."""

    fact: int
    before: bool
    after: bool


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """What a decision wrote: the label of the answer decided, and of others that are the same."""

    what: LabelEffect
    also: tuple[LabelEffect, ...] = ()


def set_label(
    project: OpenProject, name: str, slot: int, label: Label, note: str | None = None
) -> LabelEffect:
    """Set a person's label of a response; without a note the one that is there stays.

    Raises `LostkeysError` where the response is gone, `UsageError` for no proper name or note.
    """
    with _change_label(project, name, slot) as (grader, before):
        kept = before.note if before else None
        said = LabelRecord(
            int(Outcome.from_label(label)), read_clock(), kept if note is None else clean_note(note)
        )
        return _let_say(project, grader, slot, before, said)


def decide(
    project: OpenProject,
    name: str,
    label: Label,
    between: Mapping[int, GraderPair | None],
    note: str | None = None,
) -> DecisionRecord:
    """Set a person's label of several responses in one step, which is undone as one.

    `between` has the responses by slot, the one decided first, each with what the two graders
    said of it, None where there are no two. Without a note those that are there stay. Responses
    that are gone are left out; raises `LostkeysError` if the first is, `UsageError` for no proper
    name or note.
    """
    grader, now = grader_of(name), read_clock()
    text = None if note is None else clean_note(note)
    connection = project.connection
    done: list[LabelEffect] = []
    first: int | None = None
    with write_transaction(connection):
        for slot, graders in between.items():
            if not db.person_actions.has_response(connection, slot):
                if not done:
                    raise LostkeysError(GONE)
                continue
            version = _version(connection, grader)
            before = db.person_actions.label(connection, slot, version)
            kept = before.note if before and note is None else text
            said = LabelRecord(int(Outcome.from_label(label)), now, kept)
            db.person_actions.set_label(connection, slot, version, said)
            action = Action(
                grader, ActionKind.LABEL, slot, version, before, said, now, first, graders
            )
            key = db.person_actions.record(connection, action)
            if first is None:
                first = key
                db.person_actions.begin_decision(connection, key)
            done.append(LabelEffect(slot, _to_own_label(before), _to_own_label(said)))
    return DecisionRecord(done[0], tuple(done[1:]))


def withdraw(project: OpenProject, name: str, slot: int) -> LabelEffect:
    """Take a person's label away, note and all; nothing where there is none."""
    with _change_label(project, name, slot) as (grader, before):
        return _let_say(project, grader, slot, before, None)


def set_note(project: OpenProject, name: str, slot: int, note: str) -> LabelEffect:
    """Set the note on a person's label, or remove it where `note` is empty.

    Raises `UsageError` where that person has not labelled the response.
    """
    with _change_label(project, name, slot) as (grader, before):
        if before is None:
            raise UsageError("a note belongs to your label: label the answer first")
        return _let_say(project, grader, slot, before, replace(before, note=clean_note(note)))


def set_flag(project: OpenProject, name: str | None, fact: int, flagged: bool) -> FlagEffect:
    """Flag a fact or take its flag away; a name is not needed for that."""
    author = db.person_actions.NOBODY if name is None else grader_of(name)
    connection = project.connection
    with write_transaction(connection):
        before = db.person_actions.flag(connection, fact)
        if before is None:
            raise LostkeysError("this fact is no longer there: read the list again with ctrl+r")
        if before != flagged:
            db.person_actions.set_flag(connection, fact, flagged)
            action = Action(author, ActionKind.FLAG, fact, None, before, flagged, read_clock())
            db.person_actions.record(connection, action)
    return FlagEffect(fact, before, flagged)


@contextmanager
def _change_label(
    project: OpenProject, name: str, slot: int
) -> Iterator[tuple[str, LabelRecord | None]]:
    """A transaction on one response; gives the person as grader, and what they say of it."""
    grader = grader_of(name)
    connection = project.connection
    with write_transaction(connection):
        if not db.person_actions.has_response(connection, slot):
            raise LostkeysError(GONE)
        version = db.person_actions.newest_version(connection, grader)
        yield (
            grader,
            None if version is None else db.person_actions.label(connection, slot, version),
        )


def _let_say(
    project: OpenProject,
    grader: str,
    slot: int,
    before: LabelRecord | None,
    after: LabelRecord | None,
) -> LabelEffect:
    if before != after:
        connection = project.connection
        version = _version(connection, grader)
        db.person_actions.set_label(connection, slot, version, after)
        action = Action(grader, ActionKind.LABEL, slot, version, before, after, read_clock())
        db.person_actions.record(connection, action)
    return LabelEffect(slot, _to_own_label(before), _to_own_label(after))


def _version(connection: sqlite3.Connection, grader: str) -> int:
    """The id of a person's newest version as a grader, made where there is none."""
    version = db.person_actions.newest_version(connection, grader)
    if version is None:
        from core.transfer.imported_labels import FIRST_VERSION

        version = db.grades.ensure_grader(connection, grader, FIRST_VERSION)
    return version


def take_back(project: OpenProject, action: Action) -> tuple[LabelEffect, bool]:
    """Undo a label inside a transaction; says what stands now, and whether it was undone."""
    connection, slot, version = project.connection, action.target, action.grader
    assert version is not None
    before, after = action.before, action.after
    assert before is None or isinstance(before, LabelRecord)
    now = db.person_actions.label(connection, slot, version)
    same = (
        now == after
        and db.person_actions.has_response(connection, slot)
        and not db.person_actions.was_redrawn(connection, slot, action.at)
    )
    if same:
        db.person_actions.set_label(connection, slot, version, before)
    return LabelEffect(slot, _to_own_label(now), _to_own_label(before if same else now)), same


def read_label_change(action: Action) -> LabelEffect:
    """What an action did to a label."""
    before, after = action.before, action.after
    assert before is None or isinstance(before, LabelRecord)
    assert after is None or isinstance(after, LabelRecord)
    return LabelEffect(action.target, _to_own_label(before), _to_own_label(after))


def take_flag_back(project: OpenProject, action: Action) -> tuple[FlagEffect, bool]:
    """The same for a flag."""
    now = bool(db.person_actions.flag(project.connection, action.target))
    same = now == action.after
    if same:
        db.person_actions.set_flag(project.connection, action.target, bool(action.before))
    return FlagEffect(action.target, now, bool(action.before) if same else now), same


def _to_own_label(said: LabelRecord | None) -> OwnLabel | None:
    if said is None:
        return None
    label = read_member(Label, read_member(Outcome, said.outcome, "outcome").name, "label")
    return OwnLabel(label, said.note, said.at)


def clean_note(note: str) -> str | None:
    """A note as it is kept; None for an empty one. Raises `UsageError` for what cannot be kept."""
    if not note.strip():
        return None
    if any("\ud800" <= letter <= "\udfff" for letter in note):
        raise UsageError("the note has half a character in it, which cannot be kept: retype it")
    return note


def read_clock() -> int:
    """The time in milliseconds."""
    return time_ns() // 1_000_000
