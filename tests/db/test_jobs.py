"""Rows of jobs: who holds them, what they have done, what failed."""

import sqlite3

import db.failures
import db.job_rows
from db import leases
from db.connection import write_transaction
from db.job_rows import JobSpend, JobStage
from db.slot_ids import slot
from tests.db.making import fill


def made(connection: sqlite3.Connection, spec: str = "{}") -> int:
    with write_transaction(connection):
        return db.job_rows.create(connection, "run", "m", spec, 12.0)


def test_a_job_is_found_again_until_its_end(connection: sqlite3.Connection) -> None:
    first, second, _ = made(connection), made(connection), made(connection, "[]")
    assert [one.id for one in db.job_rows.find_jobs_like(connection, "run", "{}")] == [
        second,
        first,
    ]
    assert db.job_rows.find_jobs_like(connection, "grade", "{}") == []
    with write_transaction(connection):
        db.job_rows.set_state(connection, second, "finished", "all")
        db.job_rows.set_state(connection, first, "stopped", "why")
    (found,) = db.job_rows.find_jobs_like(connection, "run", "{}")
    assert (found.id, found.state, found.reason, found.max_cost) == (first, "stopped", "why", 12.0)
    assert found.ended is not None
    assert db.job_rows.get(connection, 99) is None


def test_a_job_has_an_owner_while_its_lease_lasts(connection: sqlite3.Connection) -> None:
    job = made(connection)
    with write_transaction(connection):
        lease = leases.take(connection)
        db.job_rows.hold(connection, job, lease.id)
        db.job_rows.wish(connection, job, "pause")
        assert db.job_rows.heed(connection, job) == (lease.id, "pause")
        assert db.job_rows.heed(connection, job) == (lease.id, None)
        db.job_rows.begin(connection, job, lease.id)
        db.job_rows.set_state(connection, job, "paused")
    paused = db.job_rows.get(connection, job)
    assert paused is not None
    assert (paused.state, paused.lease, paused.ended) == ("paused", lease.id, None)
    with write_transaction(connection):
        leases.end(connection, lease)
    alone = db.job_rows.get(connection, job)
    assert alone is not None
    assert (alone.state, alone.lease) == ("paused", None)
    assert db.job_rows.heed(connection, 99) == (None, None)


def test_stages_are_replaced_and_spending_adds_up(connection: sqlite3.Connection) -> None:
    job = made(connection)
    with write_transaction(connection):
        db.job_rows.set_stages(connection, job, [JobStage("b", 5), JobStage("a", 3)])
        db.job_rows.set_stages(connection, job, [JobStage("b", 1, 2, 2), JobStage("a", 3)])
        for cost in (None, 0.5, None, 0.25):
            db.job_rows.add_spend(connection, job, JobSpend("b", "m", 1, 8, 10, 4, cost, 1.0))
    assert db.job_rows.stages(connection) == {job: [JobStage("b", 1, 2, 2), JobStage("a", 3)]}
    assert db.job_rows.read_spends(connection) == {
        job: [JobSpend("b", "m", 4, 32, 40, 16, 0.75, 4.0)]
    }


def test_the_log_is_read_from_where_one_was(connection: sqlite3.Connection) -> None:
    one, other = made(connection), made(connection)
    with write_transaction(connection):
        ids = [
            db.job_rows.add_event(connection, job, "warn", text)
            for job, text in ((one, "a"), (other, "b"), (one, "c"))
        ]
    assert [event.text for event in db.job_rows.events(connection)] == ["a", "b", "c"]
    assert [event.text for event in db.job_rows.events(connection, one, ids[0])] == ["c"]


def test_a_job_that_never_began_is_forgotten_whole(connection: sqlite3.Connection) -> None:
    job = made(connection)
    with write_transaction(connection):
        db.job_rows.set_stages(connection, job, [JobStage("a")])
        db.job_rows.add_event(connection, job, "fail", "x")
        db.job_rows.add_spend(connection, job, JobSpend("a", "m"))
        db.job_rows.forget(connection, job)
    assert db.job_rows.list_jobs(connection) == []
    assert db.job_rows.events(connection) == []


def test_failures_are_counted_by_reason_with_an_example(connection: sqlite3.Connection) -> None:
    questions, settings, _ = fill(connection, 2)
    with write_transaction(connection):
        for sample in range(3):
            key = slot(questions[0], settings[1], sample)
            db.failures.record_failure(connection, [key], "too long")
        db.failures.record_failure(connection, [slot(questions[12], settings[0], 5)], "filtered")
    most, least = db.failures.group_failures(connection)
    assert (most.reason, most.count, most.fact_id, most.thinking) == ("too long", 3, "f0", True)
    assert (least.reason, least.count, least.fact_id, least.sample) == ("filtered", 1, "f1", 5)
    assert db.failures.group_failures(connection, "m") == [most, least]
    assert db.failures.group_failures(connection, "other") == []
