"""`lostkeys --help` and `import lostkeys` as whole processes, against as little as can be.

Run it: `uv run python -m tests.bench.startup`.
"""

import subprocess
import sys

from tests.bench.timing import Measured, compare

HELP = "import sys; sys.argv = ['lostkeys', '--help']; from lostkeys.__main__ import main; main()"


def run(code: str) -> None:
    """One fresh interpreter."""
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


def measure(runs: int = 10) -> Measured:
    """Both in turn, the best of each."""
    return compare(
        "lostkeys --help", lambda: run(HELP), "import click", lambda: run("import click"), runs
    )


def measure_library(runs: int = 10) -> Measured:
    """What a notebook waits for."""
    return compare(
        "import lostkeys, open",
        lambda: run("import lostkeys; lostkeys.open"),
        "pass",
        lambda: run("pass"),
        runs,
    )


if __name__ == "__main__":
    print(measure())
    print(measure_library())
