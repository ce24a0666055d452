"""Runs of older files: instead of "whatever facts there are" each names the questions it asked."""

import sqlite3
from collections.abc import Iterator

import numpy as np

from core.vocabulary import Task
from db.sampling_runs import Ids, RunQuestions, asked_text, group_asked
from db.sqlite_errors import StoredValueError
from db.stored_values import read_integers, read_member, read_texts

_DRAWN = (
    "SELECT fact, setting, min(first) FROM (SELECT response >> 20 AS question, "
    "response >> 10 & 1023 AS setting, min(run) AS first FROM draw WHERE run IS NOT NULL "
    "GROUP BY 1, 2) AS drawn JOIN question ON question.id = drawn.question GROUP BY 1, 2"
)


def name_questions(connection: sqlite3.Connection) -> None:
    """Write into the column `asked` what runs with the columns `tasks` and `facts` asked.

    Where a run was over all facts, these are the ones for which it or an earlier run has drawn in
    its setting: of others nobody knows whether they were there. A run that cannot be read asks
    nothing.
    """
    rows = connection.execute("SELECT id, setting, tasks, facts FROM run ORDER BY id").fetchall()
    if not rows:
        return
    columns = {
        task: np.array(
            [
                fact
                for (fact,) in connection.execute(
                    "SELECT fact FROM question WHERE current AND task = ? ORDER BY fact", (task,)
                )
            ],
            np.int64,
        )
        for task in Task
    }
    drawn = connection.execute(_DRAWN).fetchall() if any(row[3] is None for row in rows) else []
    table = np.array(drawn, np.int64).reshape(-1, 3)
    for run, setting, tasks, facts in rows:
        try:
            named = tuple(read_member(Task, one, "task") for one in read_texts(tasks, "tasks"))
            if facts is None:
                ids = table[(table[:, 1] == setting) & (table[:, 2] <= run), 0]
            else:
                ids = np.array(read_integers(facts, "facts"), np.int64)
        except (StoredValueError, OverflowError):
            continue
        asked = list(_list_asked(named, np.unique(ids), columns))
        connection.execute("UPDATE run SET asked = ? WHERE id = ?", (asked_text(asked), run))


def _list_asked(
    tasks: tuple[Task, ...], ids: Ids, columns: dict[Task, Ids]
) -> Iterator[RunQuestions]:
    if tasks:
        yield from group_asked(tasks, ids, np.array([np.isin(ids, columns[t]) for t in tasks]).T)
