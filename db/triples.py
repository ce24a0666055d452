"""Sets of triples: facts with a subject, a relation and an object.

What a triple shares with other facts (subject, object with its aliases, views, category, its
question) is in `db.facts`, relations in `db.relations`.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter

from core.vocabulary import Side, Task
from db import facts, question_rows
from db.facts import Fact
from db.question_rows import Question
from db.relations import RelationKeys
from db.row_statements import insert_filled
from db.stored_values import ALIASES, StoredValues, read_texts

CHOICES = "choices of a triple"


@dataclass(frozen=True, slots=True)
class TripleRecord:
    """What a file says of a triple beside its fact; empty texts where it says nothing.

    `choices` are options given by the file, None where it gives none. `split` is the file's.
    """

    relation: str
    subject_id: str = ""
    property_id: str = ""
    object_id: str = ""
    answer_type: str = "entity"
    unit: str = ""
    tier: str = ""
    recitation: str = ""
    choices: tuple[str, ...] | None = None
    split: str = ""


@dataclass(frozen=True, slots=True)
class StoredTriple:
    """A triple as it is kept, with its set."""

    fact: Fact
    record: TripleRecord
    set_name: str


@dataclass(frozen=True, slots=True)
class RelationTriple:
    """What inputs and options need of a triple; `fact` is the fact's id, `fact_id` its name."""

    fact: int
    fact_id: str
    relation: int
    subject: str
    object: str
    aliases: tuple[str, ...] = ()
    split: str = ""
    choices: tuple[str, ...] | None = None


_COLUMNS = (
    "subject_id",
    "property_id",
    "object_id",
    "answer_type",
    "unit",
    "tier",
    "recitation",
    "split",
)


_OPTIONAL = ("choices", *(name for name in _COLUMNS if name != "answer_type"))

_values_of = attrgetter(*_COLUMNS)


def insert(
    connection: sqlite3.Connection,
    triples: Iterable[StoredTriple],
    added: Mapping[str, int] | None = None,
) -> None:
    """Add triples, with those of their facts that are new. Inside a transaction.

    `added` are ids of facts that the same transaction has added for them.
    """
    keys = RelationKeys(connection)
    new, there = list(triples), dict(added or {})
    rest = {one.fact.fact_id: one.fact for one in new if one.fact.fact_id not in there}
    known = facts.find_ids(connection, rest)
    for name, key in known.items():
        _complete_fact(connection, key, rest.pop(name))
    there |= known | facts.insert_absent(connection, rest.values())
    insert_filled(
        connection,
        "triple",
        ("fact", "relation", "choices", *_COLUMNS),
        [
            (
                there[one.fact.fact_id],
                keys[one.set_name, one.record.relation],
                None if one.record.choices is None else _dumps(one.record.choices),
                *_values_of(one.record),
            )
            for one in new
        ],
        _OPTIONAL,
    )


def _complete_fact(connection: sqlite3.Connection, key: int, fact: Fact) -> None:
    """Give a fact that is there (its id) what it lacks."""
    connection.execute(
        "UPDATE fact SET views = coalesce(views, :views), "
        "page_title = iif(page_title = '', :title, page_title), "
        "category = iif(category = '', :category, category), "
        "subject = iif(subject = '', :subject, subject), "
        "object = iif(object = '', :object, object) WHERE id = :key",
        {
            "views": fact.views,
            "title": fact.page_title,
            "category": fact.category,
            "subject": fact.subject,
            "object": fact.object,
            "key": key,
        },
    )
    gold = fact.golds[Side.OBJECT]
    connection.execute(
        "INSERT INTO gold (fact, side, version, text, aliases, current) "
        "SELECT ?1, ?2, 1, ?3, ?4, 1 "
        "WHERE NOT EXISTS (SELECT 1 FROM gold WHERE fact = ?1 AND side = ?2)",
        (key, Side.OBJECT, gold.text, _dumps(gold.aliases)),
    )
    asked = fact.questions.get(Task.DIRECT)
    if asked is not None and not has_question(connection, key):
        question_rows.add_question(connection, key, Task.DIRECT, Question(asked.text))


def has_question(connection: sqlite3.Connection, fact: int) -> bool:
    """Whether the triple that a fact (its id) is has a question."""
    row = connection.execute(
        "SELECT 1 FROM question WHERE fact = ? AND task = ?", (fact, Task.DIRECT)
    ).fetchone()
    return row is not None


def read_triples(
    connection: sqlite3.Connection, fact_ids: Iterable[str] | None = None
) -> Iterator[StoredTriple]:
    """Triples as they would be imported, in the order of the import of their facts."""
    records = None if fact_ids is not None else dict(_records(connection))
    for one in facts.read_facts(connection, fact_ids):
        if records is not None:
            there = records.get(one.fact_id)
        else:
            there = next((found for _, found in _records(connection, one.fact_id)), None)
        if there is not None:
            yield StoredTriple(one, *there)


def _records(
    connection: sqlite3.Connection, fact_id: str | None = None
) -> Iterator[tuple[str, tuple[TripleRecord, str]]]:
    """Facts with their records and sets: all, or one."""
    every = (
        "SELECT fact.fact_id, triple_set.name, relation.name, choices, "
        f"{', '.join(_COLUMNS)} FROM triple JOIN fact ON fact.id = triple.fact "
        "JOIN relation ON relation.id = triple.relation "
        "JOIN triple_set ON triple_set.id = relation.triple_set"
    )
    if fact_id is None:
        rows = connection.execute(every)
    else:
        rows = connection.execute(f"{every} WHERE fact.fact_id = ?", (fact_id,))
    for name, set_name, relation, choices, *values in rows:
        named = dict(zip(_COLUMNS, values, strict=True))
        yield name, (TripleRecord(relation, choices=_read_choices(choices), **named), set_name)


def read_relation_triples(
    connection: sqlite3.Connection, wanted: Iterable[int], rejected: bool = False
) -> Iterator[RelationTriple]:
    """Triples with a subject of these relations (ids); with `rejected` also those of such facts.

    They come in the order of the import of their facts, with the objects that are current.
    """
    rows = connection.execute(
        "SELECT fact.id, fact.fact_id, triple.relation, fact.subject, gold.text, gold.aliases, "
        "triple.split, triple.choices FROM triple JOIN fact ON fact.id = triple.fact "
        "JOIN gold ON gold.fact = fact.id AND gold.side = 'object' AND gold.current "
        "WHERE (? OR NOT fact.rejected) AND fact.subject <> '' "
        "AND triple.relation IN (SELECT value FROM json_each(?)) ORDER BY fact.id",
        (rejected, _dumps(list(wanted))),
    )
    for fact, fact_id, relation, subject, object_, aliases, split, choices in rows:
        names = () if aliases == "[]" else read_texts(aliases, ALIASES)
        yield RelationTriple(
            fact, fact_id, relation, subject, object_, names, split, _read_choices(choices)
        )


def _read_choices(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else read_texts(text, CHOICES)


def _dumps(values: object) -> str:
    return json.dumps(values, ensure_ascii=False)


def take_over(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Add the triples of the attached database `other` to our facts; in a transaction.

    Needs `fact_of`. Gives the facts that are triples here with another set, relation or record.
    """
    of_other = (
        "FROM other.triple AS theirs JOIN fact_of ON fact_of.theirs = theirs.fact "
        "JOIN other.relation AS r ON r.id = theirs.relation "
        "JOIN other.triple_set AS s ON s.id = r.triple_set"
    )
    run = connection.execute
    run(
        "INSERT OR IGNORE INTO main.triple_set (name) SELECT name FROM other.triple_set ORDER BY id"
    )
    run(
        "INSERT OR IGNORE INTO main.relation (triple_set, name) SELECT mine.id, theirs.name "
        "FROM other.relation AS theirs JOIN other.triple_set AS s ON s.id = theirs.triple_set "
        "JOIN main.triple_set AS mine ON mine.name = s.name ORDER BY theirs.id"
    )
    run(
        "CREATE TEMP TABLE relation_of AS SELECT theirs.id AS theirs, ours.id AS ours "
        "FROM other.relation AS theirs JOIN other.triple_set AS s ON s.id = theirs.triple_set "
        "JOIN main.triple_set AS mine ON mine.name = s.name "
        "JOIN main.relation AS ours ON ours.triple_set = mine.id AND ours.name = theirs.name"
    )
    run("CREATE UNIQUE INDEX temp.relation_of_theirs ON relation_of (theirs)")
    pairs = [("relation", "x.ours"), *((name, f"theirs.{name}") for name in (*_COLUMNS, "choices"))]
    differing = " UNION ALL ".join(
        f"SELECT '{name}' AS name, fact_of.ours AS fact {of_other} "
        "JOIN relation_of AS x ON x.theirs = theirs.relation "
        f"JOIN main.triple AS mine ON mine.fact = fact_of.ours WHERE mine.{name} IS NOT {value}"
        for name, value in pairs
    )
    clashes = run(
        f"SELECT fact_id, group_concat(name, ', ') FROM ({differing}) "
        "JOIN main.fact ON fact.id = fact GROUP BY fact_id"
    ).fetchall()
    columns = ", ".join((*_COLUMNS, "choices"))
    run(
        f"INSERT OR IGNORE INTO main.triple (fact, relation, {columns}) "
        f"SELECT fact_of.ours, x.ours, {columns} {of_other} "
        "JOIN relation_of AS x ON x.theirs = theirs.relation ORDER BY theirs.fact"
    )
    return clashes


STORED = (StoredValues("triple", "choices", _read_choices, key="fact"),)
