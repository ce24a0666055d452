"""A model grades anew what a person has edited, and nothing that was made for another gold."""

from pathlib import Path

import db.integrity
from core.curation import question_edits, undo_history
from core.project import OpenProject
from core.vocabulary import Task
from tests.core.grading.making import ALL, Grader, count, graded, outcomes, prompt
from tests.core.making import OBJECT, question_keys

HERE = 8
"""Answers to a question, one of four of which is empty."""


def question(path: Path, task: Task = Task.DIRECT) -> int:
    with OpenProject(path, "read") as project:
        return question_keys(project.connection)["f1", task]


def test_another_gold_is_asked_for_anew_and_no_label_of_the_old_one_is_used(path: Path) -> None:
    graded(path, Grader())
    with OpenProject(path, "write") as project:
        question_edits.edit_gold(project, "ann", question(path), "Narva")
    assert count(path, "SELECT count(*) FROM stale_grade") == 2 * HERE
    assert count(path, "SELECT count(*) FROM grade") == ALL - 2 * HERE
    grader = Grader()
    graded(path, grader)
    assert grader.answers == [2, 2]
    assert all("Narva" in prompt(request) for request in grader.seen)
    assert count(path, "SELECT count(*) FROM grade") == ALL
    assert outcomes(path)["Narva"] == {"CORRECT", "INCORRECT"}, "one fact has the gold Narva now"


def test_undoing_brings_the_old_labels_back_and_nothing_is_asked(path: Path) -> None:
    graded(path, Grader())
    before = outcomes(path)
    with OpenProject(path, "write") as project:
        question_edits.accept_alias(project, "ann", question(path), "Narva")
    graded(path, Grader())
    assert outcomes(path) != before
    with OpenProject(path, "write") as project:
        undo_history.undo(project, "ann")
        assert not db.integrity.grids_are_stale(project.connection)
    assert outcomes(path) == before
    grader = Grader()
    graded(path, grader)
    assert grader.seen == []


def test_an_edited_question_has_nothing_to_grade_and_the_old_one_is_not_graded(path: Path) -> None:
    with OpenProject(path, "write") as project:
        question_edits.edit_question(project, "ann", question(path), "Which town is it?")
    grader = Grader()
    graded(path, grader)
    assert count(path, "SELECT count(*) FROM grade") == ALL - HERE
    assert not any(OBJECT in prompt(one) and "f1 direct?" in prompt(one) for one in grader.seen)
