"""Tags and standing notes of people, on answers, questions and facts.

A target is a response's slot, a question's id or a fact's id. A note stands here where it belongs
to no label; that on a label is its remark. Times are milliseconds.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

ANSWER, QUESTION, FACT = KINDS = ("answer", "question", "fact")

_FACT_OF = (
    "CASE {0}.kind WHEN 'fact' THEN {0}.target WHEN 'question' THEN "
    "(SELECT fact FROM question WHERE id = {0}.target AND current) ELSE "
    "(SELECT fact FROM question WHERE id = {0}.target >> 20 AND current) END"
)
"""The fact of a row; NULL where its question is no longer in use."""


class PlacedTag(NamedTuple):
    """A tag on something, who set it, and when."""

    kind: str
    target: int
    tag: str
    author: str
    at: int


class StandingNote(NamedTuple):
    """A person's note on something, without a label."""

    kind: str
    target: int
    author: str
    text: str
    at: int


def set_tag(connection: sqlite3.Connection, one: PlacedTag) -> None:
    """Put a tag on something, unless it has it. In a transaction."""
    connection.execute("INSERT OR IGNORE INTO tag (name) VALUES (?)", (one.tag,))
    connection.execute(
        "INSERT OR IGNORE INTO tagged (kind, target, tag, author, at) "
        "SELECT ?, ?, id, ?, ? FROM tag WHERE name = ?",
        (one.kind, one.target, one.author, one.at, one.tag),
    )


def remove_tag(connection: sqlite3.Connection, kind: str, target: int, tag: str) -> None:
    """Take a tag off something. In a transaction."""
    connection.execute(
        "DELETE FROM tagged WHERE kind = ? AND target = ? "
        "AND tag = (SELECT id FROM tag WHERE name = ?)",
        (kind, target, tag),
    )
    _drop_unused(connection)


def find_tag(connection: sqlite3.Connection, kind: str, target: int, tag: str) -> PlacedTag | None:
    """A tag on something as it stands; None where it has it not."""
    row = connection.execute(
        "SELECT kind, target, name, author, at FROM tagged JOIN tag ON tag.id = tag "
        "WHERE kind = ? AND target = ? AND name = ?",
        (kind, target, tag),
    ).fetchone()
    return None if row is None else PlacedTag(*row)


def tags_of(
    connection: sqlite3.Connection, kind: str, targets: Iterable[int]
) -> dict[int, tuple[str, ...]]:
    """The tags of each of some things that has any, by name."""
    rows = connection.execute(
        "SELECT target, name FROM tagged JOIN tag ON tag.id = tag WHERE kind = ? "
        "AND target IN (SELECT value FROM json_each(?)) ORDER BY target, name",
        (kind, json.dumps(list(targets))),
    )
    found = groupby(rows, lambda row: row[0])
    return {target: tuple(name for _, name in some) for target, some in found}


def list_names(connection: sqlite3.Connection) -> list[str]:
    """All tags, the most used first."""
    rows = connection.execute(
        "SELECT name FROM tag JOIN tagged ON tag.id = tagged.tag GROUP BY tag.id "
        "ORDER BY count(*) DESC, name"
    )
    return [name for (name,) in rows]


def read_tagged(connection: sqlite3.Connection) -> list[PlacedTag]:
    """All tags on everything that is there."""
    rows = connection.execute(
        "SELECT kind, target, name, author, at FROM tagged JOIN tag ON tag.id = tag "
        f"WHERE {_FACT_OF.format('tagged')} IS NOT NULL ORDER BY kind, target, name"
    )
    return [PlacedTag(*row) for row in rows]


def read_notes(connection: sqlite3.Connection) -> list[StandingNote]:
    """All standing notes on everything that is there, the newest first."""
    rows = connection.execute(
        "SELECT kind, target, author, text, at FROM note "
        f"WHERE {_FACT_OF.format('note')} IS NOT NULL ORDER BY at DESC, kind, target"
    )
    return [StandingNote(*row) for row in rows]


def find_note(
    connection: sqlite3.Connection, kind: str, target: int, author: str
) -> StandingNote | None:
    """A person's standing note on something."""
    row = connection.execute(
        "SELECT kind, target, author, text, at FROM note "
        "WHERE kind = ? AND target = ? AND author = ?",
        (kind, target, author),
    ).fetchone()
    return None if row is None else StandingNote(*row)


def set_note(connection: sqlite3.Connection, one: StandingNote) -> None:
    """Let a person's note on something be this, none for an empty text. In a transaction."""
    connection.execute(
        "DELETE FROM note WHERE kind = ? AND target = ? AND author = ?",
        (one.kind, one.target, one.author),
    )
    if one.text:
        connection.execute("INSERT INTO note VALUES (?, ?, ?, ?, ?)", one)


def has_any(connection: sqlite3.Connection) -> bool:
    """Whether there is any tag or standing note."""
    found = connection.execute(
        "SELECT EXISTS (SELECT 1 FROM tagged) OR EXISTS (SELECT 1 FROM note)"
    ).fetchone()
    return bool(found[0])


def facts_with(connection: sqlite3.Connection, tag: str | None) -> list[int]:
    """Facts (ids) with a tag on them, their questions or answers; None: with any tag."""
    rows = connection.execute(
        f"SELECT DISTINCT {_FACT_OF.format('tagged')} AS fact FROM tagged "
        "JOIN tag ON tag.id = tag WHERE (?1 IS NULL OR name = ?1) AND fact IS NOT NULL",
        (tag,),
    )
    return [fact for (fact,) in rows]


def facts_noted(connection: sqlite3.Connection) -> Iterator[tuple[int, str]]:
    """Facts (ids) with a standing note on them, their questions or answers, newest last."""
    return connection.execute(
        f"SELECT {_FACT_OF.format('note')} AS fact, text FROM note WHERE fact IS NOT NULL "
        "ORDER BY at"
    )


def rename(connection: sqlite3.Connection, before: str, after: str) -> int:
    """Call a tag otherwise, joining one of that name; gives on how many things it was.

    In a transaction.
    """
    connection.execute("INSERT OR IGNORE INTO tag (name) VALUES (?)", (after,))
    ids = dict(connection.execute("SELECT name, id FROM tag WHERE name IN (?, ?)", (before, after)))
    if before not in ids or before == after:
        return 0
    count = connection.execute(
        "SELECT count(*) FROM tagged WHERE tag = ?", (ids[before],)
    ).fetchone()[0]
    connection.execute(
        "UPDATE OR IGNORE tagged SET tag = ? WHERE tag = ?", (ids[after], ids[before])
    )
    connection.execute("DELETE FROM tagged WHERE tag = ?", (ids[before],))
    _drop_unused(connection)
    return int(count)


def remove(connection: sqlite3.Connection, tag: str) -> int:
    """Take a tag off everything; gives off how many things. In a transaction."""
    cursor = connection.execute(
        "DELETE FROM tagged WHERE tag = (SELECT id FROM tag WHERE name = ?)", (tag,)
    )
    _drop_unused(connection)
    return cursor.rowcount


def _drop_unused(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM tag WHERE id NOT IN (SELECT tag FROM tagged)")


def forget_answers(connection: sqlite3.Connection, ids: str) -> None:
    """Drop what was said of responses that are set aside (a JSON list). In a transaction."""
    for table in ("tagged", "note"):
        connection.execute(
            f"DELETE FROM {table} WHERE kind = 'answer' "
            "AND target IN (SELECT value FROM json_each(?))",
            (ids,),
        )
    _drop_unused(connection)


def take_over(connection: sqlite3.Connection, slot: str, maps: str) -> list[tuple[str, str]]:
    """Add tags and standing notes of `other`; gives (author, kind) of notes that differ here.

    `slot` is our slot of a row's target, given `maps` beside it. Needs `fact_of`, `question_of`
    and `apart`. In a transaction.
    """
    usable = "theirs.kind = 'answer' AND theirs.target NOT IN (SELECT theirs FROM apart)"
    targets = (
        f"SELECT theirs.rowid AS own, {slot} AS ours FROM {{0}} AS theirs {maps} WHERE {usable} "
        "UNION ALL SELECT theirs.rowid, q.ours FROM {0} AS theirs JOIN question_of AS q "
        "ON q.theirs = theirs.target WHERE theirs.kind = 'question' "
        "UNION ALL SELECT theirs.rowid, f.ours FROM {0} AS theirs JOIN fact_of AS f "
        "ON f.theirs = theirs.target WHERE theirs.kind = 'fact'"
    )
    connection.execute("CREATE TEMP TABLE their_tag AS SELECT * FROM other.tagged")
    connection.execute("CREATE TEMP TABLE their_note AS SELECT * FROM other.note")
    connection.execute(
        "INSERT OR IGNORE INTO main.tag (name) SELECT name FROM other.tag ORDER BY id"
    )
    connection.execute(
        "INSERT OR IGNORE INTO main.tagged (kind, target, tag, author, at) "
        "SELECT one.kind, place.ours, mine.id, one.author, one.at FROM temp.their_tag AS one "
        f"JOIN ({targets.format('temp.their_tag')}) AS place ON place.own = one.rowid "
        "JOIN other.tag AS named ON named.id = one.tag JOIN main.tag AS mine USING (name)"
    )
    places = f"({targets.format('temp.their_note')}) AS place ON place.own = one.rowid"
    found = connection.execute(
        f"SELECT one.author, one.kind FROM temp.their_note AS one JOIN {places} "
        "JOIN main.note AS mine ON mine.kind = one.kind AND mine.target = place.ours "
        "AND mine.author = one.author WHERE mine.text <> one.text"
    ).fetchall()
    connection.execute(
        "INSERT OR IGNORE INTO main.note (kind, target, author, text, at) "
        "SELECT one.kind, place.ours, one.author, one.text, one.at "
        f"FROM temp.their_note AS one JOIN {places}"
    )
    _drop_unused(connection)
    return found
