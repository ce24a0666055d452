"""Leases and claims as rows."""

import sqlite3

import pytest

import db.leases
from db.connection import write_transaction
from db.leases import Lease


def a_lease(connection: sqlite3.Connection) -> Lease:
    with write_transaction(connection):
        return db.leases.take(connection)


def test_only_its_token_raises_or_ends_a_lease(connection: sqlite3.Connection) -> None:
    lease = a_lease(connection)
    forged = Lease(lease.id, "guessed")
    with write_transaction(connection):
        assert not db.leases.beat(connection, forged)
        db.leases.end(connection, forged)
        assert db.leases.beat(connection, lease)
    assert db.leases.beats(connection) == {lease.id: 1}
    assert db.leases.is_held(connection, lease)
    assert not db.leases.is_held(connection, forged)


def test_a_lease_that_moved_is_not_taken_away(connection: sqlite3.Connection) -> None:
    lease = a_lease(connection)
    with write_transaction(connection):
        db.leases.beat(connection, lease)
        assert not db.leases.take_away(connection, lease.id, 0)
        assert db.leases.take_away(connection, lease.id, 1)
        assert not db.leases.take_away(connection, lease.id, 1)
        assert not db.leases.beat(connection, lease)


def test_claims_go_with_their_lease_and_ids_never_come_back(connection: sqlite3.Connection) -> None:
    one, two = a_lease(connection), a_lease(connection)
    with write_transaction(connection):
        assert db.leases.claim(connection, one, "answer", [3, 1, 2]) == [3, 1, 2]
        assert db.leases.claim(connection, two, "answer", [2, 4]) == [4]
        db.leases.end(connection, two)
    assert db.leases.find_claims(connection, "answer", [1, 2, 3, 4]) == dict.fromkeys(
        [1, 2, 3], one.id
    )
    assert a_lease(connection).id > two.id


def test_nobody_claims_without_a_lease(connection: sqlite3.Connection) -> None:
    lease = a_lease(connection)
    with write_transaction(connection):
        db.leases.end(connection, lease)
    with pytest.raises(sqlite3.IntegrityError), write_transaction(connection):
        db.leases.claim(connection, lease, "answer", [1])


def test_release_leaves_the_claims_of_others(connection: sqlite3.Connection) -> None:
    one, two = a_lease(connection), a_lease(connection)
    with write_transaction(connection):
        db.leases.claim(connection, one, "answer", [1, 2])
        db.leases.claim(connection, one, "grade", [1])
        db.leases.release(connection, two, "answer", [1, 2])
        db.leases.release(connection, one, "answer", [1])
    assert db.leases.find_claims(connection, "answer", [1, 2]) == {2: one.id}
    assert db.leases.find_claims(connection, "grade", [1]) == {1: one.id}
