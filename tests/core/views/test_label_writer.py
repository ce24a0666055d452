"""Labels, notes and flags land with all that follows from them, and go again in turn."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import db.index_columns
import db.integrity
import db.person_actions
from core.curation import label_writer, response_discards, undo_history
from core.curation.label_writer import FlagEffect, LabelEffect, OwnLabel
from core.errors import LostkeysError, UsageError
from core.project import OpenProject
from core.vocabulary import LABELS, Label, Outcome, Task
from db.connection import write_transaction
from tests.core.making import Row, a_fact, new_project, put_facts, put_rows


def fill(project: OpenProject) -> list[int]:
    """One fact with two answers, the second labelled by a program and by Ann, with a note."""
    put_facts(project, [a_fact("f")])
    slots = put_rows(
        project,
        [
            Row("f", Task.DIRECT, "m", False, 0),
            Row(
                "f",
                Task.DIRECT,
                "m",
                False,
                1,
                {"lexical": Outcome.CORRECT, "human:ann": Outcome.OTHER},
                at={"human:ann": 1000},
            ),
        ],
    )
    with write_transaction(project.connection):
        ann = db.person_actions.newest_version(project.connection, "human:ann")
        assert ann is not None
        db.person_actions.set_label(
            project.connection, slots[1], ann, db.person_actions.LabelRecord(4, 1000, "hm")
        )
    project.refresh()
    return slots


@pytest.fixture
def slots(project: OpenProject) -> list[int]:
    return fill(project)


def said(project: OpenProject, name: str, slot: int) -> db.person_actions.LabelRecord | None:
    version = db.person_actions.newest_version(project.connection, f"human:{name}")
    return None if version is None else db.person_actions.label(project.connection, slot, version)


def sound(project: OpenProject) -> bool:
    return not db.integrity.faults(project.connection) and not db.integrity.grids_are_stale(
        project.connection
    )


def test_a_first_label_makes_the_person_a_grader(project: OpenProject, slots: list[int]) -> None:
    done = label_writer.set_label(project, " mira ", slots[0], Label.PARTIALLY)
    assert done.before is None
    assert done.after is not None
    assert (done.after.label, done.after.note) == (Label.PARTIALLY, None)
    now = said(project, "mira", slots[0])
    assert now is not None
    assert (now.outcome, now.at) == (3, done.after.at)
    project.refresh()
    assert [(one.name, one.version) for one in project.graders()][-1] == ("human:mira", "1")
    assert project.count_labels("human:mira") == 1
    assert project.count_labels("human:nobody") == 0
    assert sound(project)


def test_imported_labels_of_a_person_are_theirs(project: OpenProject, slots: list[int]) -> None:
    done = label_writer.set_label(project, "ann", slots[1], Label.CORRECT)
    assert done.before == OwnLabel(Label.OTHER, "hm", 1000)
    assert done.after is not None
    assert (done.after.label, done.after.note) == (Label.CORRECT, "hm")
    project.refresh()
    assert project.count_labels("human:ann") == 1
    assert undo_history.undo(project, "ann") == undo_history.UndoResult(
        LabelEffect(slots[1], done.after, done.before), restored=True
    )
    assert said(project, "ann", slots[1]) == db.person_actions.LabelRecord(4, 1000, "hm")
    assert sound(project)


def test_notes(project: OpenProject, slots: list[int]) -> None:
    with pytest.raises(UsageError, match="label the answer first"):
        label_writer.set_note(project, "mira", slots[0], "why")
    label_writer.set_label(project, "mira", slots[0], Label.CORRECT, "[red]why\n\0")
    noted = label_writer.set_note(project, "mira", slots[0], "because")
    assert noted.before is not None
    assert noted.after is not None
    assert (noted.before.note, noted.after.note) == ("[red]why\n\0", "because")
    assert noted.before.at == noted.after.at
    assert db.index_columns.find_noted(project.connection) == [1]
    assert label_writer.set_note(project, "mira", slots[0], " ").after == OwnLabel(
        Label.CORRECT, None, noted.after.at
    )
    with pytest.raises(UsageError, match="half a character"):
        label_writer.set_note(project, "mira", slots[0], "\ud800")
    for note in ("because", "[red]why\n\0"):
        undone = undo_history.undo(project, "mira")
        assert undone is not None
        assert isinstance(undone.what, LabelEffect)
        assert undone.what.after is not None
        assert undone.what.after.note == note


def test_withdrawing(project: OpenProject, slots: list[int]) -> None:
    done = label_writer.withdraw(project, "ann", slots[1])
    assert done == LabelEffect(slots[1], OwnLabel(Label.OTHER, "hm", 1000), None)
    assert said(project, "ann", slots[1]) is None
    assert label_writer.withdraw(project, "ann", slots[1]) == LabelEffect(slots[1], None, None)
    assert undo_history.undo(project, "ann") is not None
    assert said(project, "ann", slots[1]) == db.person_actions.LabelRecord(4, 1000, "hm")
    assert undo_history.undo(project, "ann") is None
    assert sound(project)


def test_flags(project: OpenProject, slots: list[int]) -> None:
    assert label_writer.set_flag(project, None, 1, True) == FlagEffect(1, False, True)
    assert label_writer.set_flag(project, "mira", 1, True) == FlagEffect(1, True, True)
    assert db.index_columns.find_flagged(project.connection) == [1]
    assert undo_history.undo(project, "mira") == undo_history.UndoResult(
        FlagEffect(1, True, False), True
    )
    assert db.index_columns.find_flagged(project.connection) == []
    assert undo_history.undo(project, None) is None
    with pytest.raises(LostkeysError, match="no longer there"):
        label_writer.set_flag(project, None, 77, True)


def test_undo_goes_on_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with new_project(path) as project:
        slots = fill(project)
        label_writer.set_flag(project, None, 1, True)
        label_writer.set_label(project, "mira", slots[0], Label.CORRECT)
    with OpenProject(path, "write") as project:
        label_writer.set_label(project, "mira", slots[0], Label.OTHER)
        label_writer.set_label(project, "ann", slots[0], Label.OTHER)
    with OpenProject(path, "write") as project:
        undone = [undo_history.undo(project, "mira") for _ in range(4)]
        assert [one and type(one.what) for one in undone] == [
            LabelEffect,
            LabelEffect,
            FlagEffect,
            None,
        ]
        assert said(project, "mira", slots[0]) is None
        assert said(project, "ann", slots[0]) is not None
        assert db.index_columns.find_flagged(project.connection) == []


def test_what_has_changed_since_is_left_alone(project: OpenProject, slots: list[int]) -> None:
    label_writer.set_label(project, "mira", slots[0], Label.CORRECT)
    version = db.person_actions.newest_version(project.connection, "human:mira")
    assert version is not None
    other = db.person_actions.LabelRecord(2, 5, "from a file")
    with write_transaction(project.connection):
        db.person_actions.set_label(project.connection, slots[0], version, other)
    kept = OwnLabel(Label.INCORRECT, "from a file", 5)
    assert undo_history.undo(project, "mira") == undo_history.UndoResult(
        LabelEffect(slots[0], kept, kept), restored=False
    )
    assert said(project, "mira", slots[0]) == other
    label_writer.set_flag(project, None, 1, True)
    with write_transaction(project.connection):
        db.person_actions.set_flag(project.connection, 1, False)
    assert undo_history.undo(project, "mira") == undo_history.UndoResult(
        FlagEffect(1, False, False), False
    )


@pytest.mark.parametrize("withdrawn", [False, True])
def test_a_label_is_not_put_back_on_another_answer(
    project: OpenProject, slots: list[int], withdrawn: bool
) -> None:
    if withdrawn:
        label_writer.withdraw(project, "ann", slots[1])
    else:
        label_writer.set_label(project, "ann", slots[1], Label.CORRECT)
    response_discards.discard(project, slots, "wrong prompt")
    with pytest.raises(LostkeysError, match="no longer there"):
        label_writer.set_label(project, "ann", slots[1], Label.CORRECT)
    with pytest.raises(LostkeysError, match="no longer there"):
        label_writer.withdraw(project, "ann", slots[1])
    with pytest.raises(LostkeysError, match="no longer there"):
        label_writer.set_note(project, "ann", slots[1], "x")
    put_rows(project, [Row("f", Task.DIRECT, "m", False, 1, text="another")])
    undone = undo_history.undo(project, "ann")
    assert undone is not None
    assert not undone.restored
    assert said(project, "ann", slots[1]) is None
    assert sound(project)


@pytest.mark.parametrize("name", ["", " ", "a\nb", "a\x1b[31m", "\u202eann", "x" * 61, "*", "a,b"])
def test_names_that_are_none(project: OpenProject, slots: list[int], name: str) -> None:
    with pytest.raises(UsageError) as error:
        label_writer.set_label(project, name, slots[0], Label.CORRECT)
    assert str(error.value).isprintable()
    assert project.connection.execute("SELECT count(*) FROM action").fetchone() == (0,)


def test_nothing_is_written_where_the_action_cannot_be_noted(
    project: OpenProject, slots: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise LostkeysError("disk full")

    monkeypatch.setattr(db.person_actions, "record", fail)
    with pytest.raises(LostkeysError):
        label_writer.set_label(project, "mira", slots[0], Label.CORRECT)
    assert said(project, "mira", slots[0]) is None
    assert sound(project)


steps = st.lists(
    st.tuples(
        st.sampled_from(["mira", "ann"]),
        st.integers(0, 1),
        st.sampled_from([*LABELS, "withdraw", "note", "flag"]),
    ),
    max_size=12,
)


def act(project: OpenProject, name: str, slot: int, what: str) -> None:
    """Do one thing that a person may do."""
    if what == "withdraw":
        label_writer.withdraw(project, name, slot)
    elif what == "note" and said(project, name, slot):
        label_writer.set_note(project, name, slot, f"{len(name)} notes")
    elif what == "flag":
        label_writer.set_flag(project, None, 1, True)
    elif what in set(LABELS):
        label_writer.set_label(project, name, slot, Label(what))


@pytest.mark.slow
@given(steps=steps)
@settings(max_examples=25, deadline=None)
def test_undo_retraces_every_step(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, str]]
) -> None:
    with new_project(tmp_path_factory.mktemp("undo") / "a.db") as project:
        slots = fill(project)

        def state(name: str) -> list[object]:
            return [said(project, name, slot) for slot in slots]

        before: dict[str, list[list[object]]] = {"mira": [], "ann": []}
        for name, place, what in steps:
            was = state(name)
            act(project, name, slots[place], what)
            if state(name) != was:
                before[name].append(was)
        for name, states in before.items():
            while undone := undo_history.undo(project, name):
                assert undone.restored
                if isinstance(undone.what, LabelEffect):
                    assert state(name) == states.pop()
            assert states == []
        assert db.index_columns.find_flagged(project.connection) == []
        assert sound(project)
