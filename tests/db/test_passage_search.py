"""Retrieval: what fits best comes first, and no question is read as syntax."""

import sqlite3

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import db.documents
import db.passage_search
from db.connection import write_transaction
from db.documents import Document, Paragraph
from db.passage_search import MOST_WORDS, expression, find

TEXTS = {
    "tartu": ("Tartu", "It lies on the Emajõgi, and has the oldest university of the country."),
    "ghent": ("Ghent", "It lies where the rivers Scheldt and Leie meet; a university since 1817."),
    "porto": ("Porto", "It lies at the mouth of the Douro."),
    "twin": ("Oporto", "It lies at the mouth of the Douro."),
}


@pytest.fixture(autouse=True)
def documents(connection: sqlite3.Connection) -> None:
    """The documents, in the database of the test."""
    with write_transaction(connection):
        db.documents.insert(
            connection,
            [Document(key, title, (Paragraph(text),)) for key, (title, text) in TEXTS.items()],
        )


def keys(connection: sqlite3.Connection, question: str, most: int = 5) -> list[str]:
    return [one.key for one in find(connection, question, most)]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("On what river does Tartu lie?", "tartu"),
        ("EMAJOGI", "tartu"),
        ("Which universities date from 1817?", "ghent"),
        ("Where do the river Scheldt and another meet?", "ghent"),
        ("Which is at the mouth of the Douro?", "porto"),
    ],
)
def test_the_best_comes_first(connection: sqlite3.Connection, question: str, first: str) -> None:
    assert keys(connection, question)[0] == first


def test_equal_texts_come_once(connection: sqlite3.Connection) -> None:
    assert keys(connection, "Douro") == ["porto"]


def test_a_title_counts_for_more(connection: sqlite3.Connection) -> None:
    with write_transaction(connection):
        db.documents.insert(
            connection, [Document("x", "Lisbon", (Paragraph("Not the Ghent that you mean, no."),))]
        )
    assert keys(connection, "Ghent")[0] == "ghent"


def test_no_more_than_wanted(connection: sqlite3.Connection) -> None:
    assert len(keys(connection, "lies", 2)) == 2
    assert keys(connection, "zzz") == []
    assert keys(connection, "") == []


def test_common_words_are_looked_for_where_there_are_no_others(
    connection: sqlite3.Connection,
) -> None:
    assert keys(connection, "Who was where?") == ["ghent"]


def test_long_passages_are_cut_at_a_word(connection: sqlite3.Connection) -> None:
    [found] = find(connection, "Emajõgi", longest=20)
    assert found.text == "It lies on the …"


def test_long_questions_are_looked_for_by_their_last_words() -> None:
    question = " ".join(f"w{n}" for n in range(1_000))
    words = expression(question).split(" OR ")
    assert len(words) == MOST_WORDS
    assert words[0] == '"w999"'


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(question=st.text(max_size=60))
@pytest.mark.parametrize("around", ["{}", '"{}', "a AND {}", "title : {}*", "NEAR({} x, 3) -y ^z"])
def test_no_question_is_syntax(connection: sqlite3.Connection, around: str, question: str) -> None:
    for one in find(connection, around.replace("{}", question)):
        assert one.key in TEXTS
