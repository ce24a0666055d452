"""Taking over what another database has, by natural keys, set by set.

The other file is attached as `other`. Ids differ between files, so passing tables say which of
theirs is which of ours (`fact_of`, `question_of`, ...). Where both have a key with different
content, ours is kept and theirs is given as a `Clash`.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import db.audits
import db.bench_merge
import db.documents
import db.grades
import db.input_forms
import db.long_inputs
import db.model_rows
import db.reference_sets
import db.response_sources
import db.reviews
import db.rubrics
import db.sampling_runs
import db.score_merge
import db.tags_and_notes
import db.triples
from db.model_rows import UNSAID
from db.person_actions import ELSEWHERE, ActionKind
from db.project_values import IDENTITY, identify
from db.slot_ids import SAMPLE_BITS, SETTING_BITS

FACT_COLUMNS = (
    "page_title",
    "item_id",
    "views",
    "category",
    "subject",
    "object",
    "subject_type",
    "object_type",
    "page_created",
    "rejected",
)


class What(StrEnum):
    """What has one key and two contents."""

    FACT = "fact"
    GOLD = "gold"
    QUESTION = "question"
    MODEL = "model"
    RESPONSE = "response"
    GRADER = "grader"
    LABEL = "label"
    NOTE = "note"
    DOCUMENT = "document"
    REVIEW = "review"
    TRIPLE = "triple"
    TRAIT = "trait"
    FORM = "form"
    SCORE = "score"
    LONG_INPUT = "long input"
    PREPARATION = "preparation"
    ARM = "arm"
    AUDIT = "audit"
    RUBRIC = "rubric"
    REFERENCE_SET = "reference set"
    STANDING_NOTE = "standing note"


@dataclass(frozen=True, slots=True)
class Clash:
    """One key with two contents: `key` names it, `detail` says what of it differs."""

    what: What
    key: tuple[str | int, ...]
    detail: str = ""


Clashes = list[Clash]


@contextmanager
def attach_database(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    """The database at `path`, of the same schema, as `other`; passing tables go with it."""
    connection.execute("ATTACH DATABASE ? AS other", (f"{path.absolute().as_uri()}?mode=rw",))
    try:
        yield
    finally:
        passing = connection.execute("SELECT name FROM temp.sqlite_schema WHERE type = 'table'")
        for (name,) in passing.fetchall():
            connection.execute(f"DROP TABLE temp.{name}")
        connection.execute("DETACH DATABASE other")


_LEFT_BEHIND = (
    *("claim", "lease", "batch", "event", "spend"),
    *("stage", "plan_range", "failure", "aside"),
)


def begin_anew(connection: sqlite3.Connection) -> None:
    """Make the copy of a file the first of a union: a project of its own. In a transaction.

    Jobs with what they spent or could not get, and what was set aside, are left behind, as
    `take_over` leaves those of the others; what people did is nobody's to undo.
    """
    for table in ("run", "step"):
        connection.execute(f"UPDATE {table} SET job = NULL WHERE job IS NOT NULL")
    connection.execute("UPDATE job SET lease = NULL")
    for table in (*_LEFT_BEHIND, "job"):
        connection.execute(f"DELETE FROM {table}")
    connection.execute("UPDATE action SET author = ?", (ELSEWHERE,))
    connection.execute("DELETE FROM project WHERE name = ?", (IDENTITY,))
    identify(connection)


def take_over(connection: sqlite3.Connection, sides: Mapping[str, str]) -> Clashes:
    """Add what `other` has and we have not; gives what clashes. In one transaction.

    `sides` says of each task whose gold it has. Taken are facts, current golds and questions,
    models, responses with what is known of their drawing, graders, grades with remarks, people's
    history, unfinished or curtailed runs, where responses came from, documents, reviews, triples,
    scores of options with what is known of models, forms and long inputs, how sets were prepared,
    arms, audits, rubrics and reference sets. Jobs, spending, steps of building, what was set
    aside, saved profiles, samples to review, and older versions of questions and golds with all
    that is of them stay.
    """
    return [
        *_facts(connection),
        *_golds(connection),
        *_questions(connection, sides),
        *_models(connection),
        *_responses(connection),
        *_graders(connection),
        *_grades(connection),
        *_history(connection),
        *_tables(connection),
    ]


def _facts(connection: sqlite3.Connection) -> Clashes:
    columns = ", ".join(("fact_id", *FACT_COLUMNS, "flagged"))
    differing = " UNION ALL ".join(
        f"SELECT '{name}' AS name, theirs.fact_id FROM other.fact AS theirs "
        f"JOIN main.fact AS ours USING (fact_id) WHERE ours.{name} IS NOT theirs.{name}"
        f"{db.reviews.UNREVIEWED if name == 'rejected' else ''}"
        for name in FACT_COLUMNS
    )
    found = connection.execute(
        f"SELECT fact_id, group_concat(name, ', ') FROM ({differing}) GROUP BY fact_id"
    ).fetchall()
    connection.execute(
        "UPDATE main.fact SET flagged = 1 "
        "WHERE fact_id IN (SELECT fact_id FROM other.fact WHERE flagged)"
    )
    connection.execute(
        f"INSERT INTO main.fact ({columns}) SELECT {columns} FROM other.fact "
        "WHERE fact_id NOT IN (SELECT fact_id FROM main.fact) ORDER BY id"
    )
    connection.execute(
        "CREATE TEMP TABLE fact_of AS SELECT theirs.id AS theirs, ours.id AS ours "
        "FROM other.fact AS theirs JOIN main.fact AS ours USING (fact_id)"
    )
    connection.execute("CREATE UNIQUE INDEX temp.fact_of_theirs ON fact_of (theirs)")
    return [Clash(What.FACT, (fact,), names) for fact, names in found]


_OF_FACT = "JOIN fact_of ON fact_of.theirs = theirs.fact"


def _golds(connection: sqlite3.Connection) -> Clashes:
    connection.execute(
        "INSERT INTO main.gold (fact, side, version, text, aliases, current) "
        "SELECT fact_of.ours, side, 1 + (SELECT coalesce(max(version), 0) FROM main.gold AS mine "
        "WHERE mine.fact = fact_of.ours AND mine.side = theirs.side), text, aliases, 1 "
        f"FROM other.gold AS theirs {_OF_FACT} WHERE theirs.current AND NOT EXISTS (SELECT 1 "
        "FROM main.gold AS mine WHERE mine.fact = fact_of.ours AND mine.side = theirs.side "
        "AND mine.current) ORDER BY theirs.id"
    )
    connection.execute(
        "CREATE TEMP TABLE gold_apart AS SELECT fact_of.ours AS fact, theirs.side "
        f"FROM other.gold AS theirs {_OF_FACT} JOIN main.gold AS mine "
        "ON mine.fact = fact_of.ours AND mine.side = theirs.side AND mine.current "
        "WHERE theirs.current AND (mine.text, mine.aliases) IS NOT (theirs.text, theirs.aliases)"
    )
    rows = connection.execute(
        "SELECT fact_id, side FROM gold_apart JOIN main.fact ON fact.id = gold_apart.fact "
        "ORDER BY fact.id, side"
    )
    return [Clash(What.GOLD, row) for row in rows]


def _questions(connection: sqlite3.Connection, sides: Mapping[str, str]) -> Clashes:
    connection.execute(
        "INSERT INTO main.question (fact, task, version, text, choices, seed, current) "
        "SELECT fact_of.ours, task, 1 + (SELECT coalesce(max(version), 0) "
        "FROM main.question AS mine WHERE mine.fact = fact_of.ours AND mine.task = theirs.task), "
        f"text, choices, seed, 1 FROM other.question AS theirs {_OF_FACT} "
        "WHERE theirs.current AND NOT EXISTS (SELECT 1 FROM main.question AS mine "
        "WHERE mine.fact = fact_of.ours AND mine.task = theirs.task AND mine.current) "
        "ORDER BY theirs.id"
    )
    connection.execute(
        "CREATE TEMP TABLE question_of (theirs INTEGER PRIMARY KEY, ours INTEGER, "
        "alike INTEGER, graded INTEGER)"
    )
    connection.execute(
        "INSERT INTO question_of SELECT theirs.id, mine.id, "
        "(mine.text, mine.choices) IS (theirs.text, theirs.choices), NOT EXISTS (SELECT 1 "
        "FROM gold_apart WHERE gold_apart.fact = mine.fact "
        "AND gold_apart.side = json_extract(?, '$.' || mine.task)) "
        f"FROM other.question AS theirs {_OF_FACT} JOIN main.question AS mine "
        "ON mine.fact = fact_of.ours AND mine.task = theirs.task AND mine.current "
        "WHERE theirs.current",
        (json.dumps(dict(sides)),),
    )
    rows = connection.execute(
        "SELECT fact_id, task FROM question_of JOIN main.question ON question.id = ours "
        "JOIN main.fact ON fact.id = question.fact WHERE NOT alike ORDER BY ours"
    ).fetchall()
    connection.execute("DELETE FROM question_of WHERE NOT alike")
    return [Clash(What.QUESTION, row) for row in rows]


def _models(connection: sqlite3.Connection) -> Clashes:
    rows = connection.execute(
        "SELECT label, theirs.id FROM other.model AS theirs JOIN main.model AS mine USING (label) "
        "JOIN other.recipe AS r ON r.id = theirs.recipe "
        "JOIN main.recipe AS m ON m.id = mine.recipe "
        "WHERE json_patch(:unsaid, r.content) <> json_patch(:unsaid, m.content) ORDER BY mine.id",
        {"unsaid": json.dumps(UNSAID)},
    ).fetchall()
    apart = json.dumps([key for _, key in rows])
    connection.execute(
        "INSERT INTO main.recipe (hash, content, at) SELECT hash, content, at FROM other.recipe "
        "WHERE id IN (SELECT recipe FROM other.model "
        "WHERE label NOT IN (SELECT label FROM main.model)) "
        "AND hash NOT IN (SELECT hash FROM main.recipe)"
    )
    connection.execute(
        "INSERT INTO main.model (label, recipe) SELECT label, (SELECT m.id FROM main.recipe AS m "
        "JOIN other.recipe AS r USING (hash) WHERE r.id = theirs.recipe) "
        "FROM other.model AS theirs WHERE label NOT IN (SELECT label FROM main.model) ORDER BY id"
    )
    settings = (
        "FROM other.setting AS theirs JOIN other.model AS m ON m.id = theirs.model "
        "JOIN main.model AS mine USING (label) "
        "LEFT JOIN main.setting AS s ON s.model = mine.id AND s.thinking = theirs.thinking "
        "WHERE m.id NOT IN (SELECT value FROM json_each(?))"
    )
    connection.execute(
        "INSERT INTO main.setting (model, thinking) "
        f"SELECT mine.id, theirs.thinking {settings} AND s.id IS NULL ORDER BY theirs.id",
        (apart,),
    )
    connection.execute(
        "CREATE TEMP TABLE model_of AS SELECT theirs.id AS theirs, mine.id AS ours "
        "FROM other.model AS theirs JOIN main.model AS mine USING (label) "
        "WHERE theirs.id NOT IN (SELECT value FROM json_each(?))",
        (apart,),
    )
    connection.execute(
        "CREATE TEMP TABLE setting_of (theirs INTEGER PRIMARY KEY, ours INTEGER NOT NULL)"
    )
    connection.execute(f"INSERT INTO setting_of SELECT theirs.id, s.id {settings}", (apart,))
    return [Clash(What.MODEL, (label,)) for label, _ in rows]


def _ours(slot: str) -> str:
    """Our slot for theirs, given the maps `q` and `s` beside it."""
    last = (1 << SAMPLE_BITS) - 1
    bits = SAMPLE_BITS + SETTING_BITS
    return f"((q.ours << {bits}) | (s.ours << {SAMPLE_BITS}) | ({slot} & {last}))"


def _join_maps(slot: str) -> str:
    """The maps of a slot of theirs."""
    bits, last = SAMPLE_BITS + SETTING_BITS, (1 << SETTING_BITS) - 1
    return (
        f"JOIN question_of AS q ON q.theirs = ({slot} >> {bits}) "
        f"JOIN setting_of AS s ON s.theirs = ({slot} >> {SAMPLE_BITS} & {last})"
    )


_NAMED = (
    "JOIN main.response AS named ON named.id = {slot} "
    "JOIN main.question ON question.id = named.question JOIN main.fact ON fact.id = question.fact "
    "JOIN main.setting ON setting.id = named.setting JOIN main.model ON model.id = setting.model"
)
_KEY = "fact_id, task, label, CASE thinking WHEN 1 THEN 'on' ELSE 'off' END, sample"


_LABELLED = (
    "JOIN other.model AS labelled ON labelled.id = one.model "
    "JOIN main.model AS mine ON mine.label = labelled.label"
)


def _responses(connection: sqlite3.Connection) -> Clashes:
    slot, maps = _ours("theirs.id"), _join_maps("theirs.id")
    connection.execute("CREATE TEMP TABLE apart (theirs INTEGER PRIMARY KEY, ours INTEGER)")
    connection.execute(
        f"INSERT INTO apart SELECT theirs.id, mine.id FROM other.response AS theirs {maps} "
        f"JOIN main.response AS mine ON mine.id = {slot} "
        "WHERE mine.text <> theirs.text OR mine.shown <> theirs.shown"
    )
    rows = connection.execute(
        f"SELECT {_KEY} FROM apart {_NAMED.format(slot='apart.ours')} ORDER BY apart.ours"
    ).fetchall()
    connection.execute(
        f"INSERT OR IGNORE INTO main.response (id, text, shown) SELECT {slot}, text, shown "
        f"FROM other.response AS theirs {maps}"
    )
    connection.execute(
        "INSERT OR IGNORE INTO main.served (model, name, fingerprint, at) "
        f"SELECT mine.id, one.name, fingerprint, at FROM other.served AS one {_LABELLED} "
        "ORDER BY one.id"
    )
    connection.execute(
        "CREATE TEMP TABLE served_of (theirs INTEGER PRIMARY KEY, ours INTEGER NOT NULL)"
    )
    connection.execute(
        "INSERT INTO served_of SELECT one.id, ours.id "
        f"FROM other.served AS one {_LABELLED} JOIN main.served AS ours ON ours.model = mine.id "
        "AND ours.name = one.name AND ours.fingerprint = one.fingerprint"
    )
    connection.execute(
        "INSERT OR IGNORE INTO main.draw (response, finish, reasoning, reasoning_tokens, served) "
        f"SELECT {_ours('theirs.response')}, finish, reasoning, reasoning_tokens, "
        "(SELECT ours FROM served_of WHERE served_of.theirs = theirs.served) "
        f"FROM other.draw AS theirs {_join_maps('theirs.response')} "
        "WHERE theirs.response NOT IN (SELECT theirs FROM apart)"
    )
    return [Clash(What.RESPONSE, row) for row in rows]


def _graders(connection: sqlite3.Connection) -> Clashes:
    """Map grader versions. The newest of a grader is the last made, so only newer ones are."""
    found = []
    connection.execute("CREATE TEMP TABLE grader_of (theirs INTEGER PRIMARY KEY, ours INTEGER)")
    for key, name, version in connection.execute(
        "SELECT id, name, version FROM other.grader ORDER BY id"
    ).fetchall():
        ours = dict(
            connection.execute("SELECT version, id FROM main.grader WHERE name = ?", (name,))
        )
        if version not in ours and not db.grades.is_newer(version, list(ours)):
            found.append(Clash(What.GRADER, (name,), version))
            continue
        if version not in ours:
            cursor = connection.execute(
                "INSERT INTO main.grader (name, version) VALUES (?, ?)", (name, version)
            )
            ours[version] = cursor.lastrowid
        connection.execute("INSERT INTO grader_of VALUES (?, ?)", (key, ours[version]))
    return found


def _grades(connection: sqlite3.Connection) -> Clashes:
    slot = _ours("theirs.response")
    maps = f"{_join_maps('theirs.response')} JOIN grader_of AS g ON g.theirs = theirs.grader"
    usable = "q.graded AND theirs.response NOT IN (SELECT theirs FROM apart)"
    labels = connection.execute(
        f"SELECT {_KEY}, (SELECT name FROM main.grader WHERE id = g.ours), "
        "(SELECT name FROM main.outcome WHERE id = mine.outcome) || ', not ' || "
        "(SELECT name FROM main.outcome WHERE id = theirs.outcome) "
        f"FROM other.grade AS theirs {maps} JOIN main.grade AS mine ON mine.response = {slot} "
        "AND mine.grader = g.ours AND mine.outcome <> theirs.outcome "
        f"{_NAMED.format(slot='mine.response')} WHERE {usable} ORDER BY mine.response, mine.grader"
    ).fetchall()
    connection.execute(
        "INSERT OR IGNORE INTO main.grade (response, grader, outcome) "
        f"SELECT {slot}, g.ours, outcome FROM other.grade AS theirs {maps} WHERE {usable}"
    )
    same = (
        f"FROM other.remark AS theirs {maps} JOIN other.grade AS t USING (response, grader) "
        f"JOIN main.grade AS mine ON mine.response = {slot} AND mine.grader = g.ours "
        "AND mine.outcome = t.outcome"
    )
    notes = connection.execute(
        f"SELECT {_KEY}, (SELECT name FROM main.grader WHERE id = g.ours) {same} "
        "JOIN main.remark AS ours ON ours.response = mine.response AND ours.grader = mine.grader "
        f"AND ours.rationale <> theirs.rationale {_NAMED.format(slot='mine.response')} "
        f"WHERE {usable} ORDER BY mine.response, mine.grader"
    ).fetchall()
    connection.execute(
        "INSERT INTO main.remark (response, grader, rationale, at) "
        f"SELECT mine.response, mine.grader, theirs.rationale, theirs.at {same} WHERE {usable} "
        "ON CONFLICT (response, grader) DO UPDATE SET "
        "rationale = coalesce(rationale, excluded.rationale), at = coalesce(at, excluded.at)"
    )
    return [
        *(Clash(What.LABEL, row[:-1], row[-1]) for row in labels),
        *(Clash(What.NOTE, row) for row in notes),
    ]


def _history(connection: sqlite3.Connection) -> Clashes:
    """People's changes of labels, so that what was decided there can be told here."""
    connection.execute(
        "CREATE TEMP TABLE told AS SELECT target, grader, at FROM main.action WHERE kind = ?",
        (ActionKind.LABEL,),
    )
    connection.execute("CREATE INDEX temp.told_at ON told (target, grader, at)")
    slot = _ours("theirs.target")
    connection.execute(
        "INSERT INTO main.action "
        "(author, kind, target, grader, before, after, at, undone, between_graders) "
        f"SELECT ?, kind, {slot}, g.ours, before, after, at, undone, between_graders "
        f"FROM other.action AS theirs {_join_maps('theirs.target')} "
        "JOIN grader_of AS g ON g.theirs = theirs.grader "
        "WHERE kind = ? AND q.graded AND theirs.target NOT IN (SELECT theirs FROM apart) "
        f"AND NOT EXISTS (SELECT 1 FROM told WHERE told.target = {slot} "
        "AND told.grader = g.ours AND told.at = theirs.at) ORDER BY theirs.id",
        (ELSEWHERE, ActionKind.LABEL),
    )
    return []


def _tables(connection: sqlite3.Connection) -> Clashes:
    """Tables that say themselves how they are taken over; sets before what is said of them."""
    # What runs were to draw that drew less: without it their gaps would mean something else.
    db.sampling_runs.take_over(connection)
    merge = db.bench_merge
    answers, targets = (
        (connection, _ours(slot), _join_maps(slot)) for slot in ("theirs.response", "theirs.target")
    )
    db.response_sources.take_over(*answers)
    return [
        *(Clash(What.DOCUMENT, (key,), part) for key, part in db.documents.take_over(connection)),
        *(Clash(What.REVIEW, row) for row in db.reviews.take_over(connection)),
        *(Clash(What.TRIPLE, (fact,), part) for fact, part in db.triples.take_over(connection)),
        *(Clash(What.TRAIT, (one,)) for one in db.model_rows.take_traits(connection)),
        *(Clash(What.FORM, row) for row in db.input_forms.take_over(connection)),
        *(Clash(What.SCORE, row) for row in db.score_merge.take_over(connection)),
        *(Clash(What.LONG_INPUT, row) for row in db.long_inputs.take_over(connection)),
        *(Clash(What.PREPARATION, (one,), part) for one, part in merge.take_sets(connection)),
        *(Clash(What.TRIPLE, (fact,), part) for fact, part in merge.take_triples(connection)),
        *(Clash(What.ARM, row) for row in merge.take_arms(connection)),
        *(Clash(What.AUDIT, (name,)) for name in db.audits.take_over(connection)),
        *(Clash(What.RUBRIC, (one,), part) for one, part in db.rubrics.take_over(connection)),
        *(Clash(What.REFERENCE_SET, (name,)) for name in db.reference_sets.take_over(*answers)),
        *(Clash(What.STANDING_NOTE, row) for row in db.tags_and_notes.take_over(*targets)),
    ]
