"""`lostkeys --help` as a whole process, against importing click alone.

Run it: `uv run python -m tests.bench.startup`.
"""

import subprocess
import sys

from tests.bench.timing import Measured, compare

HELP = "import sys; sys.argv = ['lostkeys', '--help']; from tui.cli.main import main; main()"


def run(code: str) -> None:
    """One fresh interpreter."""
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


def measure(runs: int = 10) -> Measured:
    """Both in turn, the best of each."""
    return compare(
        "lostkeys --help", lambda: run(HELP), "import click", lambda: run("import click"), runs
    )


if __name__ == "__main__":
    print(measure())
