"""The full-text index: what is in it, and bringing it up to date.

Two append-only FTS5 tables that keep no texts: `fact_text` has a document for each fact (its
names, questions and golds), `answer_text` one for each question (the distinct texts of all its
responses). `searchable` says what is in them: under a question's id how many of its responses,
under a fact's negative id which versions of its texts. What has changed gets one more document,
of the next generation. The words of older ones stay behind, harmless: where a search is found is
read from the texts as they are now (`db.search.hit`).
"""

import json
import sqlite3
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from db.connection import read_transaction, write_transaction
from db.slot_ids import unpack

Ints = npt.NDArray[np.int64]

GENERATION_BIT = 42
"""A document's row id is a fact's or question's id below this bit, its generation above."""

FACTS_AT_ONCE = 200
RESPONSES_AT_ONCE = 20_000
"""Indexed in one transaction, in some 50 ms: others who write wait no longer than that."""

QUESTIONS_AT_ONCE = 65_536
"""Looked at in one statement: a million of them as numbers of Python take megabytes."""

LONGEST_TEXT = 100_000
"""Characters of one response that can be found."""

_SUM = "sum((id % 1000003) * (id % 1000003))"
"""Of the ids in use. Versions go out of use and come back, so sums of ids alone would meet."""

_STATES = f"""
SELECT fact.id AS id, coalesce(q.total, 0) + coalesce(g.total, 0) AS state FROM fact
LEFT JOIN (SELECT fact, {_SUM} AS total FROM question WHERE current GROUP BY fact) AS q
    ON q.fact = fact.id
LEFT JOIN (SELECT fact, {_SUM} AS total FROM gold WHERE current GROUP BY fact) AS g
    ON g.fact = fact.id
"""
_STATE = f"""
coalesce((SELECT {_SUM} FROM question WHERE fact = value AND current), 0)
+ coalesce((SELECT {_SUM} FROM gold WHERE fact = value AND current), 0)
"""
_DRAWN = "(SELECT count(*) FROM response WHERE id BETWEEN value << 20 AND ((value + 1) << 20) - 1)"

_NOTED = """
INSERT INTO searchable (key, state, generation) SELECT {sign}value, {state}, 0
FROM json_each(?) WHERE true
ON CONFLICT (key) DO UPDATE SET state = excluded.state, generation = generation + 1
    WHERE state <> excluded.state
RETURNING {sign}key, generation, state
"""
_ROW = f"(changed.value ->> 0) | ((changed.value ->> 1) << {GENERATION_BIT})"

_FACT_TEXTS = """
    page_title, subject, object,
    (SELECT group_concat(DISTINCT text) FROM question
        WHERE fact = fact.id AND current AND task NOT IN ('completion', 'contextual')),
    (SELECT group_concat(text) FROM question
        WHERE fact = fact.id AND current AND task IN ('completion', 'contextual')),
    category || ' ' || fact_id
        || coalesce((SELECT group_concat(' ' || text) FROM gold
            WHERE fact = fact.id AND current), '')
        || coalesce((SELECT group_concat(' ' || value) FROM gold, json_each(aliases)
            WHERE fact = fact.id AND current), '')
        || coalesce((SELECT group_concat(' ' || value) FROM question, json_each(choices)
            WHERE fact = fact.id AND current), '')
"""
"""The columns of `fact_text`: title, subject, object, asked, source, other."""

_FACT_DOCUMENTS = f"""
INSERT INTO fact_text (rowid, title, subject, object, asked, source, other)
SELECT {_ROW}, {_FACT_TEXTS}
FROM json_each(?) AS changed JOIN fact ON fact.id = changed.value ->> 0
ORDER BY 1
"""
_ANSWER_DOCUMENTS = f"""
INSERT INTO answer_text (rowid, text)
SELECT {_ROW},
    (SELECT group_concat(DISTINCT substr(text, 1, {LONGEST_TEXT})) FROM response
        WHERE id BETWEEN (changed.value ->> 0) << 20 AND ((changed.value ->> 0) + 1 << 20) - 1)
FROM json_each(?) AS changed
ORDER BY 1
"""


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """How much of what was to be indexed is, in documents (of facts, and of questions)."""

    done: int
    total: int


def catch_up(connection: sqlite3.Connection, drawn: Ints) -> Generator[IndexProgress, None, None]:
    """Index what is new, facts first, step by step; each step is one short transaction.

    `drawn` has the number of responses by question id (`grids.per_question`). After a step it
    waits as long as the step took, so that others get to write. Stopping between steps loses
    nothing; several programs may do this at once.
    """
    with read_transaction(connection):
        facts = _changed_facts(connection)
        questions = _changed_questions(connection, drawn)
    total, done = len(facts) + len(questions), 0
    for index, part in _steps(facts, questions, drawn):
        began = time.monotonic()
        with write_transaction(connection):
            index(connection, part)
        took = time.monotonic() - began
        done += len(part)
        yield IndexProgress(done, total)
        time.sleep(took)


_Step = tuple[Callable[[sqlite3.Connection, Sequence[int]], None], Sequence[int]]


def _steps(facts: Sequence[int], questions: Sequence[int], drawn: Ints) -> Iterator[_Step]:
    for start in range(0, len(facts), FACTS_AT_ONCE):
        yield _index_facts, facts[start : start + FACTS_AT_ONCE]
    part: list[int] = []
    size = 0
    for question in questions:
        part.append(question)
        size += int(drawn[question]) if question < len(drawn) else 0
        if size >= RESPONSES_AT_ONCE:
            yield _index_answers, part
            part, size = [], 0
    if part:
        yield _index_answers, part


def _changed_facts(connection: sqlite3.Connection) -> list[int]:
    row = connection.execute(
        f"SELECT json_group_array(s.id) FROM ({_STATES} ORDER BY fact.id) AS s "
        "LEFT JOIN searchable ON key = -s.id WHERE searchable.state IS NOT s.state"
    ).fetchone()
    facts: list[int] = json.loads(row[0])
    return facts


def _changed_questions(connection: sqlite3.Connection, drawn: Ints) -> list[int]:
    (newest,) = connection.execute("SELECT coalesce(max(key), 0) FROM searchable").fetchone()
    missing = np.zeros(max(len(drawn), newest + 1), np.int64)
    missing[: len(drawn)] = drawn
    for first in range(1, newest + 1, QUESTIONS_AT_ONCE):
        keys, states = connection.execute(
            "SELECT json_group_array(key), json_group_array(state) FROM searchable "
            "WHERE key BETWEEN ? AND ?",
            (first, first + QUESTIONS_AT_ONCE - 1),
        ).fetchone()
        missing[np.array(json.loads(keys), np.intp)] -= np.array(json.loads(states), np.int64)
    found: list[int] = np.flatnonzero(missing).tolist()
    return found


def _index_facts(connection: sqlite3.Connection, facts: Sequence[int]) -> None:
    """Add documents for those of these facts that have changed."""
    changed = connection.execute(
        _NOTED.format(sign="-", state=_STATE), (json.dumps(facts),)
    ).fetchall()
    connection.execute(_FACT_DOCUMENTS, (json.dumps(changed),))


def _index_answers(connection: sqlite3.Connection, questions: Sequence[int]) -> None:
    """Add documents for those of these questions that have other responses now."""
    changed = connection.execute(
        _NOTED.format(sign="", state=_DRAWN), (json.dumps(questions),)
    ).fetchall()
    connection.execute(_ANSWER_DOCUMENTS, (json.dumps([row for row in changed if row[2]]),))


def outdate(connection: sqlite3.Connection, slots: Sequence[int]) -> None:
    """Have the questions of these slots indexed again. Inside a transaction."""
    questions = sorted({unpack(slot)[0] for slot in slots})
    connection.execute(
        "UPDATE searchable SET state = 0 WHERE key IN (SELECT value FROM json_each(?))",
        (json.dumps(questions),),
    )


def forget(connection: sqlite3.Connection) -> None:
    """Empty the index, for one that `is_broken`; `catch_up` builds it anew."""
    with write_transaction(connection):
        clear(connection)


def clear(connection: sqlite3.Connection) -> None:
    """Empty the index: ids in it may come to mean something else. Inside a transaction."""
    for table in ("fact_text", "answer_text"):
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('delete-all')")
    connection.execute("DELETE FROM searchable")


def is_broken(error: sqlite3.Error) -> bool:
    """Whether it is the index alone that cannot be read: `forget` mends it."""
    return error.sqlite_errorcode == sqlite3.SQLITE_CORRUPT_VTAB


def texts_to_index(connection: sqlite3.Connection, all_facts: bool) -> Iterator[tuple[Any, ...]]:
    """Facts (ids) that are not in the index, each with the texts that a document of it has.

    All facts, for an index that is broken.
    """
    missing = "NOT EXISTS (SELECT 1 FROM searchable WHERE key = -fact.id)"
    yield from connection.execute(
        f"SELECT id, {_FACT_TEXTS} FROM fact WHERE ? OR {missing}", (all_facts,)
    )


def has_all_facts(connection: sqlite3.Connection) -> bool:
    """Whether every fact is in the index."""
    newest, indexed = connection.execute(
        "SELECT (SELECT max(id) FROM fact), (SELECT min(key) FROM searchable)"
    ).fetchone()
    return newest is None or indexed == -newest


def has_all_answers(connection: sqlite3.Connection, drawn: Ints) -> bool:
    """Whether as many responses are in the index as are drawn (by question id)."""
    row = connection.execute("SELECT total(state) FROM searchable WHERE key > 0").fetchone()
    return int(row[0]) == int(drawn.sum())
