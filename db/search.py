"""Full-text search: which facts a query finds, and where it stands in one of them.

Facts' own texts and answers are asked apart, as the first answer at once. Both queries run inside
SQLite in one statement, so `connection.interrupt()` stops them (`was_interrupted`).
"""

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np

import db.facts
from core.vocabulary import ENCODING, TASK_INDEX, Task
from db.search_index import (
    GENERATION_BIT,
    LONGEST_TEXT,
    Ints,
    has_all_facts,
    is_broken,
    texts_to_index,
)
from db.search_text import Query, Spot, Term, fold, spot
from db.slot_ids import slot
from db.stored_values import ALIASES, read_member, read_options, read_texts

_NAMES = "title subject object"
NAMES = len(_NAMES.split())
COLUMNS = (_NAMES, f"{_NAMES} asked", f"{_NAMES} asked source", f"{_NAMES} asked source other")
"""Columns in which all terms stand, by rank: names, questions, source text, golds and the rest."""

IN_ANSWERS = len(COLUMNS)
"""The rank of facts found by their answers."""

_FOUND = "SELECT json_group_array(rowid & {mask}) FROM {table} WHERE {table} MATCH ?"
_MASK = (1 << GENERATION_BIT) - 1


def facts(connection: sqlite3.Connection, query: Query) -> tuple[Ints, Ints]:
    """Facts with all terms in their own texts, best first, and their ranks (see `COLUMNS`).

    Facts of one rank stand as imported. Those that are not indexed yet are read, so the index
    changes nothing but the time it takes. A query without a word is looked for as it is typed.
    """
    if query.terms:
        facts, ranks = _rank_facts(connection, query)
    else:
        typed = sorted(db.facts.find_matching(connection, query.text)) if query.text else []
        facts, ranks = np.array(typed, np.int64), np.full(len(typed), IN_ANSWERS - 1)
    order = np.lexsort((facts, ranks))
    facts, ranks = facts[order], ranks[order]
    first = np.sort(np.unique(facts, return_index=True)[1])
    return facts[first], ranks[first]


def _rank_facts(connection: sqlite3.Connection, query: Query) -> tuple[Ints, Ints]:
    """Facts and ranks, in any order; of a fact a worse rank beside its best."""
    try:
        indexed, broken = _rank_indexed(connection, query), False
    except sqlite3.DatabaseError as error:
        if not is_broken(error):
            raise
        indexed, broken = [], True
    read: list[tuple[int, int]] = []
    if broken or not has_all_facts(connection):
        for fact, *texts in texts_to_index(connection, all_facts=broken):
            rank = _rank_of(query, texts)
            if rank is not None:
                read.append((fact, rank))
    rest = np.array(read, np.int64).reshape(-1, 2)
    ranks = np.repeat(np.arange(len(indexed)), [len(ids) for ids in indexed])
    return np.concatenate([*indexed, rest[:, 0]]), np.concatenate([ranks, rest[:, 1]])


def _rank_indexed(connection: sqlite3.Connection, query: Query) -> list[Ints]:
    """Indexed facts by rank, those of better ranks again."""
    terms = " AND ".join(map(_phrase, query.terms))
    return [_matches(connection, "fact_text", f"{{{columns}}} : ({terms})") for columns in COLUMNS]


def _rank_of(query: Query, texts: Sequence[str | None]) -> int | None:
    """The rank that the index would give texts, column by column; None where a term is in none."""
    folded = [fold(text or "") for text in texts]
    worst = 0
    for pattern in query.patterns:
        place = next((n for n, text in enumerate(folded) if pattern.search(text)), None)
        if place is None:
            return None
        worst = max(worst, place - NAMES + 1)
    return worst


def answers(connection: sqlite3.Connection, query: Query) -> Ints:
    """Questions in whose answers all terms stand, each in one of them; ids in order.

    None for single letters, which nearly all answers have. Words that must follow one another
    are looked for in the answers themselves.
    """
    if all(len(word) == 1 for term in query.terms for word in term.words):
        return np.empty(0, np.int64)
    expression = " AND ".join(_bag(term) for term in query.terms)
    try:
        if all(len(term.words) == 1 for term in query.terms):
            found = _matches(connection, "answer_text", expression)
        else:
            found = _find_saying(connection, expression, query)
    except sqlite3.DatabaseError as error:
        if not is_broken(error):
            raise
        return np.empty(0, np.int64)
    return np.unique(found)


def was_interrupted(error: sqlite3.Error) -> bool:
    """Whether a query ended because somebody called `connection.interrupt()`."""
    return error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT


def _phrase(term: Term) -> str:
    return f'"{" ".join(term.words)}"' + ("" if term.whole else " *")


def _bag(term: Term) -> str:
    """The words of a term in any order: positions of words in answers are not kept."""
    *first, last = term.words
    return " AND ".join([*(f'"{word}"' for word in first), _phrase(Term((last,), term.whole))])


def _matches(connection: sqlite3.Connection, table: str, expression: str) -> Ints:
    row = connection.execute(_FOUND.format(mask=_MASK, table=table), (expression,)).fetchone()
    return np.array(json.loads(row[0]), np.int64)


def _find_saying(connection: sqlite3.Connection, expression: str, query: Query) -> Ints:
    """Questions with the words of an expression, and answers that say every phrase.

    Of plain ASCII answers, `LIKE` leaves few to be read here.
    """
    phrases = [term for term in query.terms if len(term.words) > 1]
    with suppress(sqlite3.OperationalError):  # it is there, and a statement is using it
        connection.create_function("says", 2, _says, deterministic=True)
    said = "".join(
        " AND EXISTS (SELECT 1 FROM response "
        "WHERE response.id BETWEEN q.id << 20 AND ((q.id + 1) << 20) - 1 "
        "AND (text LIKE ? OR length(text) < length(CAST(text AS BLOB))) AND says(?, text))"
        for _ in phrases
    )
    likes = [f"%{'%'.join(term.words)}%" for term in phrases]
    row = connection.execute(
        f"SELECT json_group_array(id) FROM (SELECT DISTINCT rowid & {_MASK} AS id "
        f"FROM answer_text WHERE answer_text MATCH ?) AS q WHERE true{said}",
        (expression, *chain.from_iterable(zip(likes, (t.pattern for t in phrases), strict=True))),
    ).fetchone()
    return np.array(json.loads(row[0]), np.int64)


@lru_cache(maxsize=64)
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _says(pattern: str, text: str) -> bool:
    return _compile(pattern).search(fold(text)) is not None


@dataclass(frozen=True, slots=True)
class SearchHit:
    """Where a query stands: `text[start:end]`.

    `where` names it: `title`, `subject`, `object`, `category`, `id`, `gold`, `text` (the source
    text), a task for its question or options, `answer` for the response in `slot`.
    """

    where: str
    text: str
    start: int
    end: int
    question: int | None = None
    slot: int | None = None


_Text = tuple[str, str, int | None, int | None]
"""Where it stands, the text, its question and slot."""


def hit(
    connection: sqlite3.Connection, fact: int, query: Query, question: int = 0
) -> SearchHit | None:
    """The first text of a fact with the most terms; None where nothing is found (any more).

    With a question its answers come first, then the fact's own texts.
    """
    found = _best(query, _answer_texts(connection, question)) if question else None
    return found or _best(query, _fact_texts(connection, fact))


def _best(query: Query, texts: Iterable[_Text]) -> SearchHit | None:
    best: tuple[Spot, _Text] | None = None
    for one in texts:
        seen = spot(query, one[1])
        if seen and (best is None or seen.terms > best[0].terms):
            best = seen, one
            if seen.terms == len(query.terms):
                break
    if best is None:
        return None
    place, (where, text, question, key) = best
    return SearchHit(where, text, place.start, place.end, question, key)


def _answer_texts(connection: sqlite3.Connection, question: int) -> Iterator[_Text]:
    for key, text in connection.execute(
        f"SELECT id, substr(text, 1, {LONGEST_TEXT}) FROM response WHERE id BETWEEN ? AND ?",
        (slot(question, 0, 0), slot(question + 1, 0, 0) - 1),
    ):
        yield "answer", text, question, key


def _fact_texts(connection: sqlite3.Connection, fact: int) -> Iterator[_Text]:
    """All texts of a fact, those of the best rank first."""
    row = connection.execute(
        "SELECT page_title, subject, object, category, fact_id FROM fact WHERE id = ?", (fact,)
    ).fetchone()
    if row is None:
        return
    title, subject, object_, category, fact_id = row
    yield "title", title.replace("_", " "), None, None
    yield "subject", subject, None, None
    yield "object", object_, None, None
    questions = connection.execute(
        "SELECT id, task, text, choices FROM question WHERE fact = ? AND current", (fact,)
    ).fetchall()
    questions.sort(
        key=lambda one: (one[1] in ENCODING, TASK_INDEX[read_member(Task, one[1], "task")])
    )
    for key, task, text, _ in questions:
        yield "text" if task == Task.COMPLETION else task, text, key, None
    for text, aliases in connection.execute(
        "SELECT text, aliases FROM gold WHERE fact = ? AND current ORDER BY side", (fact,)
    ):
        for gold in (text, *read_texts(aliases, ALIASES)):
            yield "gold", gold, None, None
    yield "category", category, None, None
    yield "id", fact_id, None, None
    for key, task, _, choices in questions:
        for choice in read_options(choices) if choices else ():
            yield task, choice, key, None
