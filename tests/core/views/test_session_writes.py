"""What a session writes changes its snapshot at once, and undo takes it back."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.dataset.fact_filters import Filters
from core.errors import LostkeysError, UsageError
from core.project import OpenProject
from core.views.fact_query import FactQuery
from core.views.session import Session
from core.vocabulary import KNOWLEDGE, LABELS, Label, Task
from tests.bench.generator import Scale, build
from tests.core.views.making import change_graders, fresh_snapshot, same_snapshot


def test_a_label_changes_the_snapshot_at_once_and_undo_takes_it_back(
    session: Session, slots: list[int]
) -> None:
    session.name = "mira"
    first = session.snapshot
    assert first.code(0) == "DR"
    reverse = slots[2 + 2 * KNOWLEDGE.index(Task.REVERSE) + 2]
    done, snapshot = session.set_label(reverse, Label.INCORRECT, "it says so")
    assert (done.before, done.after and done.after.label) == (None, Label.INCORRECT)
    assert snapshot.code(0) == "RT"
    assert snapshot.noted.tolist() == [True, False]
    assert same_snapshot(snapshot, fresh_snapshot(session.path))
    assert session.summary().own == 1
    undone, snapshot = session.undo()
    assert undone is not None
    assert undone.restored
    assert same_snapshot(snapshot, first)
    assert session.summary().own == 0
    nothing, unchanged = session.undo()
    assert nothing is None
    assert unchanged is snapshot


def test_withdrawing_and_notes(session: Session, slots: list[int]) -> None:
    session.name = "mira"
    session.set_label(slots[0], Label.OTHER)
    _, snapshot = session.set_note(slots[0], "a note")
    assert snapshot.noted[0]
    done, snapshot = session.withdraw(slots[0])
    assert done.after is None
    assert not snapshot.noted[0]
    assert same_snapshot(snapshot, fresh_snapshot(session.path))
    with pytest.raises(UsageError, match="label the answer first"):
        session.set_note(slots[0], "a note")


def test_flags_need_no_name(session: Session) -> None:
    _, snapshot = session.set_flag(2, True)
    assert snapshot.index.flagged.tolist() == [False, True]
    flagged = FactQuery(filters=Filters(reviews=frozenset({"flagged"})))
    assert session.listing(flagged).places.tolist() == [1]
    _, snapshot = session.undo()
    assert not snapshot.index.flagged.any()


def test_people_left_out_of_the_lens_change_no_count(session: Session, slots: list[int]) -> None:
    session.name = "mira"
    snapshot = session.look(change_graders(session.snapshot.lens, people=False))
    _, after = session.set_label(slots[0], Label.INCORRECT)
    assert np.array_equal(after.tally.labels, snapshot.tally.labels)
    people = session.look(change_graders(after.lens, people=True))
    assert not np.array_equal(people.tally.labels, snapshot.tally.labels)


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
    """After each of many writes the snapshot is the one a new session makes."""
    path = tmp_path / "made.db"
    build(path, Scale(facts=4, models=2, samples=3))
    random = np.random.default_rng(3)
    with closing(Session(path)) as session, OpenProject(path) as reader:
        session.name = "mira"
        snapshot = session.open()
        assert (snapshot.lens.a, snapshot.lens.b) == ("grader-a", "grader-b")
        keys = np.array([key for (key,) in reader.connection.execute("SELECT id FROM response")])
        for key in random.choice(keys, 12).tolist():
            label = LABELS[random.integers(4)]
            _, snapshot = session.set_label(key, label)
            assert same_snapshot(snapshot, fresh_snapshot(path))
            snapshot = session.look(
                replace(snapshot.lens, model=snapshot.models[random.integers(2)])
            )
            assert same_snapshot(snapshot, fresh_snapshot(path, snapshot.lens))
            session.look(replace(snapshot.lens, model="model-00"))
        while (undone := session.undo())[0] is not None:
            snapshot = undone[1]
        assert same_snapshot(snapshot, fresh_snapshot(path))
        assert session.summary().own == 0
