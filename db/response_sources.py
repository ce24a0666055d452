"""Which file an imported response came from, where it stood in it, and its scores as they stood.

A sample's id is kept as JSON, since 7 and "7" are two samples of a log; so is a score's value.
Responses that were drawn here have no source.
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from db.row_statements import insert_by_column, insert_rows
from db.stored_values import StoredValues, read_json, unreadable

ScoreRow = tuple[int, int, str, str | None, str]
"""Slot, grader version, the score's name in the log, the part of it, its value as JSON."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that responses came from: its name, its format, the log's own id (or empty)."""

    name: str
    format: str
    eval_id: str


@dataclass(frozen=True, slots=True)
class ResponseSource:
    """Where one response (its slot) came from; None where the file does not say."""

    response: int
    file: SourceFile
    sample_id: str | int | None
    epoch: int | None
    uuid: str | None
    prompt: str | None


@dataclass(frozen=True, slots=True)
class SourceScore:
    """What a scorer of a log said of a response: of a dict one part of it."""

    response: int
    grader: int
    score: str
    part: str | None
    value: object


def ensure_file(connection: sqlite3.Connection, file: SourceFile) -> int:
    """The id of a file, made where it is new. Inside a transaction."""
    row = (file.name, file.format, file.eval_id)
    connection.execute(
        "INSERT OR IGNORE INTO source_file (name, format, eval_id) VALUES (?, ?, ?)", row
    )
    (key,) = connection.execute(
        "SELECT id FROM source_file WHERE (name, format, eval_id) = (?, ?, ?)", row
    ).fetchone()
    return int(key)


def insert_columns(
    connection: sqlite3.Connection, file: int, slots: Sequence[int], **columns: Sequence[object]
) -> None:
    """Note where responses came from; the first source of each stays. Inside a transaction.

    `columns` are `sample_id` (as JSON), `epoch`, `uuid` and `prompt`, or fewer.
    """
    told = {name: one for name, one in columns.items() if one.count(None) < len(one)}
    insert_by_column(
        connection,
        "response_source",
        {"response": slots, **told},
        "INSERT OR IGNORE",
        {"file": file},
    )


def insert_scores(connection: sqlite3.Connection, rows: Sequence[ScoreRow]) -> None:
    """Note scores as they stood; the first of a grader stays. Inside a transaction."""
    columns = ("response", "grader", "score", "part", "value")
    insert_rows(connection, "source_score", columns, rows, "INSERT OR IGNORE")


_SOURCE_SQL = (
    "SELECT response, name, format, eval_id, sample_id, epoch, uuid, prompt FROM response_source "
    "JOIN source_file ON source_file.id = file"
)


def read_sources(connection: sqlite3.Connection, slots: Sequence[int]) -> dict[int, ResponseSource]:
    """Where these responses came from, by slot; those that were drawn here are left out."""
    rows = connection.execute(
        f"{_SOURCE_SQL} WHERE response IN (SELECT value FROM json_each(?))",
        (json.dumps(list(slots)),),
    )
    return {row[0]: _source(row) for row in rows}


def read_log_sources(connection: sqlite3.Connection, name: str) -> Iterator[ResponseSource]:
    """The sources of all responses that came from logs of a format, by slot."""
    for row in connection.execute(f"{_SOURCE_SQL} WHERE format = ? ORDER BY response", (name,)):
        yield _source(row)


def scores(connection: sqlite3.Connection) -> Iterator[SourceScore]:
    """All scores as they stood in their logs, by slot."""
    for slot, grader, score, part, value in connection.execute(
        "SELECT response, grader, score, part, value FROM source_score ORDER BY response, grader"
    ):
        yield SourceScore(slot, grader, score, part, read_json(value, _VALUE))


def files(connection: sqlite3.Connection) -> list[SourceFile]:
    """All files that responses came from, in the order of their coming."""
    rows = connection.execute("SELECT name, format, eval_id FROM source_file ORDER BY id")
    return [SourceFile(*row) for row in rows]


def facts_of(connection: sqlite3.Connection, name: str) -> list[int]:
    """Facts (ids) with a response to a current question out of a file of this name (any case)."""
    rows = connection.execute(
        "SELECT DISTINCT question.fact FROM source_file JOIN response_source "
        "ON response_source.file = source_file.id "
        "JOIN question ON question.id = response_source.response >> 20 AND question.current "
        "WHERE lower(source_file.name) = lower(?)",
        (name,),
    )
    return [fact for (fact,) in rows]


def take_over(connection: sqlite3.Connection, slot: str, maps: str) -> None:
    """Add sources and scores of `other`, of responses without one here. In a transaction.

    `slot` is our slot of a row of theirs, given `maps` beside it. Needs `apart`, of responses that
    are another here, and `grader_of`.
    """
    connection.execute(
        "INSERT OR IGNORE INTO main.source_file (name, format, eval_id) "
        "SELECT name, format, eval_id FROM other.source_file ORDER BY id"
    )
    usable = "WHERE theirs.response NOT IN (SELECT theirs FROM apart)"
    connection.execute(
        "INSERT OR IGNORE INTO main.response_source "
        "(response, file, sample_id, epoch, uuid, prompt) "
        f"SELECT {slot}, ours.id, sample_id, epoch, uuid, prompt "
        f"FROM other.response_source AS theirs {maps} "
        "JOIN other.source_file AS file ON file.id = theirs.file "
        "JOIN main.source_file AS ours USING (name, format, eval_id) " + usable
    )
    connection.execute(
        "INSERT OR IGNORE INTO main.source_score (response, grader, score, part, value) "
        f"SELECT {slot}, g.ours, score, part, value FROM other.source_score AS theirs {maps} "
        "JOIN grader_of AS g ON g.theirs = theirs.grader " + usable
    )


_SAMPLE, _VALUE = "a sample's id", "a score"


def _source(
    row: tuple[int, str, str, str, str | None, int | None, str | None, str | None],
) -> ResponseSource:
    slot, name, form, eval_id, sample, epoch, uuid, prompt = row
    return ResponseSource(
        slot,
        SourceFile(name, form, eval_id),
        None if sample is None else read_sample(sample),
        epoch,
        uuid,
        prompt,
    )


def read_sample(text: str) -> str | int:
    """A sample's id as it is stored."""
    value = read_json(text, _SAMPLE)
    if not isinstance(value, str | int):
        raise unreadable(_SAMPLE, text)
    return value


STORED = (
    StoredValues("response_source", "sample_id", read_sample, "response", "sample_id IS NOT NULL"),
    StoredValues("source_score", "value", lambda text: read_json(text, _VALUE), "response"),
)
