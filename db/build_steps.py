"""What the stages of building came to for each of their units (`db.candidates`), as steps.

What waits for a stage is asked of the file and never kept. A step that was redone stays, set
`aside`; at most one step of a stage and unit is in use.
"""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from db.stored_values import StoredValues, check_list, read_json, read_object

OF_PASSAGES = ("length", "classify", "entities", "objects")
"""Stages whose units are passages; those of all others are candidates."""

OF_TRIPLES = ("triple-question",)
"""Stages that take triples alone; all other candidates pass them by."""

GIVEN = "given"
"""The version of steps that stand for what an imported fact has, or can never have."""

UNCHECKED = "unchecked"
"""The version of steps that would check what was made by rule and needs no check."""


@dataclass(frozen=True, slots=True)
class Step:
    """What one stage came to for one unit. `sources` are pages that the reply rests on.

    `version` is that of the stage's prompt and model, `raw` the model's reply to the letter,
    `value` what was kept, `verdict` kept, dropped or failed.
    """

    stage: str
    unit: int
    version: str
    verdict: str
    reason: str = ""
    value: Mapping[str, Any] = field(default_factory=dict)
    raw: str | None = None
    sources: tuple[Mapping[str, str], ...] = ()
    job: int | None = None
    id: int = 0
    at: str = ""
    aside: bool = False


_STEP = "id, stage, unit, version, verdict, reason, value, raw, sources, job, at, aside"


def insert_step(connection: sqlite3.Connection, step: Step) -> bool:
    """Add a step, unless one of its stage and unit is in use; gives whether it was added."""
    cursor = connection.execute(
        "INSERT OR IGNORE INTO step (stage, unit, version, verdict, reason, value, raw, sources, "
        "job) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            step.stage,
            step.unit,
            step.version,
            step.verdict,
            step.reason,
            _dumps(step.value),
            step.raw,
            _dumps(step.sources),
            step.job,
        ),
    )
    return cursor.rowcount == 1


def steps(connection: sqlite3.Connection, unit: int, of_passage: bool) -> dict[str, Step]:
    """The steps in use of a unit, by stage."""
    rows = connection.execute(
        f"SELECT {_STEP} FROM step WHERE unit = ? AND NOT aside "
        "AND (stage IN (SELECT value FROM json_each(?))) = ? ORDER BY id",
        (unit, _dumps(OF_PASSAGES), of_passage),
    )
    return {step.stage: step for step in map(_step, rows)}


def values(connection: sqlite3.Connection, stage: str, unit: int) -> list[dict[str, Any]]:
    """What a stage has ever kept of a unit, steps set aside included."""
    rows = connection.execute(
        "SELECT value FROM step WHERE unit = ? AND stage = ? AND verdict = 'kept' ORDER BY id",
        (unit, stage),
    )
    return [read_object(value, "what a step kept") for (value,) in rows]


def steps_of_fact(connection: sqlite3.Connection, fact: int) -> list[Step]:
    """All steps that led to a fact (its id), those set aside included, oldest first."""
    row = connection.execute("SELECT id, passage FROM candidate WHERE fact = ?", (fact,)).fetchone()
    if row is None:
        return []
    candidate, passage = row
    rows = connection.execute(
        f"SELECT {_STEP} FROM step WHERE unit = ?1 AND stage NOT IN "
        f"(SELECT value FROM json_each(?3)) UNION ALL SELECT {_STEP} FROM step "
        "WHERE unit = ?2 AND stage IN (SELECT value FROM json_each(?3)) ORDER BY id",
        (candidate, passage, _dumps(OF_PASSAGES)),
    )
    return list(map(_step, rows))


# What waits

_WAITING_PASSAGES = """
FROM passage WHERE (?1 = 'all' OR place = (SELECT min(place) FROM passage AS other
        WHERE other.document = passage.document)
        OR (?1 = 'auto' AND (SELECT views IS NULL AND item_id = '' FROM document
            WHERE document.id = passage.document)))
    AND NOT EXISTS (SELECT 1 FROM step WHERE stage = ?2 AND unit = passage.id AND NOT aside)
    AND NOT EXISTS (SELECT 1 FROM json_each(?3) AS need WHERE NOT EXISTS (SELECT 1 FROM step
        WHERE stage = need.value AND unit = passage.id AND NOT aside AND verdict = 'kept'))
    AND passage.id > ?4
"""

_WAITING = """
WHERE NOT candidate.aside
    AND NOT EXISTS (SELECT 1 FROM step WHERE stage = ?1 AND unit = candidate.id AND NOT aside)
    AND NOT EXISTS (SELECT 1 FROM json_each(?2) AS need WHERE NOT EXISTS (SELECT 1 FROM step
        WHERE stage = need.value AND unit = candidate.id AND NOT aside
        AND (verdict = 'kept' OR candidate.passage IS NULL)))
    AND (candidate.passage IS NULL OR (
        NOT EXISTS (SELECT 1 FROM json_each(?3) AS need WHERE NOT EXISTS (SELECT 1 FROM step
            WHERE stage = need.value AND unit = candidate.passage AND NOT aside
            AND verdict = 'kept'))
        AND NOT EXISTS (SELECT 1 FROM step WHERE unit = candidate.id AND NOT aside
            AND verdict = 'dropped' AND stage NOT IN (SELECT value FROM json_each(?4)))))
    AND candidate.id > ?5
"""

_IS_TRIPLE = (
    "EXISTS (SELECT 1 FROM triple JOIN relation ON relation.id = triple.relation "
    "JOIN triple_set ON triple_set.id = relation.triple_set WHERE triple.fact = candidate.fact "
    "AND candidate.passage IS NULL AND (?7 IS NULL OR triple_set.name = ?7))"
)

_IS_ASKED = (
    "(NOT EXISTS (SELECT 1 FROM triple WHERE triple.fact = candidate.fact) "
    "OR candidate.passage IS NOT NULL OR NOT EXISTS (SELECT 1 FROM json_each(?7) AS need "
    "WHERE NOT EXISTS (SELECT 1 FROM step WHERE stage = need.value AND unit = candidate.id "
    "AND NOT aside)))"
)


def find_waiting(
    connection: sqlite3.Connection,
    stage: str,
    after: Sequence[str],
    paragraphs: str,
    past: int,
    most: int,
    set_name: str | None = None,
) -> list[int]:
    """Units (ids above `past`, at most `most`) that wait for a stage, in order.

    They do once all of `after` have kept them and no stage has dropped them; an imported fact
    once all of `after` are through with it. `paragraphs`: `first` of each document,
    `all`, or `auto`: all of documents that have neither page views nor a Wikidata item.
    `set_name`: for a stage of triples, those of this set alone.
    """
    unit, found, values = _build_waiting_query(stage, after, paragraphs, past, set_name)
    rows = connection.execute(f"SELECT {unit} {found} ORDER BY {unit} LIMIT {int(most)}", values)
    return [key for (key,) in rows]


def count_waiting(
    connection: sqlite3.Connection,
    stage: str,
    after: Sequence[str],
    paragraphs: str,
    set_name: str | None = None,
) -> int:
    """How many units wait for a stage."""
    _, found, values = _build_waiting_query(stage, after, paragraphs, 0, set_name)
    return int(connection.execute(f"SELECT count(*) {found}", values).fetchone()[0])


def _build_waiting_query(
    stage: str, after: Sequence[str], paragraphs: str, past: int, set_name: str | None
) -> tuple[str, str, tuple[object, ...]]:
    """The column of the unit, the rest of the query, and its values.

    Candidates are found by the steps of the last stage before, in the order of an index.
    """
    if stage in OF_PASSAGES:
        return "passage.id", _WAITING_PASSAGES, (paragraphs, stage, _dumps(list(after)), past)
    mine = [one for one in after if one not in (*OF_PASSAGES, *OF_TRIPLES)]
    theirs = [one for one in after if one in OF_PASSAGES]
    anchor = mine[-1] if mine else None
    lists = map(_dumps, (mine, theirs, OF_PASSAGES))
    values: tuple[object, ...] = (stage, *lists, past, anchor)
    found = _WAITING
    if stage in OF_TRIPLES:
        found, values = f"{found} AND {_IS_TRIPLE}", (*values, set_name)
    elif asked := [one for one in after if one in OF_TRIPLES]:
        found, values = f"{found} AND {_IS_ASKED}", (*values, _dumps(asked))
    if anchor is None:
        return "candidate.id", f"FROM candidate {found} AND ?6 IS NULL", values
    joined = (
        "FROM step AS anchor JOIN candidate ON candidate.id = anchor.unit "
        f"{found} AND anchor.stage = ?6 AND NOT anchor.aside AND anchor.unit > ?5"
    )
    return "anchor.unit", joined, values


# What has been done


@dataclass(frozen=True, slots=True)
class Count:
    """How many units a stage kept, dropped or failed for one reason."""

    stage: str
    verdict: str
    reason: str
    count: int


def counts(
    connection: sqlite3.Connection, job: int | None = None, up_to: int | None = None
) -> list[Count]:
    """All steps in use by stage, verdict and reason, given ones apart.

    Of one job, of those before and one itself (`up_to`), or of all.
    """
    rows = connection.execute(
        "SELECT stage, verdict, CASE WHEN verdict = 'kept' THEN '' ELSE reason END, count(*) "
        "FROM step WHERE NOT aside AND version NOT IN (?1, ?2) AND (?3 IS NULL OR job = ?3) "
        "AND (?4 IS NULL OR job <= ?4) GROUP BY 1, 2, 3 ORDER BY 4 DESC, 3",
        (GIVEN, UNCHECKED, job, up_to),
    )
    return [Count(*row) for row in rows]


@dataclass(frozen=True, slots=True)
class LostUnit:
    """A unit that a stage has dropped, or failed with, and why.

    `key` and `title` are those of its document, or of the imported fact that it is; `object` is
    empty for a passage. `detail` says more of this unit, `raw` is the model's reply.
    """

    verdict: str
    reason: str
    detail: str
    raw: str
    key: str
    title: str
    object: str


def find_lost(connection: sqlite3.Connection, stage: str, up_to: int, most: int) -> list[LostUnit]:
    """What a stage has dropped or failed with, up to a job: by reason, the newest of each first."""
    unit = (
        "passage.id = step.unit"
        if stage in OF_PASSAGES
        else "passage.id = candidate.passage AND candidate.id = step.unit"
    )
    rows = connection.execute(
        "SELECT verdict, reason, coalesce(step.value ->> '$.detail', ''), coalesce(raw, ''), "
        "coalesce(document.key, fact.fact_id, ''), coalesce(document.title, fact.page_title, ''), "
        "coalesce(candidate.object, '') FROM step "
        "LEFT JOIN candidate ON candidate.id = step.unit AND NOT ?5 "
        f"LEFT JOIN passage ON {unit} LEFT JOIN document ON document.id = passage.document "
        "LEFT JOIN fact ON fact.id = candidate.fact AND candidate.passage IS NULL "
        "WHERE stage = ?1 AND NOT step.aside AND verdict <> 'kept' AND version NOT IN (?2, ?3) "
        "AND (job IS NULL OR job <= ?4) ORDER BY verdict DESC, reason, step.id DESC LIMIT ?6",
        (stage, GIVEN, UNCHECKED, up_to, stage in OF_PASSAGES, most),
    )
    return [LostUnit(*row) for row in rows]


def find_candidates(connection: sqlite3.Connection, stage: str, verdict: str = "kept") -> list[int]:
    """Candidates (ids) from documents that a stage has kept, or dropped."""
    rows = connection.execute(
        "SELECT candidate.id FROM step JOIN candidate ON candidate.id = step.unit "
        "WHERE stage = ? AND NOT step.aside AND verdict = ? AND NOT candidate.aside "
        "AND passage IS NOT NULL",
        (stage, verdict),
    )
    return [key for (key,) in rows]


# Setting aside


def set_aside(connection: sqlite3.Connection, stage: str, unit: int) -> None:
    """Set the step of a stage and unit aside. Inside a transaction."""
    connection.execute(
        "UPDATE step SET aside = 1 WHERE stage = ? AND unit = ? AND NOT aside "
        "AND NOT (version = ? AND verdict = 'kept')",
        (stage, unit, GIVEN),
    )


def find_units_in_use(
    connection: sqlite3.Connection,
    stage: str,
    verdict: str | None = None,
    not_version: str | None = None,
    not_job: int | None = None,
) -> list[int]:
    """Units (ids) with a step of a stage in use, given ones apart.

    Only those of this verdict, of any version but this, of any job but this, where named.
    """
    rows = connection.execute(
        "SELECT unit FROM step WHERE stage = ?1 AND NOT aside AND version <> ?2 "
        "AND (?3 IS NULL OR verdict = ?3) AND (?4 IS NULL OR version <> ?4) "
        "AND (?5 IS NULL OR job IS NOT ?5) ORDER BY unit",
        (stage, GIVEN, verdict, not_version, not_job),
    )
    return [unit for (unit,) in rows]


def _step(row: tuple[Any, ...]) -> Step:
    key, stage, unit, version, verdict, reason, value, raw, sources, job, at, aside = row
    return Step(
        stage,
        unit,
        version,
        verdict,
        reason,
        read_object(value, "what a step kept"),
        raw,
        _sources(sources),
        job,
        key,
        at,
        bool(aside),
    )


STORED = (StoredValues("step", _STEP, lambda *row: _step(row)),)


def _sources(text: str) -> tuple[Mapping[str, str], ...]:
    what = "sources of a step"
    found = check_list(read_json(text, what), dict, what)
    for one in found:
        check_list(list(one.values()), str, what)
    return found


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
