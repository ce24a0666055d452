"""Batches in the file: found again, taken in part by part, and who claims what meanwhile."""

import sqlite3
from pathlib import Path

import pytest

from db import batches, job_rows, leases
from db.connection import connect, write_transaction
from tests.db.making import put_empty


@pytest.fixture
def connection(tmp_path: Path) -> sqlite3.Connection:
    put_empty(tmp_path / "some.db")
    made = connect(tmp_path / "some.db", "write")
    made.execute("BEGIN")
    return made


@pytest.fixture
def job(connection: sqlite3.Connection) -> int:
    return job_rows.create(connection, "sample", "m", "{}")


def test_a_batch_is_found_until_it_is_at_its_end(connection: sqlite3.Connection, job: int) -> None:
    first = batches.prepare(connection, job, "openai:m", "[1, 2]")
    second = batches.prepare(connection, job, "openai:m", "[3]")
    other = job_rows.create(connection, "sample", "n", "{}")
    batches.prepare(connection, other, "openai:n", "[4]")
    assert batches.find_unfinished(connection, job) == [first, second]
    assert first.token != second.token
    batches.mark_submitted(connection, first.id, "batch_1")
    batches.take(connection, first.id, 1)
    (stored, _) = batches.find_unfinished(connection, job)
    assert (stored.name, stored.taken, stored.items) == ("batch_1", 1, "[1, 2]")
    batches.end(connection, first.id, "collected")
    assert batches.find_unfinished(connection, job) == [second]
    left = connection.execute("SELECT state, items, taken FROM batch").fetchall()
    assert left == [("collected", "[]", 0), ("prepared", "[3]", 0), ("prepared", "[4]", 0)]


def test_what_a_batch_claims_no_lease_can(connection: sqlite3.Connection, job: int) -> None:
    batch, lease = batches.prepare(connection, job, "m", "[]"), leases.take(connection)
    assert leases.claim(connection, lease, "answer", [1, 2, 3]) == [1, 2, 3]
    leases.release(connection, lease, "answer", [1, 2])
    batches.claim(connection, batch.id, "answer", [1, 2, 3])
    assert leases.claim(connection, lease, "answer", [1, 2]) == []
    assert leases.find_claims(connection, "answer", [1, 2, 3]) == {1: None, 2: None, 3: lease.id}
    leases.end(connection, lease)
    assert leases.find_claims(connection, "answer", [1, 2, 3]) == {1: None, 2: None}
    batches.release(connection, batch.id, "answer", [1])
    assert leases.find_claims(connection, "answer", [1, 2]) == {2: None}
    batches.end(connection, batch.id, "cancelled")
    assert leases.find_claims(connection, "answer", [1, 2]) == {}


def test_a_batch_belongs_to_a_job(connection: sqlite3.Connection) -> None:
    connection.execute("COMMIT")
    with pytest.raises(sqlite3.IntegrityError), write_transaction(connection):
        batches.prepare(connection, 7, "m", "[]")
