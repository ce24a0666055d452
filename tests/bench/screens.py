"""The Facts and Task screens in a pseudo-terminal, against a Textual hello-world in the same run.

Run it: `uv run python -m tests.bench.screens FILE [--keys N]`, FILE a database of
`tests.bench.generator`; the file is copied first, as labels are set in it.
"""

import argparse
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from core.project import OpenProject
from core.views import fact_search
from tests.bench.timing import CLOCK
from tests.terminal import LOSTKEYS, Terminal, running

HELLO = "from tests.bench.hello import Hello; Hello().run()"
WIDTH, HEIGHT = 120, 40
PAUSE = 0.12
"""Seconds of silence after which nothing more is expected of a key."""

PATIENCE = 2.0
"""Seconds in which a key must bring something: a busy machine may stall for longer than `PAUSE`."""

START, SILENCE = 10.0, 0.5
"""Seconds in which a program must show something, and of silence after which it has for now."""

SETTINGS = 'name = "bench"\n'


@dataclass(frozen=True)
class Times:
    """Seconds that something took, again and again."""

    what: str
    seconds: list[float]

    @property
    def p95(self) -> float:
        """The time that 95 of 100 stay under."""
        return sorted(self.seconds)[min(len(self.seconds) - 1, int(0.95 * len(self.seconds)))]

    def __str__(self) -> str:
        middle = 1000 * statistics.median(self.seconds)
        return f"{self.what}: median {middle:.1f} ms, p95 {1000 * self.p95:.1f} ms"


@dataclass(frozen=True)
class Response:
    """What followed a key: seconds to the first output, to the last, and to a sign looked for."""

    first: float
    last: float
    sign: float | None


def follow(
    terminal: Terminal, key: str, sign: Callable[[str], bool] | None = None, pause: float = PAUSE
) -> Response:
    """Press a key and time what comes, until it is quiet."""
    chunks: list[tuple[float, bytes]] = []
    start = time.perf_counter()
    terminal.press(key)
    while data := terminal.read_bytes(pause if chunks else PATIENCE):
        chunks.append((time.perf_counter() - start, data))
    seen = None
    for at, data in chunks:
        terminal.feed(data)
        if seen is None and sign is not None and sign(terminal.text):
            seen = at
    assert chunks, f"{key!r} brought no output"
    return Response(chunks[0][0], chunks[-1][0], seen)


def index(database: Path) -> None:
    """Build the search index, as the program does in its first seconds on a database."""
    with OpenProject(database, "write") as project:
        for _ in fact_search.catch_up(project):
            pass


def first_paint(code: str, words: list[str], folder: Path, sign: str) -> float:
    """Seconds from starting a program to a sign on its screen, on the clock of `timing`.

    Modules that were compiled at an earlier start in this folder are used. Output is taken at
    once and looked at later: a terminal that reads slowly would hold the program up.
    """
    start = time.perf_counter()
    compiled = {"PYTHONPYCACHEPREFIX": str(folder / "compiled"), "PYTHONDONTWRITEBYTECODE": ""}
    with running(words, folder, WIDTH, HEIGHT, code, compiled) as terminal:
        while True:
            chunks: list[tuple[float, bytes]] = []
            while data := terminal.read_bytes(SILENCE if chunks else START):
                chunks.append((_spent(start, terminal), data))
            assert chunks, f"never saw {sign!r}:\n{terminal.text}"
            for seconds, data in chunks:
                terminal.feed(data)
                if sign in terminal.text:
                    return seconds


def _spent(start: float, terminal: Terminal) -> float:
    """Seconds since a start, or those of the processor that the program has had."""
    if CLOCK is time.perf_counter:
        return time.perf_counter() - start
    return time.clock_gettime(~terminal.process.pid << 3 | 2)  # the system's clock of that process


def memory(terminal: Terminal) -> float:
    """Megabytes that the program holds."""
    asked = ["ps", "-o", "rss=", "-p", str(terminal.process.pid)]
    return int(subprocess.run(asked, capture_output=True, check=True).stdout) / 1024


def opened(folder: Path, database: Path) -> list[str]:
    """Words that open a database as at its first time; makes settings with a name for labels."""
    config = folder / "config"
    config.mkdir(exist_ok=True)
    (config / "settings.toml").write_text(SETTINGS)
    return ["--db", str(database), "--fresh"]


def measure_opening(folder: Path, words: list[str], runs: int) -> tuple[Times, Times]:
    """First paint of the list, and of the hello-world, in turn; a start before compiles modules."""
    pairs = [
        (
            first_paint(LOSTKEYS, words, folder, "Subject 1 →"),
            first_paint(HELLO, [], folder, "Hello"),
        )
        for _ in range(runs + 1)
    ][1:]
    return (
        Times("open to first paint", [pair[0] for pair in pairs]),
        Times("hello-world to first paint", [pair[1] for pair in pairs]),
    )


def measure_hello_keys(folder: Path, keys: int) -> Times:
    """Key to first output of the hello-world."""
    with running([], folder, WIDTH, HEIGHT, HELLO) as terminal:
        terminal.wait("Hello")
        terminal.settle()
        return Times("hello-world, key", [follow(terminal, "j").first for _ in range(keys)])


def measure_list(folder: Path, words: list[str], keys: int) -> tuple[Times, Times, float]:
    """Key to first output, to the finished fact, and megabytes held."""
    with running(words, folder, WIDTH, HEIGHT) as terminal:
        terminal.wait("Subject 1 →")
        terminal.settle(1.0)
        found = [follow(terminal, "j") for _ in range(keys)]
        return (
            Times("next fact, key to first output", [one.first for one in found]),
            Times("next fact, all ten tasks painted", [one.last for one in found]),
            memory(terminal),
        )


def measure_search(folder: Path, words: list[str], texts: list[str]) -> Times:
    """Seconds from a typed letter to another count of facts at the list's edge."""
    seconds = []
    with running(words, folder, WIDTH, HEIGHT) as terminal:
        terminal.wait("Subject 1 →")
        terminal.settle(1.0)
        for text in texts:
            follow(terminal, "/")
            for letter in text:
                before = counted(terminal.text)
                found = follow(terminal, letter, lambda screen, was=before: counted(screen) != was)  # type: ignore[misc]
                if found.sign is not None:
                    seconds.append(found.sign)
            terminal.press("escape")
            terminal.settle(0.5)
    return Times("search, letter to first results", seconds)


def counted(screen: str) -> str:
    """What the list's bottom edge says."""
    return next((row for row in screen.splitlines() if row.startswith("╰")), "")


def measure_labels(folder: Path, words: list[str], labels: int) -> Times:
    """Seconds from a label's key to the last change on screen."""
    with running(words, folder, WIDTH, HEIGHT) as terminal:
        terminal.wait("Subject 1 →")
        terminal.settle(1.0)
        for key in ("3", "enter", "enter"):
            terminal.press(key)
            terminal.settle(0.3)
        found = [follow(terminal, "ci"[turn % 2]).last for turn in range(labels)]
        assert "you" in terminal.text
        return Times("a label set, everything right", found)


def measure_panes(folder: Path, words: list[str], keys: int) -> tuple[Times, Times]:
    """Seconds from a key to the last change on screen: a step of the split, one pane alone."""
    with running(words, folder, WIDTH, HEIGHT) as terminal:
        terminal.wait("Subject 1 →")
        terminal.settle(1.0)
        steps = [follow(terminal, ("ctrl+right", "ctrl+left")[turn % 2]) for turn in range(keys)]
        alone = [follow(terminal, "z") for _ in range(keys)]
        return (
            Times("a step of the split", [one.last for one in steps]),
            Times("one pane alone, or all again", [one.last for one in alone]),
        )


def main() -> None:
    """Measure a database and print a line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--keys", type=int, default=100)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument(
        "--unindexed", action="store_true", help="let the search index be built meanwhile"
    )
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy = folder / "measured.db"
        shutil.copy(asked.file, copy)
        if not asked.unindexed:
            index(copy)
        words = opened(folder, copy)
        ours, hello = measure_opening(folder, words, asked.runs)
        print(ours)
        print(hello)
        ratio = statistics.median(ours.seconds) / statistics.median(hello.seconds)
        print(f"open against hello-world: {ratio:.2f} times")
        key = measure_hello_keys(folder, asked.keys)
        print(key)
        *times, held = measure_list(folder, words, asked.keys)
        for one in times:
            print(f"{one}; {one.p95 / key.p95:.1f} times the hello-world's")
        print(f"memory: {held:.0f} MB")
        print(measure_search(folder, words, ["object", "subject 12", "linked", "the"]))
        print(measure_labels(folder, words, max(2, asked.keys // 2)))
        for one in measure_panes(folder, words, asked.keys):
            print(f"{one}; {one.p95 / key.p95:.1f} times the hello-world's")


if __name__ == "__main__":
    main()
