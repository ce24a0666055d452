"""Importing documents and finding passages in them, each against what is simpler.

Run it: `uv run python -m tests.bench.documents [--documents N]`.
"""

import argparse
import json
import sqlite3
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

import db.connection
import db.passage_search
from core.project import OpenProject
from core.transfer.imports import import_file
from db.connection import relax_sync, write_transaction
from tests.bench.timing import Measured, best, compare

WORDS = 120
"""Words of a document, in one passage; they are drawn as often as words of English are."""

VOCABULARY = 30_000
QUESTIONS = 50

Row = dict[str, str]


def made(count: int) -> list[Row]:
    """Documents of words from a Zipf distribution, with English words as the commonest."""
    random = np.random.default_rng(0)
    common = sorted(db.passage_search.COMMON)
    vocabulary = np.array(common + [f"word{n}" for n in range(VOCABULARY - len(common))])
    drawn = np.minimum(random.zipf(1.2, (count, WORDS)), VOCABULARY) - 1
    return [
        {"id": str(n), "title": f"Title {n}", "text": " ".join(vocabulary[words])}
        for n, words in enumerate(drawn)
    ]


def imported(path: Path, file: Path) -> None:
    """The real import."""
    with OpenProject(path, "create") as project:
        assert import_file(project, file).bad == 0


def inserted(path: Path, rows: Sequence[Row]) -> None:
    """The same rows in the same tables, by nothing but `executemany`."""
    connection = db.connection.connect(path, "create")
    with closing(connection), relax_sync(connection), write_transaction(connection):
        connection.executemany(
            "INSERT INTO document (id, key, title) VALUES (?, ?, ?)",
            [(n, row["id"], row["title"]) for n, row in enumerate(rows, 1)],
        )
        connection.executemany(
            "INSERT INTO passage (id, document, place, text) VALUES (?, ?, 0, ?)",
            [(n, n, row["text"]) for n, row in enumerate(rows, 1)],
        )
        connection.executemany(
            "INSERT INTO passage_text (rowid, title, text) VALUES (?, ?, ?)",
            [(n, row["title"], row["text"]) for n, row in enumerate(rows, 1)],
        )


def any_word(connection: sqlite3.Connection, question: str) -> list[tuple[int]]:
    """What is simpler: any word of the question, the common ones as well."""
    words = " OR ".join(f'"{word}"' for word in question.split())
    return connection.execute(
        "SELECT rowid FROM passage_text WHERE passage_text MATCH ? ORDER BY bm25(passage_text) "
        "LIMIT 10",
        (words,),
    ).fetchall()


def measure(count: int, folder: Path, runs: int = 3) -> tuple[Measured, Measured]:
    """Import, once each, and retrieval, the mean of many questions."""
    rows = made(count)
    file = folder / "documents.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    ours = best(lambda: imported(folder / "ours.db", file))
    bare = best(lambda: inserted(folder / "bare.db", rows))
    landing = Measured(f"import of {count:,} documents", ours, bare, "bare executemany")
    asked = [f"what is the {' '.join(row['text'].split()[-12:])}" for row in rows[-QUESTIONS:]]
    with closing(db.connection.connect(folder / "ours.db", "read")) as connection:
        finding = compare(
            f"{len(asked)} questions to {count:,} passages",
            lambda: [db.passage_search.find(connection, question) for question in asked],
            "any word of them",
            lambda: [any_word(connection, question) for question in asked],
            runs,
        )
    return landing, finding


def main() -> None:
    """Measure at a given size, in a passing folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=10_000)
    count = parser.parse_args().documents
    with tempfile.TemporaryDirectory() as folder:
        for line in measure(count, Path(folder)):
            print(line)


if __name__ == "__main__":
    main()
