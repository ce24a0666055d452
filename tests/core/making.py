"""Small projects made from plain values, for tests."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import db.facts
import db.grades
import db.model_rows
import db.responses
from core.project import OpenProject
from core.transfer.database_merge import merge
from core.vocabulary import TASKS, Outcome, Side, Task
from db.connection import write_transaction
from db.facts import Fact
from db.question_rows import Gold, Question
from db.slot_ids import slot
from tests.db.making import put_empty

OBJECT, SUBJECT = "Tartu", "Estonia"
OPTIONS = {
    Side.OBJECT: (OBJECT, "Narva", "Viljandi", "Haapsalu"),
    Side.SUBJECT: (SUBJECT, "Latvia", "Finland", "Norway"),
}


def a_fact(fact_id: str, tasks: Iterable[Task] = TASKS, **columns: Any) -> Fact:
    """A fact with these tasks; every text is short and tells which it is."""
    return Fact(
        fact_id,
        golds={Side.OBJECT: Gold(OBJECT), Side.SUBJECT: Gold(SUBJECT)},
        questions={
            task: Question(f"{fact_id} {task}?", OPTIONS[task.side] if task.is_choice else None)
            for task in tasks
        },
        **columns,
    )


@dataclass(frozen=True)
class Row:
    """One response with its grades by `name#version` (version 1 where none is written)."""

    fact_id: str
    task: Task
    model: str
    thinking: bool
    sample: int
    grades: Mapping[str, Outcome] = field(default_factory=dict)
    text: str = "some answer"
    shown: int | None = None
    at: Mapping[str, int] = field(default_factory=dict)


def new_project(path: Path) -> OpenProject:
    """A project that is new and empty, at a place where nothing is."""
    put_empty(path)
    return OpenProject(path, "write")


def a_recipe(**fields: object) -> dict[str, object]:
    """A recipe with these fields; it has as few others as a recipe can."""
    return {"model": "openai:m", "thinking": "native", "options": {}, **fields}


def put_facts(project: OpenProject, facts: Iterable[Fact]) -> None:
    """Add facts."""
    with write_transaction(project.connection):
        db.facts.insert(project.connection, facts)
    project.refresh()


def put_rows(project: OpenProject, rows: Sequence[Row]) -> list[int]:
    """Add responses and grades; gives their slots."""
    connection = project.connection
    keys = question_keys(connection)
    with write_transaction(connection):
        settings = {
            setting: db.model_rows.ensure_setting(connection, *setting)
            for setting in dict.fromkeys((row.model, row.thinking) for row in rows)
        }
        slots = [
            slot(keys[row.fact_id, row.task], settings[row.model, row.thinking], row.sample)
            for row in rows
        ]
        db.responses.insert(
            connection, [(key, row.text, row.shown) for key, row in zip(slots, rows, strict=True)]
        )
        _put_grades(
            project, [(key, row.grades, row.at) for key, row in zip(slots, rows, strict=True)]
        )
    project.refresh()
    return slots


def put_grades(
    project: OpenProject,
    key: int,
    grades: Mapping[str, Outcome],
    at: Mapping[str, int] | None = None,
) -> None:
    """Add grades of one response. Inside a transaction."""
    _put_grades(project, [(key, grades, at or {})])


def _put_grades(
    project: OpenProject, responses: Iterable[tuple[int, Mapping[str, Outcome], Mapping[str, int]]]
) -> None:
    graded = [
        (key, grader, int(outcome), at.get(grader))
        for key, grades, at in responses
        for grader, outcome in grades.items()
    ]
    planes = {grader: _plane(project, grader) for grader in dict.fromkeys(row[1] for row in graded)}
    rows = [(key, planes[grader], outcome, at) for key, grader, outcome, at in graded]
    db.grades.insert_graded(project.connection, rows)


def _plane(project: OpenProject, grader: str) -> int:
    name, _, version = grader.rpartition("#") if "#" in grader else (grader, "", "1")
    return db.grades.ensure_grader(project.connection, name, version)


def cell(
    fact_id: str,
    task: Task,
    model: str,
    thinking: bool,
    labels: Sequence[Outcome | None],
    grader: str = "lexical",
) -> list[Row]:
    """Responses to one question in one setting, one label each (None: not graded)."""
    return [
        Row(fact_id, task, model, thinking, sample, {} if label is None else {grader: label})
        for sample, label in enumerate(labels)
    ]


def merged_lines(sources: Sequence[Path], target: Path) -> list[str]:
    """The differences of a merge, without the names of the files."""
    return [line.partition(": ")[2] for line in merge(sources, target)]


def question_keys(connection: sqlite3.Connection) -> dict[tuple[str, str], int]:
    """Ids of all current questions by (fact_id, task)."""
    return {
        (fact_id, task): key
        for fact_id, task, key in connection.execute(
            "SELECT fact.fact_id, task, question.id FROM question "
            "JOIN fact ON fact.id = question.fact WHERE question.current"
        )
    }
