"""Questions that are in use: as they are asked, their golds and options, their lengths."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import Any
from zlib import crc32

from core.vocabulary import TASK_INDEX, Side, Task
from db.row_statements import insert_by_column
from db.stored_values import ALIASES, read_member, read_options, read_texts


@dataclass(frozen=True, slots=True)
class Gold:
    """The expected answer, and other texts that are as good."""

    text: str
    aliases: tuple[str, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts that count as the answer, the gold itself first."""
        return (self.text, *self.aliases)


@dataclass(frozen=True, slots=True)
class Question:
    """One task's text; for multiple choice also the four options (the gold among them)."""

    text: str
    choices: tuple[str, str, str, str] | None = None


@dataclass(frozen=True, slots=True)
class StoredQuestion:
    """A current question as it is asked and graded.

    `answer_type` and `unit` are those of a triple's object; all else is an entity.
    """

    id: int
    fact: int
    fact_id: str
    task: Task
    text: str
    choices: tuple[str, ...] | None
    seed: int | None
    gold: Gold
    answer_type: str = "entity"
    unit: str = ""


MARKS_OF_FOUR = 16
"""Brackets, quotes and commas of a list of four options as it is stored."""


_QUESTION_SQL = """
SELECT question.id, fact.id, fact.fact_id, question.task, question.text, question.choices,
    question.seed, gold.text, gold.aliases,
    iif(gold.side = 'object', coalesce(triple.answer_type, 'entity'), 'entity'),
    iif(gold.side = 'object', coalesce(triple.unit, ''), '')
FROM question
JOIN fact ON fact.id = question.fact
JOIN gold ON gold.fact = fact.id AND gold.current
    AND gold.side = CASE WHEN question.task LIKE '%reverse%' THEN 'subject' ELSE 'object' END
LEFT JOIN triple ON triple.fact = fact.id
"""


def add_question(connection: sqlite3.Connection, fact: int, task: Task, question: Question) -> int:
    """Give a fact (its id) a question that it never had, as version 1; gives the question's id.

    Inside a transaction.
    """
    (fact_id,) = connection.execute("SELECT fact_id FROM fact WHERE id = ?", (fact,)).fetchone()
    cursor = connection.execute(
        "INSERT INTO question (fact, task, version, text, choices, seed, current) "
        "VALUES (?, ?, 1, ?, ?, ?, 1)",
        (fact, task, question.text, *store_choices(fact_id, task, question)),
    )
    return int(cursor.lastrowid or 0)


def add_questions(
    connection: sqlite3.Connection,
    facts: Sequence[int],
    tasks: Sequence[str] | str,
    texts: Sequence[str],
    choices: Sequence[tuple[str | None, int | None]] | None = None,
) -> range:
    """The same for many facts, a question each, with options as `store_choices` gives them.

    `tasks` may be one that all have.
    """
    last = find_last_question(connection)
    ids = range(last + 1, last + 1 + len(facts))
    columns: dict[str, Sequence[object]] = {"id": ids, "fact": facts, "text": texts}
    shared: dict[str, object] = {"version": 1, "current": 1}
    if isinstance(tasks, str):
        shared["task"] = tasks
    else:
        columns["task"] = tasks
    if choices is not None:
        columns |= {"choices": [one for one, _ in choices], "seed": [one for _, one in choices]}
    insert_by_column(connection, "question", columns, shared=shared)
    return ids


def store_choices(fact_id: str, task: Task, question: Question) -> tuple[str | None, int | None]:
    """Options as they are stored, with the seed of the order in which they are shown."""
    if question.choices is None:
        return None, None
    return dump_texts(question.choices), crc32(f"{fact_id}\n{task}".encode())


def questions(
    connection: sqlite3.Connection, facts: Iterable[int] | None = None
) -> list[StoredQuestion]:
    """Current questions of these facts (ids; all by default), fact by fact in task order."""
    if facts is None:
        rows = connection.execute(f"{_QUESTION_SQL} WHERE question.current")
    else:  # a condition of its own: with `OR` every question would be looked at
        rows = connection.execute(
            f"{_QUESTION_SQL} WHERE question.current "
            "AND question.fact IN (SELECT value FROM json_each(?))",
            (dump_json(list(facts)),),
        )
    found = [_stored_question(row) for row in rows]
    return sorted(found, key=lambda question: (question.fact, TASK_INDEX[question.task]))


def read_current(
    connection: sqlite3.Connection, questions: Iterable[int]
) -> dict[int, StoredQuestion]:
    """Those of these questions that are current, by id, with the golds they have now."""
    rows = connection.execute(
        f"{_QUESTION_SQL} WHERE question.current "
        "AND question.id IN (SELECT value FROM json_each(?))",
        (dump_json(list(questions)),),
    )
    return {row[0]: _stored_question(row) for row in rows}


def read_version(connection: sqlite3.Connection, question: int) -> StoredQuestion:
    """A version of a question (its id), in use or not, with the gold that is in use."""
    row = connection.execute(f"{_QUESTION_SQL} WHERE question.id = ?", (question,)).fetchone()
    return _stored_question(row)


def _stored_question(row: tuple[Any, ...]) -> StoredQuestion:
    key, fact, fact_id, task, text, choices, seed, gold, aliases, kind, unit = row
    return StoredQuestion(
        key,
        fact,
        fact_id,
        read_member(Task, task, "task"),
        text,
        read_options(choices) if choices else None,
        seed,
        Gold(gold, read_texts(aliases, ALIASES)),
        kind,
        unit,
    )


def golds(connection: sqlite3.Connection, fact: int) -> dict[Side, Gold]:
    """The current golds of one fact (its id) by side."""
    return {
        read_member(Side, side, "side"): Gold(text, read_texts(aliases, ALIASES))
        for side, text, aliases in connection.execute(
            "SELECT side, text, aliases FROM gold WHERE fact = ? AND current", (fact,)
        )
    }


def question_ids(connection: sqlite3.Connection, fact_id: str) -> dict[str, int]:
    """Ids of the current questions of a fact by task; none for one that is not there."""
    try:
        fact_id.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which no stored name has
        return {}
    rows = connection.execute(
        "SELECT task, question.id FROM fact JOIN question ON question.fact = fact.id "
        "AND question.current WHERE fact_id = ?",
        (fact_id,),
    )
    return dict(rows.fetchall())


def options_of(connection: sqlite3.Connection, question: int) -> tuple[str, ...] | None:
    """The options of a question (its id); None for one without any."""
    found = connection.execute("SELECT choices FROM question WHERE id = ?", (question,)).fetchone()
    return None if found is None or found[0] is None else read_options(found[0])


def choices_of(connection: sqlite3.Connection) -> dict[int, tuple[str, ...]]:
    """The options of multiple-choice questions in use, by id."""
    return {
        key: read_options(choices)
        for key, choices in connection.execute(
            "SELECT id, choices FROM question WHERE current AND choices IS NOT NULL"
        )
    }


def find_last_question(connection: sqlite3.Connection) -> int:
    """The highest id of a question, 0 without any."""
    row = connection.execute("SELECT coalesce(max(id), 0) FROM question").fetchone()
    return int(row[0])


def text_lengths(connection: sqlite3.Connection) -> tuple[list[int], list[int]]:
    """Ids of all current questions, and how many bytes each shows (text and options)."""
    ids, lengths = connection.execute(
        "SELECT json_group_array(id), json_group_array(length(CAST(text AS BLOB)) + coalesce("
        f"length(CAST(choices AS BLOB)) - {MARKS_OF_FOUR}, 0)) FROM question WHERE current"
    ).fetchone()
    return json.loads(ids), json.loads(lengths)


dump_json = json.JSONEncoder(ensure_ascii=False).encode
"""Lists as JSON that SQLite reads."""


def dump_texts(texts: Iterable[str]) -> str:
    """Texts as `dump_json` writes them, four times as fast."""
    return f"[{', '.join(map(encode_basestring, texts))}]"
