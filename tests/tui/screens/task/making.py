"""One fact with ten tasks, answered and graded, as the Task screen shows it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import db.grades
import db.model_rows
from core.views.session import Session
from core.views.task_view import AnswerView, TaskView
from core.vocabulary import TASKS, Outcome, Side, Task
from db.connection import write_transaction
from db.facts import Fact
from db.question_rows import Gold, Question
from tests.core.making import Row, new_project, put_facts, put_rows
from tui.theme.look import look_named

MODEL = "gemma3-27b"
A, B = "gemini-2.5-pro", "gpt-5"
LOOK = look_named("dark")
ASKED = "What's the name of the medium-lift rocket that uses RP-1 fuel in its first stage?"
LETTERS = {"c": Outcome.CORRECT, "i": Outcome.INCORRECT, "o": Outcome.OTHER, "?": Outcome.UNPARSED}
SAID = {"c": "Antares", "i": "Minotaur-C", "o": "I am not sure which rocket", "?": "Taurus II"}
OPTIONS = {
    Side.OBJECT: ("RP-1", "LH2", "UDMH", "solid"),
    Side.SUBJECT: ("Antares", "Minotaur-C", "Falcon 9", "Delta II"),
}
WHY = "The answer names Taurus II, a different designation."

LABELS = {
    (Task.COMPLETION, False): "cccccccc",
    (Task.CONTEXTUAL, False): "cccccccc",
    (Task.DIRECT, False): "cccccccc",
    (Task.DIRECT, True): "cccccccc",
    (Task.DIRECT_NATURAL, False): "cccccccc",
    (Task.DIRECT_NATURAL, True): "cccccccc",
    (Task.REVERSE, False): "iiiciiii",
    (Task.REVERSE, True): "ccciccci",
    (Task.REVERSE_NATURAL, False): "iiiiiioi",
    (Task.REVERSE_NATURAL, True): "ciciicic",
}
"""A's labels. B differs on one answer (see `antares`)."""


def a_fact(fact_id: str, subject: str, without: Sequence[Task] = ()) -> Fact:
    """A rocket with its fuel."""
    return Fact(
        fact_id,
        page_title=subject,
        subject=subject,
        object="RP-1",
        golds={Side.OBJECT: Gold("RP-1"), Side.SUBJECT: Gold(subject)},
        questions={
            task: Question(
                ASKED if task.side is Side.SUBJECT else f"What fuel does {subject} use?",
                OPTIONS[task.side] if task.is_choice else None,
            )
            for task in TASKS
            if task not in without
        },
    )


def antares(path: Path) -> Path:
    """The project: on 5 of reverse natural is INCORRECT to A, CORRECT to B; a second fact."""
    with new_project(path) as project:
        put_facts(
            project,
            [a_fact("f1", "Antares"), a_fact("f2", "Zenit", without=[Task.REVERSE_NATURAL])],
        )
        rows = [
            Row("f1", task, MODEL, thinking, sample, {A: LETTERS[one], B: LETTERS[one]}, SAID[one])
            for (task, thinking), labels in LABELS.items()
            for sample, one in enumerate(labels)
        ]
        there = rows.index(
            next(one for one in rows if (one.task, one.thinking) == (Task.REVERSE_NATURAL, True))
        )
        rows[there + 4] = replace(
            rows[there + 4],
            grades={A: Outcome.INCORRECT, B: Outcome.CORRECT},
            text="Only Antares burns RP-1;\nit was announced as Taurus II.\nAnswer: Taurus II",
        )
        shown = [Row("f1", Task.MC_REVERSE, MODEL, False, 0, {"choice": LETTERS["c"]}, "A.", 0)]
        slots = put_rows(project, [*rows, *shown, Row("f2", Task.DIRECT, MODEL, False, 0)])
        with write_transaction(project.connection):
            grader = db.grades.ensure_grader(project.connection, A, "1")
            db.grades.insert_rationales(project.connection, grader, [(slots[there + 4], WHY)])
    return path


def session_on(path: Path, name: str | None = "mira") -> Session:
    """A session of somebody with a name."""
    session = Session(path)
    session.open()
    session.name = name
    return session


def view_of(session: Session, task: Task = Task.REVERSE_NATURAL) -> TaskView:
    """The view of a question of the first fact."""
    view = session.task(1, task)
    assert view is not None
    return view


def answer_at(view: TaskView, thinking: bool, sample: int) -> AnswerView:
    """The answer at a place (samples from 0)."""
    return next(one for one in view.answers if (one.thinking, one.sample) == (thinking, sample))
