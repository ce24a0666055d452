"""Versions of questions and golds: new ones, and which of them are in use.

A version is never changed or deleted. Grades say something about an answer and a gold, so they
move aside (`stale_grade`) when another gold comes into use, and back when theirs does again.
Where only the aliases of a gold change, grades stay, and those that an alias may change are
copied aside with the time (`at`, milliseconds) from which on they are out of date.
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.vocabulary import Side, Task
from db import label_grids
from db.slot_ids import slot
from db.stored_values import ALIASES, StoredValues, read_member, read_options, read_texts


@dataclass(frozen=True, slots=True)
class QuestionVersion:
    """One version of a question."""

    id: int
    fact: int
    task: Task
    version: int
    text: str
    choices: tuple[str, ...] | None
    current: bool


@dataclass(frozen=True, slots=True)
class GoldVersion:
    """One version of a gold."""

    id: int
    fact: int
    side: Side
    version: int
    text: str
    aliases: tuple[str, ...]
    current: bool


@dataclass(frozen=True, slots=True)
class Versions:
    """Ids of the versions of questions and golds that an edit takes out of use, or into it."""

    questions: tuple[int, ...] = ()
    golds: tuple[int, ...] = ()


_QUESTION = "SELECT id, fact, task, version, text, choices, current FROM question"
_GOLD = "SELECT id, fact, side, version, text, aliases, current FROM gold"


def find_in_use_since(connection: sqlite3.Connection, key: int) -> list[tuple[int, str, int]]:
    """Fact, task and id of the questions in use that are newer than an id, or of edited facts.

    What is in use changes by new questions and by edits alone, so no others can have changed.
    """
    columns = "SELECT fact, task, id FROM question WHERE current AND"
    return connection.execute(
        f"{columns} fact IN (SELECT fact FROM question WHERE version > 1) UNION {columns} id > ?",
        (key,),
    ).fetchall()


def read_in_use(connection: sqlite3.Connection) -> Iterator[tuple[int, str, int]]:
    """Fact, task and id of every question in use, one after another."""
    yield from connection.execute("SELECT fact, task, id FROM question WHERE current")


def question(connection: sqlite3.Connection, key: int) -> QuestionVersion | None:
    """A version of a question by its id."""
    row = connection.execute(f"{_QUESTION} WHERE id = ?", (key,)).fetchone()
    return None if row is None else _question(*row)


def questions(connection: sqlite3.Connection, fact: int) -> list[QuestionVersion]:
    """All versions of a fact's questions, oldest first."""
    rows = connection.execute(f"{_QUESTION} WHERE fact = ? ORDER BY id", (fact,))
    return [_question(*row) for row in rows]


def gold(connection: sqlite3.Connection, key: int) -> GoldVersion | None:
    """A version of a gold by its id."""
    row = connection.execute(f"{_GOLD} WHERE id = ?", (key,)).fetchone()
    return None if row is None else _gold(*row)


def golds(connection: sqlite3.Connection, fact: int) -> list[GoldVersion]:
    """All versions of a fact's golds, oldest first."""
    rows = connection.execute(f"{_GOLD} WHERE fact = ? ORDER BY id", (fact,))
    return [_gold(*row) for row in rows]


def _question(
    key: int, fact: int, task: str, version: int, text: str, choices: str | None, current: int
) -> QuestionVersion:
    which, options = _read_asked(task, choices)
    return QuestionVersion(key, fact, which, version, text, options, bool(current))


def _gold(
    key: int, fact: int, side: str, version: int, text: str, aliases: str, current: int
) -> GoldVersion:
    which, others = _read_accepted(side, aliases)
    return GoldVersion(key, fact, which, version, text, others, bool(current))


def _read_asked(task: str, choices: str | None) -> tuple[Task, tuple[str, ...] | None]:
    """The task of a question and its options."""
    return read_member(Task, task, "task"), read_options(choices) if choices else None


def _read_accepted(side: str, aliases: str) -> tuple[Side, tuple[str, ...]]:
    """The side of a gold and its other texts."""
    return read_member(Side, side, "side"), read_texts(aliases, ALIASES) if aliases != "[]" else ()


STORED = (
    StoredValues("question", "task, choices", _read_asked, texts="text"),
    StoredValues("gold", "side, aliases", _read_accepted, texts="text"),
)


def renew_question(
    connection: sqlite3.Connection, old: QuestionVersion, text: str, choices: Sequence[str] | None
) -> int:
    """Put a new version in the place of the one in use; gives its id. Inside a transaction."""
    connection.execute("UPDATE question SET current = 0 WHERE id = ?", (old.id,))
    cursor = connection.execute(
        "INSERT INTO question (fact, task, version, text, choices, seed, current) "
        "SELECT fact, task, (SELECT max(version) + 1 FROM question AS mine "
        "WHERE mine.fact = old.fact AND mine.task = old.task), ?, ?, seed, 1 "
        "FROM question AS old WHERE id = ?",
        (text, None if choices is None else _dumps(choices), old.id),
    )
    return int(cursor.lastrowid or 0)


def renew_gold(
    connection: sqlite3.Connection, old: GoldVersion, text: str, aliases: Sequence[str]
) -> int:
    """The same for a gold; grades of the old one stay until `set_stale`."""
    connection.execute("UPDATE gold SET current = 0 WHERE id = ?", (old.id,))
    cursor = connection.execute(
        "INSERT INTO gold (fact, side, version, text, aliases, current) "
        "SELECT fact, side, (SELECT max(version) + 1 FROM gold AS mine "
        "WHERE mine.fact = old.fact AND mine.side = old.side), ?, ?, 1 "
        "FROM gold AS old WHERE id = ?",
        (text, _dumps(aliases), old.id),
    )
    return int(cursor.lastrowid or 0)


def use(connection: sqlite3.Connection, table: str, old: int, new: int) -> None:
    """Put a `question` or `gold` (ids) in the place of another. Inside a transaction."""
    assert table in ("question", "gold")
    connection.execute(f"UPDATE {table} SET current = 0 WHERE id = ?", (old,))
    connection.execute(f"UPDATE {table} SET current = 1 WHERE id = ?", (new,))


def set_stale(connection: sqlite3.Connection, gold: int, questions: Sequence[int]) -> int:
    """Move the grades of these questions aside, as made for a gold (its id); gives how many.

    Inside a transaction.
    """
    moved = 0
    for key in questions:
        reach = range_of(key)
        connection.execute(
            "INSERT OR REPLACE INTO stale_grade (response, grader, gold, outcome, rationale, at) "
            "SELECT response, grader, ?, outcome, rationale, at FROM grade "
            "LEFT JOIN remark USING (response, grader) WHERE response BETWEEN ? AND ?",
            (gold, *reach),
        )
        planes = connection.execute(
            "SELECT grader, json_group_array(response) FROM grade "
            "WHERE response BETWEEN ? AND ? GROUP BY grader",
            reach,
        ).fetchall()
        for table in ("remark", "grade"):
            connection.execute(f"DELETE FROM {table} WHERE response BETWEEN ? AND ?", reach)
        for plane, graded in planes:
            slots = json.loads(graded)
            label_grids.record(connection, plane, slots, bytes(len(slots)))
            moved += len(slots)
    return moved


def restore(connection: sqlite3.Connection, gold: int, questions: Sequence[int]) -> int:
    """Bring back what `set_stale` moved aside for a gold; gives how many. Inside a transaction.

    Grades that are there stay.
    """
    back = 0
    for key in questions:
        reach = (gold, *range_of(key))
        rows = connection.execute(
            "SELECT response, grader, outcome, rationale, at FROM stale_grade AS stale "
            "WHERE gold = ? AND response BETWEEN ? AND ? "
            "AND EXISTS (SELECT 1 FROM response WHERE id = stale.response) "
            "AND NOT EXISTS (SELECT 1 FROM grade WHERE grade.response = stale.response "
            "AND grade.grader = stale.grader)",
            reach,
        ).fetchall()
        insert_grades(connection, rows)
        connection.execute(
            "DELETE FROM stale_grade WHERE gold = ? AND response BETWEEN ? AND ?", reach
        )
        back += len(rows)
    return back


def insert_grades(
    connection: sqlite3.Connection, rows: Sequence[tuple[int, int, int, str | None, int | None]]
) -> None:
    """Add grades (response, grader version, outcome, rationale, time)."""
    connection.executemany(
        "INSERT INTO grade (response, grader, outcome) VALUES (?, ?, ?)", [row[:3] for row in rows]
    )
    connection.executemany(
        "INSERT INTO remark (response, grader, rationale, at) VALUES (?, ?, ?, ?)",
        [(row[0], row[1], row[3], row[4]) for row in rows if row[3:] != (None, None)],
    )
    for plane in sorted({row[1] for row in rows}):
        mine = [row for row in rows if row[1] == plane]
        label_grids.record(connection, plane, [row[0] for row in mine], [row[2] for row in mine])


def count_answers(connection: sqlite3.Connection, questions: Sequence[int]) -> int:
    """How many responses these questions have."""
    return _count(connection, "response", "id", questions)


def count_grades(connection: sqlite3.Connection, questions: Sequence[int]) -> int:
    """How many grades the responses to these questions have."""
    return _count(connection, "grade", "response", questions)


def _count(
    connection: sqlite3.Connection, table: str, column: str, questions: Sequence[int]
) -> int:
    sql = f"SELECT count(*) FROM {table} WHERE {column} BETWEEN ? AND ?"
    return sum(int(connection.execute(sql, range_of(key)).fetchone()[0]) for key in questions)


def find_edited(connection: sqlite3.Connection) -> list[int]:
    """Ids of the questions of facts of which a question or a gold has several versions."""
    rows = connection.execute(
        "SELECT id FROM question WHERE fact IN (SELECT fact FROM question WHERE version > 1 "
        "UNION SELECT fact FROM gold WHERE version > 1)"
    )
    return [key for (key,) in rows]


def are_in_use(connection: sqlite3.Connection, questions: Sequence[int]) -> set[int]:
    """Those of these questions (ids) that are in use."""
    rows = connection.execute(
        "SELECT id FROM question WHERE current AND id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(questions)),),
    )
    return {key for (key,) in rows}


def faults(connection: sqlite3.Connection) -> list[str]:
    """What cannot be by the ways in which versions come and go, a line each."""
    found = []
    for table, key in (("question", "task"), ("gold", "side")):
        rows = connection.execute(
            f"SELECT DISTINCT fact FROM {table} GROUP BY fact, {key} HAVING sum(current) = 0"
        ).fetchmany(5)
        found += [
            f"fact number {fact} has a {table} of which no version is in use" for (fact,) in rows
        ]
    rows = connection.execute(
        "SELECT stale.gold FROM stale_grade AS stale JOIN gold ON gold.id = stale.gold "
        "WHERE gold.current GROUP BY stale.gold"
    ).fetchmany(5)
    return found + [f"grades of gold {one} are aside though it is in use" for (one,) in rows]


def range_of(question: int) -> tuple[int, int]:
    """The first and the last slot of a question's answers."""
    return slot(question, 0, 0), slot(question + 1, 0, 0) - 1


def _dumps(values: object) -> str:
    return json.dumps(values, ensure_ascii=False)
