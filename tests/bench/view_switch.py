"""Another view of the list and the one before, another screen and back, in a pseudo-terminal.

Run it: `uv run python -m tests.bench.view_switch FILE [--keys N]`, FILE a database of
`tests.bench.generator`. The next fact of the list stands beside it, in the same run.
"""

import argparse
import shutil
import tempfile
from pathlib import Path

from tests.bench.screens import HEIGHT, WIDTH, Times, follow, index, opened
from tests.terminal import Terminal, running

VIEWS = """
[[view]]
name = "all"
sort = "imported"
tau = 0.5

[[view]]
name = "rare and lost"
where = "profile:recall_failure tier:bottom"
sort = "views-"

[[view]]
name = "by title"
sort = "title"
columns = ["title", "object", "g.direct"]

[[view]]
name = "stricter"
sort = "imported"
tau = 0.75
"""

ALL, OTHERS = "\x1b1", {"filtered": "\x1b2", "sorted": "\x1b3", "threshold": "\x1b4"}
"""`alt` and the digit of a view, as terminals send them."""

EARLIER = "\x1b[1;3D"
"""`alt` and an arrow: the place before."""


def measure(folder: Path, words: list[str], turns: int) -> list[Times]:
    """Seconds to the first output and to the last: a fact, views, a screen, and back each time."""
    found: dict[str, list[tuple[float, float]]] = {}

    def press(terminal: Terminal, what: str, key: str) -> None:
        one = follow(terminal, key, pause=0.3)
        found.setdefault(what, []).append((one.first, one.last))

    (folder / "config" / "views.toml").write_text(VIEWS)
    with running(words, folder, WIDTH, HEIGHT) as terminal:
        terminal.wait("Subject 1 →")
        terminal.settle(1.0)
        for key in (ALL, *OTHERS.values(), ALL, "f3", EARLIER):  # what is made once is made
            follow(terminal, key, pause=1.0)
        for _ in range(turns):
            press(terminal, "next fact", "j")
            for name, key in OTHERS.items():
                press(terminal, f"view, {name}", key)
                press(terminal, f"back from {name}", ALL)
            press(terminal, "Profiles", "f3")
            press(terminal, "back from Profiles", EARLIER)
    return [
        Times(f"{what}, {part}", [one[place] for one in pairs])
        for what, pairs in found.items()
        for place, part in enumerate(("first output", "all painted"))
    ]


def main() -> None:
    """Measure a database and print a line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--keys", type=int, default=20)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy = folder / "measured.db"
        shutil.copy(asked.file, copy)
        index(copy)
        first, *others = measure(folder, opened(folder, copy), asked.keys)
        print(first)
        for one in others:
            print(f"{one}; {one.p95 / first.p95:.1f} times the next fact's first output")


if __name__ == "__main__":
    main()
