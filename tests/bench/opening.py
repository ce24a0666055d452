"""From opening a database to the label counts of all its cells in memory.

Run it on a database made by `tests.bench.generator`:
`uv run python -m tests.bench.opening FILE`.
"""

import argparse
import sqlite3
from contextlib import closing
from pathlib import Path

from core.project import OpenProject
from core.scoring.label_counts import LabelCounts
from core.scoring.policy import Policy
from tests.bench.generator import GRADERS
from tests.bench.timing import Measured, compare

BY_QUERY = """
SELECT response.id >> 10, outcome, count(*) FROM response
JOIN grade ON grade.response = response.id AND grade.grader = 1 GROUP BY 1, 2
"""


def opened(path: Path) -> LabelCounts:
    """Open, load, and count under a precedence of people and one grader."""
    with OpenProject(path, "read") as project:
        ranks = project.ranks(Policy(graders=("human:*", GRADERS[0])))
        return project.tally(ranks, project.models())


def queried(path: Path) -> int:
    """The counts of one grader, without precedence, as one query gives them."""
    with closing(sqlite3.connect(path)) as connection:
        return len(connection.execute(BY_QUERY).fetchall())


def measure(path: Path, runs: int = 5) -> Measured:
    """Open and count, against one GROUP BY over the same rows."""
    cells = opened(path).labels.shape
    return compare(
        f"open and count {cells[0] * cells[2] * cells[3]:,} cells",
        lambda: opened(path),
        "one GROUP BY",
        lambda: queried(path),
        runs,
    )


def main() -> None:
    """Measure on a given database."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    print(measure(parser.parse_args().file))


if __name__ == "__main__":
    main()
