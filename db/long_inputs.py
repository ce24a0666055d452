"""Long inputs of relations, with the log probability of the object at each place."""

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from db.sqlite_errors import StoredValueError
from db.stored_values import StoredValues, read_json, unreadable

PLACES = "places of a long input"
KINDS = ("clean", "incorrect", "unknown")


@dataclass(frozen=True, slots=True)
class LongInputKey:
    """What tells long inputs apart; `relation` is an id, `inject` is empty for nothing."""

    model: str
    relation: int
    examples: int
    seed: int
    inject: str


@dataclass(frozen=True, slots=True)
class StoredPlace:
    """An example of a long input; `kind` is one of `KINDS`."""

    subject: str
    object: str
    kind: str
    logprob: float | None


@dataclass(frozen=True, slots=True)
class StoredInput:
    """A long input as it is kept."""

    key: LongInputKey
    places: tuple[StoredPlace, ...]


def round_logprob(logprob: float) -> float:
    """A log probability as exact as it is kept."""
    return float(np.float32(logprob))


def insert(connection: sqlite3.Connection, model: int, one: StoredInput) -> None:
    """Add a long input of a model (its id), in the place of one of its key. In a transaction."""
    key = one.key
    texts = [(place.subject, place.object, place.kind) for place in one.places]
    logprobs = np.array([place.logprob for place in one.places], np.float64)
    connection.execute(
        "INSERT OR REPLACE INTO long_input "
        "(model, relation, examples, seed, inject, places, logprobs) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            model,
            key.relation,
            key.examples,
            key.seed,
            key.inject,
            json.dumps(texts, ensure_ascii=False),
            logprobs.astype("<f4").tobytes(),
        ),
    )


def read_inputs(connection: sqlite3.Connection) -> Iterator[StoredInput]:
    """All long inputs, in the order of their coming."""
    rows = connection.execute(
        "SELECT label, relation, examples, seed, inject, places, logprobs FROM long_input "
        "JOIN model ON model.id = model ORDER BY long_input.id"
    )
    for *key, places, logprobs in rows:
        yield StoredInput(LongInputKey(*key), _read_places(places, logprobs))


def find(connection: sqlite3.Connection, key: LongInputKey) -> StoredInput | None:
    """The long input of a key, None where there is none."""
    row = connection.execute(
        "SELECT places, logprobs FROM long_input JOIN model ON model.id = model WHERE "
        "(label, relation, examples, seed, inject) = (?, ?, ?, ?, ?)",
        (key.model, key.relation, key.examples, key.seed, key.inject),
    ).fetchone()
    return None if row is None else StoredInput(key, _read_places(*row))


def _read_places(text: str, blob: bytes) -> tuple[StoredPlace, ...]:
    places = read_json(text, PLACES)
    if not isinstance(places, list) or not all(map(_is_place, places)):
        raise unreadable(PLACES, text)
    if len(blob) != 4 * len(places):
        raise StoredValueError(PLACES, f"{len(blob)} bytes of {len(places)} places")
    found = np.frombuffer(blob, "<f4").astype(np.float64).tolist()
    return tuple(
        StoredPlace(subject, object_, kind, logprob if logprob == logprob else None)
        for (subject, object_, kind), logprob in zip(places, found, strict=True)
    )


def _is_place(value: Any) -> bool:
    texts = isinstance(value, list) and list(map(type, value)) == [str, str, str]
    return texts and value[2] in KINDS


def take_over(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Add the long inputs of the attached database `other`; in a transaction.

    Needs `relation_of` and `model_of`. Gives model and relation of those that are there
    with other numbers.
    """
    joined = (
        "FROM other.long_input AS theirs JOIN relation_of ON relation_of.theirs = theirs.relation "
        "JOIN model_of ON model_of.theirs = theirs.model "
        "JOIN main.model AS mine ON mine.id = model_of.ours "
    )
    clashes = connection.execute(
        f"SELECT label, relation.name {joined} JOIN main.long_input AS ours "
        "ON ours.model = mine.id AND ours.relation = relation_of.ours "
        "AND (ours.examples, ours.seed, ours.inject) = "
        "(theirs.examples, theirs.seed, theirs.inject) "
        "JOIN main.relation ON relation.id = ours.relation "
        "WHERE (ours.places, ours.logprobs) <> (theirs.places, theirs.logprobs)"
    ).fetchall()
    connection.execute(
        "INSERT OR IGNORE INTO main.long_input "
        "(model, relation, examples, seed, inject, places, logprobs) "
        "SELECT mine.id, relation_of.ours, examples, seed, inject, places, logprobs "
        f"{joined} ORDER BY theirs.id"
    )
    return clashes


STORED = (StoredValues("long_input", "places, logprobs", _read_places),)
