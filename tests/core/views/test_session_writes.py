"""What a session writes changes its board at once, and undo takes it back."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.errors import LostkeysError, UsageError
from core.project import Project
from core.views.fact_query import FactQuery, Filters
from core.views.session import Session
from core.vocabulary import KNOWLEDGE, LABELS, Label, Task
from tests.bench.generator import Scale, build
from tests.core.views.making import fresh_board, same_board


def test_a_label_changes_the_board_at_once_and_undo_takes_it_back(
    session: Session, slots: list[int]
) -> None:
    session.name = "mira"
    first = session.board
    assert first.code(0) == "DR"
    reverse = slots[2 + 2 * KNOWLEDGE.index(Task.REVERSE) + 2]
    done, board = session.set_label(reverse, Label.INCORRECT, "it says so")
    assert (done.before, done.after and done.after.label) == (None, Label.INCORRECT)
    assert board.code(0) == "RT"
    assert board.noted.tolist() == [True, False]
    assert same_board(board, fresh_board(session.path))
    assert session.summary().own == 1
    undone, board = session.undo()
    assert undone is not None
    assert undone.restored
    assert same_board(board, first)
    assert session.summary().own == 0
    nothing, unchanged = session.undo()
    assert nothing is None
    assert unchanged is board


def test_withdrawing_and_notes(session: Session, slots: list[int]) -> None:
    session.name = "mira"
    session.set_label(slots[0], Label.OTHER)
    _, board = session.set_note(slots[0], "a note")
    assert board.noted[0]
    done, board = session.withdraw(slots[0])
    assert done.after is None
    assert not board.noted[0]
    assert same_board(board, fresh_board(session.path))
    with pytest.raises(UsageError, match="label the answer first"):
        session.set_note(slots[0], "a note")


def test_flags_need_no_name(session: Session) -> None:
    _, board = session.set_flag(2, True)
    assert board.index.flagged.tolist() == [False, True]
    flagged = FactQuery(filters=Filters(reviews=frozenset({"flagged"})))
    assert session.listing(flagged).places.tolist() == [1]
    _, board = session.undo()
    assert not board.index.flagged.any()


def test_people_left_out_of_the_lens_change_no_count(session: Session, slots: list[int]) -> None:
    session.name = "mira"
    board = session.look(replace(session.board.lens, people=False))
    _, after = session.set_label(slots[0], Label.INCORRECT)
    assert np.array_equal(after.tally.labels, board.tally.labels)
    people = session.look(replace(after.lens, people=True))
    assert not np.array_equal(people.tally.labels, board.tally.labels)


def test_labels_need_a_proper_name(session: Session, slots: list[int]) -> None:
    assert session.name is None
    with pytest.raises(UsageError, match="name"):
        session.set_label(slots[0], Label.CORRECT)
    with pytest.raises(UsageError, match="name"):
        session.name = "two\nlines"
    session.name = " mira "
    assert session.name == "mira"


def test_a_connection_that_could_not_write_is_not_kept(session: Session) -> None:
    assert session.set_flag(1, True)[0].after
    assert session._writer is not None
    session._writer.connection.execute("PRAGMA query_only = ON")
    with pytest.raises(LostkeysError, match="cannot be written"):
        session.set_flag(1, False)
    assert not session.set_flag(1, False)[0].after


@pytest.mark.slow
def test_many_labels_on_a_larger_file(tmp_path: Path) -> None:
    """After each of many writes the board is the one a new session makes."""
    path = tmp_path / "made.db"
    build(path, Scale(facts=4, models=2, samples=3))
    random = np.random.default_rng(3)
    with closing(Session(path)) as session, Project(path) as reader:
        session.name = "mira"
        board = session.open()
        assert (board.lens.a, board.lens.b) == ("grader-a", "grader-b")
        keys = np.array([key for (key,) in reader.connection.execute("SELECT id FROM response")])
        for key in random.choice(keys, 12).tolist():
            label = LABELS[random.integers(4)]
            _, board = session.set_label(key, label)
            assert same_board(board, fresh_board(path))
            board = session.look(replace(board.lens, model=board.models[random.integers(2)]))
            assert same_board(board, fresh_board(path, board.lens))
            session.look(replace(board.lens, model="model-00"))
        while (undone := session.undo())[0] is not None:
            board = undone[1]
        assert same_board(board, fresh_board(path))
        assert session.summary().own == 0
