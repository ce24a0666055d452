"""The tables of a published copy: plain keys, names and labels, with indices and full text.

The copy is attached as `share` to a connection that reads a project. What it holds is of one view
of the project's file, batch by batch of facts. Ids are those of the project, so that an address
within a copy means the same in the next one.
"""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path

from core.vocabulary import LABELS, Outcome
from db import open_files
from db.connection import PAGE_CACHE_KIB
from db.search_text import TOKENIZER
from db.slot_ids import MAX_SAMPLE, MAX_SETTING, SAMPLE_BITS, SETTING_BITS

SHARED_ID = 0x4C6B7368
"""`Lksh` in the header of a published copy."""

PAGE_BYTES = 16_384
"""Of larger pages fewer are read: counting a million rows of a file that is not in memory, as a
search does, takes half the time of pages of 4 KiB.
"""

TABLES = {
    "facts": "id INTEGER PRIMARY KEY, fact_id TEXT NOT NULL, name TEXT NOT NULL, page_title TEXT, "
    "item_id TEXT, gbc INTEGER, category TEXT, subject TEXT, object TEXT, subject_type TEXT, "
    "object_type TEXT",
    "questions": "id INTEGER PRIMARY KEY, fact INTEGER NOT NULL REFERENCES facts (id), "
    "task TEXT NOT NULL, question TEXT NOT NULL, answer TEXT NOT NULL, aliases TEXT, choices TEXT",
    "settings": "id INTEGER PRIMARY KEY, name TEXT NOT NULL, model TEXT NOT NULL, "
    "thinking INTEGER NOT NULL",
    "graders": "id INTEGER PRIMARY KEY, name TEXT NOT NULL",
    "answers": "id INTEGER PRIMARY KEY, question INTEGER NOT NULL REFERENCES questions (id), "
    "setting INTEGER NOT NULL REFERENCES settings (id), sample INTEGER NOT NULL, "
    "response TEXT NOT NULL, shown_order TEXT, source TEXT",
    "labels": "id INTEGER PRIMARY KEY, answer INTEGER NOT NULL REFERENCES answers (id), "
    "grader INTEGER NOT NULL REFERENCES graders (id), label TEXT NOT NULL, rationale TEXT",
    "profiles": "id INTEGER PRIMARY KEY, fact INTEGER NOT NULL REFERENCES facts (id), "
    "setting INTEGER NOT NULL REFERENCES settings (id), profile TEXT, e INTEGER, k0 INTEGER, "
    "kt INTEGER",
    "about": "key TEXT PRIMARY KEY, value TEXT",
}
"""Columns of each table, in the order in which the tables are filled."""

_INDICES = {
    "questions_fact": "questions (fact)",
    "answers_question": "answers (question)",
    "answers_setting": "answers (setting)",
    "answers_source": "answers (source) WHERE source IS NOT NULL",
    "labels_answer": "labels (answer)",
    "labels_grader": "labels (grader)",
    "labels_grader_label": "labels (grader, label)",
    "profiles_fact": "profiles (fact)",
    "profiles_setting": "profiles (setting)",
}

SEARCHED = {
    "facts": ("fact_id", "name", "page_title", "category", "subject", "object"),
    "questions": ("question", "answer", "aliases", "choices"),
    "answers": ("response",),
}
"""Tables with full text, and of which columns."""

SEARCH_ANSWERS = """
SELECT answers.id, facts.name AS fact, questions.task, settings.name AS setting, answers.sample,
  answers.response, questions.answer AS gold,
  (SELECT group_concat(graders.name || ': ' || labels.label, ', ') FROM labels
    JOIN graders ON graders.id = labels.grader WHERE labels.answer = answers.id) AS labels
FROM answers_fts
CROSS JOIN answers ON answers.id = answers_fts.rowid
JOIN questions ON questions.id = answers.question
JOIN facts ON facts.id = questions.fact
JOIN settings ON settings.id = answers.setting
WHERE answers_fts MATCH coalesce(nullif(escape_fts(:search), ''), '""')
  AND answers_fts.rowid > CAST(:after AS INTEGER)
ORDER BY answers_fts.rowid LIMIT 100
""".strip()
"""Answers with all of some words, from behind the one with the id `after`, for Datasette."""

Step = Callable[[int, int], None]
"""Told how many of all facts are there."""

FACTS_IN_BATCH = 50
"""Short statements: whoever interrupts the program need not wait."""

_SETTING = f"(({{key}} >> {SAMPLE_BITS}) & {MAX_SETTING})"
_QUESTION_BITS = SAMPLE_BITS + SETTING_BITS
_OF_BATCH = (
    "FROM share.questions AS q JOIN {rows} ON {key} BETWEEN q.id << "
    f"{_QUESTION_BITS} AND ((q.id + 1) << {_QUESTION_BITS}) - 1 "
    "{joined}WHERE q.fact IN (SELECT value FROM json_each(?1)) "
    f"AND {_SETTING} IN (SELECT id FROM share.settings)"
)
"""Rows whose key is a slot, of the questions of some facts in the settings that are there."""


@contextmanager
def attach_file(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    """Let a connection write to an empty file as `share`; to be used outside of transactions.

    The file is safe from a power cut only once it is flushed.
    """
    (reads_only,) = connection.execute("PRAGMA query_only").fetchone()
    connection.execute("PRAGMA query_only = OFF")
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("ATTACH ? AS share", (path.absolute().as_uri(),))
    try:
        for pragma in (
            f"page_size = {PAGE_BYTES}",
            f"cache_size = -{PAGE_CACHE_KIB}",
            "journal_mode = OFF",
            "synchronous = OFF",
            "secure_delete = ON",
            f"application_id = {SHARED_ID}",
        ):
            connection.execute(f"PRAGMA share.{pragma}")
        yield
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        connection.execute("DETACH share")  # first: half made, it may not even be read
        connection.execute("DROP TABLE IF EXISTS temp.plane")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA query_only = {reads_only}")


def is_shared(path: Path) -> bool:
    """Whether a file is a published copy."""
    if open_files.is_open(path):
        return False
    with path.open("rb") as file:
        head = file.read(72)
    return head.startswith(b"SQLite format 3\0") and head[68:] == SHARED_ID.to_bytes(4, "big")


def create_tables(connection: sqlite3.Connection) -> None:
    """Make the tables, without indices. Inside a transaction, as all that follows."""
    for name, columns in TABLES.items():
        connection.execute(f"CREATE TABLE share.{name} ({columns})")
    for name, searched in SEARCHED.items():
        connection.execute(
            f"CREATE VIRTUAL TABLE share.{name}_fts USING fts5({', '.join(searched)}, "
            f'content="{name}", content_rowid="id", tokenize=\'{TOKENIZER}\')'
        )


def add_facts(connection: sqlite3.Connection, facts: Sequence[int]) -> None:
    """Add facts (ids) and their current questions.

    A fact is called by its entities, else by its title, else by its id.
    """
    gold = "(SELECT text FROM main.gold WHERE fact = fact.id AND side = '{0}' AND current)"
    entity = f"coalesce(nullif({{0}}, ''), {gold})"
    texts = ("category", "subject", "object", "subject_type", "object_type")
    plain = ", ".join(f"nullif({text}, '')" for text in texts)
    connection.execute(
        "INSERT INTO share.facts SELECT id, fact_id, "
        f"coalesce({entity.format('subject')} || ' → ' || {entity.format('object')}, "
        "nullif(page_title, ''), fact_id), nullif(page_title, ''), nullif(item_id, ''), views, "
        f"{plain} FROM main.fact "
        "WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",
        (json.dumps(list(facts)),),
    )
    connection.execute(
        "INSERT INTO share.questions SELECT question.id, question.fact, task, question.text, "
        "gold.text, nullif(gold.aliases, '[]'), choices FROM main.question JOIN share.facts "
        "ON facts.id = question.fact JOIN main.gold ON gold.fact = question.fact AND gold.current "
        "AND gold.side = CASE WHEN task LIKE '%reverse%' THEN 'subject' ELSE 'object' END "
        "WHERE question.current ORDER BY question.id"
    )


def add_settings(connection: sqlite3.Connection, settings: Mapping[int, tuple[str, bool]]) -> None:
    """Add the settings whose answers are wanted: model and thinking by id."""
    connection.executemany(
        "INSERT INTO share.settings VALUES (?, ?, ?, ?)",
        [
            (key, f"{model}, thinking {'on' if thinking else 'off'}", model, thinking)
            for key, (model, thinking) in settings.items()
        ],
    )


def add_graders(connection: sqlite3.Connection, versions: Sequence[tuple[int, str]]) -> None:
    """Add graders by name, from their versions: id and name, oldest first."""
    first: dict[str, int] = {}
    connection.execute("CREATE TEMP TABLE plane (version INTEGER PRIMARY KEY, grader INTEGER)")
    connection.executemany(
        "INSERT INTO temp.plane VALUES (?, ?)",
        [(key, first.setdefault(name, key)) for key, name in versions],
    )
    connection.executemany(
        "INSERT INTO share.graders VALUES (?, ?)", [(key, name) for name, key in first.items()]
    )


def add_answers(connection: sqlite3.Connection, tell: Step) -> None:
    """Add the answers to the questions that are there, with labels and full text, in batches.

    A grader's label is that of its newest version. Needs the function `shown_order(number,
    choices)`.
    """
    (several,) = connection.execute(
        "SELECT count(*) > count(DISTINCT grader) FROM temp.plane"
    ).fetchone()
    steps = (_answers(), _labels(bool(several)), _ANSWER_TEXTS)
    facts = [key for (key,) in connection.execute("SELECT id FROM share.facts ORDER BY id")]
    starts, done = range(0, len(facts), FACTS_IN_BATCH), 0
    # One table after another, so that the rows of each lie together: they are read as they lie.
    for sql, start in product(steps, starts):
        batch = facts[start : start + FACTS_IN_BATCH]
        connection.execute(sql, (json.dumps(batch),))
        done += len(batch)
        tell(done // len(steps), len(facts))


def _answers() -> str:
    """What adds answers, each with the name of the log that it came from."""
    log = "(SELECT name FROM main.source_file WHERE id = s.file)"
    joined = "LEFT JOIN main.response_source AS s ON s.response = r.id "
    of_batch = _OF_BATCH.format(rows="main.response AS r", key="r.id", joined=joined)
    return (
        f"INSERT INTO share.answers SELECT r.id, q.id, {_SETTING.format(key='r.id')}, "
        f"r.id & {MAX_SAMPLE}, r.text, "
        "CASE WHEN r.shown IS NULL THEN NULL ELSE shown_order(r.shown, q.choices) END, "
        f"{log} {of_batch}"
    )


_ANSWER_TEXTS = (
    "INSERT INTO share.answers_fts (rowid, response) SELECT a.id, a.response "
    f"{_OF_BATCH.format(rows='share.answers AS a', key='a.id', joined='')}"
)


def _labels(several: bool) -> str:
    """What adds labels: of the newest version where there are `several` of a name."""
    words = " ".join(f"WHEN {int(Outcome.from_label(label))} THEN '{label}'" for label in LABELS)
    of_batch = _OF_BATCH.format(
        rows="main.grade AS g",
        key="g.response",
        joined="JOIN temp.plane ON plane.version = g.grader LEFT JOIN main.remark "
        "ON remark.response = g.response AND remark.grader = g.grader ",
    )
    newest = (
        " AND NOT EXISTS (SELECT 1 FROM temp.plane AS later JOIN main.grade AS newer "
        "ON newer.grader = later.version AND newer.response = g.response "
        f"WHERE later.grader = plane.grader AND later.version > g.grader "
        f"AND newer.outcome <= {len(LABELS)})"
    )
    return (
        "INSERT INTO share.labels (answer, grader, label, rationale) SELECT g.response, "
        f"plane.grader, CASE g.outcome {words} END, remark.rationale {of_batch} "
        f"AND g.outcome <= {len(LABELS)}{newest if several else ''}"
    )


ProfileRow = tuple[int, int, str | None, bool | None, bool | None, bool | None]
"""Fact and setting (ids), profile, E, K0, KT."""


def add_profiles(connection: sqlite3.Connection, profiles: Iterable[ProfileRow]) -> None:
    """Add profiles."""
    connection.executemany(
        "INSERT INTO share.profiles (fact, setting, profile, e, k0, kt) VALUES (?, ?, ?, ?, ?, ?)",
        profiles,
    )


def finish(connection: sqlite3.Connection) -> None:
    """Make the indices and the full text of facts and questions; what nothing refers to goes."""
    for name, columns in _INDICES.items():
        connection.execute(f"CREATE INDEX share.{name} ON {columns}")
    for name in ("facts", "questions"):
        connection.execute(f"INSERT INTO share.{name}_fts ({name}_fts) VALUES ('rebuild')")
    for unused, table, column in (
        ("settings", "answers", "setting"),
        ("graders", "labels", "grader"),
    ):
        connection.execute(
            f"DELETE FROM share.{unused} WHERE NOT EXISTS "
            f"(SELECT 1 FROM share.{table} WHERE {column} = {unused}.id)"
        )
    connection.execute("PRAGMA analysis_limit = 1000")
    connection.execute("ANALYZE share")


def add_about(connection: sqlite3.Connection, values: Mapping[str, str]) -> None:
    """Say what the copy is."""
    connection.executemany("INSERT INTO share.about VALUES (?, ?)", values.items())


def count_rows(connection: sqlite3.Connection) -> dict[str, int]:
    """Rows of all tables of the copy, those of indices of full text too."""
    tables = connection.execute("SELECT name FROM share.sqlite_master WHERE type = 'table'")
    return {
        name: connection.execute(f"SELECT count(*) FROM share.{name}").fetchone()[0]
        for (name,) in tables.fetchall()
    }
