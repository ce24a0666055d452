"""Which passages speak of what a question asks: full-text retrieval, ranked by BM25.

Source of the ranking: SQLite FTS5, `bm25()`, with a title's words counting twice.
"""

import re
import sqlite3
from dataclasses import dataclass

MOST_WORDS = 48
"""Distinct words of a question that are looked for: its last, for a context stands before it."""

TITLE_WEIGHT = 2.0

_WORD = re.compile(r"[^\W_]+")

_COMMON = """
a about after all also an and any are as at be been before but by can did do does during for
from had has have he her his how i if in into is it its made many more most much name named
not of on one or other over s she so some such than that the their them then there these
they this those to under up was were what when where which while who whom whose why will
with would you your
"""
COMMON = frozenset(_COMMON.split())
"""English words that nearly every passage has: to look for them costs most and tells nothing."""


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage with the document that it is of. `key` is the document's own id."""

    passage: int
    key: str
    title: str
    text: str


def expression(question: str) -> str:
    """An FTS5 expression for any of a question's words; empty where it has none.

    Each word is quoted, so that no text is read as FTS5 syntax.
    """
    words = list(dict.fromkeys(word.lower() for word in reversed(_WORD.findall(question))))
    telling = [word for word in words if word not in COMMON] or words
    return " OR ".join(f'"{word}"' for word in telling[:MOST_WORDS])


def find(
    connection: sqlite3.Connection, question: str, most: int = 5, longest: int = 1_500
) -> list[FoundPassage]:
    """The passages that fit a question best, the best first; equal texts once.

    Each is cut to `longest` characters, at a word's end where there is one.
    """
    wanted = expression(question)
    if not wanted:
        return []
    rows = connection.execute(
        "WITH best AS MATERIALIZED (SELECT rowid AS id, rank FROM passage_text "
        "WHERE passage_text MATCH ? AND rank MATCH ? ORDER BY rank LIMIT ?) "
        "SELECT passage.id, document.key, document.title, passage.text FROM best "
        "JOIN passage ON passage.id = best.id JOIN document ON document.id = passage.document "
        "ORDER BY best.rank, best.id",
        (wanted, f"bm25({TITLE_WEIGHT}, 1.0)", 2 * most),
    )
    texts: dict[str, FoundPassage] = {}
    for passage, key, title, text in rows:
        texts.setdefault(text, FoundPassage(passage, key, title, _cut(text, longest)))
    return list(texts.values())[:most]


def _cut(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    head = text[:longest]
    return (head.rpartition(" ")[0] or head) + " …"
