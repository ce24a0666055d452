"""The grids are what responses and grades say, whoever wrote them and however they were read."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import db.facts
import db.grades
import db.integrity
import db.label_grids
import db.model_rows
import db.question_rows
import db.responses
from db.connection import connect, write_transaction
from db.label_grids import DRAWN, LabelMatrix
from db.slot_ids import slot
from tests.db.making import a_fact, count_facts, fill

SAMPLES = 4


@pytest.fixture(scope="module")
def template() -> Iterator[Path]:
    """A database with two facts, two settings and two graders, to be copied."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "template.db"
        with closing(connect(path, "create")) as connection:
            fill(connection, 2)
        yield path


@dataclass
class Programs:
    """Two programs that write to one file, and the grids that each keeps in memory."""

    path: Path
    connections: list[sqlite3.Connection] = field(default_factory=list)
    kept: list[LabelMatrix] = field(default_factory=list)

    def __post_init__(self) -> None:
        for _ in range(2):
            self.connections.append(connect(self.path, "write"))
            self.kept.append(db.label_grids.load(self.connections[-1]))
        first = self.connections[0]
        self.questions = [one.id for one in db.question_rows.questions(first)]
        self.settings = list(db.model_rows.settings(first))
        self.graders = [one[0] for one in db.grades.graders(first)]

    def close(self) -> None:
        for one in self.connections:
            one.close()

    def drawn(self) -> list[int]:
        return [
            key for (key,) in self.connections[0].execute("SELECT id FROM response ORDER BY id")
        ]

    def check(self) -> None:
        """Everything that is read is what the rows say, in whichever way it is read."""
        truth = said(self.connections[0])
        for connection, grids in zip(self.connections, self.kept, strict=True):
            db.label_grids.catch_up(connection, grids)
            assert spoken(grids) == truth
            assert spoken(db.label_grids.load(connection)) == truth
            assert spoken(db.label_grids.rebuild(connection)) == truth
            assert not db.label_grids.differ(grids, db.label_grids.rebuild(connection))
            assert not db.label_grids.catch_up(connection, grids)


def said(connection: sqlite3.Connection) -> dict[tuple[int, int], int]:
    """Outcomes by plane and slot, straight from the rows."""
    found = {(DRAWN, key): 1 for (key,) in connection.execute("SELECT id FROM response")}
    for plane, key, outcome in connection.execute("SELECT grader, response, outcome FROM grade"):
        found[plane, key] = outcome
    return found


def spoken(grids: LabelMatrix) -> dict[tuple[int, int], int]:
    """The same, cell by cell from grids."""
    return {
        (plane, slot(int(question), setting, int(sample))): int(cells[sample, question])
        for plane, by_setting in grids.planes.items()
        for setting, cells in by_setting.items()
        for sample, question in zip(*np.nonzero(cells), strict=True)
    }


Step = tuple[str, int, int]
"""What is done, by which program, and a number from which the rest is drawn."""

STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ["draw", "draw", "grade", "grade", "fold", "catch up", "set aside", "undo", "add fact"]
        ),
        st.integers(0, 1),
        st.integers(0, 2**32),
    ),
    max_size=14,
)


def take(programs: Programs, step: Step) -> None:
    what, who, number = step
    connection = programs.connections[who]
    random = np.random.default_rng(number)
    if what == "fold":
        db.label_grids.fold(connection)
    elif what == "catch up":
        db.label_grids.catch_up(connection, programs.kept[who])
    elif what == "add fact":
        with write_transaction(connection):
            known = count_facts(connection)
            db.facts.insert(connection, [a_fact(f"f{known}")])
        programs.questions = [one.id for one in db.question_rows.questions(connection)]
    elif what == "undo":
        connection.execute("BEGIN IMMEDIATE")
        change(programs, connection, random, "draw")
        connection.execute("ROLLBACK")
    else:
        with write_transaction(connection):
            change(programs, connection, random, what)


def change(
    programs: Programs, connection: sqlite3.Connection, random: np.random.Generator, what: str
) -> None:
    taken = programs.drawn()
    if what == "draw":
        keys = {
            slot(
                int(random.choice(programs.questions)),
                int(random.choice(programs.settings)),
                int(random.integers(SAMPLES)),
            )
            for _ in range(6)
        }
        rows = [(key, "x", None) for key in sorted(keys - set(taken))]
        db.responses.insert(connection, rows)
        return
    some = [key for key in taken if random.random() < 0.5]
    if what == "set aside":
        db.responses.set_aside(connection, some, "test")
        return
    grader = int(random.choice(programs.graders))
    rows_ = [(key, int(random.integers(1, 9)), None) for key in some]
    db.grades.settle(connection, grader, rows_)


@pytest.mark.slow
@given(STEPS)
@settings(max_examples=50, deadline=None)
def test_any_sequence_of_writes_by_two_programs(template: Path, steps: list[Step]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "some.db"
        copyfile(template, path)
        programs = Programs(path)
        try:
            for number, step in enumerate(steps):
                take(programs, step)
                if number % 4 == 3:
                    programs.check()
            programs.check()
            assert db.integrity.faults(programs.connections[0]) == []
        finally:
            programs.close()


def drawn(connection: sqlite3.Connection) -> list[int]:
    """Three responses with a label each."""
    (question, *_), (setting, _), (grader, _) = fill(connection)
    keys = [slot(question, setting, sample) for sample in range(3)]
    with write_transaction(connection):
        db.responses.insert(connection, [(key, "x", None) for key in keys])
        db.grades.insert(connection, grader, [(key, 1 + n, None) for n, key in enumerate(keys)])
    return keys


@pytest.mark.parametrize("folded", [False, True])
def test_stale_grids_are_found_and_repaired(connection: sqlite3.Connection, folded: bool) -> None:
    keys = drawn(connection)
    if folded:
        db.label_grids.fold(connection)
    held = db.label_grids.load(connection)
    assert not db.integrity.grids_are_stale(connection)
    with write_transaction(connection):
        connection.execute("UPDATE grade SET outcome = 4 WHERE response = ?", (keys[0],))
    assert db.integrity.grids_are_stale(connection)
    db.integrity.repair_grids(connection)
    assert not db.integrity.grids_are_stale(connection)
    assert spoken(db.label_grids.load(connection)) == said(connection)
    db.label_grids.catch_up(connection, held)
    assert spoken(held) == said(connection)
    assert connection.execute("SELECT count(*) FROM grid_change").fetchone() == (0,)


def test_a_lost_change_is_found(connection: sqlite3.Connection) -> None:
    drawn(connection)
    connection.execute("DELETE FROM grid_change WHERE seq = 1")
    assert db.integrity.grids_are_stale(connection)
    db.integrity.repair_grids(connection)
    assert spoken(db.label_grids.load(connection)) == said(connection)


def test_repair_of_nothing(connection: sqlite3.Connection) -> None:
    db.integrity.repair_grids(connection)
    assert db.label_grids.load(connection).planes == {}
    assert not db.integrity.grids_are_stale(connection)


def test_a_write_during_a_check_is_no_fault(
    connection: sqlite3.Connection, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = drawn(connection)
    rebuilt = db.label_grids.rebuild

    def meanwhile(reader: sqlite3.Connection) -> LabelMatrix:
        with closing(connect(path, "write")) as other, write_transaction(other):
            db.responses.insert(other, [(keys[-1] + 1, "x", None)])
        return rebuilt(reader)

    monkeypatch.setattr(db.label_grids, "rebuild", meanwhile)
    assert not db.integrity.grids_are_stale(connection)


def test_nobody_writes_during_a_repair(
    connection: sqlite3.Connection, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn(connection)
    rebuilt = db.label_grids.rebuild
    monkeypatch.setattr(db.connection, "BUSY_SECONDS", 0.01)

    def meanwhile(reader: sqlite3.Connection) -> LabelMatrix:
        found = rebuilt(reader)
        with (
            closing(connect(path, "write")) as other,
            pytest.raises(sqlite3.OperationalError, match="locked"),
        ):
            other.execute("BEGIN IMMEDIATE")
        return found

    monkeypatch.setattr(db.label_grids, "rebuild", meanwhile)
    db.integrity.repair_grids(connection)
    monkeypatch.undo()
    assert not db.integrity.grids_are_stale(connection)


@pytest.mark.parametrize("bound", ["FOLD_AFTER_CHANGES", "FOLD_AFTER_ENTRIES"])
def test_folding_when_it_is_due(
    connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    drawn(connection)
    db.label_grids.fold_if_due(connection)
    assert connection.execute("SELECT count(*) FROM grid_change").fetchone() == (2,)
    monkeypatch.setattr(db.label_grids, bound, 1)
    db.label_grids.fold_if_due(connection)
    assert connection.execute("SELECT count(*) FROM grid_change").fetchone() == (0,)
    assert spoken(db.label_grids.load(connection)) == said(connection)


def test_reading_single_slots(connection: sqlite3.Connection) -> None:
    keys = drawn(connection)
    grids = db.label_grids.load(connection)
    asked = np.array([keys[2], keys[0], keys[0] + 900, slot(10_000, 1, 0), slot(1, 1000, 0)])
    (grader, *_), *_ = db.grades.graders(connection)
    assert grids.at(DRAWN, asked).tolist() == [1, 1, 0, 0, 0]
    assert grids.at(grader, asked).tolist() == [3, 1, 0, 0, 0]
    assert grids.at(999, asked).tolist() == [0] * 5
    assert (grids.count(DRAWN), grids.count(grader), grids.count(999)) == (3, 3, 0)
    assert grids.settings() == [1]


def test_what_was_touched_is_told(connection: sqlite3.Connection, path: Path) -> None:
    keys = drawn(connection)
    with closing(connect(path, "write")) as other:
        grids = db.label_grids.load(other)
        assert not db.label_grids.catch_up(other, grids)
        with write_transaction(connection):
            db.responses.set_aside(connection, keys[:1], "test")
        assert db.label_grids.catch_up(other, grids).settings == {1}
        with write_transaction(connection):
            db.responses.insert(connection, [(slot(2, 2, 0), "x", None)])
        db.label_grids.fold(connection)
        assert 2 in db.label_grids.catch_up(other, grids).settings
        assert spoken(grids) == said(connection)


@pytest.mark.parametrize("folded", [False, True])
def test_grids_that_are_read_when_asked_for_say_the_same(
    connection: sqlite3.Connection, folded: bool
) -> None:
    keys = drawn(connection)
    if folded:
        db.label_grids.fold(connection)
    whole, grids = db.label_grids.load(connection), db.label_grids.open_grids(connection)
    (grader, *_), *_ = db.grades.graders(connection)
    assert grids.stored is not None
    assert len(grids.stored.rows) == (2 if folded else 0)
    assert grids.settings() == whole.settings() == [1]
    assert len(grids.stored.rows) == (2 if folded else 0)  # a look at the beginning is enough
    assert grids.cells(DRAWN, 2) is None
    assert grids.count_labels(grader) == whole.count_labels(grader) == 3
    assert grids.at(DRAWN, np.array(keys)).tolist() == [1, 1, 1]
    assert spoken(grids) == spoken(whole) == said(connection)
    assert not grids.stored.rows


def test_a_grid_that_is_empty_is_read_to_see_that(connection: sqlite3.Connection) -> None:
    keys = drawn(connection)
    with write_transaction(connection):
        db.responses.set_aside(connection, keys, "test")
    db.label_grids.fold(connection)
    grids = db.label_grids.open_grids(connection)
    assert grids.settings() == db.label_grids.load(connection).settings() == []


def test_what_is_written_before_a_grid_is_read_is_in_it(
    connection: sqlite3.Connection, path: Path
) -> None:
    keys = drawn(connection)
    db.label_grids.fold(connection)
    with closing(connect(path, "write")) as other:
        grids = db.label_grids.open_grids(other)
        with write_transaction(connection):
            db.responses.set_aside(connection, keys[:1], "test")
        assert db.label_grids.catch_up(other, grids).settings == {1}
        db.label_grids.fold(connection)
        with write_transaction(connection):
            db.responses.insert(connection, [(slot(2, 2, 0), "x", None)])
        assert db.label_grids.catch_up(other, grids).settings >= {2}
        grids.read_stored()
        assert grids.stored is None
        assert spoken(grids) == said(connection)
