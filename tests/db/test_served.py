"""Names and fingerprints of the models that answered."""

import sqlite3
from contextlib import closing
from pathlib import Path

from sqlite_utils import Database

import db.integrity
import db.responses
import db.sampling_runs
import db.served_models
from core.vocabulary import Task
from db.connection import APPLICATION_ID, connect, write_transaction
from db.drawn_responses import DrawnColumns, NewResponse, insert_drawn
from db.schema import migrations
from db.slot_ids import slot
from tests.db.making import fill, start_run


def test_responses_know_who_served_them(connection: sqlite3.Connection) -> None:
    (question, *_), (setting, _), _ = fill(connection)
    pairs = [("m-1", "fp_1"), ("m-1", "fp_2")]
    keys = [slot(question, setting, sample) for sample in range(3)]
    label = connection.execute("SELECT label FROM model").fetchone()[0]
    with write_transaction(connection):
        ids = db.served_models.ensure(connection, label, pairs)
        run = start_run(connection, setting, [Task.DIRECT], None, 3)
        rows = [
            NewResponse(key, "x", served=by) for key, by in zip(keys, [*pairs, None], strict=True)
        ]
        insert_drawn(connection, DrawnColumns.from_rows(rows), {setting: run}, ids)
        assert db.served_models.ensure(connection, label, pairs[:1]) == ids
    stored = connection.execute("SELECT served FROM draw ORDER BY response").fetchall()
    assert stored == [(ids[pairs[0]],), (ids[pairs[1]],), (None,)]
    kept = db.served_models.read_by_label(connection)[label]
    assert [(one.name, one.fingerprint) for one in kept] == pairs
    assert db.integrity.faults(connection) == []


def test_a_server_that_never_says_the_same_twice_fills_no_file(
    connection: sqlite3.Connection,
) -> None:
    with write_transaction(connection):
        for number in range(200):
            db.served_models.ensure(connection, "m", [("m", f"fp_{number}")])
    assert len(db.served_models.read_by_label(connection)["m"]) == db.served_models.MOST


def test_a_file_of_the_fifth_schema(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        migrations.apply(Database(old, strict=True), stop_before="m006_served")
        old.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        old.execute("PRAGMA user_version = 5")
        (question, *_), (setting, _), _ = fill(old)
        key = slot(question, setting, 0)
        with write_transaction(old):
            db.responses.insert(old, [(key, "Tartu", None)])
            old.execute("INSERT INTO draw (response, finish) VALUES (?, 'stop')", (key,))
    with closing(connect(path, "write")) as connection:
        assert path.with_name(f"{path.name}.schema5.backup").exists()
        assert connection.execute("SELECT finish, served FROM draw").fetchall() == [("stop", None)]
        assert db.served_models.read_by_label(connection) == {}
        assert db.integrity.faults(connection) == []
