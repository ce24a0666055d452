"""What is out in request files: the slots of a plan, as ranges of questions.

A range says that of the questions with ids from `first` to `last` those of some tasks are asked
about in a setting, for their samples below `samples`. It claims what of that has no response. A
whole data set is one range, where a claim for each cell would be millions of rows.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.vocabulary import TASK_INDEX, Task
from db.row_statements import insert_rows

_CLAIMS = (
    "kind = 'files' AND (state = 'out' OR (state IN ('running', 'paused') AND lease IS NOT NULL))"
)
"""Jobs whose ranges count."""


@dataclass(frozen=True, slots=True)
class PlanRange:
    """One range of a plan in a setting; `tasks` has a bit for each task, by its place."""

    setting: int
    first: int
    last: int
    tasks: int
    samples: int


@dataclass(frozen=True, slots=True)
class OpenPlan:
    """A job whose plan claims slots: one that is out, or that a program is writing.

    `spec` is the job's, as it is stored; `at` is UTC text.
    """

    job: int
    spec: str
    is_out: bool
    at: str


@dataclass(frozen=True, slots=True)
class PlannedCell:
    """A question (its id) in a setting."""

    question: int
    setting: int
    task: Task


def mask(tasks: Iterable[Task]) -> int:
    """The bits of these tasks."""
    return sum(1 << TASK_INDEX[task] for task in set(tasks))


def add(connection: sqlite3.Connection, job: int, ranges: Sequence[PlanRange]) -> None:
    """Let a job claim these ranges. Inside a transaction."""
    insert_rows(
        connection,
        "plan_range",
        ("job", "setting", "first", "last", "tasks", "samples"),
        [(job, one.setting, one.first, one.last, one.tasks, one.samples) for one in ranges],
    )


def extend(connection: sqlite3.Connection, job: int, setting: int, first: int, last: int) -> None:
    """Let the range of a job that begins at `first` go on to `last`. Inside a transaction."""
    connection.execute(
        "UPDATE plan_range SET last = ? WHERE job = ? AND setting = ? AND first = ?",
        (last, job, setting, first),
    )


def free(connection: sqlite3.Connection, job: int) -> None:
    """Let a job claim nothing any more. Inside a transaction."""
    connection.execute("DELETE FROM plan_range WHERE job = ?", (job,))


def open_plans(connection: sqlite3.Connection) -> list[OpenPlan]:
    """The jobs whose ranges count, oldest first; a job whose program is gone claims nothing."""
    rows = connection.execute(
        "SELECT id, spec, state = 'out', coalesce(ended, created) FROM job "
        f"WHERE {_CLAIMS} ORDER BY id"
    )
    return [OpenPlan(job, spec, bool(is_out), at) for job, spec, is_out, at in rows]


def open_ranges(connection: sqlite3.Connection, setting: int) -> list[PlanRange]:
    """The ranges of all open plans in a setting, plan by plan."""
    rows = connection.execute(
        f"SELECT setting, first, last, tasks, samples FROM plan_range JOIN job ON job.id = job "
        f"WHERE setting = ? AND {_CLAIMS} ORDER BY job, first",
        (setting,),
    )
    return [PlanRange(*row) for row in rows]


def question_ranges(connection: sqlite3.Connection, job: int) -> list[tuple[int, int]]:
    """The first and the last question (ids) of each range that a job claims, by the first."""
    return connection.execute(
        "SELECT first, last FROM plan_range WHERE job = ? ORDER BY first", (job,)
    ).fetchall()


def find_claimed(
    connection: sqlite3.Connection, job: int, cells: Sequence[PlannedCell]
) -> dict[PlannedCell, int]:
    """Those of these cells that a job claims, each with the number of its samples so claimed.

    These are the first ones, those that have a response among them.
    """
    found = {}
    for cell in cells:
        row = connection.execute(
            "SELECT last, tasks, samples FROM plan_range "
            "WHERE job = ? AND setting = ? AND first <= ? ORDER BY first DESC LIMIT 1",
            (job, cell.setting, cell.question),
        ).fetchone()
        if row is not None and row[0] >= cell.question and row[1] >> TASK_INDEX[cell.task] & 1:
            found[cell] = int(row[2])
    return found
