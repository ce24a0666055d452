"""Arms: models in one mode, with the exemplars that were sent.

An arm's responses are those of its own model row, whose label names the mode. What is kept here is
what such a label does not say; arms that were imported have none of it.
"""

import sqlite3
from dataclasses import dataclass

from db.model_rows import ensure_model
from db.row_statements import insert_rows
from db.stored_values import StoredValues


@dataclass(frozen=True, slots=True)
class StoredExemplar:
    """An exemplar as it was sent; places count from 1.

    `fact` is the id of its fact, `answer_of` that of the fact whose answer it was shown with.
    `gold` and `answer` are texts as shown. `known` says whether the model knew it, None where
    that was not found out.
    """

    place: int
    fact: int
    question: str
    gold: str
    answer: str
    answer_of: int
    known: bool | None


@dataclass(frozen=True, slots=True)
class StoredArm:
    """An arm with its exemplars.

    `base` is the label of its model without the mode, `known_by` the grader that says what is
    known, empty where none was asked. `prompt` has a place for the question.
    """

    label: str
    set_name: str
    base: str
    mode: str
    seed: int
    known_by: str
    prompt: str
    exemplars: tuple[StoredExemplar, ...]


_EXEMPLAR = ("place", "fact", "question", "gold", "answer", "answer_of", "known")


def insert(connection: sqlite3.Connection, arm: StoredArm) -> None:
    """Add an arm to a set that is there. Inside a transaction."""
    cursor = connection.execute(
        "INSERT INTO arm (model, triple_set, base, mode, seed, known_by, prompt) "
        "SELECT ?, id, ?, ?, ?, ?, ? FROM triple_set WHERE name = ?",
        (
            ensure_model(connection, arm.label),
            arm.base,
            arm.mode,
            arm.seed,
            arm.known_by,
            arm.prompt,
            arm.set_name,
        ),
    )
    rows = [
        (cursor.lastrowid, *(getattr(one, name) for name in _EXEMPLAR)) for one in arm.exemplars
    ]
    insert_rows(connection, "exemplar", ("arm", *_EXEMPLAR), rows)


def remove(connection: sqlite3.Connection, label: str, set_name: str) -> None:
    """Forget what was sent in an arm, so that it may be sent anew. Inside a transaction."""
    chosen = (
        "SELECT arm.id FROM arm JOIN model ON model.id = model "
        "JOIN triple_set ON triple_set.id = triple_set WHERE (label, name) = (?, ?)"
    )
    for table, column in (("exemplar", "arm"), ("arm", "id")):
        connection.execute(f"DELETE FROM {table} WHERE {column} IN ({chosen})", (label, set_name))


def sets_with_arms(connection: sqlite3.Connection, schema: str = "main") -> list[str]:
    """Names of the sets that have arms; `schema` may be an attached database."""
    rows = connection.execute(
        f"SELECT name FROM {schema}.triple_set AS owner WHERE EXISTS "
        f"(SELECT 1 FROM {schema}.arm WHERE arm.triple_set = owner.id) ORDER BY owner.id"
    )
    return [name for (name,) in rows]


def read_set_arms(
    connection: sqlite3.Connection, set_name: str, schema: str = "main"
) -> dict[str, StoredArm]:
    """The arms of a set by their labels, in the order of their coming."""
    arms_of = (
        f"{schema}.arm AS one JOIN {schema}.triple_set AS owner ON owner.id = one.triple_set "
        "AND owner.name = ?"
    )
    exemplars: dict[int, list[StoredExemplar]] = {}
    for arm, place, fact, question, gold, answer, answer_of, known in connection.execute(
        f"SELECT arm, {', '.join(_EXEMPLAR)} FROM {arms_of} "
        f"JOIN {schema}.exemplar ON arm = one.id ORDER BY arm, place",
        (set_name,),
    ):
        knew = None if known is None else bool(known)
        exemplar = StoredExemplar(place, fact, question, gold, answer, answer_of, knew)
        exemplars.setdefault(arm, []).append(exemplar)
    rows = connection.execute(
        "SELECT one.id, label, owner.name, base, mode, seed, known_by, prompt "
        f"FROM {arms_of} JOIN {schema}.model AS named ON named.id = one.model ORDER BY one.id",
        (set_name,),
    )
    return {
        label: StoredArm(
            label, owner, base, mode, seed, known_by, prompt, tuple(exemplars.get(key, ()))
        )
        for key, label, owner, base, mode, seed, known_by, prompt in rows
    }


STORED = (
    StoredValues("arm", "", lambda: None, texts="base, mode, known_by, prompt"),
    StoredValues("exemplar", "", lambda: None, key="rowid", texts="question, gold, answer"),
)
