"""Documents as they were imported: a title, and the text as paragraphs (passages)."""

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A stretch of a document's text; `headings` stand above it, and are searched with it."""

    text: str
    headings: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A document. `key` is its own id, `views` its page views, `item_id` its Wikidata item.

    `created` is the year or date of its page.
    """

    key: str
    title: str
    paragraphs: tuple[Paragraph, ...]
    views: int | None = None
    item_id: str = ""
    created: str = ""


def insert(connection: sqlite3.Connection, documents: Iterable[Document]) -> None:
    """Add new documents, with their passages in the index. Inside a transaction."""
    for one in documents:
        document = connection.execute(
            "INSERT INTO main.document (key, title, views, item_id, page_created) "
            "VALUES (?, ?, ?, ?, ?)",
            (one.key, one.title, one.views, one.item_id, one.created),
        ).lastrowid
        for place, paragraph in enumerate(one.paragraphs):
            passage = connection.execute(
                "INSERT INTO main.passage (document, place, text) VALUES (?, ?, ?)",
                (document, place, paragraph.text),
            ).lastrowid
            connection.execute(
                "INSERT INTO main.passage_text (rowid, title, text) VALUES (?, ?, ?)",
                (passage, f"{one.title}\n{paragraph.headings}", paragraph.text),
            )


def read_documents(connection: sqlite3.Connection, keys: Iterable[str]) -> Iterator[Document]:
    """Those of these documents that are there. Headings are in the index only, and empty here."""
    for key in set(keys):
        row = connection.execute(
            "SELECT id, title, views, item_id, page_created FROM main.document WHERE key = ?",
            (key,),
        ).fetchone()
        if row is not None:
            document, title, *rest = row
            texts = connection.execute(
                "SELECT text FROM main.passage WHERE document = ? ORDER BY place", (document,)
            )
            paragraphs = tuple(Paragraph(text) for (text,) in texts)
            yield Document(key, title, paragraphs, *rest)


def read_titles(connection: sqlite3.Connection) -> Iterator[tuple[int, str, str]]:
    """Id, title and item of every document, in the order of their coming."""
    return connection.execute("SELECT id, title, item_id FROM document ORDER BY id")


def text_of(connection: sqlite3.Connection, document: int) -> str:
    """The text of a document (its id), a blank line between paragraphs."""
    rows = connection.execute(
        "SELECT text FROM passage WHERE document = ? ORDER BY place", (document,)
    )
    return "\n\n".join(text for (text,) in rows)


def take_over(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Add the documents of the attached database `other` that are new; in a transaction.

    Gives the keys of those that are there with other content, and what of it differs; ours are
    kept. Headings are not known any more: the passages are found by their titles and texts.
    """
    theirs = connection.execute(
        "SELECT id, key, title, views, item_id, page_created FROM other.document"
    )
    clashes = []
    for document, key, *values in theirs.fetchall():
        texts = connection.execute(
            "SELECT text FROM other.passage WHERE document = ? ORDER BY place", (document,)
        )
        one = Document(key, values[0], tuple(Paragraph(text) for (text,) in texts), *values[1:])
        ours = next(read_documents(connection, [key]), None)
        if ours is None:
            insert(connection, [one])
        elif differ := list_differences(one, ours):
            clashes.append((key, ", ".join(differ)))
    return clashes


def list_differences(one: Document, other: Document) -> list[str]:
    """What two documents of one key have otherwise, by its names in files."""
    pairs = {
        "title": (one.title, other.title),
        "text": ([part.text for part in one.paragraphs], [part.text for part in other.paragraphs]),
        "views": (one.views, other.views),
        "item_id": (one.item_id, other.item_id),
        "page_created": (one.created, other.created),
    }
    return [name for name, (this, that) in pairs.items() if this != that]


def count(connection: sqlite3.Connection) -> int:
    """How many documents there are."""
    return int(connection.execute("SELECT count(*) FROM document").fetchone()[0])
