"""Taking things out of the file with all rows that rest on them, in one transaction.

What goes is kept in tables of the connection alone (`TEMP`), so that it can be put back, byte for
byte, until the connection is closed.
"""

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence

from db import answer_score_arrays, label_grids, project_values, search_index
from db.connection import read_transaction
from db.foreign_key_checks import write_unchecked
from db.slot_ids import MAX_SETTING, QUESTION_SHIFT, SAMPLE_BITS

ROOTS = ("triple_set", "relation", "model", "grader", "source_file", "fact")
"""Tables whose rows are named to be removed; all others follow."""

_ANSWERS = "SELECT id FROM temp.gone WHERE kind = 'response'"


def _among(kind: str) -> str:
    return f"IN (SELECT id FROM temp.gone WHERE kind = '{kind}')"


_SLOT = f"(slot >> {QUESTION_SHIFT} {_among('question')} OR slot >> {SAMPLE_BITS} & {MAX_SETTING} "
_SLOT += f"{_among('setting')})"
_FOUND = (
    (
        "arm",
        f"SELECT id FROM arm WHERE model {_among('model')} OR triple_set {_among('triple_set')}",
    ),
    (
        "triple",
        f"SELECT triple.fact AS id FROM triple JOIN relation ON relation.id = relation WHERE "
        f"triple.fact {_among('fact')} OR relation {_among('relation')} OR triple_set "
        f"{_among('triple_set')}",
    ),
    ("question", f"SELECT id FROM question WHERE fact {_among('fact')}"),
    ("gold", f"SELECT id FROM gold WHERE fact {_among('fact')}"),
    ("candidate", f"SELECT id FROM candidate WHERE fact {_among('fact')}"),
    ("setting", f"SELECT id FROM setting WHERE model {_among('model')}"),
    ("score_series", f"SELECT id FROM score_series WHERE model {_among('model')}"),
    (
        "response",
        "SELECT response.id FROM temp.gone CROSS JOIN response ON response.id BETWEEN "
        f"gone.id << {QUESTION_SHIFT} AND (gone.id + 1 << {QUESTION_SHIFT}) - 1 "
        "WHERE kind = 'question'",
    ),
    ("response", f"SELECT id FROM response WHERE setting {_among('setting')}"),
    ("response", f"SELECT response AS id FROM response_source WHERE file {_among('source_file')}"),
    ("audit", f"SELECT DISTINCT audit AS id FROM audit_fact WHERE fact {_among('fact')}"),
    (
        "reference_set",
        f"SELECT DISTINCT reference_set AS id FROM reference_answer WHERE response IN ({_ANSWERS})",
    ),
    (
        "action",
        f"SELECT id FROM action WHERE kind = 'label' AND (target IN ({_ANSWERS}) OR grader "
        f"{_among('grader')}) OR kind IN ('flag', 'edit') AND target {_among('fact')} "
        f"OR kind = 'review' AND target {_among('question')} OR kind IN ('tag', 'note') AND "
        "CASE json_extract(coalesce(after, before), '$.kind') "
        f"WHEN 'fact' THEN target {_among('fact')} WHEN 'question' THEN target "
        f"{_among('question')} ELSE target {_among('response')} END",
    ),
    ("action", f"SELECT id FROM action WHERE decision {_among('action')}"),
    ("action", f"SELECT id FROM action WHERE kind = 'undo' AND target {_among('action')}"),
)
"""Which rows follow from those that are named, by the tables that others refer to."""

_GRADED = f"(response IN ({_ANSWERS}) OR grader {_among('grader')})"
_BY_SETTING = f"setting {_among('setting')}"
_TARGETS = (
    f"(kind = 'answer' AND target IN ({_ANSWERS}) OR kind = 'question' AND target "
    f"{_among('question')} OR kind = 'fact' AND target {_among('fact')})"
)
ROWS: dict[str, str] = {
    "remark": _GRADED,
    "source_score": _GRADED,
    "grade": _GRADED,
    "stale_grade": f"{_GRADED} OR gold {_among('gold')}",
    "response_source": f"response IN ({_ANSWERS}) OR file {_among('source_file')}",
    "source_file": f"id {_among('source_file')}",
    "draw": f"response IN ({_ANSWERS})",
    "reference_answer": f"reference_set {_among('reference_set')}",
    "trial": f"reference_set {_among('reference_set')} OR grader {_among('grader')}",
    "opening": f"reference_set {_among('reference_set')} OR grader {_among('grader')}",
    "reference_set": f"id {_among('reference_set')}",
    "audit_fact": f"audit {_among('audit')}",
    "audit": f"id {_among('audit')}",
    "tagged": _TARGETS,
    "note": _TARGETS,
    "action": f"id {_among('action')}",
    "failure": _SLOT,
    "aside": _SLOT,
    "response": f"id IN ({_ANSWERS})",
    "review": f"question {_among('question')}",
    "sampled": f"question {_among('question')}",
    "saved_profile": f"model {_among('model')} OR fact {_among('fact')}",
    "exemplar": f"arm {_among('arm')}",
    "arm": f"id {_among('arm')}",
    "prepared_triple": f"triple {_among('triple')}",
    "long_input": f"model {_among('model')} OR relation IN (SELECT id FROM relation WHERE id "
    f"{_among('relation')} OR triple_set {_among('triple_set')})",
    "triple": f"fact {_among('triple')}",
    "relation": f"id {_among('relation')} OR triple_set {_among('triple_set')}",
    "preparation": f"triple_set {_among('triple_set')}",
    "triple_set": f"id {_among('triple_set')}",
    "option_score": f"series {_among('score_series')} OR fact {_among('triple')}",
    "option_list": f"fact {_among('triple')}",
    "score_change": f"series {_among('score_series')}",
    "score_grid": f"series {_among('score_series')}",
    "score_series": f"id {_among('score_series')}",
    "plan_range": _BY_SETTING,
    "counted": _BY_SETTING,
    "answer_score": _BY_SETTING,
    "run": _BY_SETTING,
    "served": f"model {_among('model')}",
    "model_trait": f"model {_among('model')}",
    "setting": f"id {_among('setting')}",
    "model": f"id {_among('model')}",
    "question": f"id {_among('question')}",
    "gold": f"id {_among('gold')}",
    "step": f"stage NOT IN (SELECT value FROM json_each(:passages)) AND unit {_among('candidate')}",
    "candidate": f"id {_among('candidate')}",
    "project": "name = 'primary_grader' AND value IN (SELECT name FROM grader WHERE id "
    f"{_among('grader')}) AND value NOT IN (SELECT name FROM grader "
    f"WHERE id NOT {_among('grader')})",
    "grader": f"id {_among('grader')}",
    "fact": f"id {_among('fact')}",
}
"""Which rows of each table go; tables that refer to others come before these."""


def find(
    connection: sqlite3.Connection, roots: Mapping[str, Iterable[int]], passages: Sequence[str]
) -> dict[str, int]:
    """How many rows of each table would go with these (ids by table of `ROOTS`).

    `passages` are the stages of building whose units are no facts. Changes nothing.
    """
    with read_transaction(connection):
        _mark(connection, roots)
        stages = json.dumps(list(passages))
        counts = {
            table: int(
                connection.execute(
                    f"SELECT count(*) FROM {table} WHERE {where}", {"passages": stages}
                ).fetchone()[0]
            )
            for table, where in ROWS.items()
        }
    return {table: count for table, count in counts.items() if count}


def _mark(connection: sqlite3.Connection, roots: Mapping[str, Iterable[int]]) -> None:
    """List in a table of the connection what goes."""
    connection.execute(
        "CREATE TEMP TABLE IF NOT EXISTS gone (kind TEXT NOT NULL, id INTEGER NOT NULL, "
        "PRIMARY KEY (kind, id)) WITHOUT ROWID"
    )
    connection.execute("DELETE FROM temp.gone")
    for table in ROOTS:
        connection.executemany(
            "INSERT OR IGNORE INTO temp.gone VALUES (?, ?)",
            [(table, key) for key in roots.get(table, ())],
        )
    for kind, sql in _FOUND:
        connection.execute(f"INSERT OR IGNORE INTO temp.gone SELECT '{kind}', id FROM ({sql})")


def remove(
    connection: sqlite3.Connection,
    number: int,
    roots: Mapping[str, Iterable[int]],
    passages: Sequence[str],
    renew: Callable[[], object],
) -> dict[str, int]:
    """Remove these and what rests on them, and keep it under a number; gives the rows by table.

    `renew` makes anew what is derived from scores, where scores go.
    """
    stages = {"passages": json.dumps(list(passages))}
    counts: dict[str, int] = {}
    with write_unchecked(connection):
        _mark(connection, roots)
        for table, where in ROWS.items():
            kept = f"temp.removed_{number}_{table}"
            columns = ", ".join(_columns(connection, table))
            connection.execute(
                f"CREATE TABLE {kept} AS SELECT {columns} FROM {table} WHERE {where}", stages
            )
            (counts[table],) = connection.execute(f"SELECT count(*) FROM {kept}").fetchone()
        for table, where in ROWS.items():
            if counts[table]:
                connection.execute(f"DELETE FROM {table} WHERE {where}", stages)
        _follow(connection, number, there=False)
        if counts["option_score"]:
            renew()
    return {table: count for table, count in counts.items() if count}


def restore(connection: sqlite3.Connection, number: int, renew: Callable[[], object]) -> None:
    """Put back what was removed under a number, all of it as it was.

    Raises `sqlite3.IntegrityError` where something else stands in its place, and changes nothing.
    """
    with write_unchecked(connection):
        for table in reversed(ROWS):
            columns = ", ".join(_columns(connection, table))
            connection.execute(
                f"INSERT INTO main.{table} ({columns}) "
                f"SELECT {columns} FROM temp.removed_{number}_{table}"
            )
        if connection.execute("PRAGMA foreign_key_check").fetchone() is not None:
            raise sqlite3.IntegrityError("what it rests on is not there any more")
        _follow(connection, number, there=True)
        kept = f"SELECT EXISTS (SELECT 1 FROM temp.removed_{number}_option_score)"
        if connection.execute(kept).fetchone()[0]:
            renew()
        for table in ROWS:
            connection.execute(f"DROP TABLE temp.removed_{number}_{table}")


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    """The columns of a table that are stored."""
    rows = connection.execute("SELECT name, hidden FROM pragma_table_xinfo(?)", (table,))
    return [name for name, hidden in rows if not hidden]


def _follow(connection: sqlite3.Connection, number: int, there: bool) -> None:
    """Have what is derived from the rows say that they are there, or gone."""
    responses = connection.execute(f"SELECT id FROM temp.removed_{number}_response").fetchall()
    slots = [key for (key,) in responses]
    label_grids.record(connection, label_grids.DRAWN, slots, bytes([there]) * len(slots))
    for plane, graded, outcomes in connection.execute(
        "SELECT grader, json_group_array(response), json_group_array(outcome) "
        f"FROM temp.removed_{number}_grade GROUP BY grader"
    ).fetchall():
        labels = bytes(json.loads(outcomes))
        label_grids.record(
            connection, plane, json.loads(graded), labels if there else bytes(len(labels))
        )
    answer_score_arrays.forget(connection, slots)
    search_index.outdate(connection, slots)
    facts = connection.execute(f"SELECT count(*) FROM temp.removed_{number}_fact").fetchone()[0]
    if facts:
        search_index.clear(connection)
    project_values.count_removal(connection)


_NAMES = {
    "set": "SELECT id, name FROM triple_set",
    "relation": "SELECT relation.id, triple_set.name || '/' || relation.name FROM relation "
    "JOIN triple_set ON triple_set.id = triple_set",
    "model": "SELECT id, label FROM model",
    "grader": "SELECT id, name FROM grader UNION ALL SELECT id, name || '#' || version FROM grader",
    "file": "SELECT id, name FROM source_file",
}


def list_named(connection: sqlite3.Connection, kind: str) -> list[tuple[int, str]]:
    """Ids and names of what can be removed: of a set, relation, model, grader or file.

    A relation is named SET/RELATION, a grader by its name and as NAME#VERSION.
    """
    return connection.execute(_NAMES[kind]).fetchall()


_CAME_WITH_IT = """
(EXISTS (SELECT 1 FROM candidate WHERE candidate.fact = triple.fact AND passage IS NULL)
OR NOT EXISTS (SELECT 1 FROM candidate WHERE candidate.fact = triple.fact)
AND NOT EXISTS (SELECT 1 FROM question WHERE question.fact = triple.fact AND task <> 'direct'))
"""
"""A triple's fact, but for one that was built from documents or had other tasks from the start."""


def find_set_facts(connection: sqlite3.Connection, sets: Iterable[int]) -> tuple[int, ...]:
    """Ids of the facts that came with sets (ids)."""
    return _ids(
        connection,
        "SELECT fact FROM triple JOIN relation ON relation.id = relation "
        f"WHERE triple_set IN (SELECT value FROM json_each(?)) AND {_CAME_WITH_IT}",
        sets,
    )


def find_relation_facts(
    connection: sqlite3.Connection, relations: Iterable[int]
) -> tuple[int, ...]:
    """The same of relations (ids)."""
    return _ids(
        connection,
        "SELECT fact FROM triple WHERE relation IN (SELECT value FROM json_each(?)) "
        f"AND {_CAME_WITH_IT}",
        relations,
    )


def find_arms_with(connection: sqlite3.Connection, relations: Iterable[int]) -> list[str]:
    """Labels of the arms that show facts of relations (ids) as examples."""
    rows = connection.execute(
        "SELECT DISTINCT label FROM exemplar JOIN arm ON arm.id = arm "
        "JOIN model ON model.id = arm.model WHERE exemplar.fact IN (SELECT fact FROM triple "
        "WHERE relation IN (SELECT value FROM json_each(?1))) OR answer_of IN (SELECT fact "
        "FROM triple WHERE relation IN (SELECT value FROM json_each(?1)))",
        (json.dumps(list(relations)),),
    )
    return [label for (label,) in rows]


def find_arms_of(connection: sqlite3.Connection, base: str) -> tuple[int, ...]:
    """Ids of the models that are arms of a model (its label)."""
    rows = connection.execute("SELECT model FROM arm WHERE base = ?", (base,))
    return tuple(key for (key,) in rows)


def find_log_facts(connection: sqlite3.Connection, files: Iterable[int]) -> tuple[int, ...]:
    """Ids of the facts that only the answers of these files (ids) are about, and came with them.

    Their names end in the id of a sample, and neither a set nor documents have them.
    """
    return _ids(
        connection,
        "WITH chosen AS (SELECT value FROM json_each(?)) SELECT DISTINCT question.fact "
        f"FROM response_source JOIN question ON question.id = response >> {QUESTION_SHIFT} "
        "JOIN fact ON fact.id = question.fact WHERE file IN chosen "
        "AND substr(fact_id, -length(sample_id) - 1) = '/' || sample_id "
        "AND NOT EXISTS (SELECT 1 FROM question AS other CROSS JOIN response ON response.id "
        f"BETWEEN other.id << {QUESTION_SHIFT} AND (other.id + 1 << {QUESTION_SHIFT}) - 1 "
        "LEFT JOIN response_source AS source ON source.response = response.id "
        "WHERE other.fact = fact.id AND (source.file IS NULL OR source.file NOT IN chosen)) "
        "AND NOT EXISTS (SELECT 1 FROM triple WHERE triple.fact = fact.id) "
        "AND NOT EXISTS (SELECT 1 FROM candidate WHERE candidate.fact = fact.id)",
        files,
    )


def _ids(connection: sqlite3.Connection, sql: str, keys: Iterable[int]) -> tuple[int, ...]:
    return tuple(key for (key,) in connection.execute(sql, (json.dumps(list(keys)),)))
