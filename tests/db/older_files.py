"""A small database of each older schema, as the program of that time made it.

They lie packed in `tests/db/older`. When a schema becomes an older one, its program adds its file:
`python -m tests.db.older_files TREE`, where TREE is a checkout of that program.
"""

import gzip
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from core.vocabulary import TASKS
from db.connection import NEWEST_SCHEMA

FOLDER = Path(__file__).parent / "older"
VERSIONS = range(1, NEWEST_SCHEMA)
FACTS, SAMPLES = 3, 2
RESPONSES = FACTS * len(TASKS) * 2 * SAMPLES
LABELS = ("CORRECT", "INCORRECT", "PARTIALLY", "OTHER")
START = "from tui.cli.main import cli; cli()"


def unpack(version: int, path: Path) -> Path:
    """Put the file of a schema at a path."""
    path.write_bytes(gzip.decompress(packed_file(version).read_bytes()))
    return path


def packed_file(version: int) -> Path:
    """Where the file of a schema lies."""
    return FOLDER / f"schema{version}.db.gz"


def pack(tree: Path) -> None:
    """Have the program of a checkout make its file."""
    with TemporaryDirectory() as folder:
        made = Path(folder) / "made.db"
        for name, rows in (("facts.jsonl", _facts()), ("responses.jsonl", _responses())):
            (Path(folder) / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
            subprocess.run(
                [sys.executable, "-c", START, "--db", made.name, "import", name],
                cwd=folder,
                env={**os.environ, "PYTHONPATH": str(tree.absolute())},
                check=True,
            )
        with closing(sqlite3.connect(made)) as connection:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            connection.execute("VACUUM")
        packed = gzip.compress(made.read_bytes(), mtime=0)
    packed_file(version).write_bytes(packed)


def _facts() -> Iterator[dict[str, object]]:
    for number in range(FACTS):
        yield {
            "fact_id": f"f{number}",
            "page_title": f"Page {number}",
            "gbc": 10**number,
            "subject": f"subject {number}",
            "object": f"object {number}",
            "direct_answer": f"object {number}",
            "reverse_answer": f"subject {number}",
            "direct_choices": [f"object {(number + one) % 4}" for one in range(4)],
            "reverse_choices": [f"subject {(number + one) % 4}" for one in range(4)],
            **{
                name: f"{name} {number}?"
                for name in ("completion", "contextual", "direct", "direct_natural")
            },
            **{name: f"{name} {number}?" for name in ("reverse", "reverse_natural")},
        }


def _responses() -> Iterator[dict[str, object]]:
    cells = product(range(FACTS), TASKS, (False, True), range(SAMPLES))
    for place, (number, task, thinking, sample) in enumerate(cells):
        yield {
            "fact_id": f"f{number}",
            "task": task.value,
            "model": "m",
            "thinking": thinking,
            "sample": sample,
            "response": f"answer {place}, Tõnu’s",
            "grades": {"lexical": LABELS[place % 4], "human:mira": LABELS[place % 3]},
        }


if __name__ == "__main__":
    pack(Path(sys.argv[1]))
