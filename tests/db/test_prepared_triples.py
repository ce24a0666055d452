"""Prepared sets, arms and scores of answers as the file keeps them; older files get the tables."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sqlite_utils import Database

import db.answer_score_arrays
import db.arms
import db.integrity
import db.label_grids
import db.model_rows
import db.prepared_triples
import db.responses
import db.triples
from core.vocabulary import Side, Task
from db.answer_score_arrays import ROW
from db.arms import StoredArm, StoredExemplar
from db.connection import APPLICATION_ID, connect, write_transaction
from db.facts import Fact
from db.prepared_triples import Preparation, PreparedTriple
from db.question_rows import Gold, Question
from db.schema import migrations
from db.slot_ids import slot
from db.triples import StoredTriple, TripleRecord

PREPARATION = Preparation(7, ("leak", "unit"), ("P19", "född"), 0.3, 12, 0.4, 11)
ARM = StoredArm(
    "alpha#2-shot:known",
    "some",
    "alpha",
    "2-shot:known",
    7,
    "em",
    "Question: {QUESTION}",
    (
        StoredExemplar(1, 2, "Where?", "Riga", "Oslo", 3, True),
        StoredExemplar(2, 3, "Who?", "Oslo", "Oslo", 3, None),
    ),
)


def put_triples(connection: sqlite3.Connection, count: int = 3, set_name: str = "some") -> None:
    """Triples of a set, of which the first has no question."""
    with write_transaction(connection):
        for number in range(count):
            asked = {Task.DIRECT: Question(f"Who is {number}?")} if number else {}
            fact = Fact(
                f"{set_name}{number}",
                views=number,
                category="Art",
                subject=f"S{number}",
                object=f"O{number}",
                golds={Side.OBJECT: Gold(f"O{number}", (f"o{number}",))},
                questions=asked,
            )
            record = TripleRecord("born in", "Q1", "P19", tier="top", split="train")
            db.triples.insert(connection, [StoredTriple(fact, record, set_name)])


def prepared_of(connection: sqlite3.Connection) -> list[PreparedTriple | None]:
    return [one.prepared for one in db.prepared_triples.read_set(connection, "some")]


def test_a_set_is_prepared_as_a_whole(connection: sqlite3.Connection) -> None:
    put_triples(connection)
    put_triples(connection, 1, "other")
    assert prepared_of(connection) == [None] * 3
    assert db.prepared_triples.preparations(connection) == {}
    dropped, kept = PreparedTriple("leak"), PreparedTriple("", "top", "eval", True)
    with write_transaction(connection):
        db.prepared_triples.replace(connection, "some", Preparation(), [(1, kept), (2, kept)])
        db.prepared_triples.replace(connection, "some", PREPARATION, [(2, dropped), (3, kept)])
        db.prepared_triples.replace(connection, "other", Preparation(), [(4, dropped)])
    assert prepared_of(connection) == [None, dropped, kept]
    assert db.prepared_triples.preparations(connection) == {
        "some": PREPARATION,
        "other": Preparation(),
    }
    assert db.integrity.faults(connection) == []


def test_a_triple_comes_with_all_that_preparing_needs(connection: sqlite3.Connection) -> None:
    put_triples(connection, 2)
    first, second = db.prepared_triples.read_set(connection, "some")
    assert (first.question, first.asked) == (0, "")
    assert (second.fact_id, second.asked, second.aliases) == ("some1", "Who is 1?", ("o1",))
    assert (second.subject, second.subject_id, second.property_id) == ("S1", "Q1", "P19")
    assert (second.relation, second.object, second.popularity) == ("born in", "O1", 1)
    assert (second.file_tier, second.file_split, second.rejected) == ("top", "train", False)
    assert db.prepared_triples.sets(connection) == ["some"]
    assert db.prepared_triples.read_set(connection, "none") == []


def test_an_arm_is_kept_as_it_was_sent(connection: sqlite3.Connection) -> None:
    put_triples(connection)
    zero = replace(ARM, label="alpha#zero-shot", mode="zero-shot", known_by="", exemplars=())
    with write_transaction(connection):
        db.arms.insert(connection, ARM)
        db.arms.insert(connection, zero)
    assert db.arms.read_set_arms(connection, "some") == {ARM.label: ARM, zero.label: zero}
    assert db.arms.sets_with_arms(connection) == ["some"]
    with pytest.raises(sqlite3.IntegrityError), write_transaction(connection):
        db.arms.insert(connection, ARM)
    with write_transaction(connection):
        db.arms.remove(connection, ARM.label, "some")
    assert db.arms.read_set_arms(connection, "some") == {zero.label: zero}
    assert db.integrity.faults(connection) == []


def score_rows(*questions: int) -> np.ndarray:
    return np.array([(one, one, 1, 0, 1.0, 0.25) for one in questions], ROW)


def test_scores_go_with_the_responses_they_are_of(connection: sqlite3.Connection) -> None:
    put_triples(connection)
    with write_transaction(connection):
        settings = [db.model_rows.ensure_setting(connection, name, False) for name in "ab"]
        slots = [slot(question, one, 0) for one in settings for question in (1, 2)]
        db.responses.insert(connection, [(key, "O1", None) for key in slots])
    seen = db.label_grids.last_change(connection)
    assert db.answer_score_arrays.load(connection, settings[0]).size == 0
    with write_transaction(connection):
        for one in settings:
            assert db.answer_score_arrays.store(connection, one, score_rows(2, 1), seen)
    kept = db.answer_score_arrays.load(connection, settings[0])
    assert kept.tolist() == score_rows(1, 2).tolist()
    with write_transaction(connection):
        db.responses.set_aside(connection, slots[:1], "test")
        assert not db.answer_score_arrays.store(connection, settings[0], kept, seen)
    assert db.answer_score_arrays.load(connection, settings[0]).size == 0
    assert db.answer_score_arrays.load(connection, settings[1]).size == 2
    assert db.integrity.faults(connection) == []


@pytest.mark.parametrize(
    ("table", "change", "repaired"),
    [
        ("answer_score", "UPDATE answer_score SET cells = x'01'", True),
        ("answer_score", "UPDATE answer_score SET cells = zeroblob(68)", True),
        ("preparation", "UPDATE preparation SET filters = '[1]'", False),
        ("preparation", "UPDATE preparation SET properties = '{'", False),
        ("exemplar", "UPDATE exemplar SET answer = CAST(x'ff' AS TEXT)", False),
    ],
)
def test_damage_is_told(
    connection: sqlite3.Connection, table: str, change: str, repaired: bool
) -> None:
    put_triples(connection)
    with write_transaction(connection):
        db.prepared_triples.replace(connection, "some", PREPARATION, [(1, PreparedTriple("leak"))])
        db.arms.insert(connection, ARM)
        setting = db.model_rows.ensure_setting(connection, ARM.label, False)
        seen = db.label_grids.last_change(connection)
        db.answer_score_arrays.store(connection, setting, score_rows(1), seen)
        connection.execute(change)
    (fault,) = db.integrity.faults(connection)
    assert f"table {table}" in fault
    assert ("`lostkeys doctor --repair`" in fault) == repaired


def test_a_file_of_the_seventh_schema(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        migrations.apply(Database(old, strict=True), stop_before="m008_prepared_triples_and_arms")
        old.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        old.execute("PRAGMA user_version = 7")
        put_triples(old)
    with closing(connect(path, "write")) as connection:
        assert path.with_name(f"{path.name}.schema7.backup").exists()
        assert prepared_of(connection) == [None] * 3
        with write_transaction(connection):
            rows = [(1, PreparedTriple("question"))]
            db.prepared_triples.replace(connection, "some", Preparation(), rows)
        assert prepared_of(connection) == [PreparedTriple("question"), None, None]
        assert db.integrity.faults(connection) == []
