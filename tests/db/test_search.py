"""The full-text index follows what is in the file; searches find it, whatever is typed."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import db.connection
import db.facts
import db.integrity
import db.label_grids
import db.model_rows
import db.question_rows
import db.responses
import db.search
import db.search_index
from core.vocabulary import Side, Task
from db.connection import connect, write_transaction
from db.facts import Fact
from db.question_rows import Gold, Question
from db.search import SearchHit
from db.search_text import parse
from db.slot_ids import slot, unpack
from tests.core.making import question_keys
from tests.db.making import put_empty

ANTARES = Fact(
    "13491108__2",
    page_title="Antares_(rocket)",
    category="Technology",
    subject="Antares",
    object="RP-1",
    golds={Side.OBJECT: Gold("RP-1", ("refined kerosene",)), Side.SUBJECT: Gold("Antares")},
    questions={
        Task.COMPLETION: Question("The first stage is liquid fueled, burning"),
        Task.DIRECT: Question("Which fuel does the first stage of Antares burn?"),
        Task.MC_DIRECT: Question(
            "Which fuel does the first stage of Antares burn?",
            ("RP-1", "hydrazine", "methane", "hydrogen"),
        ),
        Task.REVERSE: Question("Which rocket burns RP-1?"),
    },
)
ZURICH = Fact(
    "7__0",
    page_title="Zürich",
    subject="Zürich",
    golds={Side.OBJECT: Gold("Limmat")},
    questions={Task.DIRECT: Question("Which river leaves the lake at this city?")},
)


@pytest.fixture
def filled(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Two facts, one model, nothing indexed."""
    with write_transaction(connection):
        db.facts.insert(connection, [ANTARES, ZURICH])
        db.model_rows.ensure_setting(connection, "m", False)
    return connection


def question(connection: sqlite3.Connection, fact_id: str, task: Task) -> int:
    return question_keys(connection)[fact_id, task]


def answer(connection: sqlite3.Connection, key: int, texts: Sequence[str], first: int = 0) -> None:
    with write_transaction(connection):
        db.responses.insert(
            connection, [(slot(key, 1, first + n), text, None) for n, text in enumerate(texts)]
        )


def drawn(connection: sqlite3.Connection) -> db.search_index.Ints:
    return db.label_grids.per_question(db.label_grids.load(connection))


def index(connection: sqlite3.Connection) -> list[db.search_index.IndexProgress]:
    return list(db.search_index.catch_up(connection, drawn(connection)))


def found(connection: sqlite3.Connection, text: str) -> dict[int, int]:
    facts, ranks = db.search.facts(connection, parse(text))
    return dict(zip(facts.tolist(), ranks.tolist(), strict=True))


def answered(connection: sqlite3.Connection, text: str) -> list[int]:
    questions: list[int] = db.search.answers(connection, parse(text)).tolist()
    return questions


@pytest.mark.parametrize(
    ("text", "rank"),
    [
        ("antares", 0),
        ("rocket", 0),
        ("ROCKÉT ant", 0),
        ("rp-1", 0),
        ("rocket fuel", 1),
        ("liquid", 2),
        ("rocket liquid fuel", 2),
        ("kerosene", 3),
        ("hydra", 3),
        ("technology", 3),
        ("13491108", 3),
        ('"first stage of"', 1),
        ('"first stage" burni', 2),
        ("a", 0),
    ],
)
def test_facts_are_ranked_by_where_all_terms_stand(
    filled: sqlite3.Connection, text: str, rank: int
) -> None:
    index(filled)
    assert found(filled, text).get(1) == rank


@pytest.mark.parametrize(
    "text", ["erosene", '"stage first"', "antares limmat", "xyzzy", "", '"rocke"']
)
def test_what_finds_nothing(filled: sqlite3.Connection, text: str) -> None:
    index(filled)
    assert found(filled, text) == {}


def test_the_best_facts_come_first(filled: sqlite3.Connection) -> None:
    with write_transaction(filled):
        db.facts.insert(
            filled,
            [
                Fact("g", golds={Side.OBJECT: Gold("Zürich")}),
                Fact("t", questions={Task.CONTEXTUAL: Question("In Zurich, what?")}),
                Fact("q", questions={Task.REVERSE: Question("What is Zu\u0308rich?")}),
            ],
        )
    index(filled)
    assert list(found(filled, "zurich").items()) == [(2, 0), (5, 1), (4, 2), (3, 3)]


@pytest.mark.parametrize(
    ("text", "where", "shown"),
    [
        ("rocket", "title", "rocket"),
        ("antares", "title", "Antares"),
        ("rp", "object", "RP"),
        ("fuel", "direct", "fuel"),
        ("antares fuel", "direct", "fuel"),
        ("liquid", "text", "liquid"),
        ("kero", "gold", "kero"),
        ("hydrazine", "mc_direct", "hydrazine"),
        ("tech", "category", "Tech"),
        ("1349", "id", "1349"),
    ],
)
def test_where_a_fact_is_found(
    filled: sqlite3.Connection, text: str, where: str, shown: str
) -> None:
    hit = db.search.hit(filled, 1, parse(text))
    assert hit is not None
    assert (hit.where, hit.text[hit.start : hit.end]) == (where, shown)


def test_a_hit_in_a_question_names_it(filled: sqlite3.Connection) -> None:
    key = question(filled, ANTARES.fact_id, Task.REVERSE)
    hit = db.search.hit(filled, 1, parse('"rocket burns'))
    assert hit == SearchHit("reverse", "Which rocket burns RP-1?", 6, 18, key)
    assert db.search.hit(filled, 1, parse("limmat")) is None
    assert db.search.hit(filled, 77, parse("antares")) is None


def test_answers_are_found_with_their_slot(filled: sqlite3.Connection) -> None:
    one, other = (
        question(filled, ANTARES.fact_id, Task.REVERSE),
        question(filled, ZURICH.fact_id, Task.DIRECT),
    )
    answer(filled, one, ["Minotaur IV", "Taurus II", "Taurus II"])
    answer(filled, other, ["The Limmat, of course", "Sihl"])
    index(filled)
    assert answered(filled, "taur") == [one]
    assert answered(filled, "the lim") == [other]
    assert answered(filled, "ii taurus") == [one]
    assert answered(filled, "i") == []
    assert answered(filled, "s sihl") == [other]
    assert answered(filled, "antares") == []
    hit = db.search.hit(filled, 1, parse("taurus i"), one)
    assert hit == SearchHit("answer", "Taurus II", 0, 6, one, slot(one, 1, 1))


def test_words_in_quotes_must_follow_one_another_in_one_answer(
    filled: sqlite3.Connection,
) -> None:
    one, other = (
        question(filled, ANTARES.fact_id, Task.REVERSE),
        question(filled, ZURICH.fact_id, Task.DIRECT),
    )
    answer(filled, one, ["the river", "Limmat"])
    answer(filled, other, ["The Rïver -- Limmat"])
    index(filled)
    assert answered(filled, "river limmat") == [one, other]
    assert answered(filled, '"river limmat"') == [other]
    assert answered(filled, '"the river" "river lim') == [other]
    assert answered(filled, '"the river" limmat') == [one, other]
    assert answered(filled, '"river lim"') == []


def test_the_index_follows_new_answers(filled: sqlite3.Connection) -> None:
    key = question(filled, ZURICH.fact_id, Task.DIRECT)
    answer(filled, key, ["Sihl"])
    assert index(filled)[-1].done == 3
    assert index(filled) == []
    assert db.search_index.has_all_answers(filled, drawn(filled))
    answer(filled, key, ["Limmat"], 1)
    assert not db.search_index.has_all_answers(filled, drawn(filled))
    assert answered(filled, "limmat") == []
    assert len(index(filled)) == 1
    assert answered(filled, "limmat") == answered(filled, "sihl") == [key]


def test_answers_set_aside_are_found_no_more_and_what_is_drawn_then_is(
    filled: sqlite3.Connection,
) -> None:
    key = question(filled, ZURICH.fact_id, Task.DIRECT)
    answer(filled, key, ["Sihl"])
    index(filled)
    with write_transaction(filled):
        db.responses.set_aside(filled, [slot(key, 1, 0)], "wrong prompt")
    assert index(filled) == []
    hit = db.search.hit(filled, 2, parse("sihl"), key)
    assert hit is None
    answer(filled, key, ["Limmat"])
    assert not db.search_index.has_all_answers(filled, drawn(filled))
    index(filled)
    assert answered(filled, "limmat") == [key]


def test_the_index_follows_new_facts_and_versions(filled: sqlite3.Connection) -> None:
    index(filled)
    with write_transaction(filled):
        db.facts.insert(filled, [Fact("new", subject="Tallinn")])
        filled.execute("UPDATE gold SET current = 0 WHERE fact = 2")
        filled.execute(
            "INSERT INTO gold (fact, side, version, text, current) "
            "VALUES (2, 'object', 2, 'Sihl', 1)"
        )
    assert not db.search_index.has_all_facts(filled)
    assert index(filled)[-1].total == 2
    assert db.search_index.has_all_facts(filled)
    assert found(filled, "tallinn") == {3: 0}
    assert found(filled, "sihl") == {2: 3}
    assert db.search.hit(filled, 2, parse("limmat")) is None


QUERIES = ("first stage", "limm", "rosene", "keros", "a", "rock rp", "rp rock", '"stage of an', "(")


@pytest.mark.parametrize("text", [*QUERIES, "zurich", "ROCKÉT", "hydra antares", "xyzzy", ""])
def test_the_same_is_found_in_the_same_order_however_much_is_indexed(
    filled: sqlite3.Connection, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(db.search_index, "FACTS_AT_ONCE", 1)
    with write_transaction(filled):
        db.facts.insert(filled, [Fact("t", subject="Aroostook"), Fact("g", object="A kerosene")])
    seen = [list(found(filled, text).items())]
    steps = db.search_index.catch_up(filled, drawn(filled))
    seen += [list(found(filled, text).items()) for _ in steps]
    assert len(seen) == 5
    assert all(one == seen[-1] for one in seen)


def test_what_has_no_word_is_found_as_typed(filled: sqlite3.Connection) -> None:
    assert found(filled, "(") == {1: 3}
    hit = db.search.hit(filled, 1, parse("("))
    assert hit is not None
    assert (hit.where, hit.text[hit.start : hit.end]) == ("title", "(")


def test_a_reader_uses_the_index_that_is_there(filled: sqlite3.Connection, path: Path) -> None:
    index(filled)
    with closing(connect(path, "read")) as reader:
        assert found(reader, "kero") == {1: 3}
        with pytest.raises(sqlite3.OperationalError):
            db.search_index.forget(reader)


def test_stopping_between_steps_loses_nothing(
    filled: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(db.search_index, "FACTS_AT_ONCE", 1)
    monkeypatch.setattr(db.search_index, "RESPONSES_AT_ONCE", 1)
    keys = [one.id for one in db.question_rows.questions(filled)]
    for key in keys:
        answer(filled, key, [f"answer{key}"])
    total = 2 + len(keys)
    for done in range(total):
        steps = db.search_index.catch_up(filled, drawn(filled))
        assert next(steps) == db.search_index.IndexProgress(1, total - done)
        assert not filled.in_transaction
        steps.close()
    assert index(filled) == []
    assert [answered(filled, f"answer{key}") for key in keys] == [[key] for key in keys]


def test_two_programs_index_each_thing_once(filled: sqlite3.Connection, path: Path) -> None:
    key = question(filled, ZURICH.fact_id, Task.DIRECT)
    answer(filled, key, ["Sihl"])
    counts = drawn(filled)
    with closing(connect(path, "write")) as other:
        steps, others = (db.search_index.catch_up(one, counts) for one in (filled, other))
        while next(steps, None) or next(others, None):
            pass
    rows = filled.execute("SELECT key, generation FROM searchable ORDER BY key").fetchall()
    assert rows == [(-2, 0), (-1, 0), (key, 0)]
    assert answered(filled, "sihl") == [key]


def test_a_broken_index_is_told_apart_and_made_anew(filled: sqlite3.Connection, path: Path) -> None:
    key = question(filled, ZURICH.fact_id, Task.DIRECT)
    answer(filled, key, ["Sihl"])
    index(filled)
    for table in ("fact_text_data", "answer_text_data"):
        filled.execute(f"UPDATE {table} SET block = x'ffffffffffffffff' WHERE id > 10")
    with closing(connect(path, "write")) as other:
        with pytest.raises(sqlite3.DatabaseError) as error:
            other.execute("SELECT rowid FROM answer_text WHERE answer_text MATCH 's'").fetchall()
        assert db.search_index.is_broken(error.value)
        assert answered(other, "sihl") == []
        assert found(other, "antares limmat") == {}
        assert found(other, "kerosene") == {1: 3}
        assert found(other, "limmat") == {2: 3}
        db.search_index.forget(other)
        assert not db.search_index.has_all_facts(other)
        index(other)
        assert answered(other, "sihl") == [key]
        assert found(other, "kerosene") == {1: 3}
        assert db.integrity.faults(other) == []


def test_an_interrupted_search_is_told_apart(filled: sqlite3.Connection) -> None:
    answer(filled, 1, ["a b"] * 500)
    index(filled)
    filled.set_progress_handler(lambda: 1, 1)
    try:
        with pytest.raises(sqlite3.OperationalError) as error:
            db.search.answers(filled, parse('"a bc"'))
    finally:
        filled.set_progress_handler(None, 0)
    assert db.search.was_interrupted(error.value)
    assert not db.search_index.is_broken(error.value)


def test_phrases_are_looked_for_while_another_statement_is_open(
    filled: sqlite3.Connection,
) -> None:
    answer(filled, 1, ["so it is", "so is it"])
    index(filled)
    assert answered(filled, '"it is"') == [1]
    rows = filled.execute("SELECT id FROM response")
    assert rows.fetchone()
    assert answered(filled, '"is it"') == [1]
    assert rows.fetchone()


@pytest.mark.slow
@given(text=st.text() | st.text(alphabet='"*^:()-+{}~,. ANDORTa', max_size=40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_anything_may_be_typed(filled: sqlite3.Connection, text: str) -> None:
    db.search_index.forget(filled)
    unindexed = found(filled, text)
    index(filled)
    assert found(filled, text) == unindexed
    query = parse(text)
    for fact in db.search.facts(filled, query)[0].tolist():
        assert fact in (1, 2)
    assert db.search.answers(filled, query).tolist() == []


def test_a_very_long_query(filled: sqlite3.Connection) -> None:
    index(filled)
    assert found(filled, " ".join(f"w{n}" for n in range(10_000))) == {}
    assert found(filled, "x" * 100_000) == {}
    assert answered(filled, '"' + "a " * 10_000) == []


WORDS = ("alpha", "beta", "Gámma", "de-lta", "alphabet", "x")
answer_texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)


@pytest.mark.slow
@given(
    answers=st.lists(st.tuples(st.integers(1, 5), answer_texts), max_size=12),
    query=st.lists(st.sampled_from(("al", "alpha", "beta", "gamm", "lta", "x")), min_size=1),
)
@settings(max_examples=40, deadline=None)
def test_against_reading_everything(
    tmp_path_factory: pytest.TempPathFactory, answers: list[tuple[int, str]], query: list[str]
) -> None:
    """Questions of whose answers every term starts a word, in whatever order they came."""
    said: dict[int, str] = {}
    path = tmp_path_factory.mktemp("search") / "a.db"
    put_empty(path)
    with closing(connect(path, "write")) as connection:
        with write_transaction(connection):
            db.facts.insert(connection, [ANTARES, ZURICH])
            db.model_rows.ensure_setting(connection, "m", False)
        for sample, (key, text) in enumerate(answers):
            answer(connection, key, [text], sample)
            said[key] = f"{said.get(key, '')} {text.lower().replace('á', 'a').replace('-', ' ')}"
            index(connection)
        expected = {
            key
            for key, text in said.items()
            if all(any(word.startswith(term) for word in text.split()) for term in query)
        }
        assert set(answered(connection, " ".join(query))) == (
            set() if set(query) == {"x"} else expected
        )


def test_counts_by_question(filled: sqlite3.Connection) -> None:
    with write_transaction(filled):
        db.model_rows.ensure_setting(filled, "m", True)
        rows: list[tuple[int, str, int | None]] = [
            (slot(key, setting, sample), "", None)
            for key, setting, sample in [(1, 1, 0), (1, 1, 7), (1, 2, 3), (3, 2, 0)]
        ]
        db.responses.insert(filled, rows)
    counts = drawn(filled)
    assert counts[[1, 3]].tolist() == [3, 1]
    assert counts.sum() == len(rows)
    assert np.flatnonzero(counts).tolist() == sorted({unpack(row[0])[0] for row in rows})
