"""A snapshot under a list of three graders, against one under a single grader.

Run it: `uv run python -m tests.bench.grader_lists FILE` on a database made by
`tests.bench.generator`, which gets a third grader.
"""

import argparse
from pathlib import Path

import numpy as np

import db.grades
import db.model_rows
from core.project import OpenProject
from core.views.lens import Lens
from core.views.snapshot import Snapshot
from core.views.snapshot_cache import SnapshotCache
from db.connection import write_transaction
from tests.bench.generator import GRADERS
from tests.bench.timing import Measured, compare

THIRD = "grader-c"
SHARE = 0.5
"""Share of the answers that the third grader has labelled."""


def label_by_third(path: Path) -> None:
    """Let a third grader label a share of the answers, unless it has."""
    with OpenProject(path, "write") as project:
        if any(one.name == THIRD for one in project.graders()):
            return
        rows = project.connection.execute("SELECT id FROM response").fetchall()
        random = np.random.default_rng(3)
        slots = np.array(rows, np.int64).ravel()
        chosen = slots[random.random(slots.size) < SHARE].tolist()
        codes = random.integers(1, 5, len(chosen)).tolist()
        with write_transaction(project.connection):
            grader = db.grades.ensure_grader(project.connection, THIRD, "1")
            labels = [(slot, code, None) for slot, code in zip(chosen, codes, strict=True)]
            db.grades.insert(project.connection, grader, labels)


def count(project: OpenProject, *graders: str) -> Snapshot:
    """All numbers under a list, with nothing kept; the same two are compared under any list."""
    return SnapshotCache(project).snapshot(Lens().with_graders(graders, GRADERS))


def measure(path: Path, runs: int = 5) -> Measured:
    """Three graders, against one of them."""
    label_by_third(path)
    with OpenProject(path, "read") as project:
        count(project, GRADERS[0])  # facts and labels are in memory from here on
        return compare(
            "three graders",
            lambda: count(project, THIRD, *GRADERS),
            "one grader",
            lambda: count(project, GRADERS[0]),
            runs,
        )


def main() -> None:
    """Measure on a database."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    found = measure(parser.parse_args().file)
    print(found)
    print(f"three graders take {1 / found.ratio:.2f} times as long as one")


if __name__ == "__main__":
    main()
