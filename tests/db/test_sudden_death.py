"""A program that is killed loses nothing that it has acknowledged."""

from contextlib import closing
from pathlib import Path
from random import Random

import pytest

import db.integrity
import db.label_grids
import db.question_rows
from db.connection import connect
from db.slot_ids import unpack
from tests.db.making import fill, line_of, program, stop

pytestmark = pytest.mark.slow

WRITER = """
import sys
from pathlib import Path
import db.facts, db.grades, db.label_grids, db.responses
from db.connection import connect, write_transaction
from db.slot_ids import slot
connection = connect(Path(sys.argv[1]), "write")
grader = db.grades.graders(connection)[0][0]
questions = db.question_rows.questions(connection)
written = 0
for sample in range(1024):
    for question in questions:
        keys = [slot(question.id, setting, sample) for setting in (1, 2)]
        if db.responses.find_existing(connection, keys):
            continue
        with write_transaction(connection):
            db.responses.insert(connection, [(key, f"answer {key}", None) for key in keys])
            db.grades.insert(connection, grader, [(key, 1 + sample % 4, None) for key in keys])
        print(*keys, flush=True)
        written += 1
        if written % 10 == 0:
            db.label_grids.fold(connection)
"""


def test_killed_at_any_moment(path: Path) -> None:
    with closing(connect(path, "create")) as connection:
        fill(connection)
    random = Random(11)
    acknowledged: list[int] = []
    for _ in range(6):
        acknowledged += until_killed(path, random.randrange(1, 40))
        with closing(connect(path, "write")) as connection:
            found = dict(connection.execute("SELECT id, text FROM response"))
            graded = dict(connection.execute("SELECT response, outcome FROM grade"))
            assert db.integrity.faults(connection) == []
            assert not db.integrity.grids_are_stale(connection)
            assert db.label_grids.load(connection).count(db.label_grids.DRAWN) == len(found)
        assert len(set(acknowledged)) == len(acknowledged)
        assert set(acknowledged) <= set(found)
        assert found == {key: f"answer {key}" for key in found}
        assert graded == {key: 1 + unpack(key)[2] % 4 for key in found}
        acknowledged = list(found)  # committed, though perhaps not told in time
    assert len(acknowledged) > 50


def until_killed(path: Path, after: int) -> list[int]:
    """Slots that a writer acknowledges before it is killed, some lines on."""
    writer = program(WRITER, path)
    try:
        lines = [line_of(writer) for _ in range(after)]
        writer.kill()
        assert writer.stdout is not None
        rest = writer.stdout.read()
        lines += rest[: rest.rfind("\n") + 1].splitlines()
    finally:
        stop(writer)
    return [int(key) for line in lines for key in line.split()]
