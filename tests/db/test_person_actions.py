"""Actions come back as they were noted; labels and flags change with all that follows."""

import sqlite3

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import db.grades
import db.index_columns
import db.integrity
import db.person_actions
import db.responses
from db.connection import write_transaction
from db.person_actions import Action, ActionKind, LabelRecord
from db.slot_ids import slot
from tests.db.making import fill

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
said = (
    st.builds(LabelRecord, st.integers(1, 4), st.none() | st.integers(0, 2**50), st.none() | texts)
    | st.none()
)
MANY = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@pytest.fixture
def key(connection: sqlite3.Connection) -> int:
    """The slot of a response in a database with ten questions and two graders."""
    (question, *_), (setting, _), _ = fill(connection)
    with write_transaction(connection):
        db.responses.insert(connection, [(slot(question, setting, 3), "answer", None)])
    return slot(question, setting, 3)


@pytest.mark.slow
@given(before=said, after=said, author=texts)
@MANY
def test_an_action_comes_back(
    connection: sqlite3.Connection,
    key: int,
    before: LabelRecord | None,
    after: LabelRecord | None,
    author: str,
) -> None:
    action = Action(author, ActionKind.LABEL, key, 1, before, after, 5)
    with write_transaction(connection):
        db.person_actions.record(connection, action)
    found = db.person_actions.find_newest(connection, author)
    assert found is not None
    assert found[1] == action
    with write_transaction(connection):
        db.person_actions.mark_undone(connection, found[0])
    assert db.person_actions.find_newest(connection, author) is None


@pytest.mark.slow
@given(says=st.lists(said, max_size=4))
@MANY
def test_a_label_is_as_it_was_set_last(
    connection: sqlite3.Connection, key: int, says: list[LabelRecord | None]
) -> None:
    for one in [*says, None, *says]:
        with write_transaction(connection):
            db.person_actions.set_label(connection, key, 2, one)
        assert db.person_actions.label(connection, key, 2) == one
        assert db.person_actions.label(connection, key, 1) is None
    assert not db.integrity.grids_are_stale(connection)
    assert db.integrity.faults(connection) == []


def test_actions_are_undone_newest_first_by_their_author_or_nobody(
    connection: sqlite3.Connection,
) -> None:
    actions = [
        Action(author, ActionKind.FLAG, number, None, False, True, number)
        for number, author in enumerate(["human:a", "", "human:b", "human:a"])
    ]
    with write_transaction(connection):
        for one in actions:
            db.person_actions.record(connection, one)
    order = []
    while found := db.person_actions.find_newest(connection, "human:a"):
        order.append(found[1].target)
        with write_transaction(connection):
            db.person_actions.mark_undone(connection, found[0])
    assert order == [3, 1, 0]
    assert connection.execute("SELECT count(*) FROM action").fetchone() == (4,)


def test_flags(connection: sqlite3.Connection) -> None:
    fill(connection, 2)
    with write_transaction(connection):
        db.person_actions.set_flag(connection, 2, True)
    assert [db.person_actions.flag(connection, fact) for fact in (1, 2, 3)] == [False, True, None]
    assert db.index_columns.find_flagged(connection) == [2]


def test_a_slot_that_was_set_aside_is_another_answer(
    connection: sqlite3.Connection, key: int
) -> None:
    assert db.person_actions.has_response(connection, key)
    assert not db.person_actions.was_redrawn(connection, key, 0)
    with write_transaction(connection):
        db.responses.set_aside(connection, [key], "why")
    assert not db.person_actions.has_response(connection, key)
    assert db.person_actions.was_redrawn(connection, key, 0)
    assert not db.person_actions.was_redrawn(connection, key, 2**50)
    assert not db.person_actions.was_redrawn(connection, key + 1, 0)


def test_facts_with_notes_of_people(connection: sqlite3.Connection) -> None:
    questions, (setting, _), (lexical, person) = fill(connection, 3)
    slots = [slot(questions[place], setting, 0) for place in (0, 10, 20)]
    with write_transaction(connection):
        db.responses.insert(connection, [(one, "answer", None) for one in slots])
        db.grades.insert(connection, lexical, [(slots[0], 1, None)])
        db.grades.insert_rationales(connection, lexical, [(slots[0], "by a program")])
        db.grades.insert(connection, person, [(one, 2, 7) for one in slots[1:]])
        db.grades.insert_rationales(connection, person, [(slots[2], "mine")])
    assert db.index_columns.find_noted(connection) == [3]
