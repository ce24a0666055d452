"""The schema as a series of named migrations.

Shapes are chosen for 4.5 million responses: a response's id *is* its slot (see `db.slot_ids`), so
the ten tasks of a fact lie side by side and no text key is stored twice; grades are keyed by
response and grader version; labels are also kept as dense grids (see `db.label_grids`), from which
all figures are computed.
"""

import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from core.vocabulary import Task
from db.first_migrations import FIFTH, FIRST, FOURTH, SECOND, THIRD
from db.later_migrations import EIGHTH, SEVENTEENTH, SEVENTH
from db.sampling_runs import Ids, RunQuestions, asked_text, group_asked
from db.sqlite_errors import StoredValueError
from db.stored_values import read_integers, read_member, read_texts

# Runs of older files: instead of "whatever facts there are" each names the questions it asked.

_DRAWN = (
    "SELECT fact, setting, min(first) FROM (SELECT response >> 20 AS question, "
    "response >> 10 & 1023 AS setting, min(run) AS first FROM draw WHERE run IS NOT NULL "
    "GROUP BY 1, 2) AS drawn JOIN question ON question.id = drawn.question GROUP BY 1, 2"
)


def name_questions(connection: sqlite3.Connection) -> None:
    """Write into the column `asked` what runs with the columns `tasks` and `facts` asked.

    Where a run was over all facts, these are the ones for which it or an earlier run has drawn in
    its setting: of others nobody knows whether they were there. A run that cannot be read asks
    nothing.
    """
    rows = connection.execute("SELECT id, setting, tasks, facts FROM run ORDER BY id").fetchall()
    if not rows:
        return
    columns = {
        task: np.array(
            [
                fact
                for (fact,) in connection.execute(
                    "SELECT fact FROM question WHERE current AND task = ? ORDER BY fact", (task,)
                )
            ],
            np.int64,
        )
        for task in Task
    }
    drawn = connection.execute(_DRAWN).fetchall() if any(row[3] is None for row in rows) else []
    table = np.array(drawn, np.int64).reshape(-1, 3)
    for run, setting, tasks, facts in rows:
        try:
            named = tuple(read_member(Task, one, "task") for one in read_texts(tasks, "tasks"))
            if facts is None:
                ids = table[(table[:, 1] == setting) & (table[:, 2] <= run), 0]
            else:
                ids = np.array(read_integers(facts, "facts"), np.int64)
        except (StoredValueError, OverflowError):
            continue
        asked = list(_list_asked(named, np.unique(ids), columns))
        connection.execute("UPDATE run SET asked = ? WHERE id = ?", (asked_text(asked), run))


def _list_asked(
    tasks: tuple[Task, ...], ids: Ids, columns: dict[Task, Ids]
) -> Iterator[RunQuestions]:
    if tasks:
        yield from group_asked(tasks, ids, np.array([np.isin(ids, columns[t]) for t in tasks]).T)


@contextmanager
def _without(module: str) -> Iterator[None]:
    """Let imports of a module fail, unless it is loaded already."""
    if module in sys.modules:
        yield
        return
    sys.modules[module] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[module]


# sqlite-utils loads pandas where it is installed, which takes a second and 60 MB, only to know
# column types of values that never come from here.
with _without("pandas"):
    from sqlite_utils import Database, Migrations

migrations = Migrations("lostkeys")

_SIXTH = """
CREATE TABLE served (
    id INTEGER PRIMARY KEY,
    model INTEGER NOT NULL REFERENCES model (id),
    name TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    UNIQUE (model, name, fingerprint)
) STRICT;

ALTER TABLE draw ADD COLUMN served INTEGER REFERENCES served (id);
"""

_TENTH = """
CREATE TABLE audit (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE CHECK (name <> ''),
    frame TEXT NOT NULL,
    closed INTEGER NOT NULL DEFAULT 0 CHECK (closed IN (0, 1)),
    at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) STRICT;

CREATE TABLE audit_fact (
    audit INTEGER NOT NULL REFERENCES audit (id),
    fact INTEGER NOT NULL REFERENCES fact (id),
    weight INTEGER NOT NULL CHECK (weight > 0),
    graded TEXT NOT NULL,
    parted TEXT NOT NULL,
    versions TEXT NOT NULL,
    PRIMARY KEY (audit, fact)
) STRICT, WITHOUT ROWID;
"""

_ELEVENTH = """
CREATE TABLE source_file (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    format TEXT NOT NULL,
    eval_id TEXT NOT NULL DEFAULT '',
    UNIQUE (name, format, eval_id)
) STRICT;

CREATE TABLE response_source (
    response INTEGER PRIMARY KEY REFERENCES response (id),
    file INTEGER NOT NULL REFERENCES source_file (id),
    sample_id TEXT,
    epoch INTEGER,
    uuid TEXT,
    prompt TEXT
) STRICT;
CREATE INDEX response_of_file ON response_source (file);

CREATE TABLE source_score (
    response INTEGER NOT NULL REFERENCES response (id),
    grader INTEGER NOT NULL REFERENCES grader (id),
    score TEXT NOT NULL,
    part TEXT,
    value TEXT NOT NULL,
    PRIMARY KEY (response, grader)
) STRICT, WITHOUT ROWID;
"""

_TWELFTH = """
CREATE TABLE plan_range (
    job INTEGER NOT NULL REFERENCES job (id),
    setting INTEGER NOT NULL REFERENCES setting (id),
    first INTEGER NOT NULL CHECK (first > 0),
    last INTEGER NOT NULL CHECK (last >= first),
    tasks INTEGER NOT NULL CHECK (tasks > 0),
    samples INTEGER NOT NULL CHECK (samples BETWEEN 1 AND 1024),
    PRIMARY KEY (job, setting, first)
) STRICT, WITHOUT ROWID;
"""


_THIRTEENTH = """
CREATE TABLE counted (
    setting INTEGER NOT NULL REFERENCES setting (id),
    task TEXT NOT NULL,
    questions BLOB NOT NULL,
    counts BLOB NOT NULL,
    PRIMARY KEY (setting, task)
) STRICT;
"""


_FIFTEENTH = """
ALTER TABLE fact ADD COLUMN page_created TEXT NOT NULL DEFAULT '';
ALTER TABLE document ADD COLUMN page_created TEXT NOT NULL DEFAULT '';
"""


_SIXTEENTH = """
ALTER TABLE score_series
    ADD COLUMN tokens INTEGER NOT NULL DEFAULT 10 CHECK (tokens BETWEEN 1 AND 64);
ALTER TABLE preparation ADD COLUMN domains TEXT;
ALTER TABLE preparation ADD COLUMN other TEXT;
ALTER TABLE prepared_triple ADD COLUMN domain TEXT;
"""


@migrations()
def m001_first(db: Database) -> None:
    """All tables and views of the first version."""
    _run_script(db, FIRST)


@migrations()
def m002_actions_and_search(db: Database) -> None:
    """What people did, to be undone (`db.person_actions`); the full-text index (`db.search`)."""
    _run_script(db, SECOND)


@migrations()
def m003_jobs(db: Database) -> None:
    """Jobs with their stages, spending and events; leases and claims; batches; curtailed runs."""
    _run_script(db, THIRD)


@migrations()
def m004_decisions(db: Database) -> None:
    """Which actions were one decision, and between which graders (`db.person_actions`)."""
    _run_script(db, FOURTH)


@migrations()
def m005_building_and_review(db: Database) -> None:
    """Documents and what stages made of them; reviews, samples; grades of earlier golds."""
    _run_script(db, FIFTH)


@migrations()
def m006_served(db: Database) -> None:
    """What servers call the models that answered (`db.served_models`)."""
    _run_script(db, _SIXTH)


@migrations()
def m007_triples_and_option_scores(db: Database) -> None:
    """Sets of triples (`db.triples`); log probabilities of options and what they come to."""
    _run_script(db, SEVENTH)


@migrations()
def m008_prepared_triples_and_arms(db: Database) -> None:
    """How sets were prepared (`db.prepared_triples`); arms with exemplars, scores of answers."""
    _run_script(db, EIGHTH)


@migrations()
def m009_unsure(db: Database) -> None:
    """The state of an answer that a grader is not sure enough of.

    What a check allows is widened where it stands, since millions of grades would have to be
    copied otherwise; SQLite's own page on ALTER TABLE says how.
    """
    db.execute("INSERT INTO outcome VALUES (8, 'unsure')")
    _widen_table(db, ("grade", "stale_grade"), "outcome BETWEEN 1 AND 7", "outcome BETWEEN 1 AND 8")


@migrations()
def m010_audits(db: Database) -> None:
    """Audits with the facts of their frames (`db.audits`)."""
    _run_script(db, _TENTH)


@migrations()
def m011_response_sources(db: Database) -> None:
    """Which file an imported response came from, and where it stood in it."""
    _run_script(db, _ELEVENTH)


@migrations()
def m012_plans(db: Database) -> None:
    """What is out in request files (`db.plan_ranges`), and the state of a job that is."""
    _run_script(db, _TWELFTH)
    _widen_table(db, ("job",), "'cancelled')", "'cancelled', 'out')")


@migrations()
def m013_counted(db: Database) -> None:
    """Label counts of answers that lie in a lake (`db.lake_label_counts`)."""
    _run_script(db, _THIRTEENTH)


@migrations()
def m014_asked(db: Database) -> None:
    """The questions that a run asked, in place of tasks and of facts that may come later."""
    _run_script(db, "ALTER TABLE run ADD COLUMN asked TEXT NOT NULL DEFAULT '[]'")
    name_questions(db.conn)
    _run_script(db, "ALTER TABLE run DROP COLUMN tasks;\nALTER TABLE run DROP COLUMN facts")


@migrations()
def m015_page_created(db: Database) -> None:
    """When the page of a fact or a document was made."""
    _run_script(db, _FIFTEENTH)


@migrations()
def m016_tokens_and_domains(db: Database) -> None:
    """How many tokens a model went on with, in the key of scores; domains that were renamed."""
    _run_script(db, _SIXTEENTH)
    _widen_table(db, ("score_series",), "inject, options)", "inject, options, tokens)")
    db.execute("REINDEX score_series")


@migrations()
def m017_alignment_and_tags(db: Database) -> None:
    """Reference sets (`db.reference_sets`), rubrics, tags, and notes without a label."""
    _run_script(db, SEVENTEENTH)


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a database to the newest schema, in the transaction that the caller has begun."""
    migrations.apply(Database(connection, strict=True))


def _widen_table(db: Database, tables: Sequence[str], before: str, after: str) -> None:
    """Let tables hold more than they do, by the text of their checks and keys."""
    (version,) = db.execute("PRAGMA schema_version").fetchone()
    db.execute("PRAGMA writable_schema = ON")
    for table in tables:
        db.execute(
            "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE type = 'table' AND name = ?",
            (before, after, table),
        )
    db.execute(f"PRAGMA schema_version = {version + 1}")
    db.execute("PRAGMA writable_schema = RESET")


def _run_script(db: Database, script: str) -> None:
    """Run several statements inside the caller's transaction.

    `executescript` of the standard library would commit that transaction first.
    """
    for statement in script.split(";\n"):
        if statement.strip():
            db.execute(statement)
