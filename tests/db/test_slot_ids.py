"""Slots: question, setting and sample in one integer."""

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

import db.model_rows
import db.responses
from db.connection import write_transaction
from db.slot_ids import MAX_SAMPLE, MAX_SETTING, slot, unpack
from db.sqlite_errors import DatabaseError
from tests.db.making import fill

MAX_QUESTION = 4398046511103
"""The bound that the schema sets."""

parts = st.tuples(
    st.integers(1, MAX_QUESTION), st.integers(1, MAX_SETTING), st.integers(0, MAX_SAMPLE)
)


@given(parts)
def test_unpacking_gives_what_was_packed(one: tuple[int, int, int]) -> None:
    assert unpack(slot(*one)) == one
    assert 0 < slot(*one) < 2**63


@given(parts, parts)
def test_order_and_difference(one: tuple[int, int, int], other: tuple[int, int, int]) -> None:
    assert (slot(*one) < slot(*other)) == (one < other)
    assert (slot(*one) == slot(*other)) == (one == other)


def test_the_database_unpacks_alike(connection: sqlite3.Connection) -> None:
    (question, *_), settings, _ = fill(connection)
    keys = [slot(question, setting, sample) for setting in settings for sample in (0, MAX_SAMPLE)]
    with write_transaction(connection):
        db.responses.insert(connection, [(key, "", None) for key in keys])
    found = connection.execute("SELECT id, question, setting, sample FROM response").fetchall()
    assert {key: unpack(key) for key in keys} == {key: tuple(rest) for key, *rest in found}


def test_the_largest_question_fits(connection: sqlite3.Connection) -> None:
    _, (setting, _), _ = fill(connection)
    with write_transaction(connection):
        connection.execute(
            "INSERT INTO question (id, fact, task, version, text, current) "
            f"VALUES ({MAX_QUESTION}, 1, 'direct', 2, '', 0)"
        )
        db.responses.insert(connection, [(slot(MAX_QUESTION, setting, MAX_SAMPLE), "x", None)])
    with pytest.raises(sqlite3.IntegrityError):
        connection.execute(
            "INSERT INTO question (id, fact, task, version, text, current) "
            f"VALUES ({MAX_QUESTION + 1}, 1, 'direct', 3, '', 0)"
        )


@pytest.mark.parametrize(("question", "setting"), [(99, 1), (1, 99)])
def test_a_slot_of_nothing_takes_no_response(
    connection: sqlite3.Connection, question: int, setting: int
) -> None:
    fill(connection)
    with pytest.raises(sqlite3.IntegrityError), write_transaction(connection):
        db.responses.insert(connection, [(slot(question, setting, 0), "x", None)])


def test_more_settings_than_fit_are_refused(connection: sqlite3.Connection) -> None:
    with write_transaction(connection):
        numbers = [
            db.model_rows.ensure_setting(connection, f"m{n}", False) for n in range(MAX_SETTING)
        ]
    assert numbers == list(range(1, MAX_SETTING + 1))
    with write_transaction(connection):
        assert db.model_rows.ensure_setting(connection, "m7", False) == 8
    with pytest.raises(DatabaseError, match="at most 1023 settings"), write_transaction(connection):
        db.model_rows.ensure_setting(connection, "one more", False)
