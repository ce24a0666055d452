"""Accepting an alias only adds: which labels stay, which are made again, and the way back."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import db.grades
import db.integrity
from core.curation import label_writer, question_edits, undo_history
from core.curation.gold_aliases import AliasReach
from core.errors import UsageError
from core.estimates.request_counts import count_to_grade
from core.graders import stored_answers
from core.graders.grader_table import BUILTIN
from core.project import OpenProject
from core.results import profile_summary
from core.scoring.policy import Policy
from core.views.task_view import read_task
from core.vocabulary import KNOWLEDGE, Label, Outcome, Task
from db.connection import write_transaction
from tests.core.making import OBJECT, Row, a_fact, new_project, put_facts, put_rows, question_keys
from tests.core.views.making import lens_of, snapshot_of

ANSWERS = (OBJECT, "Dorpat", "Narva", "I do not know")
LOCAL = [name for name, one in BUILTIN.items() if not one.reads_choice]
MODEL, IMPORTED, PERSON = "llm:openai:m", "an imported grader", "human:ann"
SAID = (Outcome.CORRECT, Outcome.INCORRECT, Outcome.PARTIALLY, Outcome.OTHER)
TASKS = (Task.COMPLETION, *KNOWLEDGE)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[OpenProject]:
    """Four answers to each open question, labelled by all kinds of graders."""
    with new_project(tmp_path / "p.db") as made:
        put_facts(made, [a_fact("f1"), a_fact("f2")])
        put_rows(
            made,
            [
                Row(
                    fact,
                    task,
                    "m",
                    on,
                    sample,
                    {MODEL: said, IMPORTED: said, PERSON: said},
                    text,
                    at={PERSON: 5},
                )
                for fact in ("f1", "f2")
                for task in TASKS
                for on in (False, True)
                for sample, (text, said) in enumerate(zip(ANSWERS, SAID, strict=True))
            ],
        )
        for name in LOCAL:
            stored_answers.grade(made, name)
        made.refresh()
        yield made
        assert db.integrity.faults(made.connection) == []
        assert not db.integrity.grids_are_stale(made.connection)


def key_of(project: OpenProject, task: Task = Task.DIRECT) -> int:
    return question_keys(project.connection)["f1", task]


def accept(project: OpenProject, name: str = "Dorpat") -> question_edits.EditEffect:
    return question_edits.accept_alias(project, "ann", key_of(project), name)


def labels(project: OpenProject, grader: str, task: Task = Task.DIRECT) -> dict[str, set[str]]:
    """What a grader says of each text that answers a question of the first fact."""
    found: dict[str, set[str]] = {}
    for text, outcome in project.connection.execute(
        "SELECT text, outcome.name FROM grade JOIN response ON response.id = grade.response "
        "JOIN grader ON grader.id = grade.grader JOIN outcome ON outcome.id = grade.outcome "
        "WHERE grader.name = ? AND question = ?",
        (grader, key_of(project, task)),
    ):
        found.setdefault(text, set()).add(outcome)
    return found


def outdated(project: OpenProject, task: Task = Task.DIRECT) -> set[tuple[str, str]]:
    """(grader, text) of the labels that are from before an alias."""
    names = {key: name for key, name, _ in db.grades.graders(project.connection)}
    texts = dict(project.connection.execute("SELECT id, text FROM response"))
    found = db.grades.find_outdated(project.connection, key_of(project, task))
    return {(names[grader], texts[slot]) for slot, grader in found}


def stored(project: OpenProject) -> dict[str, list[tuple[Any, ...]]]:
    """All that an alias may touch, in the file and in the grids."""
    return {
        name: sorted(project.connection.execute(f"SELECT * FROM {name}").fetchall(), key=str)
        for name in ("grade", "remark", "stale_grade")
    }


def standing(project: OpenProject) -> tuple[object, ...]:
    """What counts: labels with their reasons and times, and which are from before an alias."""
    now = stored(project)
    return now["grade"], now["remark"], outdated(project), outdated(project, Task.COMPLETION)


def relabel(project: OpenProject, outcome: Outcome, grader: str = MODEL) -> int:
    """Have a model say something of all that it has to label; gives how many it labelled."""
    (plane,) = [key for key, name, _ in db.grades.graders(project.connection) if name == grader]
    slots = db.grades.list_outdated(project.connection, plane)
    with write_transaction(project.connection):
        rows = [(slot, int(outcome), "said again") for slot in slots]
        done = db.grades.settle(project.connection, plane, rows)
    project.refresh()
    return done


@pytest.mark.parametrize("name", LOCAL)
def test_local_graders_label_again_in_the_same_step(project: OpenProject, name: str) -> None:
    before = {task: labels(project, name, task) for task in TASKS}
    assert before[Task.DIRECT]["Dorpat"] == {"INCORRECT"}
    accept(project)
    for task in TASKS:
        is_object = task in (Task.COMPLETION, Task.DIRECT, Task.DIRECT_NATURAL)
        now = labels(project, name, task)
        expected = before[task] | ({"Dorpat": {"CORRECT"}} if is_object else {})
        assert now == expected
    assert stored_answers.grade(project, name) == 0


def test_labels_of_others_stay_and_say_that_they_are_from_before(project: OpenProject) -> None:
    before = stored(project)["grade"]
    said = {name: labels(project, name) for name in (MODEL, IMPORTED, PERSON)}
    effect = accept(project)
    assert {name: labels(project, name) for name in said} == said
    assert len(stored(project)["grade"]) == len(before)
    assert outdated(project) == {(name, text) for name in said for text in ANSWERS[1:]}
    assert outdated(project, Task.REVERSE) == set()
    assert effect.outlook is not None
    # Three questions and two settings; the imported labels and the person's are kept.
    assert effect.outlook.alias == AliasReach(6 * 3 * len(LOCAL), 6 * 3, 6 * 6)


@pytest.mark.parametrize("grader", [*LOCAL, MODEL, IMPORTED])
def test_no_fact_becomes_incomplete(project: OpenProject, grader: str) -> None:
    def incomplete() -> int:
        project.refresh()
        found = profile_summary.profiles(project, Policy(graders=(grader,)), ["m"])
        return found.models["m"].incomplete

    before = incomplete()
    accept(project)
    assert incomplete() == before


def test_undoing_and_redoing_restore_every_label(project: OpenProject) -> None:
    states = [standing(project)]
    for alias in ("Dorpat", "Juryev"):
        accept(project, alias)
        states.append(standing(project))
    for state in (states[1], states[0]):
        undo_history.undo(project, "ann")
        assert standing(project) == state
    for state in states[1:]:
        undo_history.redo(project, "ann")
        assert standing(project) == state


def test_a_model_is_asked_for_what_is_out_of_date_alone(project: OpenProject) -> None:
    assert count_to_grade(project, MODEL)[0] == 0
    accept(project)
    project.refresh()
    assert count_to_grade(project, MODEL)[0] == 6 * 3
    assert relabel(project, Outcome.CORRECT) == 6 * 3
    assert count_to_grade(project, MODEL)[0] == 0
    assert labels(project, MODEL) == {text: {"CORRECT"} for text in ANSWERS}
    assert {name for name, _ in outdated(project)} == {IMPORTED, PERSON}


def test_a_reply_without_a_label_takes_no_old_one_away(project: OpenProject) -> None:
    accept(project)
    before = stored(project)
    assert relabel(project, Outcome.UNPARSED) == 0
    assert stored(project) == before


def test_undoing_gives_back_what_a_model_had_said_and_redoing_what_it_said_since(
    project: OpenProject,
) -> None:
    first = standing(project)
    accept(project)
    relabel(project, Outcome.CORRECT)
    second = standing(project)
    assert second != first
    undo_history.undo(project, "ann")
    assert standing(project) == first
    undo_history.redo(project, "ann")
    assert standing(project) == second


def test_what_was_found_right_by_an_alias_that_is_taken_back_is_out_of_date(
    project: OpenProject,
) -> None:
    accept(project)
    key = key_of(project)
    put_rows(project, [Row("f1", Task.DIRECT, "m", False, 9, {MODEL: Outcome.CORRECT}, "Dorpat")])
    stored_answers.grade(project, "lexical")
    assert labels(project, "lexical")["Dorpat"] == {"CORRECT"}
    undo_history.undo(project, "ann")
    assert outdated(project) == {(MODEL, "Dorpat")}
    assert labels(project, "lexical")["Dorpat"] == {"INCORRECT"}
    assert len(db.grades.find_outdated(project.connection, key)) == 1


def test_a_label_that_a_person_gives_again_is_of_today(project: OpenProject) -> None:
    accept(project)
    slot, grader = next(
        pair
        for pair in sorted(db.grades.find_outdated(project.connection, key_of(project)))
        if db.grades.graders(project.connection)[pair[1] - 1][1] == PERSON
    )
    label_writer.set_label(project, "ann", slot, Label.CORRECT)
    assert (slot, grader) not in db.grades.find_outdated(project.connection, key_of(project))
    said = stored(project)["grade"]
    undo_history.undo_act(project, "ann", undo_history.list_acts(project, "ann")[1].key)
    assert (slot, grader, int(Outcome.CORRECT)) in stored(project)["grade"]
    assert len(stored(project)["grade"]) == len(said)


def test_a_label_that_a_person_withdrew_does_not_come_back(project: OpenProject) -> None:
    accept(project)
    slot = next(
        slot for slot, outcome in label_times(project).items() if outcome == int(Outcome.INCORRECT)
    )
    label_writer.withdraw(project, "ann", slot)
    undo_history.undo_act(project, "ann", undo_history.list_acts(project, "ann")[1].key)
    assert slot not in label_times(project)


def label_times(project: OpenProject) -> dict[int, int]:
    """Outcomes of the person's labels of answers to a question, by slot."""
    rows = db.grades.read_grades(project.connection, key_of(project))
    names = {key: name for key, name, _ in db.grades.graders(project.connection)}
    return {slot: outcome for slot, plane, outcome, *_ in rows if names[plane] == PERSON}


def test_another_gold_still_makes_labels_stale_and_gives_them_back(project: OpenProject) -> None:
    accept(project)
    before = stored(project)
    question_edits.edit_gold(project, "ann", key_of(project), "Pärnu")
    assert labels(project, MODEL) == {}
    assert outdated(project) == set()
    undo_history.undo(project, "ann")
    assert stored(project) == before
    assert {name for name, _ in outdated(project)} == {MODEL, IMPORTED, PERSON}


def test_an_alias_taken_out_leaves_labels_too(project: OpenProject) -> None:
    accept(project)
    draft = question_edits.read_draft(project, key_of(project))
    assert labels(project, "exact")["Dorpat"] == {"CORRECT"}
    question_edits.edit_gold(project, "ann", key_of(project), draft.gold, ())
    assert labels(project, "exact")["Dorpat"] == {"INCORRECT"}
    assert labels(project, IMPORTED) == {
        text: {said.name} for text, said in zip(ANSWERS, SAID, strict=True)
    }


@pytest.mark.parametrize(
    ("gold", "alias"),
    [
        ("Eric Bristow", "Eric Bristow."),
        ("Eric Bristow", "Eric Bristow"),
        ("Eric Bristow", "  eric  bristow "),
        ("Eric Bristow", "“ERIC BRISTOW!”"),
        ("U.S.A.", "USA"),
        ("Jean-Luc", "jean luc"),
        ("Straße", "STRASSE"),
    ],
)
def test_case_and_punctuation_make_no_alias(project: OpenProject, gold: str, alias: str) -> None:
    key = key_of(project)
    question_edits.edit_gold(project, "ann", key, gold)
    with pytest.raises(UsageError, match="already accepted"):
        question_edits.accept_alias(project, "ann", key, alias)
    question_edits.accept_alias(project, "ann", key, "another")
    with pytest.raises(UsageError, match="already accepted"):
        question_edits.accept_alias(project, "ann", key, "Another?")


@pytest.mark.parametrize(
    ("gold", "alias"),
    [("C", "C++"), ("C", "C#"), ("5", "-5"), ("15", "1.5"), ("5", "5 %"), ("Café", "Cafe"),
     ("Beatles", "The Beatles"), ("?", "!")],
)  # fmt: skip
def test_what_is_another_text_is_an_alias(project: OpenProject, gold: str, alias: str) -> None:
    key = key_of(project)
    question_edits.edit_gold(project, "ann", key, gold)
    question_edits.accept_alias(project, "ann", key, alias)
    assert question_edits.read_draft(project, key).aliases[-1] == alias


def test_screens_say_which_labels_are_from_before(project: OpenProject) -> None:
    accept(project)
    snapshot = snapshot_of(project, lens_of("m", a=MODEL, b="lexical"))
    view = read_task(project, snapshot, int(project.index.ids[0]), Task.DIRECT, "ann")
    assert view is not None
    said = {
        (one.grader, answer.text)
        for answer in view.answers
        for one in answer.judgements
        if one.outdated
    }
    assert said == {(name, text) for name in (MODEL, IMPORTED, PERSON) for text in ANSWERS[1:]}
