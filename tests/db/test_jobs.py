"""Rows of jobs: who holds them, what they have done, what failed."""

import sqlite3

import db.jobs
import db.responses
from db import leases
from db.connection import writing
from db.jobs import StoredSpend, StoredStage
from db.slots import slot
from tests.db.making import fill


def made(connection: sqlite3.Connection, spec: str = "{}") -> int:
    with writing(connection):
        return db.jobs.create(connection, "run", "m", spec, 12.0)


def test_a_job_is_found_again_until_its_end(connection: sqlite3.Connection) -> None:
    first, second, _ = made(connection), made(connection), made(connection, "[]")
    assert [one.id for one in db.jobs.like(connection, "run", "{}")] == [second, first]
    assert db.jobs.like(connection, "grade", "{}") == []
    with writing(connection):
        db.jobs.set_state(connection, second, "finished", "all")
        db.jobs.set_state(connection, first, "stopped", "why")
    (found,) = db.jobs.like(connection, "run", "{}")
    assert (found.id, found.state, found.reason, found.max_cost) == (first, "stopped", "why", 12.0)
    assert found.ended is not None
    assert db.jobs.get(connection, 99) is None


def test_a_job_has_an_owner_while_its_lease_lasts(connection: sqlite3.Connection) -> None:
    job = made(connection)
    with writing(connection):
        lease = leases.take(connection)
        db.jobs.hold(connection, job, lease.id)
        db.jobs.wish(connection, job, "pause")
        assert db.jobs.heed(connection, job) == (lease.id, "pause")
        assert db.jobs.heed(connection, job) == (lease.id, None)
        db.jobs.begin(connection, job, lease.id)
        db.jobs.set_state(connection, job, "paused")
    paused = db.jobs.get(connection, job)
    assert paused is not None
    assert (paused.state, paused.lease, paused.ended) == ("paused", lease.id, None)
    with writing(connection):
        leases.end(connection, lease)
    alone = db.jobs.get(connection, job)
    assert alone is not None
    assert (alone.state, alone.lease) == ("paused", None)
    assert db.jobs.heed(connection, 99) == (None, None)


def test_stages_are_replaced_and_spending_adds_up(connection: sqlite3.Connection) -> None:
    job = made(connection)
    with writing(connection):
        db.jobs.set_stages(connection, job, [StoredStage("b", 5), StoredStage("a", 3)])
        db.jobs.set_stages(connection, job, [StoredStage("b", 1, 2, 2), StoredStage("a", 3)])
        for cost in (None, 0.5, None, 0.25):
            db.jobs.add_spend(connection, job, StoredSpend("b", "m", 1, 8, 10, 4, cost, 1.0))
    assert db.jobs.stages(connection) == {job: [StoredStage("b", 1, 2, 2), StoredStage("a", 3)]}
    assert db.jobs.spent(connection) == {job: [StoredSpend("b", "m", 4, 32, 40, 16, 0.75, 4.0)]}


def test_the_log_is_read_from_where_one_was(connection: sqlite3.Connection) -> None:
    one, other = made(connection), made(connection)
    with writing(connection):
        ids = [
            db.jobs.add_event(connection, job, "warn", text)
            for job, text in ((one, "a"), (other, "b"), (one, "c"))
        ]
    assert [event.text for event in db.jobs.events(connection)] == ["a", "b", "c"]
    assert [event.text for event in db.jobs.events(connection, one, ids[0])] == ["c"]


def test_a_job_that_never_began_is_forgotten_whole(connection: sqlite3.Connection) -> None:
    job = made(connection)
    with writing(connection):
        db.jobs.set_stages(connection, job, [StoredStage("a")])
        db.jobs.add_event(connection, job, "fail", "x")
        db.jobs.add_spend(connection, job, StoredSpend("a", "m"))
        db.jobs.forget(connection, job)
    assert db.jobs.listed(connection) == []
    assert db.jobs.events(connection) == []


def test_failures_are_counted_by_reason_with_an_example(connection: sqlite3.Connection) -> None:
    questions, settings, _ = fill(connection, 2)
    with writing(connection):
        for sample in range(3):
            key = slot(questions[0], settings[1], sample)
            db.responses.record_failure(connection, [key], "too long")
        db.responses.record_failure(connection, [slot(questions[12], settings[0], 5)], "filtered")
    most, least = db.jobs.errors(connection)
    assert (most.reason, most.count, most.fact_id, most.thinking) == ("too long", 3, "f0", True)
    assert (least.reason, least.count, least.fact_id, least.sample) == ("filtered", 1, "f1", 5)
    assert db.jobs.errors(connection, "m") == [most, least]
    assert db.jobs.errors(connection, "other") == []
