"""Whatever another program changes in the file, an open session shows: every table, every way."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import core.views.session
import core.views.snapshot_cache
from core.errors import LostkeysError
from core.views.bench.bench_service import BenchRequest
from core.views.fact_query import FactOrder, FactQuery
from core.views.session import Session
from core.views.snapshot_cache import DESCRIBING
from core.vocabulary import Outcome, Task
from db.connection import connect
from db.prepared_triples import PreparedTriple
from tests.core.fact_bench.arms_making import answers, new_set, put_preparation
from tests.core.making import a_fact, cell, put_facts, put_rows

NUMBERED = {
    *("response", "draw", "grade", "grid", "grid_change", "question", "gold", "run"),
    *("option_score", "score_grid", "score_change", "score_series", "counted"),
}
"""Tables of which more is kept, brought up to date by numbers that their writers change."""

READ = {
    *("action", "remark", "stale_grade", "aside", "failure", "review", "sample", "sampled"),
    *("audit", "audit_fact", "saved_policy", "saved_profile", "served", "project"),
    *("document", "passage", "candidate", "step", "response_source", "source_file"),
    *("source_score", "option_list", "option_text", "long_input", "answer_score"),
    *("reference_set", "reference_answer", "rubric", "trial", "opening"),
    *("tag", "tagged", "note"),
    *("job", "stage", "spend", "event", "batch", "plan_range", "claim", "lease"),
}
"""Tables that are read when their rows are shown: a new snapshot has screens read them."""

FIXED = {"outcome", "searchable", "_sqlite_migrations", "sqlite_sequence"}
"""Tables that no person sees: names that never change, what is indexed, what was migrated."""

ROWS = """
INSERT INTO fact (fact_id, category, views) VALUES ('bare', 'Sports', 3);
INSERT INTO model_trait VALUES (1, 'family', 7, NULL);
INSERT INTO input_form (name, kind, template, inner_gap, outer_gap)
    VALUES ('f', 'template', 'x', ' ', ' ');
INSERT INTO arm (model, triple_set, base, mode, seed, known_by, prompt)
    SELECT id, 1, 'm', 'zero-shot', 0, 'em', '' FROM model WHERE label = 'm#zero-shot';
INSERT INTO exemplar VALUES (1, 1, 2, 'q', 'g', 'a', 2, NULL);
"""

INDEXED = ("fact_text", "answer_text", "passage_text")
"""Full-text indexes, with their tables."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with facts, answers, and a set of triples that is prepared and has an arm."""
    path = tmp_path_factory.mktemp("made") / "p.db"
    with new_set(path, answers("m#zero-shot", {"a": "Riga"})) as project:
        put_preparation(project, {"a": PreparedTriple("", "top", "eval", True)})
        put_facts(project, [a_fact("f0", page_title="Tartu", category="Arts", views=7)])
        put_rows(project, cell("f0", Task.DIRECT, "m", False, [Outcome.CORRECT, None]))
        project.connection.executescript(ROWS)
    return path


def look(session: Session) -> object:
    """What the lists, cards and filters of a session show, or why they cannot."""
    try:
        snapshot, index = session.snapshot, session.snapshot.index
        facts = [
            (index.fact_ids[place], heading, index.categories[place], int(index.views[place]))
            for place, heading in enumerate(snapshot.headings)
        ]
        orders = [session.listing(FactQuery(order=order)).places.tolist() for order in FactOrder]
        return repr(
            (
                facts,
                snapshot.models,
                snapshot.arms,
                snapshot.graders,
                session.choices(),
                orders,
                session.bench.lists(BenchRequest()),
                session.summary(),
            )
        )
    except LostkeysError as error:
        return str(error)


def look_anew(path: Path) -> object:
    """The same of a session that has just been opened."""
    with closing(Session(path)) as other:
        try:
            other.open()
        except LostkeysError as error:
            return str(error)
        return look(other)


def refresh(session: Session) -> str | None:
    """Have a session take in what was written: it must; gives why it cannot."""
    try:
        assert session.refresh() is not None
    except LostkeysError as error:
        return str(error)
    return None


@pytest.fixture
def path(made: Path, tmp_path: Path) -> Path:
    with closing(connect(made, "read")) as one, closing(sqlite3.connect(tmp_path / "p.db")) as copy:
        one.backup(copy)
    return tmp_path / "p.db"


@pytest.fixture
def session(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """A session that has been open for a while: its next look is not kept waiting."""
    monkeypatch.setattr(core.views.session, "LATEST", 0)
    monkeypatch.setattr(core.views.snapshot_cache, "REST", 0)
    with closing(Session(path)) as opened:
        opened.open()
        look(opened)
        assert opened.refresh() is None
        yield opened


@pytest.fixture
def other(path: Path) -> Iterator[sqlite3.Connection]:
    """Another program, which may write what Lostkeys would not."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        yield connection


def columns_of(connection: sqlite3.Connection, table: str) -> list[tuple[str, str, bool]]:
    """Name, type and whether it is part of the key, of columns that can be written."""
    rows = connection.execute(f"PRAGMA table_xinfo({table})").fetchall()
    return [(name, kind, bool(key)) for _, name, kind, _, _, key, hidden in rows if not hidden]


def change_ways(connection: sqlite3.Connection, table: str) -> Iterator[str]:
    """Statements that insert, update (each column) and delete a row."""
    values = {"INTEGER": "77", "TEXT": "'x'", "REAL": "1.5", "BLOB": "x'00'"}
    columns = columns_of(connection, table)
    names = ", ".join(name for name, _, _ in columns)
    yield (
        f"INSERT INTO {table} ({names}) "
        f"VALUES ({', '.join(values[kind] for _, kind, _ in columns)})"
    )
    row = " AND ".join(f"{name} = {values[kind]}" for name, kind, is_key in columns if is_key)
    others = {"INTEGER": "78", "TEXT": "'y'", "REAL": "2.5", "BLOB": "x'01'"}
    for name, kind, is_key in columns:
        if not is_key:
            yield f"UPDATE {table} SET {name} = {others[kind]} WHERE {row}"
    yield f"DELETE FROM {table} WHERE {row}"


def test_every_table_is_thought_about(made: Path) -> None:
    """A new table belongs into one of the lists above, or into `DESCRIBING`."""
    with closing(connect(made, "read")) as connection:
        rows = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        there = {name for (name,) in rows if not name.startswith(INDEXED)}
    assert there == NUMBERED | READ | FIXED | set(DESCRIBING)
    assert sum(map(len, (NUMBERED, READ, FIXED, DESCRIBING))) == len(there)


@pytest.mark.slow
@pytest.mark.parametrize("table", sorted(NUMBERED | READ | set(DESCRIBING)))
def test_every_change_by_another_program_is_told(
    session: Session, other: sqlite3.Connection, table: str
) -> None:
    """All ways, one after another: each has screens read what they show."""
    for way in change_ways(other, table):
        assert other.execute(way).rowcount == 1
        refresh(session)  # where the row makes no sense, that is said


FACT = "UPDATE fact SET {} WHERE fact_id = 'f0'"
CHANGES = {
    "a title": FACT.format("page_title = 'Narva'"),
    "a category": FACT.format("category = 'Sports'"),
    "no category": FACT.format("category = ''"),
    "views": FACT.format("views = 1000"),
    "no views": FACT.format("views = NULL"),
    "a subject": FACT.format("page_title = '', subject = 'someone'"),
    "an object": FACT.format("object = 'something'"),
    "a type": FACT.format("object_type = 'DATE'"),
    "a type of the subject": FACT.format("subject_type = 'PERSON'"),
    "a flag": FACT.format("flagged = 1"),
    "a rejection": FACT.format("rejected = 1"),
    "an id": FACT.format("fact_id = 'g0'"),
    "a fact": "INSERT INTO fact (fact_id, category, views) VALUES ('new', 'New', 9)",
    "a fact less": "DELETE FROM fact WHERE fact_id = 'bare'",
    "a model's name": "UPDATE model SET label = 'other' WHERE label = 'm'",
    "an arm's name": "UPDATE model SET label = 'n#zero-shot' WHERE label = 'm#zero-shot'",
    "a grader's name": "UPDATE grader SET name = 'other' WHERE name = 'lexical'",
    "a grader's version": "UPDATE grader SET version = '9' WHERE name = 'lexical'",
    "a set": "INSERT INTO triple_set (name) VALUES ('new')",
    "a set's name": "UPDATE triple_set SET name = 'other'",
    "a tier": "UPDATE prepared_triple SET tier = 'bottom'",
    "a split": "UPDATE prepared_triple SET split = 'train'",
    "a triple not prepared": "DELETE FROM prepared_triple",
    "a relation": "UPDATE relation SET name = 'other' WHERE name = 'capital'",
    "an answer's type": "UPDATE triple SET answer_type = 'date'",
    "an exemplar": "UPDATE exemplar SET gold = 'other'",
    "no exemplar": "DELETE FROM exemplar",
}


@pytest.mark.slow
@pytest.mark.parametrize("what", CHANGES)
def test_what_is_shown_is_what_a_new_session_shows(
    session: Session, other: sqlite3.Connection, path: Path, what: str
) -> None:
    before = look(session)
    other.execute(CHANGES[what])
    why = refresh(session)
    assert (why or look(session)) == look_anew(path)
    again = look(session)
    assert session.refresh() is None
    assert look(session) == again
    if what in SEEN:
        assert again != before


SEEN = set(CHANGES) - {"a type of the subject", "a grader's version"}
"""What is seen in these lists."""


def test_a_commit_that_changes_nothing_shown_is_told_once(
    session: Session, other: sqlite3.Connection
) -> None:
    other.execute("INSERT INTO lease (token) VALUES ('x')")
    assert session.refresh() is not None
    assert session.refresh() is None
