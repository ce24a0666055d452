"""Columns that hold, or may hold, names of people or addresses of servers, and changes of them.

Only what leaves a project as files is looked at: jobs, their logs and what can be undone do not.
All other texts are facts, questions, answers, and words of the program.
"""

import json
import sqlite3
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

Column = tuple[str, str]
"""A table and its column."""

GRADERS: tuple[Column, ...] = (
    ("grader", "name"),
    ("review", "author"),
    ("arm", "known_by"),
    ("rubric", "author"),
    ("tagged", "author"),
    ("note", "author"),
)
MODELS: tuple[Column, ...] = (("model", "label"), ("arm", "base"), ("model_trait", "base"))
FILES: tuple[Column, ...] = (("source_file", "name"),)
POLICIES: tuple[Column, ...] = (("saved_policy", "name"), ("saved_profile", "policy"))
SETS: tuple[Column, ...] = (("triple_set", "name"), ("reference_set", "name"), ("rubric", "name"))
FORMS: tuple[Column, ...] = (("input_form", "name"), ("score_series", "form"))
AUDITS: tuple[Column, ...] = (("audit", "name"),)

NOTES: tuple[Column, ...] = (
    ("remark", "rationale"),
    ("review", "note"),
    ("review", "reason"),
    ("aside", "reason"),
    ("served", "name"),
    ("served", "fingerprint"),
    ("model_trait", "family"),
    ("source_score", "score"),
    ("source_score", "part"),
    ("rubric", "rules"),
    ("rubric", "examples"),
    ("rubric", "why"),
    ("tag", "name"),
    ("note", "text"),
)
"""Texts that people, or servers, wrote as they liked."""

DOCUMENTS: Mapping[Column, tuple[str, ...]] = {
    ("action", "before"): ("note",),
    ("action", "after"): ("note",),
    ("action", "between_graders"): ("a", "b"),
    ("audit", "frame"): ("models", "graders", "second", "person", "where"),
    ("reference_set", "plan"): ("by", "models", "where"),
    ("saved_policy", "policy"): ("graders",),
    ("run", "curtailed"): ("graders",),
    ("recipe", "content"): ("model", "options"),
    ("project", "value"): ("model", "options"),
}
"""JSON, and under which of its keys something may stand."""


def read_values(connection: sqlite3.Connection, *columns: Column) -> list[str]:
    """What stands in columns, each text once, in the order in which it came."""
    found: dict[str, None] = {}
    for table, name in columns:
        rows = connection.execute(
            f"SELECT {name} FROM {table} NOT INDEXED WHERE {name} IS NOT NULL"
        )
        found.update((value, None) for (value,) in rows if value != "")
    return list(found)


def open_references(connection: sqlite3.Connection) -> None:
    """Let names change that rows refer to; outside of transactions."""
    connection.execute("PRAGMA foreign_keys = OFF")


def rename(
    connection: sqlite3.Connection, columns: tuple[Column, ...], names: Mapping[str, str]
) -> None:
    """Change names to others, all at once: two may change places. Inside a transaction."""
    connection.create_function("renamed", 1, lambda value: names.get(value, value))
    for table, name in columns:
        connection.execute(f"UPDATE {table} SET {name} = char(1) || {name}")
        connection.execute(f"UPDATE {table} SET {name} = renamed(substr({name}, 2))")


def change_notes(connection: sqlite3.Connection, change: Callable[[str], str]) -> None:
    """Change notes, each text by itself. Inside a transaction."""
    for column in NOTES:
        _change(connection, column, change)


def change_documents(connection: sqlite3.Connection, change: Callable[[Any], Any]) -> None:
    """Change what stands under the keys of `DOCUMENTS`, as plain data. Inside a transaction."""
    connection.execute("DELETE FROM action WHERE kind <> 'label'")
    for column, keys in DOCUMENTS.items():
        _change(connection, column, partial(_change_keys, keys, change))


def change_keys(connection: sqlite3.Connection, change: Callable[[str], str]) -> None:
    """Change the names of the project's values, which hold names of models and graders."""
    _change(connection, ("project", "name"), change)


def _change(connection: sqlite3.Connection, column: Column, change: Callable[[str], str]) -> None:
    table, name = column
    connection.create_function("changed", 1, change)
    connection.execute(
        f"UPDATE {table} SET {name} = changed({name}) "
        f"WHERE {name} IS NOT NULL AND changed({name}) <> {name}"
    )


def _change_keys(keys: tuple[str, ...], change: Callable[[Any], Any], text: str) -> str:
    try:
        found = json.loads(text)
    except ValueError:
        return text
    if not isinstance(found, dict):
        return text
    changed = {key: change(value) if key in keys else value for key, value in found.items()}
    return text if changed == found else json.dumps(changed, ensure_ascii=False, sort_keys=True)
