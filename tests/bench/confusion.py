"""The Confusion screen in a pseudo-terminal: opening it, the next disagreement, decisions.

Run it: `uv run python -m tests.bench.confusion FILE [--keys N] [--disagreements N]`, FILE a
database of `tests.bench.generator`; the file is copied first, as labels are set in it. Keys stand
beside those of a Textual hello-world in the same run.
"""

import argparse
import shutil
import tempfile
import time
from pathlib import Path

from tests.bench.queue import differ_more
from tests.bench.screens import (
    HEIGHT,
    WIDTH,
    Times,
    follow,
    index,
    measure_hello_keys,
    opened,
)
from tests.terminal import Terminal, running

FOUND = "│ gold   "
"""On each card, and not on the screen before; how much is decided need not be in sight."""
WRITING = 0.5
"""Seconds of silence after which nothing more is expected of a decision: disks may stall."""


def open_screen(terminal: Terminal) -> float:
    """Seconds from the screen's key to its first card."""
    terminal.wait("Subject 1 →")
    terminal.settle(1.0)
    start = time.perf_counter()
    terminal.press("f4")
    terminal.wait(FOUND)
    return time.perf_counter() - start


def measure(folder: Path, words: list[str], keys: int) -> list[Times]:
    """Next disagreement in the queue and on the card, skips, decisions."""
    with running(words, folder, WIDTH, HEIGHT) as terminal:
        opening = Times("open the screen, first card", [open_screen(terminal)])
        terminal.settle(1.0)
        listed = [follow(terminal, "j") for _ in range(keys)]
        terminal.press("enter")
        terminal.settle(0.5)
        stepped = [follow(terminal, "j") for _ in range(keys)]
        skipped = [follow(terminal, "N") for _ in range(keys)]
        decided = [follow(terminal, "ab"[turn % 2], pause=WRITING) for turn in range(keys)]
        return [
            opening,
            Times("next in the queue, first output", [one.first for one in listed]),
            Times("next in the queue, all painted", [one.last for one in listed]),
            Times("next on the card, first output", [one.first for one in stepped]),
            Times("next on the card, all painted", [one.last for one in stepped]),
            Times("skip, all painted", [one.last for one in skipped]),
            Times("a decision, first output", [one.first for one in decided]),
            Times("a decision, everything right", [one.last for one in decided]),
        ]


def main() -> None:
    """Measure a database and print a line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--keys", type=int, default=100)
    parser.add_argument(
        "--disagreements", type=int, default=0, help="at least so many, more than the file has"
    )
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy = folder / "measured.db"
        shutil.copy(asked.file, copy)
        if asked.disagreements:
            differ_more(copy, asked.disagreements)
        index(copy)
        hello = measure_hello_keys(folder, asked.keys)
        print(hello)
        opening, *others = measure(folder, opened(folder, copy), asked.keys)
        print(opening)
        for one in others:
            print(f"{one}; {one.p95 / hello.p95:.1f} times the hello-world's")


if __name__ == "__main__":
    main()
