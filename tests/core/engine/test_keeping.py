"""Leases are kept by hold_lease, and taken over from whoever stands still."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import db.leases
from core.engine.lease_holder import LeaseHolder
from core.project import OpenProject
from db.connection import connect, write_transaction

PATIENCE = 10.0


class Watch:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def here(project: OpenProject) -> sqlite3.Connection:
    return project.connection


@pytest.fixture
def there(project: OpenProject) -> Iterator[sqlite3.Connection]:
    """The same database as another program has it open."""
    with closing(connect(Path(project.path), "write")) as connection:
        yield connection


def claim(lease_holder: LeaseHolder, connection: sqlite3.Connection, *items: int) -> list[int]:
    with write_transaction(connection):
        return lease_holder.claim("answer", items)


def look(lease_holder: LeaseHolder, watch: Watch, seconds: float, *others: LeaseHolder) -> None:
    """Let time pass, with a beat of all these a second."""
    for _ in range(round(seconds)):
        watch.now += 1
        for one in (lease_holder, *others):
            one.beat()


def test_what_is_claimed_is_nobody_elses(
    here: sqlite3.Connection, there: sqlite3.Connection
) -> None:
    one, two = LeaseHolder(here), LeaseHolder(there)
    assert claim(one, here, 1, 2, 3) == [1, 2, 3]
    assert claim(two, there, 2, 3, 4) == [4]
    with write_transaction(here):
        one.release("answer", [2])
        one.release("answer", [4])  # not ours
    assert claim(two, there, 2, 4) == [2]
    one.close()
    assert claim(two, there, 1, 3) == [1, 3]
    assert set(db.leases.beats(here)) == {two.lease.id}


def test_who_beats_keeps_what_it_has(here: sqlite3.Connection, there: sqlite3.Connection) -> None:
    watch = Watch()
    one, two = LeaseHolder(here, PATIENCE, watch), LeaseHolder(there, PATIENCE, watch)
    claim(one, here, 1)
    look(two, watch, 5 * PATIENCE, one)
    assert claim(two, there, 1) == []


def test_who_stands_still_loses_it_after_a_while(
    here: sqlite3.Connection, there: sqlite3.Connection
) -> None:
    watch = Watch()
    gone, two = LeaseHolder(here, PATIENCE, watch), LeaseHolder(there, PATIENCE, watch)
    claim(gone, here, 1)
    look(two, watch, PATIENCE)  # the first look only learns the counter
    assert claim(two, there, 1) == []
    look(two, watch, 1)
    assert claim(two, there, 1) == [1]


def test_a_sleeper_takes_nothing_away_from_others_who_slept(
    here: sqlite3.Connection, there: sqlite3.Connection
) -> None:
    watch = Watch()
    one, two = LeaseHolder(here, PATIENCE, watch), LeaseHolder(there, PATIENCE, watch)
    claim(one, here, 1)
    look(two, watch, 1, one)
    watch.now += 1_000_000  # the whole machine was asleep
    two.beat()
    assert claim(two, there, 1) == []
    one.beat()
    look(two, watch, 2 * PATIENCE, one)
    assert claim(two, there, 1) == []


def test_a_sleeper_that_was_robbed_claims_again_what_is_still_free(
    here: sqlite3.Connection, there: sqlite3.Connection
) -> None:
    watch = Watch()
    sleeper, two = LeaseHolder(here, PATIENCE, watch), LeaseHolder(there, PATIENCE, watch)
    before = sleeper.lease
    claim(sleeper, here, 1, 2, 3)
    look(two, watch, PATIENCE + 1)
    assert claim(two, there, 1) == [1]
    sleeper.beat()
    assert sleeper.lease.id != before.id
    assert db.leases.is_held(here, sleeper.lease)
    assert not db.leases.is_held(here, before)
    owners = db.leases.find_claims(here, "answer", [1, 2, 3])
    assert owners == {1: two.lease.id, 2: sleeper.lease.id, 3: sleeper.lease.id}
    with write_transaction(here):
        sleeper.release("answer", [1, 2])
    assert db.leases.find_claims(here, "answer", [1, 2, 3]).keys() == {1, 3}


def test_what_others_have_claimed_meanwhile_is_claimed_no_more(
    here: sqlite3.Connection, there: sqlite3.Connection
) -> None:
    """Robbed again, the sleeper leaves what another took and has done: nobody would release it."""
    watch = Watch()
    sleeper, two = LeaseHolder(here, PATIENCE, watch), LeaseHolder(there, PATIENCE, watch)
    claim(sleeper, here, 1, 2)
    look(two, watch, PATIENCE + 1)
    assert claim(two, there, 1) == [1]
    sleeper.beat()
    with write_transaction(there):
        two.release("answer", [1])
    look(two, watch, PATIENCE + 1)
    sleeper.beat()
    assert db.leases.find_claims(here, "answer", [1, 2]) == {2: sleeper.lease.id}
    assert claim(two, there, 1) == [1]


def test_a_robbed_program_can_claim_before_its_next_beat(
    here: sqlite3.Connection, there: sqlite3.Connection
) -> None:
    watch = Watch()
    sleeper, two = LeaseHolder(here, PATIENCE, watch), LeaseHolder(there, PATIENCE, watch)
    look(two, watch, PATIENCE + 1)
    assert not db.leases.is_held(here, sleeper.lease)
    assert claim(sleeper, here, 7) == [7]
    assert claim(two, there, 7) == []


def test_stages_are_claimed_apart(here: sqlite3.Connection, there: sqlite3.Connection) -> None:
    one, two = LeaseHolder(here), LeaseHolder(there)
    claim(one, here, 1)
    with write_transaction(there):
        assert two.claim("grade", [1]) == [1]


def test_a_beat_joins_an_open_transaction(here: sqlite3.Connection) -> None:
    lease_holder = LeaseHolder(here)
    with write_transaction(here):
        lease_holder.beat()
        assert here.in_transaction
    assert db.leases.is_held(here, lease_holder.lease)
