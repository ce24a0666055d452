"""Scores of another database, attached as `other`, by natural keys: models, setups and facts.

Needs `fact_of`, `model_of` and `gold_apart`. Scores that rest on another gold are left out.
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from db.option_scores import (
    FACT_BITS,
    MAX_FACT,
    OptionList,
    OptionNumbers,
    StoredScore,
    insert_list,
    insert_scores,
    lists_of,
    read_list,
    read_logprobs,
    scores_at,
)

ROWS_AT_ONCE = 10_000

ScoreClash = tuple[str, str, int]
"""The fact, the model, and the number of examples of a score that is there otherwise."""


@dataclass(frozen=True, slots=True)
class _OwnList:
    """One of our lists for one of theirs, and where its options stand there."""

    id: int
    order: list[int] | None


def take_over(connection: sqlite3.Connection) -> list[ScoreClash]:
    """Add the scores that we have not; gives those that are there otherwise. In a transaction."""
    taken = _take_lists(connection)
    clashes: list[ScoreClash] = []
    for theirs, ours, model, examples in _series(connection):
        for rows in _scores(connection, theirs, taken):
            there = scores_at(connection, ours, rows)
            fresh = [one for fact, one in rows.items() if fact not in there]
            insert_scores(connection, ours, fresh)
            clashes += [
                (_name(connection, fact), model, examples)
                for fact, one in there.items()
                if not _alike(one, rows[fact])
            ]
    return clashes


def _take_lists(connection: sqlite3.Connection) -> dict[int, _OwnList]:
    """Our list for each of theirs, made where it is new, by their ids."""
    numbers = OptionNumbers(connection)
    theirs = {
        key: numbers[text]
        for key, text in connection.execute("SELECT id, text FROM other.option_text").fetchall()
    }
    mine: dict[tuple[int, int, tuple[int, ...] | None], OptionList] = {}
    for one in lists_of(connection):
        mine.setdefault((one.fact, one.length, _sort_texts(one.texts)), one)
    taken = {}
    rows = connection.execute(
        "SELECT theirs.id, ours, length, texts, chosen FROM other.option_list AS theirs "
        "JOIN fact_of ON fact_of.theirs = theirs.fact WHERE ours NOT IN "
        "(SELECT fact FROM gold_apart WHERE side = 'object') ORDER BY theirs.id"
    ).fetchall()
    for key, fact, length, blob, chosen in rows:
        stored = read_list(length, blob)
        texts = None if stored is None else tuple(theirs[one] for one in stored)
        sought = (fact, length, _sort_texts(texts))
        if sought not in mine:
            added = insert_list(connection, fact, length, texts, bool(chosen))
            mine[sought] = OptionList(added, fact, length, texts, bool(chosen))
        found = mine[sought]
        order = None
        if texts is not None and found.texts is not None and texts != found.texts:
            order = [texts.index(one) for one in found.texts]
        taken[key] = _OwnList(found.id, order)
    return taken


def _sort_texts(texts: tuple[int, ...] | None) -> tuple[int, ...] | None:
    return None if texts is None else tuple(sorted(texts))


def _series(connection: sqlite3.Connection) -> list[tuple[int, int, str, int]]:
    """Their series with our ids, models and numbers of examples; those that are new are made."""
    same = "form, examples, seed, example_order, inject, options, tokens"
    connection.execute(
        f"INSERT OR IGNORE INTO main.score_series (model, {same}) SELECT model_of.ours, {same} "
        "FROM other.score_series JOIN model_of ON model_of.theirs = model ORDER BY id"
    )
    return connection.execute(
        "SELECT theirs.id, mine.id, label, theirs.examples FROM other.score_series AS theirs "
        "JOIN model_of ON model_of.theirs = theirs.model "
        "JOIN main.model ON model.id = model_of.ours "
        "JOIN main.score_series AS mine ON mine.model = model_of.ours "
        "AND (mine.form, mine.examples, mine.seed, mine.example_order, mine.inject, mine.options, "
        "mine.tokens) = (theirs.form, theirs.examples, theirs.seed, theirs.example_order, "
        "theirs.inject, theirs.options, theirs.tokens) ORDER BY theirs.id"
    ).fetchall()


def _scores(
    connection: sqlite3.Connection, series: int, taken: dict[int, _OwnList]
) -> Iterator[dict[int, StoredScore]]:
    """Their scores of a series by our facts, some at once."""
    cursor = connection.execute(
        "SELECT ours, option_list, logprobs, response FROM other.option_score AS theirs "
        "JOIN fact_of ON fact_of.theirs = theirs.fact WHERE theirs.id BETWEEN ? AND ? "
        "AND ours NOT IN (SELECT fact FROM gold_apart WHERE side = 'object')",
        (series << FACT_BITS, series << FACT_BITS | MAX_FACT),
    )
    while rows := cursor.fetchmany(ROWS_AT_ONCE):
        found = {}
        for fact, named, blob, response in rows:
            if named is None:
                found[fact] = StoredScore(fact, None, None, response)
                continue
            logprobs, ours = read_logprobs(blob), taken[named]
            if logprobs is not None and ours.order is not None:
                logprobs = logprobs[ours.order]
            found[fact] = StoredScore(fact, ours.id, logprobs, response)
        yield found


def _alike(one: StoredScore, other: StoredScore) -> bool:
    if (one.option_list, one.response) != (other.option_list, other.response):
        return False
    if one.logprobs is None or other.logprobs is None:
        return one.logprobs is other.logprobs
    return np.array_equal(one.logprobs, other.logprobs, equal_nan=True)


def _name(connection: sqlite3.Connection, fact: int) -> str:
    row = connection.execute("SELECT fact_id FROM main.fact WHERE id = ?", (fact,)).fetchone()
    return str(row[0])
