"""The Profiles screen under a held threshold key: its arithmetic, and key to repainted bars.

Run it: `uv run python -m tests.bench.live_profiles FILE [--keys N]`, FILE a database of
`tests.bench.generator`; it is copied first. Arithmetic stands beside the same in polars, keys in
a pseudo-terminal beside those of a Textual hello-world.
"""

import argparse
import shutil
import statistics
import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from itertools import product
from pathlib import Path

from core.views.fact_query import FactQuery
from core.views.lens import Lens
from core.views.profiles.profile_counts import read_counts
from core.views.session import Session
from core.vocabulary import Strategy
from tests.bench import profiles
from tests.bench.profiles import TAUS
from tests.bench.screens import HEIGHT, WIDTH, Times, follow, measure_hello_keys, opened
from tests.bench.timing import Measured, compare
from tests.terminal import running
from tui.screens.profiles.state import ProfilesState

STEPS = "]]][[["
"""Keys that go up and down again, so that every one changes all bars."""


def measure_arithmetic(path: Path, runs: int = 20) -> list[Measured]:
    """All rows for a new threshold, and for six thresholds by three strategies."""
    with closing(Session(path)) as session:
        start = session.open().lens
        state = ProfilesState(material=read_counts(session, start, start, FactQuery()))
        material = state.material
        assert material is not None
        frame = profiles.as_frame(material.now.tally)
        lenses = [
            start.with_policy(tau=tau, strategy=strategy)
            for tau, strategy in product(TAUS, Strategy)
        ]
        state.follow(start, start, high=False, countable=True)
        size = f"{len(material.models)} models x {material.total:,} facts"
        other = replace(start, policy=replace(start.policy, tau=0.26))

        def look(lenses: Sequence[Lens]) -> None:
            for lens in lenses:
                state.follow(lens, start, high=False, countable=True)

        return [
            compare(
                f"all rows of {size} for a new tau",
                lambda: look([other]),
                "profiles alone in polars",
                lambda: profiles.in_polars(frame, 0.26),
                runs,
            ),
            compare(
                "six taus x three strategies",
                lambda: look(lenses),
                "profiles alone in polars, six taus x one strategy",
                lambda: [profiles.in_polars(frame, tau) for tau in TAUS],
                max(1, runs // 4),
            ),
        ]


def measure_keys(folder: Path, words: list[str], keys: int) -> tuple[Times, Times]:
    """From a threshold key to the first output and to the last bar repainted."""
    with running(words, folder, WIDTH, HEIGHT) as terminal:
        terminal.wait("Subject 1 →")
        terminal.settle(1.0)
        terminal.press("f3")
        terminal.wait("by knows +T")
        terminal.settle(1.0)
        found = [follow(terminal, STEPS[turn % len(STEPS)]) for turn in range(keys)]
        return (
            Times("threshold, key to first output", [one.first for one in found]),
            Times("threshold, all bars repainted", [one.last for one in found]),
        )


def main() -> None:
    """Measure a database and print a line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--keys", type=int, default=60)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy = folder / "measured.db"
        shutil.copy(asked.file, copy)
        for line in measure_arithmetic(copy):
            print(line)
        hello = measure_hello_keys(folder, asked.keys)
        times = measure_keys(folder, opened(folder, copy), asked.keys)
        for one in (hello, *times):
            print(one)
        ratio = statistics.median(times[1].seconds) / statistics.median(hello.seconds)
        print(f"all bars against the hello-world's key: {ratio:.2f} times")


if __name__ == "__main__":
    main()
