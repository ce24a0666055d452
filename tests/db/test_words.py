"""Words are those of SQLite's tokenizer; queries are found where they stand."""

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from db.search_text import TOKENIZER, fold_words, parse, spot

TEXTS = (
    "RP-1 don't x_y 50%",
    "Ünïted Ça\u0301fe\u0301 ÅNGSTRÖM ß ø",
    "Ёжик Ζεύς \u05d0\u05d1 東京タワー",
    "a\0b \u2066c\u2069 d\u200de 👩\u200d🚀\U0001f9ff ₽½²",
    "\u0301a \u0301 b\u0301",
)
texts = st.one_of(st.sampled_from(TEXTS), st.text(st.characters(exclude_categories=["Cs"])))


def tokens(text: str) -> list[str]:
    """What SQLite's tokenizer makes of a text."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE VIRTUAL TABLE t USING fts5(text, tokenize='{TOKENIZER}')")
        connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, instance)")
        connection.execute("INSERT INTO t VALUES (?)", (text,))
        return [term for (term,) in connection.execute("SELECT term FROM v ORDER BY offset")]


@pytest.mark.slow
@given(texts)
def test_words_are_the_tokens_of_the_index(text: str) -> None:
    assert fold_words(text) == tokens(text)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        ('  " ', []),
        ("Kero RP-1", [(("kero",), False), (("rp",), False), (("1",), False)]),
        ('"Medium lift" x', [(("medium", "lift"), True), (("x",), False)]),
        ('a "medium li', [(("a",), False), (("medium", "li"), False)]),
        ("one ONE Öne", [(("one",), False)]),
        ("\ud800 AND* (OR:", [(("and",), False), (("or",), False)]),
    ],
)
def test_parse(text: str, terms: list[tuple[tuple[str, ...], bool]]) -> None:
    assert [(term.words, term.whole) for term in parse(text).terms] == terms


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        ("kero", "Liquid Kerosene", "Kero"),
        ("rosene", "Liquid Kerosene", "rosene"),
        ("cafe", "le Cafe\u0301 noir", "Cafe\u0301"),
        ("noir", "Cafe\u0301 Noir", "Noir"),
        ("CAFÉ", "un cafe", "cafe"),
        ("café", "cafe\u0301", "cafe\u0301"),
        ("noir cafe", "Café Noir", "Café"),
        ('"medium lift"', "a medium-lift rocket", "medium-lift"),
        ('"medium lif', "a medium-lift rocket", "medium-lif"),
        ('"medium lif"', "a medium-lift rocket", None),
        ('"lift medium"', "a medium-lift rocket", None),
        ("%", "50 % off", "%"),
        ("😀", "a😀b", "😀"),
        ("", "anything", None),
    ],
)
def test_spot(query: str, text: str, found: str | None) -> None:
    seen = spot(parse(query), text)
    assert (seen and text[seen.start : seen.end]) == found


@pytest.mark.slow
@given(texts)
def test_every_word_is_found_where_it_stands(text: str) -> None:
    for word in fold_words(text):
        seen = spot(parse(f'"{word}"'), text)
        assert seen is not None
        assert seen.terms == 1
        assert fold_words(text[seen.start : seen.end]) == [word]


@pytest.mark.slow
@given(st.text(), texts)
def test_any_query_may_be_typed(query: str, text: str) -> None:
    seen = spot(parse(query), text)
    assert seen is None or 0 <= seen.start < seen.end <= len(text)
