"""Arrays of scores: changes lie over blobs, are folded in, and older files get their tables."""

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from sqlite_utils import Database

import db.integrity
import db.model_rows
import db.option_score_arrays
import db.option_scores
import db.responses
from db.connection import APPLICATION_ID, connect, write_transaction
from db.option_score_arrays import PARTS, ROW
from db.option_scores import ScoreSeries, SeriesKey
from db.schema import migrations
from db.slot_ids import slot
from tests.db.making import fill


def rows(*facts: int, state: int = 3) -> npt.NDArray[np.void]:
    return np.array([(fact, state, 7, 1, 0.5, 0.25, 0.75) for fact in facts], ROW)


def series(connection: sqlite3.Connection, model: str = "m", options: int = 100) -> int:
    key = SeriesKey(model, "zero-prompt", 50, 0, 0, "", options)
    model_id = db.model_rows.ensure_model(connection, model)
    return db.option_scores.ensure_series(connection, key, model_id)


def states(connection: sqlite3.Connection, key: int, facts: int = 6) -> list[int]:
    return [int(one) for one in db.option_score_arrays.load(connection, [key], "state", facts)[0]]


def test_changes_lie_over_blobs(connection: sqlite3.Connection) -> None:
    with write_transaction(connection):
        key, other = series(connection), series(connection, "n")
        db.option_score_arrays.record(connection, key, rows(1, 3))
        db.option_score_arrays.record(connection, other, rows(2))
    assert states(connection, key) == [0, 3, 0, 3, 0, 0]
    before = {
        part: db.option_score_arrays.load(connection, [key, other], part, 6) for part in PARTS
    }
    seen = db.option_score_arrays.last_change(connection)
    db.option_score_arrays.fold(connection)
    assert connection.execute("SELECT count(*) FROM score_change").fetchone() == (0,)
    assert db.option_score_arrays.last_change(connection) == seen
    for part, cells in before.items():
        after = db.option_score_arrays.load(connection, [key, other], part, 6)
        assert np.array_equal(after, cells)
    with write_transaction(connection):
        db.option_score_arrays.record(connection, key, rows(3, 5, state=1))
    assert states(connection, key) == [0, 3, 0, 1, 0, 1]
    assert states(connection, key, 4) == [0, 3, 0, 1]
    db.option_score_arrays.fold(connection)
    assert states(connection, key) == [0, 3, 0, 1, 0, 1]
    assert states(connection, other) == [0, 0, 3, 0, 0, 0]
    assert db.integrity.faults(connection) == []


def test_many_changes_are_folded(
    connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(db.option_score_arrays, "FOLD_AFTER_CHANGES", 2)
    counts = []
    with write_transaction(connection):
        key = series(connection)
    for fact in range(1, 5):
        with write_transaction(connection):
            db.option_score_arrays.record(connection, key, rows(fact))
        db.option_score_arrays.fold_if_due(connection)
        counts.append(connection.execute("SELECT count(*) FROM score_change").fetchone()[0])
    assert counts == [1, 2, 0, 1]
    assert states(connection, key, 5) == [0, 3, 3, 3, 3]


def test_a_series_is_a_model_under_one_setup(connection: sqlite3.Connection) -> None:
    with write_transaction(connection):
        first = series(connection)
        assert series(connection) == first
        second = series(connection, options=20)
    found = db.option_scores.read_series(connection)
    assert [one.id for one in found] == [first, second]
    assert found[1] == ScoreSeries(second, SeriesKey("m", "zero-prompt", 50, 0, 0, "", 20))


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("score_grid", "UPDATE score_grid SET cells = x'010203' WHERE part = 'rank'"),
        ("score_grid", "UPDATE score_grid SET part = 'odd' WHERE part = 'rank'"),
        ("score_change", "UPDATE score_change SET cells = x'01'"),
    ],
)
def test_damaged_arrays_are_told(connection: sqlite3.Connection, table: str, change: str) -> None:
    with write_transaction(connection):
        key = series(connection)
        db.option_score_arrays.record(connection, key, rows(1))
    db.option_score_arrays.fold(connection)
    with write_transaction(connection):
        db.option_score_arrays.record(connection, key, rows(2))
        connection.execute(change)
    (fault,) = db.integrity.faults(connection)
    assert f"table {table}" in fault
    assert "`lostkeys doctor --repair`" in fault


def test_a_file_of_the_sixth_schema(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        before = "m007_triples_and_option_scores"
        migrations.apply(Database(old, strict=True), stop_before=before)
        old.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        old.execute("PRAGMA user_version = 6")
        (question, *_), (setting, _), _ = fill(old)
        with write_transaction(old):
            db.responses.insert(old, [(slot(question, setting, 0), "Tartu", None)])
    with closing(connect(path, "write")) as connection:
        assert path.with_name(f"{path.name}.schema6.backup").exists()
        assert connection.execute("SELECT count(*) FROM triple").fetchone() == (0,)
        assert connection.execute("SELECT text FROM response").fetchall() == [("Tartu",)]
        assert db.integrity.faults(connection) == []
