"""Facts come back as they went in, whatever their text; and what is asked of them."""

import sqlite3
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import db.fact_names
import db.facts
import db.index_columns
import db.question_rows
from core.vocabulary import TASKS, Side, Task
from db.connection import write_transaction
from db.facts import Fact
from db.question_rows import Gold, Question
from tests.core.making import question_keys
from tests.db.making import a_fact

HOSTILE = (
    "",
    " ",
    "\0",
    "a\0b",
    "'; DROP TABLE fact; --",
    '"quoted" \\ and %_',
    "[red]markup[/red] \x1b[31m",
    "\u202eright to left \u05d0\u0628",
    "👩\u200d🚀 \U0001f9ff é e\u0301",
    "line\nbreak\r\n\ttab\x85\u2028",
    "\ufeffbom \ufffe",
    "{{ template }} $x {0}",
    "NULL",
    "1e999",
)
texts = st.one_of(
    st.sampled_from(HOSTILE), st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
)
golds = st.builds(Gold, texts, st.lists(texts, max_size=3).map(tuple))


@st.composite
def facts(draw: st.DrawFn) -> Fact:
    tasks = draw(st.sets(st.sampled_from(TASKS)))
    columns = [draw(texts) for _ in range(8)]
    return Fact(
        columns[0],
        page_title=columns[1],
        item_id=columns[2],
        views=draw(st.one_of(st.none(), st.integers(0, 2**63 - 1))),
        category=columns[3],
        subject=columns[4],
        object=columns[5],
        subject_type=columns[6],
        object_type=columns[7],
        golds=draw(st.dictionaries(st.sampled_from(Side), golds)),
        questions={
            task: Question(draw(texts), draw(st.tuples(*[texts] * 4)) if task.is_choice else None)
            for task in tasks
        },
    )


@pytest.mark.slow
@given(st.lists(facts(), max_size=3, unique_by=lambda fact: fact.fact_id))
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_what_was_inserted_is_stored(connection: sqlite3.Connection, some: list[Fact]) -> None:
    connection.execute("BEGIN")
    try:
        db.facts.insert(connection, some)
        assert list(db.facts.read_facts(connection)) == some
        for one in some:
            assert list(db.facts.read_facts(connection, [one.fact_id])) == [one]
        keys = question_keys(connection)
        assert set(keys) == {(one.fact_id, task) for one in some for task in one.questions}
        asked = {
            (one.fact_id, task): (question.text, question.choices, one.golds[task.side])
            for one in some
            for task, question in one.questions.items()
            if task.side in one.golds
        }
        assert {
            (one.fact_id, one.task): (one.text, one.choices, one.gold)
            for one in db.question_rows.questions(connection)
        } == asked
    finally:
        connection.execute("ROLLBACK")


def test_questions_of_a_fact_lie_side_by_side_in_task_order(
    connection: sqlite3.Connection,
) -> None:
    with write_transaction(connection):
        db.facts.insert(connection, [a_fact("a", reversed(TASKS)), a_fact("b", TASKS[3:5])])
    found = db.question_rows.questions(connection)
    assert [(one.fact_id, one.task) for one in found] == [
        *(("a", task) for task in TASKS),
        *(("b", task) for task in TASKS[3:5]),
    ]
    assert [one.id for one in found] == list(range(1, 13))
    assert {one.gold.text for one in found} == {"gold"}
    assert [one.fact for one in db.question_rows.questions(connection, [2])] == [2, 2]
    assert db.question_rows.questions(connection, []) == []


def test_seeds_are_recorded_and_depend_on_fact_and_task_alone(
    connection: sqlite3.Connection,
) -> None:
    with write_transaction(connection):
        db.facts.insert(connection, [a_fact("a"), a_fact("b")])
    seeds = {(one.fact_id, one.task): one.seed for one in db.question_rows.questions(connection)}
    drawn = [seed for (_, task), seed in seeds.items() if task.is_choice]
    assert None not in drawn
    assert len(set(drawn)) == 8
    assert {seed for (_, task), seed in seeds.items() if not task.is_choice} == {None}


def test_only_current_versions_count(connection: sqlite3.Connection) -> None:
    with write_transaction(connection):
        db.facts.insert(connection, [a_fact("a", [Task.DIRECT])])
        connection.execute("UPDATE question SET current = 0")
        connection.execute(
            "INSERT INTO question (fact, task, version, text, current) "
            "VALUES (1, 'direct', 2, 'newer?', 1)"
        )
        connection.execute("UPDATE gold SET current = 0 WHERE side = 'object'")
        connection.execute(
            "INSERT INTO gold (fact, side, version, text, current) "
            "VALUES (1, 'object', 2, 'newer', 1)"
        )
    (one,) = db.question_rows.questions(connection)
    assert (one.id, one.text, one.gold.text) == (2, "newer?", "newer")
    assert question_keys(connection) == {("a", "direct"): 2}
    ((tasks, facts, ids),) = db.index_columns.question_columns(connection)
    assert (tasks, facts.tolist(), ids.tolist()) == (["direct"], [1], [[2]])
    assert db.index_columns.newest_question(connection) == 2
    (fact,) = db.facts.read_facts(connection)
    assert fact.questions[Task.DIRECT].text == "newer?"
    with pytest.raises(sqlite3.IntegrityError):
        connection.execute("UPDATE question SET current = 1")


def test_the_same_fact_twice_is_refused(connection: sqlite3.Connection) -> None:
    with pytest.raises(sqlite3.IntegrityError), write_transaction(connection):
        db.facts.insert(connection, [a_fact("a"), a_fact("a")])


@pytest.mark.parametrize("text", ["%", "_", "\\", "50 %", "a_c", "O'Brien", "é"])
def test_text_is_looked_for_as_it_stands(connection: sqlite3.Connection, text: str) -> None:
    with write_transaction(connection):
        db.facts.insert(
            connection, [Fact("has", subject=f"before {text} after"), Fact("abc", subject="plain")]
        )
    assert db.facts.find_matching(connection, text) == {1}


def test_entities_fall_back_to_golds(connection: sqlite3.Connection) -> None:
    with write_transaction(connection):
        db.facts.insert(
            connection,
            [
                Fact("both", subject="s", object="o", golds={Side.OBJECT: Gold("gold")}),
                Fact("gold", golds={Side.OBJECT: Gold("gold")}),
            ],
        )
    assert db.fact_names.entities(connection) == {"both": ("s", "o"), "gold": ("", "gold")}


def test_a_fact_without_a_subject_is_named_by_its_title_or_its_first_question(
    connection: sqlite3.Connection,
) -> None:
    asked = {Task.REVERSE: Question("Whose?"), Task.DIRECT: Question("  Which word fits? " * 40)}
    golds = {Side.OBJECT: Gold("o")}
    with write_transaction(connection):
        db.facts.insert(
            connection,
            [
                Fact("log/1", questions=asked, golds=golds),
                Fact("page", page_title="New_York", questions=asked, golds=golds),
                Fact("whole", subject="s", questions=asked, golds=golds),
                Fact("bare", golds=golds),
            ],
        )
    log, page, whole, bare = db.fact_names.headings(connection)
    assert log[1].startswith("Which word fits?")
    assert len(log[1]) <= db.fact_names.NAMING
    assert (page[1], whole[1], bare[1]) == ("New York", "s", "")
    assert log[2] == "o"


@pytest.mark.parametrize("views", [None, 0, 7])
def test_columns_that_no_fact_fills_are_as_if_filled_with_nothing(
    connection: sqlite3.Connection, views: int | None
) -> None:
    options = ("x", "y", "z", "w")
    golds = {Side.OBJECT: Gold("x")}
    some = [
        Fact("a", views=views, golds=golds, questions={Task.DIRECT: Question("q")}),
        Fact("b", golds=golds, questions={Task.MC_DIRECT: Question("q", options)}),
    ]
    with write_transaction(connection):
        for fact in some:
            db.facts.insert(connection, [fact])
        db.facts.insert(connection, [replace(fact, fact_id=f"{fact.fact_id}2") for fact in some])
    found = {fact.fact_id: fact for fact in db.facts.read_facts(connection)}
    assert [found["a"], found["b"]] == some
    assert [replace(found[f"{fact.fact_id}2"], fact_id=fact.fact_id) for fact in some] == some
