"""What a person says of a question: accepted, rejected for a reason, skipped, noted.

A fact with a rejected question is rejected, and leaves all totals, until nobody rejects any of
its questions.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from time import time_ns

import db.person_actions
import db.question_versions
import db.reviews
from core.errors import LostkeysError, UsageError
from core.project import OpenProject
from core.scoring.precedence import grader_of
from core.settings.escapes import is_printable
from db.connection import write_transaction
from db.person_actions import Action, ActionKind
from db.reviews import ACCEPTED, DECIDED, REJECTED, SKIPPED, Review

LONGEST_REASON = 200


class RejectReason(StrEnum):
    """Why a question is rejected, in the order of the keys 1 to 5; any other text is one too."""

    GOLD = "gold is wrong"
    NOT_UNIQUE = "not unique"
    LEAKS = "answer leaks"
    NOT_STABLE = "not stable"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class ReviewEffect:
    """What happened to a person's review of a question, and whether its fact is rejected."""

    question: int
    before: Review | None
    after: Review | None
    rejected: bool


def accept(project: OpenProject, name: str, question: int) -> ReviewEffect:
    """Say that a question is well. Raises `LostkeysError` where there is no such question."""
    return _say(project, name, question, lambda was, at: Review(ACCEPTED, "", _note(was), at))


def reject(
    project: OpenProject, name: str, question: int, reason: str, note: str | None = None
) -> ReviewEffect:
    """Say why a question is of no use, perhaps with another note than one's review has.

    Raises `UsageError` without a reason in one line.
    """
    why = reason.strip()
    if not why:
        raise UsageError("a reason is needed: choose one, or write one")
    if len(why) > LONGEST_REASON or not is_printable(why):
        raise UsageError(f"a reason is one line of at most {LONGEST_REASON} letters")
    if note is not None:
        _check_note(note)

    def make_review(was: Review | None, at: int) -> Review:
        return Review(REJECTED, why, _note(was) if note is None else note, at)

    return _say(project, name, question, make_review)


def skip(project: OpenProject, name: str, question: int) -> ReviewEffect:
    """Put a question off; one that is decided stays so."""

    def make_review(was: Review | None, at: int) -> Review:
        decided = was is not None and was.verdict in DECIDED
        return was if was is not None and decided else Review(SKIPPED, "", _note(was), at)

    return _say(project, name, question, make_review)


def note(project: OpenProject, name: str, question: int, text: str) -> ReviewEffect:
    """Set the note on one's review of a question, decided or not; remove it where it is empty."""
    _check_note(text)

    def make_review(was: Review | None, at: int) -> Review | None:
        if was is None:
            return Review(None, "", text, at) if text.strip() else None
        if was.verdict is None and not text.strip():
            return None
        return Review(was.verdict, was.reason, text if text.strip() else "", was.at)

    return _say(project, name, question, make_review)


def take_back(project: OpenProject, action: Action) -> tuple[ReviewEffect, bool]:
    """Undo a review inside a transaction; says what stands now, and whether it was undone."""
    connection, question, before = project.connection, action.target, action.before
    assert before is None or isinstance(before, Review)
    now = db.reviews.review(connection, question, action.author)
    same = now == action.after
    rejected = db.reviews.is_rejected(connection, question)
    if same:
        db.reviews.set_review(connection, question, action.author, before)
        rejected = _settle_rejection(project, question, now, before)
    return ReviewEffect(question, now, before if same else now, rejected), same


def read_review(action: Action) -> ReviewEffect:
    """What an action said of a question, and whether that rejects its fact."""
    before, after = action.before, action.after
    assert before is None or isinstance(before, Review)
    assert after is None or isinstance(after, Review)
    rejects = after is not None and after.verdict == REJECTED
    return ReviewEffect(action.target, before, after, rejects)


def _say(
    project: OpenProject,
    name: str,
    question: int,
    said: Callable[[Review | None, int], Review | None],
) -> ReviewEffect:
    author, at = grader_of(name), time_ns() // 1_000_000
    connection = project.connection
    with write_transaction(connection):
        if db.question_versions.question(connection, question) is None:
            raise LostkeysError("this question is no longer there: open the queue again")
        before = db.reviews.review(connection, question, author)
        after = said(before, at)
        rejected = db.reviews.is_rejected(connection, question)
        if after != before:
            db.reviews.set_review(connection, question, author, after)
            rejected = _settle_rejection(project, question, before, after)
            action = Action(author, ActionKind.REVIEW, question, None, before, after, at)
            db.person_actions.record(connection, action)
    return ReviewEffect(question, before, after, rejected)


def _settle_rejection(
    project: OpenProject, question: int, before: Review | None, after: Review | None
) -> bool:
    """Whether the fact is rejected now; one that a file brought so stays unless reviewed so."""
    if REJECTED in {one.verdict for one in (before, after) if one is not None}:
        return db.reviews.settle_rejection(project.connection, question)
    return db.reviews.is_rejected(project.connection, question)


def _check_note(text: str) -> None:
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise UsageError("the note has half a character in it, which cannot be kept: retype it")


def _note(was: Review | None) -> str:
    return was.note if was is not None else ""
