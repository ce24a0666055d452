"""Decisions: one step for an answer and those that are the same, with what graders had said."""

from contextlib import closing

import numpy as np
import pytest

import db.person_actions
from core.errors import LostkeysError, UsageError
from core.project import OpenProject
from core.views.disagreements.disagreement_filter import DisagreementFilter
from core.views.session import Session
from core.vocabulary import Label, Outcome, Task
from db.person_actions import GraderPair
from tests.core.making import Row, a_fact, put_facts, put_rows
from tests.core.views.making import A, B, change_graders, fresh_snapshot, same_snapshot

C, WRONG, P = Outcome.CORRECT, Outcome.INCORRECT, Outcome.PARTIALLY


@pytest.fixture
def slots(project: OpenProject) -> list[int]:
    """Four answers that are the same, in several settings, and one that is not."""
    put_facts(project, [a_fact("f0")])
    return put_rows(
        project,
        [
            Row("f0", Task.DIRECT, "m", False, 0, {A: C, B: WRONG}, "Tartu"),
            Row("f0", Task.DIRECT, "m", False, 1, {A: C, B: P}, "Tartu"),
            Row("f0", Task.DIRECT, "m", True, 0, {A: C}, "Tartu"),
            Row("f0", Task.DIRECT, "n", False, 0, {}, "Tartu"),
            Row("f0", Task.DIRECT, "m", False, 2, {A: WRONG, B: C}, "Narva"),
        ],
    )


def own(session: Session) -> dict[int, tuple[Label, str | None]]:
    """One's labels and notes, as another program reads them."""
    assert session.name is not None
    with OpenProject(session.path) as other:
        return {
            key: (Label(label), note)
            for key, label, note in other.connection.execute(
                "SELECT id, label, rationale FROM v_labels WHERE grader = ?",
                (f"human:{session.name}",),
            )
        }


def actions(session: Session) -> list[tuple[int, int | None, GraderPair | None]]:
    """Id, decision and graders of all actions that are not undone."""
    with OpenProject(session.path) as other:
        ids = other.connection.execute("SELECT DISTINCT decision FROM action").fetchall()
        return [
            (key, action.decision, action.between)
            for (decision,) in ids
            for key, action in db.person_actions.read_decision(other.connection, decision or 0)
        ]


def test_one_decision_is_one_step_back(session: Session, slots: list[int]) -> None:
    session.name = "mira"
    before = session.snapshot
    card = session.confusions.card(slots[0])
    assert card is not None
    assert card.offered == tuple(slots[1:4])
    done, snapshot = session.confusions.decide(
        slots[0], Label.INCORRECT, "no town", also=card.offered
    )
    assert [one.slot for one in (done.what, *done.also)] == slots[:4]
    assert own(session) == dict.fromkeys(slots[:4], (Label.INCORRECT, "no town"))
    assert same_snapshot(snapshot, fresh_snapshot(session.path))
    undone, snapshot = session.undo()
    assert undone is not None
    assert undone.restored
    assert undone.what.slot == slots[0]  # type: ignore[union-attr]
    assert [one.slot for one in undone.also] == slots[1:4]
    assert own(session) == {}
    assert np.array_equal(snapshot.tally.labels, before.tally.labels)
    assert session.undo()[0] is None


def test_undo_without_end_restores_what_was(session: Session, slots: list[int]) -> None:
    session.name = "mira"
    states = [own(session)]
    steps: list[tuple[int, Label, str | None, list[int]]] = [
        (slots[0], Label.CORRECT, "first", []),
        (slots[1], Label.OTHER, None, [slots[0], slots[2]]),
        (slots[0], Label.PARTIALLY, "", slots[1:]),
        (slots[4], Label.CORRECT, None, []),
    ]
    for slot, label, note, also in steps:
        session.confusions.decide(slot, label, note, also=also)
        states.append(own(session))
    assert states[2][slots[0]] == (Label.OTHER, "first")
    assert states[3][slots[0]] == (Label.PARTIALLY, None)
    with closing(Session(session.path)) as later:
        later.open()
        later.name = "mira"
        for state in reversed(states[:-1]):
            later.undo()
            assert own(later) == state
        assert later.undo()[0] is None


def test_what_the_graders_had_said_is_kept(session: Session, slots: list[int]) -> None:
    session.name = "mira"
    session.confusions.decide(slots[0], Label.CORRECT, blind=True, also=[slots[1], slots[3]])
    session.confusions.decide(slots[4], Label.CORRECT)
    first, second, third, last = actions(session)
    assert first[1] == first[0] == second[1] == third[1]
    assert first[2] == GraderPair(A, B, int(C), int(WRONG), blind=True)
    assert second[2] == GraderPair(A, B, int(C), int(P), blind=True)
    assert third[2] == GraderPair(A, B, 0, 0, blind=True)
    assert last[2] == GraderPair(A, B, int(WRONG), int(C), blind=False)


def test_what_was_changed_since_is_left_alone(session: Session, slots: list[int]) -> None:
    session.name = "mira"
    session.confusions.decide(slots[0], Label.CORRECT, also=[slots[1]])
    with OpenProject(session.path, "write") as other:
        (plane,) = [one.plane for one in other.graders() if one.is_person]
        said = db.person_actions.LabelRecord(int(P), 5)
        db.person_actions.set_label(other.connection, slots[1], plane, said)
    session.refresh()
    undone, _ = session.undo()
    assert undone is not None
    assert (undone.restored, undone.also) == (True, ())
    assert own(session) == {slots[1]: (Label.PARTIALLY, None)}


def test_an_answer_that_is_gone_is_left_out_unless_it_is_the_one(
    session: Session, slots: list[int]
) -> None:
    session.name = "mira"
    gone = slots[3] + 7
    done, _ = session.confusions.decide(slots[0], Label.CORRECT, also=[gone, slots[1]])
    assert [one.slot for one in done.also] == [slots[1]]
    with pytest.raises(LostkeysError, match="no longer there"):
        session.confusions.decide(gone, Label.CORRECT, also=[slots[2]])
    assert set(own(session)) == {slots[0], slots[1]}


def test_a_name_and_two_graders_are_needed(session: Session, slots: list[int]) -> None:
    with pytest.raises(UsageError, match="name"):
        session.confusions.decide(slots[0], Label.CORRECT)
    assert len(session.confusions.queue(DisagreementFilter())) == 3


def test_half_a_character_in_a_note(session: Session, slots: list[int]) -> None:
    session.name = "mira"
    with pytest.raises(UsageError, match="half a character"):
        session.confusions.decide(slots[0], Label.CORRECT, "\ud800")
    assert own(session) == {}


def test_two_people_are_two_graders(session: Session, slots: list[int]) -> None:
    for name, label in (("mira", Label.CORRECT), ("ben", Label.INCORRECT)):
        session.name = name
        session.confusions.decide(slots[0], label, also=[slots[4]])
    session.look(change_graders(session.snapshot.lens, a="human:mira", b="human:ben"))
    found = session.confusions.cross_graders(DisagreementFilter()).whole
    assert (found.table.n, found.differ) == (2, 2)
    session.name = "eve"
    assert session.confusions.queue(DisagreementFilter()).row(0).decision is None
