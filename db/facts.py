"""Facts, and what is asked of all of them: which are flagged, rejected, edited, noted."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any

from core.vocabulary import TASK_INDEX, Side, Task
from db.question_rows import (
    Gold,
    Question,
    dump_json,
    dump_texts,
    find_last_question,
    store_choices,
)
from db.row_statements import Verb, insert_by_column, insert_filled, insert_rows, select_named
from db.stored_values import ALIASES, read_member, read_options, read_texts


@dataclass(frozen=True, slots=True)
class Fact:
    """A proposition with its two entities and whatever questions exist for it."""

    fact_id: str
    page_title: str = ""
    item_id: str = ""
    views: int | None = None
    category: str = ""
    subject: str = ""
    object: str = ""
    subject_type: str = ""
    object_type: str = ""
    page_created: str = ""
    golds: Mapping[Side, Gold] = field(default_factory=dict)
    questions: Mapping[Task, Question] = field(default_factory=dict)


_NAMES = (
    *("fact_id", "page_title", "item_id", "views", "category"),
    *("subject", "object", "subject_type", "object_type", "page_created"),
)
_COLUMNS = ", ".join(_NAMES)


def insert(
    connection: sqlite3.Connection, facts: Iterable[Fact]
) -> tuple[range, dict[tuple[str, str], int]]:
    """Add new facts, each with version 1 of its golds and questions. Written for millions.

    Gives their ids in order, and those of the questions by (fact_id, task). Inside a transaction.
    """
    first = _find_last(connection) + 1
    numbered = list(enumerate(facts, first))
    _insert_names(connection, numbered, "INSERT OR FAIL")
    return range(first, first + len(numbered)), _insert_texts(connection, numbered)


def insert_absent(connection: sqlite3.Connection, facts: Iterable[Fact]) -> dict[str, int]:
    """The same of facts that may be there, no name twice; gives the ids of those that were not.

    The row itself finds that out, which takes a third of the time of looking first.
    """
    last, before = _find_last(connection), connection.total_changes
    numbered = list(enumerate(facts, last + 1))
    _insert_names(connection, numbered, "INSERT OR IGNORE")
    if connection.total_changes - before < len(numbered):
        added = _find_behind(connection, last)
        numbered = [one for one in numbered if one[0] in added]
    _insert_texts(connection, numbered)
    return {fact.fact_id: key for key, fact in numbered}


def _find_last(connection: sqlite3.Connection) -> int:
    (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM fact").fetchone()
    return int(last)


def _find_behind(connection: sqlite3.Connection, last: int) -> set[int]:
    """Ids of the facts behind one."""
    return {key for (key,) in connection.execute("SELECT id FROM fact WHERE id > ?", (last,))}


def _insert_names(
    connection: sqlite3.Connection, numbered: Sequence[tuple[int, Fact]], verb: Verb
) -> None:
    rows = [(key, *_plain(fact)) for key, fact in numbered]
    insert_filled(connection, "fact", ("id", *_NAMES), rows, _NAMES[1:], verb)


def _insert_texts(
    connection: sqlite3.Connection, numbered: Sequence[tuple[int, Fact]]
) -> dict[tuple[str, str], int]:
    """Add the golds and questions of facts; gives the ids of the questions."""
    insert_rows(
        connection,
        "gold",
        ("fact", "side", "version", "text", "aliases", "current"),
        [
            (key, str(side), 1, gold.text, dump_texts(gold.aliases), 1)
            for key, fact in numbered
            for side, gold in fact.golds.items()
        ],
    )
    first = find_last_question(connection) + 1
    asked = [(key, fact.fact_id, *item) for key, fact in numbered for item in _sort_questions(fact)]
    insert_filled(
        connection,
        "question",
        ("id", "fact", "task", "version", "text", "choices", "seed", "current"),
        [
            (id_, key, str(task), 1, one.text, *store_choices(fact_id, task, one), 1)
            for id_, (key, fact_id, task, one) in enumerate(asked, first)
        ],
        ("choices", "seed"),
    )
    return {(name, str(task)): id_ for id_, (_, name, task, _) in enumerate(asked, first)}


def add_absent(
    connection: sqlite3.Connection, fact_ids: Sequence[str], objects: Sequence[str]
) -> list[int | None]:
    """Add facts of which nothing but the object is known, as `insert_absent` does; of columns.

    Gives the id of each that was added, None for one that is there. In a transaction.
    """
    last, before = _find_last(connection), connection.total_changes
    ids = list(range(last + 1, last + 1 + len(fact_ids)))
    columns = {"id": ids, "fact_id": fact_ids, "object": objects}
    insert_by_column(connection, "fact", columns, "INSERT OR IGNORE")
    if connection.total_changes - before == len(ids):
        return [*ids]
    added = _find_behind(connection, last)
    return [key if key in added else None for key in ids]


def add_objects(
    connection: sqlite3.Connection,
    facts: Sequence[int],
    golds: Sequence[str],
    aliases: Sequence[str],
) -> None:
    """Give facts (ids) that have none the golds of their objects, and aliases as they are stored.

    In a transaction.
    """
    columns = {"fact": facts, "text": golds, "aliases": aliases}
    shared = {"side": str(Side.OBJECT), "version": 1, "current": 1}
    insert_by_column(connection, "gold", columns, shared=shared)


def _sort_questions(fact: Fact) -> list[tuple[Task, Question]]:
    found = list(fact.questions.items())
    return sorted(found, key=lambda item: TASK_INDEX[item[0]]) if len(found) > 1 else found


def find_ids(connection: sqlite3.Connection, fact_ids: Iterable[str]) -> dict[str, int]:
    """Ids of those of these facts that are there."""
    return dict(select_named(connection, "SELECT fact_id, id FROM fact WHERE fact_id", fact_ids))


def read_facts(
    connection: sqlite3.Connection, fact_ids: Iterable[str] | None = None
) -> Iterator[Fact]:
    """Current facts as they would be imported, in the order of their import."""
    every = f"SELECT id, {_COLUMNS} FROM fact"
    if fact_ids is None:
        rows = connection.execute(every).fetchall()
    else:
        rows = select_named(connection, f"{every} WHERE fact_id", set(fact_ids))
    for row in sorted(rows):
        key = row[0]
        golds = {
            read_member(Side, side, "side"): Gold(text, read_texts(aliases, ALIASES))
            for side, text, aliases in connection.execute(
                "SELECT side, text, aliases FROM gold WHERE fact = ? AND current", (key,)
            )
        }
        questions = {
            read_member(Task, task, "task"): Question(
                text, read_options(choices) if choices else None
            )
            for task, text, choices in connection.execute(
                "SELECT task, text, choices FROM question WHERE fact = ? AND current", (key,)
            )
        }
        yield replace(_unplain(row[1:]), golds=golds, questions=questions)


def read_subjects(
    connection: sqlite3.Connection, facts: Iterable[int]
) -> dict[int, tuple[str, bool]]:
    """What these facts (ids) are about, in a word, and whether they have been rejected.

    The word is the subject, else the title, else the fact's own id.
    """
    rows = connection.execute(
        "SELECT id, coalesce(nullif(subject, ''), nullif(page_title, ''), fact_id), rejected "
        "FROM fact WHERE id IN (SELECT value FROM json_each(?))",
        (dump_json(list(facts)),),
    )
    return {key: (words, bool(rejected)) for key, words, rejected in rows}


def find_with_optional_columns(connection: sqlite3.Connection) -> list[int]:
    """Ids of the facts that may fill a column which most leave empty.

    Their golds have aliases, or have been edited, or it is known when their page was made.
    """
    rows = connection.execute(
        "SELECT fact FROM gold WHERE current AND (version > 1 OR aliases <> '[]') "
        "UNION SELECT id FROM fact WHERE page_created <> ''"
    )
    return [key for (key,) in rows]


def find_matching(connection: sqlite3.Connection, text: str) -> set[int]:
    """Facts in whose title, entities, category, questions or golds the text occurs."""
    pattern = "%" + text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
    return {
        key
        for (key,) in connection.execute(
            "SELECT id FROM fact WHERE replace(page_title, '_', ' ') LIKE ?1 ESCAPE '\\' "
            "OR fact_id LIKE ?1 ESCAPE '\\' OR subject LIKE ?1 ESCAPE '\\' "
            "OR object LIKE ?1 ESCAPE '\\' OR category LIKE ?1 ESCAPE '\\' "
            "UNION SELECT fact FROM question WHERE current AND text LIKE ?1 ESCAPE '\\' "
            "UNION SELECT fact FROM gold WHERE current AND text LIKE ?1 ESCAPE '\\'",
            (pattern,),
        )
    }


_plain = attrgetter(*_NAMES)


def _unplain(columns: tuple[Any, ...]) -> Fact:
    return Fact(*columns)
