"""Reference sets: how each was drawn, its answers, and the grader versions tried on it.

`plan` is a JSON object that `core.alignment.reference_set` reads. Times are milliseconds.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StoredSet:
    """One set without its answers."""

    id: int
    name: str
    plan: str
    closed: bool
    at: int


@dataclass(frozen=True, slots=True)
class Trial:
    """A grader version (its id) that was tried on a set, with its rubric (its id) if it has one.

    `cost` is what labelling so many `answers` took, in dollars; None where nobody knows.
    """

    grader: int
    rubric: int | None
    answers: int
    cost: float | None
    at: int


def insert(connection: sqlite3.Connection, name: str, plan: str, at: int) -> int:
    """Add a set, whose name must be free; gives its id. In a transaction."""
    cursor = connection.execute(
        "INSERT INTO reference_set (name, plan, at) VALUES (?, ?, ?)", (name, plan, at)
    )
    return int(cursor.lastrowid or 0)


def set_plan(connection: sqlite3.Connection, key: int, plan: str) -> None:
    """Let a set be of another plan, which has more answers. In a transaction."""
    connection.execute("UPDATE reference_set SET plan = ? WHERE id = ?", (plan, key))


def add_answers(connection: sqlite3.Connection, key: int, rows: Iterable[tuple[int, str]]) -> None:
    """Add answers (slot, stratum) that a set has not yet. In a transaction."""
    connection.executemany(
        "INSERT OR IGNORE INTO reference_answer (reference_set, response, stratum) "
        "VALUES (?, ?, ?)",
        [(key, *row) for row in rows],
    )


def read_sets(connection: sqlite3.Connection, schema: str = "main") -> list[StoredSet]:
    """All sets of an open file, the oldest first."""
    rows = connection.execute(
        f"SELECT id, name, plan, closed, at FROM {schema}.reference_set ORDER BY id"
    )
    return [StoredSet(key, name, plan, bool(closed), at) for key, name, plan, closed, at in rows]


def answers_of(connection: sqlite3.Connection, key: int) -> list[tuple[int, str]]:
    """Slot and stratum of the answers of a set, by slot."""
    return connection.execute(
        "SELECT response, stratum FROM reference_answer WHERE reference_set = ? ORDER BY response",
        (key,),
    ).fetchall()


def close(connection: sqlite3.Connection, key: int) -> None:
    """Mark a set as done with. In a transaction."""
    connection.execute("UPDATE reference_set SET closed = 1 WHERE id = ?", (key,))


def note_opened(connection: sqlite3.Connection, key: int, grader: int, at: int) -> None:
    """Note that the last part was looked at for a grader version. In a transaction."""
    connection.execute("INSERT OR IGNORE INTO opening VALUES (?, ?, ?)", (key, grader, at))


def openings_of(connection: sqlite3.Connection, key: int) -> list[tuple[str, int]]:
    """For which versions (`G#v`) the last part of a set was looked at, and when first."""
    return connection.execute(
        "SELECT name || '#' || version, at FROM opening JOIN grader ON grader.id = grader "
        "WHERE reference_set = ? ORDER BY at, grader",
        (key,),
    ).fetchall()


def add_trial(connection: sqlite3.Connection, key: int, trial: Trial) -> None:
    """Note that a version was tried; what it labelled and cost adds to before. In a transaction."""
    connection.execute(
        "INSERT INTO trial (reference_set, grader, rubric, answers, cost, at) "
        "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (reference_set, grader) DO UPDATE SET "
        "answers = answers + excluded.answers, "
        "cost = CASE WHEN excluded.answers = 0 THEN cost ELSE cost + excluded.cost END",
        (key, trial.grader, trial.rubric, trial.answers, trial.cost, trial.at),
    )


def trials_of(connection: sqlite3.Connection, key: int) -> list[Trial]:
    """The versions tried on a set, in the order of their first trial."""
    rows = connection.execute(
        "SELECT grader, rubric, answers, cost, at FROM trial WHERE reference_set = ? "
        "ORDER BY at, grader",
        (key,),
    )
    return [Trial(*row) for row in rows]


def count_stale(
    connection: sqlite3.Connection, slots: Sequence[int], graders: Sequence[int]
) -> dict[int, int]:
    """How many of these responses a version labelled by an earlier gold alone, by version."""
    return dict(
        connection.execute(
            "SELECT grader, count(DISTINCT response) FROM stale_grade AS stale "
            "WHERE response IN (SELECT value FROM json_each(?)) "
            "AND grader IN (SELECT value FROM json_each(?)) AND NOT EXISTS (SELECT 1 FROM grade "
            "WHERE grade.response = stale.response AND grade.grader = stale.grader) "
            "GROUP BY grader",
            (json.dumps(list(slots)), json.dumps(list(graders))),
        ).fetchall()
    )


def take_over(connection: sqlite3.Connection, slot: str, maps: str) -> list[str]:
    """Add sets of `other` with their trials; gives names of those drawn otherwise here.

    `slot` is our slot of a row of theirs, given `maps` beside it. Needs `apart`, of responses that
    are another here, `grader_of` and `rubric_of`. In a transaction.
    """
    ours = {one.name: one for one in read_sets(connection)}
    found = []
    for one in read_sets(connection, "other"):
        mine = ours.get(one.name)
        if mine is not None and mine.plan != one.plan:
            found.append(one.name)
            continue
        key = insert(connection, one.name, one.plan, one.at) if mine is None else mine.id
        usable = f"WHERE reference_set = {one.id} AND {{}}"
        connection.execute(
            "INSERT OR IGNORE INTO main.reference_answer (reference_set, response, stratum) "
            f"SELECT {key}, {slot}, stratum FROM other.reference_answer AS theirs {maps} "
            + usable.format("theirs.response NOT IN (SELECT theirs FROM apart)")
        )
        connection.execute(
            "INSERT OR IGNORE INTO main.trial (reference_set, grader, rubric, answers, cost, at) "
            f"SELECT {key}, g.ours, r.ours, answers, cost, at FROM other.trial AS theirs "
            "JOIN grader_of AS g ON g.theirs = theirs.grader "
            "LEFT JOIN rubric_of AS r ON r.theirs = theirs.rubric "
            + usable.format("(theirs.rubric IS NULL OR r.ours IS NOT NULL)")
        )
        if one.closed:
            close(connection, key)
        connection.execute(
            "INSERT OR IGNORE INTO main.opening (reference_set, grader, at) "
            f"SELECT {key}, g.ours, at FROM other.opening AS theirs "
            "JOIN grader_of AS g ON g.theirs = theirs.grader " + usable.format("true")
        )
    return found
