"""What becomes of grades where only the aliases of a gold change: they stay.

What an alias may alter is copied aside (`stale_grade`) with the time (`at`, milliseconds) since
which it is out of date. A person's copy has the time of the label instead: it is out of date until
that person says more. Copies without a time of what is not a person's are there for undoing alone.
"""

import json
import sqlite3
from collections.abc import Collection, Sequence

from db import label_grids
from db.question_versions import GoldVersion, insert_grades, range_of


def change_aliases(
    connection: sqlite3.Connection,
    old: GoldVersion,
    new: GoldVersion,
    questions: Sequence[int],
    local: Collection[int],
    asked: Collection[int],
    at: int,
) -> set[tuple[int, int]]:
    """Let grades of these questions stay though the aliases of their gold change.

    `local` are the grader versions whose labels the caller makes again, `asked` those of models.
    What these said under `new` before comes back. A label that an alias may alter is out of date
    since `at`; those of people and of other graders only where there are more aliases.

    Gives (response, grader version) of what was known of `new`. Inside a transaction.
    """
    more, fewer = _compare_aliases(old, new)
    affected = f"(outcome <> 1 AND {more:d} OR outcome = 1 AND {fewer:d})"
    found: set[tuple[int, int]] = set()
    for key in questions:
        first, last = range_of(key)
        known = _swap(connection, old.id, new.id, key, json.dumps([*local, *asked]))
        connection.execute(
            "DELETE FROM stale_grade WHERE gold = ? AND response BETWEEN ? AND ?",
            (new.id, first, last),
        )
        # Labels that stay are noted too: undoing tells by them which were made since.
        connection.execute(
            "INSERT OR REPLACE INTO stale_grade (response, grader, gold, outcome, rationale, at) "
            f"SELECT response, grade.grader, :gold, outcome, rationale, iif({affected} "
            "AND grade.grader NOT IN (SELECT value FROM json_each(:local)), "
            "iif(substr(name, 1, 6) = 'human:', remark.at, :at), NULL) "
            "FROM grade JOIN grader ON grader.id = grade.grader "
            "LEFT JOIN remark USING (response, grader) "
            "WHERE response BETWEEN :first AND :last AND outcome <= 4 "
            "AND (grade.grader IN (SELECT value FROM json_each(:remade)) "
            f"OR {affected} AND {more:d}) "
            "AND response || ' ' || grade.grader NOT IN (SELECT value FROM json_each(:known))",
            {
                "gold": old.id,
                "at": at,
                "first": first,
                "last": last,
                "local": json.dumps(list(local)),
                "remade": json.dumps([*local, *asked]),
                "known": json.dumps([f"{response} {grader}" for response, grader in known]),
            },
        )
        found |= known
    return found


def _compare_aliases(old: GoldVersion, new: GoldVersion) -> tuple[bool, bool]:
    """Whether a gold has aliases that another has not, and the other way round."""
    before, after = set(old.aliases), set(new.aliases)
    return bool(after - before), bool(before - after)


def _swap(
    connection: sqlite3.Connection, old: int, new: int, question: int, graders: str
) -> set[tuple[int, int]]:
    """Bring back what these graders said under gold `new`, and note for `old` what they say now.

    A label that is gone comes back too, unless a person has withdrawn it since. Gives (response,
    grader version) of what was known of `new`.
    """
    reach = range_of(question)
    gone = connection.execute(
        "SELECT response, grader, outcome, rationale, at FROM stale_grade AS stale "
        "WHERE gold = ? AND response BETWEEN ? AND ? "
        "AND EXISTS (SELECT 1 FROM response WHERE id = stale.response) "
        "AND NOT EXISTS (SELECT 1 FROM grade WHERE grade.response = stale.response "
        "AND grade.grader = stale.grader) "
        "AND NOT EXISTS (SELECT 1 FROM action WHERE kind = 'label' AND target = stale.response "
        "AND action.grader = stale.grader AND action.at > stale.at AND NOT undone)",
        (new, *reach),
    ).fetchall()
    insert_grades(connection, gone)
    rows = connection.execute(
        "SELECT stale.response, stale.grader, stale.outcome, stale.rationale, grade.outcome, "
        "remark.rationale FROM stale_grade AS stale JOIN grade USING (response, grader) "
        "LEFT JOIN remark USING (response, grader) WHERE gold = ? AND stale.response "
        "BETWEEN ? AND ? AND stale.grader IN (SELECT value FROM json_each(?))",
        (new, *reach, graders),
    ).fetchall()
    for response, grader, *said in rows:
        if said[:2] != said[2:]:
            connection.execute(
                "INSERT OR REPLACE INTO stale_grade (response, grader, gold, outcome, rationale) "
                "VALUES (?, ?, ?, ?, ?)",
                (response, grader, old, *said[2:]),
            )
            _write_label(connection, response, grader, *said[:2])
    return {row[:2] for row in (*gone, *rows)}


def find_affected(
    connection: sqlite3.Connection, old: GoldVersion, new: GoldVersion, question: int, grader: int
) -> dict[int, int]:
    """What a grader version says of answers that other aliases may alter: outcomes by slot."""
    more, fewer = _compare_aliases(old, new)
    rows = connection.execute(
        "SELECT response, outcome FROM grade WHERE response BETWEEN ? AND ? AND grader = ? "
        f"AND outcome <= 4 AND (outcome <> 1 AND {more:d} OR outcome = 1 AND {fewer:d})",
        (*range_of(question), grader),
    )
    return dict(rows.fetchall())


def replace_label(
    connection: sqlite3.Connection, response: int, grader: int, gold: int, outcome: int
) -> None:
    """Let a grader version say something else of a response; what it said is kept for a gold.

    Inside a transaction.
    """
    connection.execute(
        "INSERT OR REPLACE INTO stale_grade (response, grader, gold, outcome, rationale) "
        "SELECT response, grader, ?, outcome, rationale FROM grade "
        "LEFT JOIN remark USING (response, grader) WHERE response = ? AND grader = ?",
        (gold, response, grader),
    )
    _write_label(connection, response, grader, outcome, None)


def _write_label(
    connection: sqlite3.Connection, response: int, grader: int, outcome: int, why: str | None
) -> None:
    connection.execute(
        "UPDATE grade SET outcome = ? WHERE response = ? AND grader = ?",
        (outcome, response, grader),
    )
    connection.execute("DELETE FROM remark WHERE response = ? AND grader = ?", (response, grader))
    if why is not None:
        connection.execute(
            "INSERT INTO remark (response, grader, rationale) VALUES (?, ?, ?)",
            (response, grader, why),
        )
    label_grids.record(connection, grader, [response], [outcome])


def count_affected(
    connection: sqlite3.Connection, questions: Sequence[int], more: bool = True, fewer: bool = False
) -> dict[int, int]:
    """How many labels of answers to these questions other aliases may alter, by grader version.

    `more`: there are new aliases, `fewer`: some are gone.
    """
    found: dict[int, int] = {}
    for key in questions:
        for grader, count in connection.execute(
            "SELECT grader, count(*) FROM grade WHERE response BETWEEN ? AND ? "
            f"AND outcome <= 4 AND (outcome <> 1 AND {more:d} OR outcome = 1 AND {fewer:d}) "
            "GROUP BY grader",
            range_of(key),
        ):
            found[grader] = found.get(grader, 0) + count
    return found
