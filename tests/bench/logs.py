"""Importing logs of other tools, against nothing but parsing their JSON.

Run it: `uv run python -m tests.bench.logs [--samples N] [--rows N]`. Memory is the most that
Python holds at once while the log is read, in samples as large as those of the log.
"""

import argparse
import json
import sqlite3
import tempfile
import tracemalloc
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import orjson

import db.connection
from core.exchange.inspect_log import InspectLog
from core.exchange.log_archive import LogArchive
from core.exchange.log_spool import LogSpool
from core.exchange.score_labels import ScoreReader
from core.project import OpenProject
from core.transfer.imports import import_file
from db.connection import relax_sync, write_transaction
from tests.bench.timing import Measured, best, compare
from tests.core.exchange.making import sample, write_archive

EVENTS = 60
"""Events of a sample: about 40 kB, as in logs of one call to a model and one to a grader."""


def big_sample(number: int) -> dict[str, Any]:
    """A sample with events as Inspect writes them."""
    events = [
        {
            "uuid": f"{number}-{place}",
            "timestamp": "2026-01-02T03:04:05+00:00",
            "working_start": 1.5 * place,
            "event": "model",
            "input": [{"role": "user", "content": "Which river runs there? " * 10}],
            "output": {"choices": [], "usage": {"input_tokens": 63, "output_tokens": place}},
        }
        for place in range(EVENTS)
    ]
    return sample(number, events=events)


def lm_row(number: int) -> bytes:
    """A row of lm-evaluation-harness, with aliases as TriviaQA has them."""
    return orjson.dumps(
        {
            "doc_id": number,
            "doc": {
                "question": f"Which river runs through place {number}?",
                "question_id": f"tc_{number}",
                "answer": {"value": f"River {number}", "aliases": [f"R {number}", "The river"]},
                "search_results": {
                    "title": [f"Title {n}" for n in range(20)],
                    "rank": [*range(20)],
                },
            },
            "target": f"River {number}",
            "arguments": {
                "gen_args_0": {
                    "arg_0": f"Question: Which river runs through place {number}?\nAnswer:",
                    "arg_1": {"until": ["\n", ".", ","], "do_sample": False, "temperature": 0.0},
                }
            },
            "resps": [[f" River {number % 7}"]],
            "filtered_resps": [f"River {number % 7}"],
            "filter": "none",
            "metrics": ["exact_match"],
            "doc_hash": "0" * 64,
            "prompt_hash": "1" * 64,
            "target_hash": "2" * 64,
            "exact_match": float(number % 7 == 0),
        }
    )


def imported(path: Path, file: Path) -> None:
    """The real import, into a new project."""
    path.unlink(missing_ok=True)
    with OpenProject(path, "create") as project:
        assert import_file(project, file).bad == 0


def parse_members(file: Path) -> None:
    """What any reader must do: unpack the members and parse them."""
    with LogArchive(file) as archive:
        for name in archive.names:
            json.loads(archive._content(name))


def parse_lines(file: Path) -> None:
    """The same of a file of lines."""
    with file.open("rb") as lines:
        for line in lines:
            orjson.loads(line)


TABLES = {
    "fact": ("id", "fact_id", "object"),
    "gold": ("id", "fact", "side", "version", "text", "aliases", "current"),
    "question": ("id", "fact", "task", "version", "text", "current"),
    "response": ("id", "text"),
    "grade": ("response", "grader", "outcome"),
    "response_source": ("response", "file", "sample_id", "prompt"),
}
"""What a row of lm-evaluation-harness brings into each table."""

FEW_TABLES = ("model", "setting", "grader", "source_file")

INSERTED_AT_ONCE = 20_000


class BareInserts:
    """Nothing but `executemany` of the rows that an import made, into an empty project."""

    def __init__(self, imported_file: Path, path: Path) -> None:
        self._path = path
        with closing(sqlite3.connect(imported_file)) as connection:
            self._rows = {
                table: connection.execute(f"SELECT {', '.join(columns)} FROM {table}").fetchall()
                for table, columns in TABLES.items()
            }
            self._few = {
                table: connection.execute(f"SELECT * FROM {table}").fetchall()
                for table in FEW_TABLES
            }

    def prepare(self) -> None:
        """Make the empty project, with what all rows share."""
        self._path.unlink(missing_ok=True)
        with OpenProject(self._path, "create") as project:
            for table, rows in self._few.items():
                for row in rows:
                    marks = ", ".join("?" * len(row))
                    project.connection.execute(f"INSERT INTO {table} VALUES ({marks})", row)

    def run(self) -> None:
        """Insert all rows, table by table and batch by batch."""
        connection = db.connection.connect(self._path, "write")
        with closing(connection), relax_sync(connection):
            for start in range(0, len(self._rows["response"]), INSERTED_AT_ONCE):
                with write_transaction(connection):
                    for table, columns in TABLES.items():
                        connection.executemany(
                            f"INSERT INTO {table} ({', '.join(columns)}) "
                            f"VALUES ({', '.join('?' * len(columns))})",
                            self._rows[table][start : start + INSERTED_AT_ONCE],
                        )


def measure_inserts(imported_file: Path, lines: Path, runs: int) -> Measured:
    """The inserts of an import by themselves: what no reader of these rows can save."""
    inserts = BareInserts(imported_file, imported_file.with_name("bare.db"))
    pairs = []
    for _ in range(runs):
        inserts.prepare()
        pairs.append((best(inserts.run), best(partial(parse_lines, lines))))
    inserted, parsed = min(a for a, _ in pairs), min(b for _, b in pairs)
    what = "bare inserts of what lm-eval rows bring into six tables"
    return Measured(what, inserted, parsed, "orjson.loads of the lines")


def peak(run: Callable[[], object]) -> int:
    """Bytes that Python holds at most while something runs."""
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def read_log(file: Path) -> None:
    """The reading half of an import."""
    spool = LogSpool(InspectLog(file), ScoreReader())
    spool.read_log(lambda count: None, "m")
    spool.close()


def measure(samples: int, rows: int, folder: Path, runs: int = 3) -> list[Measured]:
    """An archive of Inspect and a file of lm-evaluation-harness."""
    archive = write_archive(folder / "a.eval", [big_sample(n) for n in range(samples)])
    model = folder / "org__model"
    model.mkdir(exist_ok=True)
    lines = model / "samples_rivers_2026-01-02T03-04-05.jsonl"
    with lines.open("wb") as file:
        file.writelines(lm_row(n) + b"\n" for n in range(rows))
    database = folder / "o.db"
    return [
        compare(
            f"an Inspect log of {samples:,} samples with events",
            partial(imported, database, archive),
            "json.loads of its members",
            partial(parse_members, archive),
            runs,
        ),
        compare(
            f"{rows:,} lm-eval rows",
            partial(imported, database, lines),
            "orjson.loads of the lines",
            partial(parse_lines, lines),
            runs,
        ),
        measure_inserts(database, lines, runs),
    ]


def memory(samples: int, folder: Path) -> float:
    """How many samples of a log its reading holds beside what parsing its members takes."""
    file = write_archive(folder / "many.eval", [big_sample(n) for n in range(samples)])
    one = len(json.dumps(big_sample(0)))
    read_log(write_archive(folder / "few.eval", [big_sample(1)]))
    return (peak(partial(read_log, file)) - peak(partial(parse_members, file))) / one


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=2_000)
    parser.add_argument("--rows", type=int, default=100_000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for line in measure(asked.samples, asked.rows, Path(folder), runs=2):
            print(line)
        more = memory(asked.samples, Path(folder))
        print(f"memory: {more:.1f} samples more than json.loads of the members")


if __name__ == "__main__":
    main()
