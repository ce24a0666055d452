"""Small projects made from plain values, for tests."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import db.facts
import db.grades
import db.model_rows
import db.responses
from core.project import Project
from core.vocabulary import TASKS, Outcome, Side, Task
from db.connection import writing
from db.facts import Fact, Gold, Question
from db.slots import slot

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


def put_facts(project: Project, facts: Iterable[Fact]) -> None:
    """Add facts."""
    with writing(project.connection):
        db.facts.insert(project.connection, facts)
    project.refresh()


def put_rows(project: Project, rows: Sequence[Row]) -> list[int]:
    """Add responses and grades; gives their slots."""
    connection = project.connection
    keys = db.facts.question_keys(connection)
    slots: list[int] = []
    with writing(connection):
        for row in rows:
            setting = db.model_rows.ensure_setting(connection, row.model, row.thinking)
            slots.append(slot(keys[row.fact_id, row.task], setting, row.sample))
        db.responses.insert(
            connection, [(key, row.text, row.shown) for key, row in zip(slots, rows, strict=True)]
        )
        for key, row in zip(slots, rows, strict=True):
            put_grades(project, key, row.grades, row.at)
    project.refresh()
    return slots


def put_grades(
    project: Project, key: int, grades: Mapping[str, Outcome], at: Mapping[str, int] | None = None
) -> None:
    """Add grades of one response. Inside a transaction."""
    for grader, outcome in grades.items():
        name, _, version = grader.rpartition("#") if "#" in grader else (grader, "", "1")
        plane = db.model_rows.ensure_grader(project.connection, name, version)
        time = (at or {}).get(grader)
        db.grades.insert_graded(project.connection, [(key, plane, int(outcome), time)])


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
