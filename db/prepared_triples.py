"""How sets of triples were prepared: what was dropped and why, tiers, splits, subsets.

A set is prepared as a whole: its rows are put in the place of all that were there. A triple that
came later has none until its set is prepared again.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from db.row_statements import insert_rows
from db.stored_values import ALIASES, StoredValues, read_object, read_texts

FILTERS, PROPERTIES, DOMAINS = "filters of a set", "properties of a set", "domains of a set"

COLUMNS = (
    *("filters", "properties", "domains"),
    *("seed", "tier", "per_domain", "train", "subset", "other"),
)
"""What a row of `preparation` says of its set."""

VALUES = ("reason", "tier", "split", "subset", "domain")
"""What a row of `prepared_triple` says of its triple."""


@dataclass(frozen=True, slots=True)
class Preparation:
    """How a set is prepared.

    `tier` and `train` are fractions. `properties` are names and ids that are kept, None for those
    of the paper. `per_domain` and `subset` are numbers of triples, None for all and for none.
    `domains` are new names of domains (None: all stay as they are), by folded names of the file's;
    `other` is the domain of those that it does not name, None where they are dropped.
    """

    seed: int = 0
    filters: tuple[str, ...] = ()
    properties: tuple[str, ...] | None = None
    tier: float = 0.25
    per_domain: int | None = None
    train: float = 0.25
    subset: int | None = None
    domains: tuple[tuple[str, str], ...] | None = None
    other: str | None = None


@dataclass(frozen=True, slots=True)
class PreparedTriple:
    """What preparing a set says of a triple.

    `reason` is why it is dropped, empty where it is kept; `tier` is empty where it is dropped,
    `split` where it is not used: else it is `train` or `eval`. `domain` is None where its domain
    stays that of the file.
    """

    reason: str = ""
    tier: str = ""
    split: str = ""
    subset: bool = False
    domain: str | None = None


@dataclass(frozen=True, slots=True)
class SetTriple:
    """A triple with all that preparing, arms and tables need of it.

    `fact`, `question` and `gold` are ids: of the fact, of its direct question in use (0 where it
    has none, with an empty `asked`), and of its gold in use. `file_domain`, `file_tier` and
    `file_split` are those that its file gave, `prepared` is None where it was never prepared.
    """

    fact: int
    fact_id: str
    question: int
    gold: int
    subject: str
    subject_id: str
    relation: str
    property_id: str
    object: str
    aliases: tuple[str, ...]
    answer_type: str
    unit: str
    asked: str
    file_domain: str
    popularity: int | None
    page_title: str
    recitation: str
    file_tier: str
    file_split: str
    rejected: bool
    prepared: PreparedTriple | None

    @property
    def domain(self) -> str:
        """Its domain: as preparing renamed it, else that of its file."""
        renamed = None if self.prepared is None else self.prepared.domain
        return self.file_domain if renamed is None else renamed


_ALIASES = SetTriple.__slots__.index("aliases")
"""The place of its aliases among the columns of a triple."""

_TRIPLES = (
    "SELECT fact.id, fact.fact_id, coalesce(question.id, 0), gold.id, fact.subject, "
    "subject_id, relation.name, property_id, gold.text, gold.aliases, answer_type, unit, "
    "coalesce(question.text, ''), fact.category, fact.views, fact.page_title, recitation, "
    "triple.tier, triple.split, fact.rejected, "
    "prepared.reason, prepared.tier, prepared.split, prepared.subset, prepared.domain "
    "FROM triple_set JOIN relation ON relation.triple_set = triple_set.id "
    "JOIN triple ON triple.relation = relation.id JOIN fact ON fact.id = triple.fact "
    "JOIN gold ON gold.fact = fact.id AND gold.side = 'object' AND gold.current "
    "LEFT JOIN question ON question.fact = fact.id AND question.task = 'direct' "
    "AND question.current LEFT JOIN prepared_triple AS prepared ON prepared.triple = fact.id"
)


def sets(connection: sqlite3.Connection) -> list[str]:
    """Names of the sets, in the order of their coming."""
    return [name for (name,) in connection.execute("SELECT name FROM triple_set ORDER BY id")]


def read_set(connection: sqlite3.Connection, set_name: str) -> list[SetTriple]:
    """The triples of a set, in the order of the import of their facts."""
    rows = connection.execute(f"{_TRIPLES} WHERE triple_set.name = ? ORDER BY fact.id", (set_name,))
    return [_set_triple(row) for row in rows]


def read_triple(connection: sqlite3.Connection, fact: int) -> SetTriple | None:
    """The triple that a fact (its id) is, None where it is none."""
    row = connection.execute(f"{_TRIPLES} WHERE fact.id = ?", (fact,)).fetchone()
    return None if row is None else _set_triple(row)


def _set_triple(row: Sequence[Any]) -> SetTriple:
    values = list(row[: -len(VALUES)])
    stored = values[_ALIASES]
    values[_ALIASES] = () if stored == "[]" else read_texts(stored, ALIASES)
    values[-1] = bool(values[-1])  # rejected
    said = row[-len(VALUES) :]
    values.append(None if said[0] is None else _prepared_triple(*said))
    return SetTriple(*values)


def _prepared_triple(
    reason: str, tier: str, split: str, subset: int, domain: str | None
) -> PreparedTriple:
    return PreparedTriple(reason, tier, split, bool(subset), domain)


def find_tier(connection: sqlite3.Connection, fact_id: str) -> str | None:
    """The tier that preparing gave the triple of a fact, None where it was never prepared."""
    row = connection.execute(
        "SELECT prepared_triple.tier FROM prepared_triple JOIN fact ON fact.id = triple "
        "WHERE fact_id = ?",
        (fact_id,),
    ).fetchone()
    return row[0] if row else None


def preparations(connection: sqlite3.Connection, schema: str = "main") -> dict[str, Preparation]:
    """How sets were prepared, by their names; `schema` may be an attached database."""
    rows = connection.execute(
        f"SELECT name, {', '.join(COLUMNS)} FROM {schema}.preparation AS one "
        f"JOIN {schema}.triple_set AS owner ON owner.id = one.triple_set ORDER BY owner.id"
    )
    return {
        name: Preparation(
            seed,
            *_read_lists(filters, properties),
            tier=tier,
            per_domain=per_domain,
            train=train,
            subset=subset,
            domains=_read_domains(domains),
            other=other,
        )
        for name, filters, properties, domains, seed, tier, per_domain, train, subset, other in rows
    }


def _read_lists(
    filters: str, properties: str | None
) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
    kept = None if properties is None else read_texts(properties, PROPERTIES)
    return read_texts(filters, FILTERS), kept


def _read_domains(stored: str | None) -> tuple[tuple[str, str], ...] | None:
    if stored is None:
        return None
    return tuple((one, str(to)) for one, to in sorted(read_object(stored, DOMAINS).items()))


def replace(
    connection: sqlite3.Connection,
    set_name: str,
    preparation: Preparation,
    rows: Iterable[tuple[int, PreparedTriple]],
) -> None:
    """Keep how a set is prepared now, with what that says of its triples (ids of facts).

    Inside a transaction.
    """
    (owner,) = connection.execute(
        "SELECT id FROM triple_set WHERE name = ?", (set_name,)
    ).fetchone()
    connection.execute(
        "DELETE FROM prepared_triple WHERE triple IN (SELECT fact FROM triple "
        "JOIN relation ON relation.id = triple.relation WHERE relation.triple_set = ?)",
        (owner,),
    )
    insert_preparation(connection, owner, preparation)
    insert_rows(
        connection,
        "prepared_triple",
        ("triple", *VALUES),
        [
            (fact, one.reason, one.tier, one.split, int(one.subset), one.domain)
            for fact, one in rows
        ],
    )


def insert_preparation(
    connection: sqlite3.Connection, owner: int, preparation: Preparation
) -> None:
    """Keep how a set (its id) is prepared, in the place of what was kept. In a transaction."""
    kept, renamed = preparation.properties, preparation.domains
    lists = (
        json.dumps(preparation.filters),
        None if kept is None else json.dumps(kept, ensure_ascii=False),
        None if renamed is None else json.dumps(dict(renamed), ensure_ascii=False),
    )
    numbers = [getattr(preparation, name) for name in COLUMNS[len(lists) :]]
    connection.execute(
        f"INSERT OR REPLACE INTO preparation (triple_set, {', '.join(COLUMNS)}) "
        f"VALUES (?{', ?' * len(COLUMNS)})",
        (owner, *lists, *numbers),
    )


STORED = (
    StoredValues("preparation", "filters, properties", _read_lists, key="triple_set"),
    StoredValues("preparation", "domains", _read_domains, key="triple_set"),
    StoredValues("prepared_triple", "subset", bool, key="triple", texts="reason, tier, split"),
)
