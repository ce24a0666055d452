"""Bulk import of graded responses, against bare inserts of the same rows.

Run it: `uv run python -m tests.bench.importing [--facts N]` (2,150 is the paper's size).
"""

import argparse
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

import orjson

import db.connection
import db.facts
import db.grades
import db.model_rows
from core.project import OpenProject
from core.transfer.imports import import_file
from core.vocabulary import Label, Outcome
from db.connection import relax_sync, write_transaction
from db.slot_ids import slot
from tests.bench.generator import GRADERS, Scale, fact, write_lines
from tests.bench.timing import Measured, best
from tests.core.making import question_keys

BATCH = 50_000

TEXT_KEYS = """
CREATE TABLE response (
    id TEXT PRIMARY KEY, fact_id TEXT NOT NULL, task TEXT NOT NULL, model TEXT NOT NULL,
    thinking TEXT NOT NULL, sample INTEGER NOT NULL, text TEXT NOT NULL
);
CREATE TABLE grade (
    response TEXT NOT NULL REFERENCES response (id), grader TEXT NOT NULL, label TEXT NOT NULL,
    PRIMARY KEY (response, grader)
);
CREATE INDEX response_by_cell ON response (fact_id, task, model, thinking);
"""


def with_facts(path: Path, scale: Scale) -> None:
    """An empty database with the generator's facts."""
    import numpy as np

    random = np.random.default_rng(0)
    with OpenProject(path, "create") as project, write_transaction(project.connection):
        db.facts.insert(project.connection, (fact(n, random) for n in range(scale.facts)))


def rows(lines: Path) -> Iterator[dict[str, object]]:
    """The rows of the file."""
    with lines.open("rb") as file:
        yield from map(orjson.loads, file)


def bare_tuples(
    lines: Path, path: Path
) -> tuple[list[tuple[int, str]], list[tuple[int, int, int]]]:
    """The rows as the tables hold them, made before the clock starts."""
    responses, grades = [], []
    with OpenProject(path, "write") as project:
        keys = question_keys(project.connection)
        with write_transaction(project.connection):
            graders = {
                name: db.grades.ensure_grader(project.connection, name, "1") for name in GRADERS
            }
            settings: dict[tuple[str, bool], int] = {}
            for row in rows(lines):
                name = (str(row["model"]), bool(row["thinking"]))
                if name not in settings:
                    settings[name] = db.model_rows.ensure_setting(project.connection, *name)
                question = keys[str(row["fact_id"]), str(row["task"])]
                key = slot(question, settings[name], int(str(row["sample"])))
                responses.append((key, str(row["response"])))
                labels = row["grades"]
                assert isinstance(labels, dict)
                grades += [
                    (key, graders[grader], int(Outcome.from_label(Label(label))))
                    for grader, label in labels.items()
                ]
    return responses, grades


def insert_bare(
    path: Path, responses: list[tuple[int, str]], grades: list[tuple[int, int, int]]
) -> None:
    """Nothing but `executemany` into the same tables, batch by batch."""
    connection = db.connection.connect(path, "write")
    per_response = len(grades) // len(responses)
    with closing(connection), relax_sync(connection):
        for start in range(0, len(responses), BATCH):
            with write_transaction(connection):
                connection.executemany(
                    "INSERT INTO response (id, text) VALUES (?, ?)",
                    responses[start : start + BATCH],
                )
                first, last = start * per_response, (start + BATCH) * per_response
                connection.executemany(
                    "INSERT INTO grade (response, grader, outcome) VALUES (?, ?, ?)",
                    grades[first:last],
                )


def insert_text_keys(path: Path, lines: Path) -> None:
    """The same rows in a schema with text keys, as it is often written."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.executescript(TEXT_KEYS)
        source = rows(lines)
        while batch := list(islice(source, BATCH)):
            connection.execute("BEGIN IMMEDIATE")
            for row in batch:
                row["id"] = "/".join(
                    str(row[part]) for part in ("fact_id", "task", "model", "thinking", "sample")
                )
            connection.executemany(
                "INSERT INTO response VALUES "
                "(:id, :fact_id, :task, :model, :thinking, :sample, :response)",
                [{**row, "thinking": str(row["thinking"])} for row in batch],
            )
            connection.executemany(
                "INSERT INTO grade VALUES (?, ?, ?)",
                [
                    (row["id"], grader, label)
                    for row in batch
                    for grader, label in dict(row["grades"]).items()  # type: ignore[call-overload]
                ],
            )
            connection.execute("COMMIT")


def imported(path: Path, lines: Path) -> None:
    """The real import."""
    with OpenProject(path, "write") as project:
        report = import_file(project, lines)
        assert report.bad == 0


def measure(scale: Scale, folder: Path) -> list[Measured]:
    """One run of each: they take long, and differ by more than the noise."""
    lines = folder / "responses.jsonl"
    write_lines(lines, scale)
    for name in ("ours.db", "bare.db"):
        with_facts(folder / name, scale)
    responses, grades = bare_tuples(lines, folder / "bare.db")
    ours = best(lambda: imported(folder / "ours.db", lines))
    bare = best(lambda: insert_bare(folder / "bare.db", responses, grades))
    text = best(lambda: insert_text_keys(folder / "text.db", lines))
    what = f"import of {scale.responses:,} responses with two grades each"
    return [
        Measured(what, ours, bare, "bare executemany of ready rows"),
        Measured(what, ours, text, "a schema with text keys"),
    ]


def main() -> None:
    """Measure at a given size, in a passing folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=int, default=200)
    scale = Scale(facts=parser.parse_args().facts)
    with tempfile.TemporaryDirectory() as folder:
        for line in measure(scale, Path(folder)):
            print(line)
        stored = (Path(folder) / "ours.db").stat().st_size
        print(f"file: {stored:,} bytes")


if __name__ == "__main__":
    main()
