"""How sets of another database, attached as `other`, were prepared, and its arms.

Needs `fact_of` and `model_of`; the sets themselves are there.
"""

import json
import sqlite3
from dataclasses import replace

import db.arms
from db.prepared_triples import COLUMNS, VALUES, insert_preparation, preparations


def take_sets(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Add how sets are prepared; gives those prepared otherwise here, with what differs.

    In a transaction, as the others.
    """
    ours, theirs = (preparations(connection, schema) for schema in ("main", "other"))
    found = []
    for name, one in theirs.items():
        mine = ours.get(name)
        if mine is None:
            (owner,) = connection.execute(
                "SELECT id FROM main.triple_set WHERE name = ?", (name,)
            ).fetchone()
            insert_preparation(connection, owner, one)
        elif mine != one:
            differ = [part for part in COLUMNS if getattr(mine, part) != getattr(one, part)]
            found.append((name, ", ".join(differ)))
    return found


def take_triples(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Add what preparing says of triples, but for those of sets prepared otherwise here.

    Gives the triples of which something else is said, with what differs.
    """
    ours, theirs = (preparations(connection, schema) for schema in ("main", "other"))
    apart = [name for name, one in theirs.items() if ours[name] != one]
    joined = (
        "FROM other.prepared_triple AS theirs JOIN fact_of ON fact_of.theirs = theirs.triple "
        "JOIN main.triple AS mine ON mine.fact = fact_of.ours "
        "JOIN main.relation AS r ON r.id = mine.relation "
        "JOIN main.triple_set AS s ON s.id = r.triple_set "
    )
    kept = "s.name NOT IN (SELECT value FROM json_each(:apart))"
    named = {"apart": json.dumps(apart)}
    differing = " UNION ALL ".join(
        f"SELECT '{part}' AS part, mine.fact {joined} "
        "JOIN main.prepared_triple AS ours ON ours.triple = mine.fact "
        f"WHERE {kept} AND ours.{part} IS NOT theirs.{part}"
        for part in VALUES
    )
    clashes = connection.execute(
        f"SELECT fact_id, group_concat(part, ', ') FROM ({differing}) AS found "
        "JOIN main.fact ON fact.id = found.fact GROUP BY fact_id",
        named,
    ).fetchall()
    columns = ", ".join(VALUES)
    connection.execute(
        f"INSERT OR IGNORE INTO main.prepared_triple (triple, {columns}) SELECT mine.fact, "
        f"{', '.join(f'theirs.{part}' for part in VALUES)} {joined} WHERE {kept} "
        "ORDER BY mine.fact",
        named,
    )
    return clashes


def take_arms(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Add arms, but for those of models that were drawn by another recipe here.

    Gives model and set of those that were sent otherwise.
    """
    taken = {
        label
        for (label,) in connection.execute(
            "SELECT label FROM main.model WHERE id IN (SELECT ours FROM model_of)"
        )
    }
    ours_of = dict(connection.execute("SELECT theirs, ours FROM fact_of").fetchall())
    found = []
    for name in db.arms.sets_with_arms(connection, "other"):
        mine = db.arms.read_set_arms(connection, name)
        for label, one in db.arms.read_set_arms(connection, name, "other").items():
            arm = replace(
                one,
                exemplars=tuple(
                    replace(row, fact=ours_of[row.fact], answer_of=ours_of[row.answer_of])
                    for row in one.exemplars
                ),
            )
            if label not in mine and label in taken:
                db.arms.insert(connection, arm)
            elif label in mine and mine[label] != arm:
                found.append((label, name))
    return found
