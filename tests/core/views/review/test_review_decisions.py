"""Accepting, rejecting, skipping, noting; a rejected question takes its fact out of all totals."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import db.reviews
from core.curation import question_reviews, undo_history
from core.curation.question_reviews import RejectReason
from core.errors import LostkeysError, UsageError
from core.project import OpenProject
from core.vocabulary import Task
from db.connection import write_transaction
from tests.core.making import a_fact, new_project, put_facts, question_keys


@pytest.fixture
def project(tmp_path: Path) -> Iterator[OpenProject]:
    """Two facts."""
    with new_project(tmp_path / "p.db") as made:
        put_facts(made, [a_fact("f1"), a_fact("f2")])
        yield made


def key_of(project: OpenProject, task: Task, fact: str = "f1") -> int:
    """The id of the question in use."""
    return question_keys(project.connection)[fact, task]


def rejected(project: OpenProject) -> list[bool]:
    """Which facts are rejected, as another reader sees them."""
    project.refresh()
    found: list[bool] = project.index.rejected.tolist()
    return found


def said(
    project: OpenProject, question: int, name: str = "ann"
) -> tuple[str | None, str, str] | None:
    """Verdict, reason and note of a person."""
    one = db.reviews.review(project.connection, question, f"human:{name}")
    return None if one is None else (one.verdict, one.reason, one.note)


def test_a_rejected_question_rejects_its_fact_until_nobody_rejects_any(
    project: OpenProject,
) -> None:
    direct, reverse = key_of(project, Task.DIRECT), key_of(project, Task.REVERSE)
    assert question_reviews.reject(project, "ann", direct, RejectReason.NOT_UNIQUE).rejected
    assert said(project, direct) == ("rejected", "not unique", "")
    question_reviews.reject(project, "bob", reverse, "too old")
    assert rejected(project) == [True, False]
    undo_history.undo(project, "ann")
    assert said(project, direct) is None
    assert rejected(project) == [True, False]
    question_reviews.accept(project, "bob", reverse)
    assert rejected(project) == [False, False]
    undo_history.undo(project, "bob")
    assert rejected(project) == [True, False]
    undo_history.undo(project, "bob")
    assert rejected(project) == [False, False]
    assert undo_history.undo(project, "bob") is None


def test_a_fact_that_a_file_rejected_stays_so_whatever_else_is_accepted(
    project: OpenProject,
) -> None:
    with write_transaction(project.connection):
        project.connection.execute("UPDATE fact SET rejected = 1 WHERE fact_id = 'f1'")
    assert question_reviews.accept(project, "ann", key_of(project, Task.DIRECT)).rejected
    undo_history.undo(project, "ann")
    assert rejected(project) == [True, False]


def test_a_decision_keeps_the_note_and_skipping_keeps_the_decision(project: OpenProject) -> None:
    key = key_of(project, Task.DIRECT)
    question_reviews.note(project, "ann", key, "look it up")
    assert said(project, key) == (None, "", "look it up")
    question_reviews.skip(project, "ann", key)
    assert said(project, key) == ("skipped", "", "look it up")
    question_reviews.accept(project, "ann", key)
    question_reviews.skip(project, "ann", key)
    assert said(project, key) == ("accepted", "", "look it up")
    question_reviews.note(project, "ann", key, " ")
    assert said(project, key) == ("accepted", "", "")
    expected = [
        ("accepted", "", "look it up"),
        ("skipped", "", "look it up"),
        (None, "", "look it up"),
        None,
    ]
    for state in expected:
        undone = undo_history.undo(project, "ann")
        assert undone is not None
        assert undone.restored
        assert said(project, key) == state
    assert undo_history.undo(project, "ann") is None


def test_what_cannot_be_said_is_refused_in_one_line(project: OpenProject) -> None:
    key = key_of(project, Task.DIRECT)
    for reason in ("", " ", "two\nlines", "x" * 201, "\ud800"):
        with pytest.raises(UsageError):
            question_reviews.reject(project, "ann", key, reason)
    with pytest.raises(UsageError):
        question_reviews.note(project, "ann", key, "half \udc00")
    with pytest.raises(UsageError):
        question_reviews.accept(project, " ", key)
    with pytest.raises(LostkeysError, match="no longer there"):
        question_reviews.accept(project, "ann", 10**6)
    assert said(project, key) is None
    assert rejected(project) == [False, False]
