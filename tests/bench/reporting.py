"""A report with every figure, drawn and as tables.

Run it on a database made by `tests.bench.generator`:
`uv run python -m tests.bench.reporting FILE`.
"""

import argparse
from pathlib import Path

from core.project import OpenProject
from core.report.markdown import markdown
from core.report.report_file import html
from core.report.report_sections import gather
from core.scoring.policy import Policy
from tests.bench.generator import GRADERS
from tests.bench.timing import Measured, compare


def page(path: Path) -> bytes:
    """The whole page, from opening the database."""
    with OpenProject(path, "read") as project:
        return html(gather(project, Policy(graders=GRADERS[:1]))).encode()


def plain(path: Path) -> bytes:
    """The same without drawings."""
    with OpenProject(path, "read") as project:
        return markdown(gather(project, Policy(graders=GRADERS[:1]))).encode()


def measure(path: Path, runs: int = 3) -> Measured:
    """The page against the same text without drawings."""
    sizes = f"{len(page(path)):,} and {len(plain(path)):,} bytes"
    return compare(
        f"a report with figures, {sizes}", lambda: page(path), "tables", lambda: plain(path), runs
    )


def main() -> None:
    """Measure on a given database."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    print(measure(parser.parse_args().file))


if __name__ == "__main__":
    main()
