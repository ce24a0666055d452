"""Undoing what is in sight, redoing it, and two programs that do so on one file."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import db.integrity
import db.person_actions
from core.curation import (
    label_writer,
    question_edits,
    question_reviews,
    response_discards,
    undo_history,
)
from core.curation.undo_history import Act, UndoResult
from core.errors import LostkeysError, UsageError
from core.project import OpenProject
from core.vocabulary import LABELS, Label, Outcome, Task
from db.connection import write_transaction
from db.person_actions import GraderPair
from tests.core.making import Row, a_fact, new_project, put_facts, put_rows, question_keys

FACTS = ("f0", "f1", "f2")
BETWEEN = GraderPair("a", "b", 1, 2)


def fill(project: OpenProject) -> None:
    """Three facts, each with four answers to one question, labelled by a program."""
    put_facts(project, [a_fact(name) for name in FACTS])
    grades = {"lexical": Outcome.CORRECT}
    rows = [
        Row(name, Task.DIRECT, "m", False, sample, grades) for name in FACTS for sample in range(4)
    ]
    put_rows(project, rows)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[OpenProject]:
    with new_project(tmp_path / "p.db") as made:
        fill(made)
        yield made


def fact_of(project: OpenProject, name: str) -> int:
    rows = project.connection.execute("SELECT id FROM fact WHERE fact_id = ?", (name,))
    return int(rows.fetchone()[0])


def key_of(project: OpenProject, name: str) -> int:
    return question_keys(project.connection)[name, Task.DIRECT]


def slots_of(project: OpenProject, name: str) -> list[int]:
    """The answers of a fact, also those to a question that was edited since."""
    rows = project.connection.execute(
        "SELECT response.id FROM response JOIN question ON question.id = response.id >> 20 "
        "WHERE fact = ? ORDER BY response.id",
        (fact_of(project, name),),
    )
    return [key for (key,) in rows]


def stored(project: OpenProject, name: str) -> list[list[Any]]:
    """All that is stored of a fact and may be undone."""
    of = "question.fact = (SELECT id FROM fact WHERE fact_id = ?)"
    joined = "JOIN question ON question.id ="
    queries = (
        f"SELECT grade.* FROM grade {joined} response >> 20 WHERE {of} ORDER BY 1, 2",
        f"SELECT remark.* FROM remark {joined} response >> 20 WHERE {of} ORDER BY 1, 2",
        f"SELECT s.* FROM stale_grade AS s {joined} response >> 20 WHERE {of} ORDER BY 1, 2, 3",
        f"SELECT review.* FROM review {joined} question WHERE {of} ORDER BY 1, 2",
        f"SELECT id FROM question WHERE current AND {of} ORDER BY id",
        "SELECT gold.id FROM gold JOIN fact ON fact.id = fact WHERE current AND fact_id = ?",
        "SELECT flagged, rejected FROM fact WHERE fact_id = ?",
    )
    return [project.connection.execute(query, (name,)).fetchall() for query in queries]


def act(project: OpenProject, name: str, what: str, place: int) -> None:
    """Do one thing to a fact that a person may do; some do nothing where they change nothing."""
    slot, key = slots_of(project, name)[place], key_of(project, name)
    match what:
        case "withdraw":
            label_writer.withdraw(project, "ann", slot)
        case "note":
            label_writer.set_note(project, "ann", slot, f"note {place}")
        case "flag" | "unflag":
            fact = fact_of(project, name)
            label_writer.set_flag(project, "ann" if place else None, fact, what == "flag")
        case "edit":
            question_edits.edit_question(project, "ann", key, f"which town, {place}?")
        case "also":
            question_edits.accept_alias(project, "ann", key, f"Dorpat {place}")
        case "reject":
            question_reviews.reject(project, "ann", key, "unclear")
        case "accept":
            question_reviews.accept(project, "ann", key)
        case "all":
            between = dict.fromkeys(slots_of(project, name), BETWEEN)
            label_writer.decide(project, "ann", LABELS[place], between)
        case _:
            label_writer.set_label(project, "ann", slot, Label(what))


def written(project: OpenProject) -> int:
    """How many actions there are that are acts."""
    rows = project.connection.execute("SELECT count(*) FROM action WHERE kind <> 'undo'")
    return int(rows.fetchone()[0])


class Model:
    """What must stand: rows by fact, acts with what they found and left, and what was undone."""

    def __init__(self, project: OpenProject) -> None:
        self.facts = {name: stored(project, name) for name in FACTS}
        self.acts: list[tuple[str, Any, Any]] = []
        self.undone: list[tuple[int, tuple[str, Any, Any]]] = []

    def act(self, name: str, left: Any) -> None:
        self.acts.append((name, self.facts[name], left))
        self.facts[name], self.undone = left, []

    def undo(self, name: str | None) -> bool:
        places = [at for at, one in enumerate(self.acts) if name in (None, one[0])]
        if not places:
            return False
        one = self.acts.pop(places[-1])
        self.undone.append((places[-1], one))
        self.facts[one[0]] = one[1]
        return True

    def redo(self) -> bool:
        if not self.undone:
            return False
        at, one = self.undone.pop()
        self.acts.insert(at, one)
        self.facts[one[0]] = one[2]
        return True


KINDS = [*LABELS, "withdraw", "note", "flag", "unflag", "edit", "also", "reject", "accept", "all"]
STEPS = st.lists(
    st.tuples(
        st.sampled_from([*KINDS, *["undo", "undo here", "redo"] * 5]),
        st.sampled_from(FACTS),
        st.integers(0, 3),
        st.booleans(),
    ),
    max_size=24,
)


def step(project: OpenProject, model: Model, what: str, name: str, place: int) -> None:
    """Let the file and the model take one step."""
    if what == "undo":
        done = undo_history.undo(project, "ann")
        assert (done is not None) == model.undo(None)
        assert done is None or done.restored
    elif what == "undo here":
        there = undo_history.undo_on(project, "ann", [fact_of(project, name)])
        assert isinstance(there, UndoResult) == model.undo(name)
        assert isinstance(there, Act) == bool(model.acts and not isinstance(there, UndoResult))
    elif what == "redo":
        done = undo_history.redo(project, "ann")
        assert (done is not None) == model.redo()
        assert done is None or (done.restored and done.redone)
    else:
        before = written(project)
        with suppress(UsageError):
            act(project, name, what, place)
        if written(project) > before:
            model.act(name, stored(project, name))


@pytest.mark.slow
@given(STEPS)
@settings(max_examples=60, deadline=None)
def test_acts_undos_and_redos_by_two_programs_leave_what_a_model_says(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, int, bool]]
) -> None:
    """Two programs of one person share the file; a third person's labels stay as they are."""
    path = tmp_path_factory.mktemp("undo") / "a.db"
    with new_project(path) as first, OpenProject(path, "write") as second:
        fill(first)
        model = Model(first)
        for what, name, place, other in steps:
            step(second if other else first, model, what, name, place)
            assert {one: stored(first, one) for one in FACTS} == model.facts
        listed = undo_history.list_acts(first, "ann")
        assert [one.undone for one in listed].count(False) == len(model.acts)
        assert not db.integrity.faults(first.connection)


def test_what_is_in_sight_is_undone_before_what_is_newer_elsewhere(project: OpenProject) -> None:
    act(project, "f0", "CORRECT", 0)
    act(project, "f1", "OTHER", 1)
    here = [fact_of(project, "f0")]
    before = stored(project, "f1")
    done = undo_history.undo_on(project, "ann", here)
    assert isinstance(done, UndoResult)
    assert done.restored
    assert stored(project, "f1") == before
    other = undo_history.undo_on(project, "ann", here)
    assert isinstance(other, Act)
    assert (other.labels, other.undone, other.between) == (1, False, False)
    assert stored(project, "f1") == before
    assert undo_history.undo_act(project, "ann", other.key).restored
    with pytest.raises(LostkeysError, match="undone already"):
        undo_history.undo_act(project, "ann", other.key)
    assert undo_history.undo_on(project, "ann", here) is None


def test_one_key_is_one_act(project: OpenProject) -> None:
    act(project, "f0", "all", 1)
    [listed] = undo_history.list_acts(project, "ann")
    assert (listed.labels, listed.between) == (4, True)
    done = undo_history.undo_on(project, "ann", [fact_of(project, "f0")])
    assert isinstance(done, UndoResult)
    assert len(done.also) == 3
    assert project.count_labels("human:ann") == 0
    again = undo_history.redo(project, "ann")
    assert again is not None
    assert len(again.also) == 3
    project.refresh()
    assert project.count_labels("human:ann") == 4
    assert undo_history.redo(project, "ann") is None


def test_a_new_act_ends_what_can_be_redone(project: OpenProject) -> None:
    act(project, "f0", "CORRECT", 0)
    undo_history.undo(project, "ann")
    act(project, "f1", "OTHER", 0)
    assert undo_history.redo(project, "ann") is None
    label_writer.set_label(project, "bob", slots_of(project, "f2")[0], Label.OTHER)
    undo_history.undo(project, "ann")
    label_writer.set_label(project, "bob", slots_of(project, "f2")[1], Label.OTHER)
    assert undo_history.redo(project, "ann") is not None  # what another person does is no act


def test_a_redo_leaves_alone_what_has_changed_since(project: OpenProject) -> None:
    slot = slots_of(project, "f0")[0]
    act(project, "f0", "CORRECT", 0)
    undo_history.undo(project, "ann")
    version = db.person_actions.newest_version(project.connection, "human:ann")
    assert version is not None
    with write_transaction(project.connection):
        other = db.person_actions.LabelRecord(2, 5, "from a file")
        db.person_actions.set_label(project.connection, slot, version, other)
    before = stored(project, "f0")
    done = undo_history.redo(project, "ann")
    assert done is not None
    assert not done.restored
    assert stored(project, "f0") == before
    assert undo_history.redo(project, "ann") is None


def test_a_redo_labels_no_answer_that_was_drawn_anew(project: OpenProject) -> None:
    import db.responses

    slot = slots_of(project, "f0")[0]
    act(project, "f0", "CORRECT", 0)
    undo_history.undo(project, "ann")
    response_discards.discard(project, [slot], "test")
    with write_transaction(project.connection):
        db.responses.insert(project.connection, [(slot, "another", None)])
    done = undo_history.redo(project, "ann")
    assert done is not None
    assert not done.restored
    assert project.count_labels("human:ann") == 0


def test_an_older_act_waits_until_newer_ones_on_it_are_undone(project: OpenProject) -> None:
    act(project, "f0", "CORRECT", 0)
    act(project, "f0", "OTHER", 0)
    newer, older = undo_history.list_acts(project, "ann")
    assert not undo_history.undo_act(project, "ann", older.key).restored
    assert undo_history.undo_act(project, "ann", newer.key).restored
    assert undo_history.undo_act(project, "ann", older.key).restored
    assert [one.undone for one in undo_history.list_acts(project, "ann")] == [True, True]


def test_what_was_undone_is_redone_after_a_restart(project: OpenProject) -> None:
    act(project, "f0", "CORRECT", 0)
    with OpenProject(project.path, "write") as later:
        undo_history.undo(later, "ann")
    with OpenProject(project.path, "write") as later:
        assert undo_history.redo(later, "ann") is not None
    project.refresh()
    assert project.count_labels("human:ann") == 1
    assert not db.integrity.faults(project.connection)
