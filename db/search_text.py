"""Text as the full-text index reads it: words without case and accents.

How a character is read is asked of SQLite's own tokenizer, so that what is found in a text here
and what its index finds are the same, whatever Unicode either of the two knows.
"""

import re
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass

TOKENIZER = "unicode61 remove_diacritics 2"
"""As in the schema of the index."""

LONGEST_QUERY = 1_000
"""Characters of a query that are read; the rest of what was pasted is left out."""

BLOCK = 256


class _Letters(dict[int, str]):
    """Characters by code as they are read: a letter or digit folded, a gap, nothing (a mark)."""

    def __missing__(self, code: int) -> str:
        first = code - code % BLOCK
        self.update(_read_letters(range(first, first + BLOCK)))
        return self[code]


def _read_letters(codes: Iterable[int]) -> dict[int, str]:
    letters = dict.fromkeys(codes, " ")
    texts = [(code, f"a{chr(code)}b") for code in letters if not 0xD800 <= code <= 0xDFFF]
    with closing(sqlite3.connect(":memory:")) as trial:
        trial.execute(f"CREATE VIRTUAL TABLE written USING fts5(text, tokenize='{TOKENIZER}')")
        trial.execute("CREATE VIRTUAL TABLE seen USING fts5vocab(written, instance)")
        trial.executemany("INSERT INTO written (rowid, text) VALUES (?, ?)", texts)
        for code, token in trial.execute("SELECT doc, term FROM seen WHERE length(term) > 1"):
            letters[code] = token[1:-1]
    return letters


_LETTERS = _Letters()


def fold(text: str) -> str:
    """The text as it is read, every word after a space."""
    return " " + text.translate(_LETTERS)


def fold_words(text: str) -> list[str]:
    """The words of a text as the index has them."""
    return fold(text).split()


@dataclass(frozen=True, slots=True)
class Term:
    """Words that follow one another; unless `whole`, the last may be the start of a word."""

    words: tuple[str, ...]
    whole: bool

    @property
    def pattern(self) -> str:
        """A regular expression for folded text."""
        return " " + " +".join(map(re.escape, self.words)) + ("(?= |$)" if self.whole else "")


@dataclass(frozen=True, slots=True)
class Query:
    """What a person searches: terms that must all be there, and the same as plain text."""

    text: str
    terms: tuple[Term, ...]
    patterns: tuple[re.Pattern[str], ...]
    literal: re.Pattern[str]


def parse(text: str) -> Query:
    """Read what was typed: words are starts of words, quotes hold whole words together.

    A quote that is still open may end within a word. Anything may be typed.
    """
    typed = _storable(text[:LONGEST_QUERY]).strip()
    parts = typed.split('"')
    terms: list[Term] = []
    for place, part in enumerate(parts):
        found = fold_words(part)
        if place % 2 == 0:
            terms += (Term((word,), False) for word in found)
        elif found:
            terms.append(Term(tuple(found), place < len(parts) - 1))
    distinct = tuple(dict.fromkeys(terms))
    return Query(
        typed,
        distinct,
        tuple(re.compile(term.pattern) for term in distinct),
        re.compile(re.escape(typed), re.IGNORECASE),
    )


def _storable(text: str) -> str:
    """The text without what SQLite cannot take or would stop at: half surrogates, NUL."""
    return text.encode(errors="replace").decode().replace("\0", " ")


@dataclass(frozen=True, slots=True)
class Spot:
    """How many terms of a query a text has, and where the first of them stands in it."""

    terms: int
    start: int
    end: int


def spot(query: Query, text: str) -> Spot | None:
    """Where a query is found in a text: its terms, or else just as it was typed."""
    folded = fold(text)
    matches = [match for pattern in query.patterns if (match := pattern.search(folded))]
    if matches:
        first = min(matches, key=lambda match: match.start())
        return Spot(len(matches), *_unfold(text, folded, *first.span()))
    literal = query.literal.search(text) if query.text else None
    return Spot(0, *literal.span()) if literal else None


def _unfold(text: str, folded: str, start: int, end: int) -> tuple[int, int]:
    """The place in the text of a match that begins at the space before a word."""
    if len(folded) == len(text) + 1:
        return start, end - 1
    kept = [place for place, letter in enumerate(text) if _LETTERS[ord(letter)]]
    return kept[start], kept[end - 1] if end <= len(kept) else len(text)
