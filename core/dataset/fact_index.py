"""All facts of a database as columns, read once and kept up to date."""

import sqlite3
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

import db.index_columns
from core.vocabulary import TASK_INDEX, TASKS, Task
from db.connection import read_transaction
from db.stored_values import missing_row, read_member


@dataclass(frozen=True, slots=True)
class FactIndex:
    """All facts as columns, in the order of their import.

    `questions` has shape (facts, tasks) and holds ids of current questions, 0 where the fact
    does not have that task. `views` and `years`, those of the pages, are -1 where unknown.
    """

    ids: npt.NDArray[np.int64]
    fact_ids: list[str]
    views: npt.NDArray[np.int64]
    categories: list[str]
    subject_types: list[str]
    object_types: list[str]
    years: npt.NDArray[np.int64]
    flagged: npt.NDArray[np.bool_]
    rejected: npt.NDArray[np.bool_]
    questions: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.fact_ids)


Newest = tuple[int, int, int, int, int]
"""What tells whether facts, questions or golds have come (`db.index_columns.read_newest_ids`)."""


def read_index(connection: sqlite3.Connection) -> FactIndex:
    """All facts of a database as columns."""
    with read_transaction(
        connection
    ):  # else a fact could come between with questions that have no place
        index = _read_facts(connection)
        for tasks, facts, keys in db.index_columns.question_columns(connection):
            which = [TASK_INDEX[read_member(Task, task, "task")] for task in tasks]
            index.questions[_places(index.ids, facts)[:, None], which] = keys
    return index


def _read_year(created: str) -> int:
    """The year that a date begins with; -1 where there is none."""
    year = created[:4]
    return int(year) if year.isascii() and year.isdigit() else -1


def _read_facts(connection: sqlite3.Connection) -> FactIndex:
    """All facts as columns, without their questions; equal topics and types are one object."""
    ids, views, years = array("q"), array("q"), array("q")
    fact_ids, categories = list[str](), list[str]()
    subject_types, object_types = list[str](), list[str]()
    flagged, rejected = bytearray(), bytearray()
    share = dict[str, str]().setdefault
    for some in db.index_columns.fact_columns(connection):
        ids.extend(some.ids)
        fact_ids.extend(some.fact_ids)
        views.extend([-1 if seen is None else seen for seen in some.views])
        categories.extend(map(share, some.categories, some.categories))
        subject_types.extend(map(share, some.subject_types, some.subject_types))
        object_types.extend(map(share, some.object_types, some.object_types))
        years.extend([_read_year(one) if one else -1 for one in some.created])
        flagged.extend(some.flagged)
        rejected.extend(some.rejected)
    return FactIndex(
        ids=np.array(ids, np.int64),
        fact_ids=fact_ids,
        views=np.array(views, np.int64),
        categories=categories,
        subject_types=subject_types,
        object_types=object_types,
        years=np.array(years, np.int64),
        flagged=np.array(flagged, np.bool_),
        rejected=np.array(rejected, np.bool_),
        questions=np.zeros((len(ids), len(TASKS)), np.int64),
    )


def refresh_index(
    connection: sqlite3.Connection, index: FactIndex, known: Newest
) -> tuple[FactIndex, Newest]:
    """The index as it is now, the same where nothing has changed, and what tells it.

    Its `questions` are another array if any question or gold is another.
    """
    with read_transaction(connection):
        newest = db.index_columns.read_newest_ids(connection)
        if (newest[0], newest[-1]) != (known[0], known[-1]):
            return read_index(connection), newest
        questions = index.questions
        if newest != known:
            questions = _questions_since(connection, index, known[1])
        flagged = np.isin(index.ids, db.index_columns.find_flagged(connection))
        rejected = np.isin(index.ids, db.index_columns.find_rejected(connection))
    same = np.array_equal(flagged, index.flagged) and np.array_equal(rejected, index.rejected)
    if same and questions is index.questions:
        return index, newest
    return replace(index, flagged=flagged, rejected=rejected, questions=questions), newest


def reread_index(connection: sqlite3.Connection, index: FactIndex) -> FactIndex:
    """All facts read anew, as another index; ids that are the same stay the same array."""
    found = read_index(connection)
    return replace(found, ids=index.ids) if np.array_equal(found.ids, index.ids) else found


def _questions_since(
    connection: sqlite3.Connection, index: FactIndex, newest: int
) -> npt.NDArray[np.int64]:
    """The questions of an index as they are now, `newest` being the newest id of before."""
    from db import question_versions

    found = index.questions.copy()
    for fact, task, key in question_versions.find_in_use_since(connection, newest):
        found[_places(index.ids, [fact]), TASK_INDEX[read_member(Task, task, "task")]] = key
    return found


def _places(
    ids: npt.NDArray[np.int64], facts: Sequence[int] | npt.NDArray[np.int64]
) -> npt.NDArray[np.intp]:
    """Where facts stand among all of them, by id, in order."""
    wanted = np.asarray(facts, np.int64)
    places = np.searchsorted(ids, wanted)
    lost = np.append(ids, 0)[places] != wanted
    if lost.any():
        raise missing_row("fact", int(wanted[lost][0]))
    return places
