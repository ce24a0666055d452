"""What facts are called: title, subject and object, and what stands in for those not given."""

import json
import sqlite3

NAMING = 200
"""Characters of a question that names a fact."""


def headings(connection: sqlite3.Connection) -> list[tuple[str, str, str]]:
    """Title, subject and object of all facts in the order of their import.

    A gold stands in for an entity that is not given, and for one where a person has edited it;
    the title, or the beginning of a question, for a subject without a gold, as of other tools.
    """
    gold = "(SELECT text FROM gold WHERE fact = fact.id AND side = '{}' AND current)"
    found = connection.execute(
        "SELECT id, page_title, "
        f"CASE WHEN subject <> '' THEN subject ELSE coalesce({gold.format('subject')}, '') END, "
        f"CASE WHEN object <> '' THEN object ELSE coalesce({gold.format('object')}, '') END "
        "FROM fact ORDER BY id"
    ).fetchall()
    rows = connection.execute(
        "SELECT fact, side, text FROM gold WHERE current AND version > 1 AND text <> (SELECT text "
        "FROM gold AS first WHERE first.fact = gold.fact AND first.side = gold.side "
        "AND first.version = 1)"
    )
    golds: dict[str, dict[int, str]] = {"subject": {}, "object": {}}
    for fact, side, text in rows:
        golds[side][fact] = text
    subjects, objects = golds["subject"], golds["object"]
    bare = [
        fact for fact, title, subject, _ in found if not title and not subjects.get(fact, subject)
    ]
    asked = _first_questions(connection, bare)
    return [
        (
            title,
            subjects.get(fact, subject) or title.replace("_", " ") or asked.get(fact, ""),
            objects.get(fact, object_),
        )
        for fact, title, subject, object_ in found
    ]


def _first_questions(connection: sqlite3.Connection, facts: list[int]) -> dict[int, str]:
    """The beginning of the first question of each of these facts."""
    if not facts:
        return {}
    rows = connection.execute(
        "SELECT fact, min(task), substr(text, 1, ?) FROM question WHERE current "
        "AND fact IN (SELECT value FROM json_each(?)) GROUP BY fact",
        (NAMING, json.dumps(facts)),
    )
    return {fact: text.strip() for fact, _, text in rows}


def entities(connection: sqlite3.Connection) -> dict[str, tuple[str, str]]:
    """Subject and object of every fact by fact_id; a gold stands in for one not given."""
    return {
        fact_id: (subject, object_)
        for fact_id, subject, object_ in connection.execute(
            "SELECT fact_id, coalesce(nullif(subject, ''), s.text, ''), "
            "coalesce(nullif(object, ''), o.text, '') FROM fact "
            "LEFT JOIN gold AS s ON s.fact = fact.id AND s.side = 'subject' AND s.current "
            "LEFT JOIN gold AS o ON o.fact = fact.id AND o.side = 'object' AND o.current"
        )
    }
