"""Relations of triples: names within a set of triples, and which facts have one."""

import sqlite3
from typing import NamedTuple


class RelationRow(NamedTuple):
    """A relation of a set; `id` is what triples name."""

    id: int
    set_name: str
    name: str


class RelationKeys(dict[tuple[str, str], int]):
    """Ids of relations by set and name; one that is new is made. Inside a transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__({(one.set_name, one.name): one.id for one in relations(connection)})
        self._connection = connection

    def __missing__(self, key: tuple[str, str]) -> int:
        set_name, name = key
        run = self._connection.execute
        run("INSERT OR IGNORE INTO triple_set (name) VALUES (?)", (set_name,))
        (owner,) = run("SELECT id FROM triple_set WHERE name = ?", (set_name,)).fetchone()
        run("INSERT OR IGNORE INTO relation (triple_set, name) VALUES (?, ?)", (owner, name))
        row = run("SELECT id FROM relation WHERE (triple_set, name) = (?, ?)", (owner, name))
        found = self[key] = int(row.fetchone()[0])
        return found


def relations(connection: sqlite3.Connection) -> list[RelationRow]:
    """Every relation, in the order of their coming."""
    rows = connection.execute(
        "SELECT relation.id, triple_set.name, relation.name FROM relation "
        "JOIN triple_set ON triple_set.id = triple_set ORDER BY relation.id"
    )
    return [RelationRow(*row) for row in rows]


def has_relations(connection: sqlite3.Connection) -> bool:
    """Whether any triple has a relation."""
    row = connection.execute(
        "SELECT EXISTS (SELECT 1 FROM triple JOIN relation ON relation.id = triple.relation "
        "WHERE name <> '')"
    ).fetchone()
    return bool(row[0])


def set_of(connection: sqlite3.Connection, fact: int) -> str | None:
    """The set of the triple that a fact (its id) is, None where it is none."""
    row = connection.execute(
        "SELECT triple_set.name FROM triple JOIN relation ON relation.id = triple.relation "
        "JOIN triple_set ON triple_set.id = relation.triple_set WHERE fact = ?",
        (fact,),
    ).fetchone()
    return row[0] if row else None


def relation_of(connection: sqlite3.Connection, fact_id: str) -> int | None:
    """The relation (its id) of the triple that a fact is, None where it is none."""
    row = connection.execute(
        "SELECT relation FROM triple JOIN fact ON fact.id = triple.fact WHERE fact_id = ?",
        (fact_id,),
    ).fetchone()
    return int(row[0]) if row else None
