"""Help and a word typed into it, against the next fact of a list, in one pseudo-terminal.

Run it: `uv run python -m tests.bench.helping FILE [--keys N]`, FILE a database of
`tests.bench.generator`.
"""

import argparse
import tempfile
from pathlib import Path

from tests.bench.screens import HEIGHT, WIDTH, Times, follow, opened
from tests.terminal import running

WORDS = ("kn+t", "threshold", "profile")


def measure(folder: Path, words: list[str], turns: int) -> tuple[Times, Times, Times]:
    """Seconds to the first output: of the next fact, of `?`, and of a letter typed into it."""
    facts, pages, letters = [], [], []
    with running(words, folder, WIDTH, HEIGHT) as terminal:
        terminal.wait("Subject 1 →")
        terminal.settle(1.0)
        for turn in range(turns):
            facts.append(follow(terminal, "j").first)
            pages.append(follow(terminal, "?").first)
            letters += [follow(terminal, one).first for one in WORDS[turn % len(WORDS)]]
            for _ in range(2):
                terminal.press("escape")
                terminal.settle(0.3)
    return (
        Times("next fact, key to first output", facts),
        Times("help, key to first output", pages),
        Times("a letter in help, to first output", letters),
    )


def main() -> None:
    """Measure a database and print a line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--keys", type=int, default=12)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for times in measure(folder, opened(folder, asked.file), asked.keys):
            print(times)


if __name__ == "__main__":
    main()
