"""Runs of an older file come to name the questions that they asked."""

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
from sqlite_utils import Database

import db.facts
import db.integrity
import db.responses
import db.sampling_runs
from core.vocabulary import TASKS, Task
from db.connection import APPLICATION_ID, connect, write_transaction
from db.sampling_runs import RunQuestions
from db.schema import migrations
from db.slot_ids import slot
from tests.db.making import a_fact, fill

RUNS = """
INSERT INTO run (id, setting, tasks, facts, samples, done, curtailed) VALUES
    (1, 1, '["direct"]', NULL, 8, 1, NULL),
    (2, 1, '["direct", "reverse"]', NULL, 8, 1, '{}'),
    (3, 2, '["direct"]', NULL, 8, 0, NULL),
    (4, 1, '["direct"]', '[1, 2, 4]', 8, 1, '{}'),
    (5, 1, 'none', NULL, 8, 1, '{}')
"""


def test_an_older_run_keeps_the_facts_that_it_had_answers_of(path: Path) -> None:
    """Fact 1 was drawn before the run, 2 by it, 3 after it, 4 is imported with an answer."""
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        migrations.apply(Database(old, strict=True), stop_before="m014_asked")
        old.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        old.execute("PRAGMA user_version = 13")
        questions, (off, _), _ = fill(old, facts=3)
        with write_transaction(old):
            db.facts.insert(old, [a_fact("lacking", [Task.DIRECT])])
            old.execute(RUNS)
            direct = [questions[10 * fact + TASKS.index(Task.DIRECT)] for fact in range(3)]
            last = old.execute("SELECT id FROM question WHERE fact = 4").fetchone()[0]
            slots = [slot(question, off, 0) for question in (*direct, last)]
            db.responses.insert(old, [(key, "Tartu", None) for key in slots])
            old.executemany(
                "INSERT INTO draw (response, run) VALUES (?, ?)",
                zip(slots, (1, 2, 4, None), strict=True),
            )
    with closing(connect(path, "write")) as connection:
        first, second, other = db.sampling_runs.find_curtailed(connection)
        assert first.asked == (RunQuestions((Task.DIRECT, Task.REVERSE), ((1, 2),)),)
        assert second.asked == (RunQuestions((Task.DIRECT,), ((1, 2), (4, 4))),)
        assert other.asked == ()
        (unfinished,) = db.sampling_runs.find_unfinished(connection)
        assert unfinished.asked == ()
        assert unfinished.setting == 2
        assert db.integrity.faults(connection) == []


def test_fifty_thousand_facts_of_one_import_take_no_room() -> None:
    ids = np.arange(1, 50_001)
    every = RunQuestions((Task.DIRECT,), db.sampling_runs.join_ids(ids))
    text = db.sampling_runs.asked_text([every])
    assert text == '[[["direct"],[[1,50000]]]]'
    assert db.sampling_runs.read_asked(text) == (every,)
    assert db.sampling_runs.find_ids(every.facts, ids).all()
    some = ids[ids % 7 != 0]
    there = db.sampling_runs.find_ids(db.sampling_runs.join_ids(some), ids)
    assert np.array_equal(ids[there], some)
