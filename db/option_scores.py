"""Log probabilities of options: lists of options, series of scores, and one row a fact.

A score's id is its series and its fact in one integer, so that a series lies in one stretch of
the table. A list of options is shared by all models; its gold stands first.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass

import numpy as np
import numpy.typing as npt

from db.row_statements import insert_rows
from db.sqlite_errors import DatabaseError, StoredValueError
from db.stored_values import StoredValues

FACT_BITS = 40
MAX_FACT = (1 << FACT_BITS) - 1
MAX_SERIES = (1 << 23) - 1
RESPONSES = 0
"""The number of options of a series that has responses alone."""
RESPONSE_TOKENS = 10
"""The tokens that a model goes on with, where another number was not asked for."""

Logprobs = npt.NDArray[np.float32]


def score_id(series: int, fact: int) -> int:
    """The id of the score of a fact in a series."""
    return series << FACT_BITS | fact


@dataclass(frozen=True, slots=True)
class SeriesKey:
    """A model under one setup, as the file keeps it; `inject` is empty for nothing.

    `tokens` is how far a model went on; a series with options has the usual number.
    """

    model: str
    form: str
    examples: int
    seed: int
    order: int
    inject: str
    options: int
    tokens: int = RESPONSE_TOKENS


@dataclass(frozen=True, slots=True)
class ScoreSeries:
    """A series with its id."""

    id: int
    key: SeriesKey


@dataclass(frozen=True, slots=True)
class OptionList:
    """Options of a fact by their numbers, the gold first; None where their texts are unknown.

    `chosen`: they were chosen here, for every model that is asked; else a file brought them.
    """

    id: int
    fact: int
    length: int
    texts: tuple[int, ...] | None
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class StoredScore:
    """What is kept of a fact in a series: log probabilities in the order of a list, a response."""

    fact: int
    option_list: int | None
    logprobs: Logprobs | None
    response: str | None


_SETUP = "form, examples, seed, example_order, inject, options, tokens"
_KEY = f"model, {_SETUP}"


def ensure_series(connection: sqlite3.Connection, key: SeriesKey, model: int) -> int:
    """The id of a series of a model (its id), made where it is new. Inside a transaction."""
    _, *setup = astuple(key)
    values = (model, *setup)
    connection.execute(
        f"INSERT OR IGNORE INTO score_series ({_KEY}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values
    )
    row = connection.execute(
        f"SELECT id FROM score_series WHERE ({_KEY}) = (?, ?, ?, ?, ?, ?, ?, ?)", values
    ).fetchone()
    if row is None:
        raise DatabaseError(f"one database holds at most {MAX_SERIES:,} models in setups")
    return int(row[0])


def read_series(connection: sqlite3.Connection) -> list[ScoreSeries]:
    """Every series, in the order of their coming."""
    rows = connection.execute(
        f"SELECT score_series.id, label, {_SETUP} "
        "FROM score_series JOIN model ON model.id = model ORDER BY score_series.id"
    )
    return [ScoreSeries(key, SeriesKey(*values)) for key, *values in rows]


class OptionNumbers(dict[str, int]):
    """Numbers of option texts; one that is new is made. Inside a transaction.

    `texts` has the texts by their numbers.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection.execute("SELECT text, id FROM option_text"))
        self._connection = connection
        self.texts = {number: text for text, number in self.items()}

    def __missing__(self, text: str) -> int:
        self._connection.execute("INSERT OR IGNORE INTO option_text (text) VALUES (?)", (text,))
        row = self._connection.execute(
            "SELECT id FROM option_text WHERE text = ?", (text,)
        ).fetchone()
        found = self[text] = int(row[0])
        self.texts[found] = text
        return found


def numbers_of(connection: sqlite3.Connection, texts: Iterable[str]) -> tuple[int, ...]:
    """Numbers of a few option texts; those that are new are made. Inside a transaction."""
    found = []
    for text in texts:
        connection.execute("INSERT OR IGNORE INTO option_text (text) VALUES (?)", (text,))
        row = connection.execute("SELECT id FROM option_text WHERE text = ?", (text,)).fetchone()
        found.append(int(row[0]))
    return tuple(found)


def texts_of(connection: sqlite3.Connection, numbers: Iterable[int]) -> dict[int, str]:
    """Texts of a few options by their numbers."""
    rows = connection.execute(
        "SELECT id, text FROM option_text WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(numbers)),),
    )
    return dict(rows.fetchall())


def option_texts(connection: sqlite3.Connection) -> dict[int, str]:
    """Texts of options by their numbers."""
    return dict(connection.execute("SELECT id, text FROM option_text"))


def lists_of(
    connection: sqlite3.Connection, facts: Iterable[int] | None = None
) -> Iterator[OptionList]:
    """The lists of these facts (ids; all by default), the oldest first."""
    every = "SELECT id, fact, length, texts, chosen FROM option_list"
    if facts is None:
        yield from map(_option_list, connection.execute(f"{every} ORDER BY id"))
        return
    for fact in facts:
        rows = connection.execute(f"{every} WHERE fact = ? ORDER BY id", (fact,))
        yield from map(_option_list, rows)


def _option_list(row: tuple[int, int, int, bytes | None, int]) -> OptionList:
    key, fact, length, blob, chosen = row
    return OptionList(key, fact, length, read_list(length, blob), bool(chosen))


def insert_list(
    connection: sqlite3.Connection,
    fact: int,
    length: int,
    texts: Sequence[int] | None,
    chosen: bool = False,
) -> int:
    """Add a list of options, the gold first; gives its id. Inside a transaction."""
    blob = None if texts is None else np.array(texts, "<u4").tobytes()
    cursor = connection.execute(
        "INSERT INTO option_list (fact, length, texts, chosen) VALUES (?, ?, ?, ?)",
        (fact, length, blob, chosen),
    )
    return int(cursor.lastrowid or 0)


def scores_at(
    connection: sqlite3.Connection, series: int, facts: Iterable[int]
) -> dict[int, StoredScore]:
    """What a series has of these facts, by fact."""
    found = {}
    for fact in facts:
        row = connection.execute(
            "SELECT fact, option_list, logprobs, response FROM option_score WHERE id = ?",
            (score_id(series, fact),),
        ).fetchone()
        if row is not None:
            found[fact] = _stored_score(row)
    return found


def scores_of(connection: sqlite3.Connection, series: int) -> Iterator[StoredScore]:
    """All scores of a series, by fact."""
    rows = connection.execute(
        "SELECT fact, option_list, logprobs, response FROM option_score "
        "WHERE id BETWEEN ? AND ? ORDER BY id",
        (score_id(series, 0), score_id(series, MAX_FACT)),
    )
    return map(_stored_score, rows)


def scored_relations(connection: sqlite3.Connection, relations: Iterable[int]) -> set[int]:
    """Those of these relations (ids) of whose facts there is some score."""
    query = (
        "SELECT EXISTS (SELECT 1 FROM triple JOIN score_series JOIN option_score AS score "
        f"ON score.id = (score_series.id << {FACT_BITS}) | triple.fact WHERE triple.relation = ?)"
    )
    return {one for one in relations if connection.execute(query, (one,)).fetchone()[0]}


def insert_scores(
    connection: sqlite3.Connection, series: int, scores: Iterable[StoredScore]
) -> None:
    """Add scores that are new to a series. Inside a transaction."""
    rows = sorted(
        (score_id(series, one.fact), one.option_list, _blob(one.logprobs), one.response)
        for one in scores
    )
    insert_rows(connection, "option_score", ("id", "option_list", "logprobs", "response"), rows)


def replace_scores(
    connection: sqlite3.Connection, series: int, scores: Iterable[StoredScore]
) -> None:
    """Put these scores in the place of those of their facts. Inside a transaction."""
    connection.executemany(
        "UPDATE option_score SET option_list = ?, logprobs = ?, response = ? WHERE id = ?",
        [
            (one.option_list, _blob(one.logprobs), one.response, score_id(series, one.fact))
            for one in scores
        ],
    )


def _blob(logprobs: Logprobs | None) -> bytes | None:
    return None if logprobs is None else logprobs.astype("<f4").tobytes()


def _stored_score(row: tuple[int, int | None, bytes | None, str | None]) -> StoredScore:
    fact, option_list, blob, response = row
    return StoredScore(fact, option_list, read_logprobs(blob), response)


def read_logprobs(blob: bytes | None) -> Logprobs | None:
    """Stored log probabilities."""
    if blob is None:
        return None
    if len(blob) % 4:
        raise StoredValueError("log probabilities", f"{len(blob)} bytes")
    return np.frombuffer(blob, "<f4")


def read_list(length: int, blob: bytes | None) -> tuple[int, ...] | None:
    """A stored list of options by their numbers."""
    if blob is None:
        return None
    if len(blob) != 4 * length:
        raise StoredValueError("a list of options", f"{len(blob)} bytes of {length} options")
    return tuple(np.frombuffer(blob, "<u4").tolist())


STORED = (
    StoredValues("option_list", "length, texts", read_list),
    StoredValues("option_score", "logprobs", read_logprobs),
)
