"""Seeing how the screens are left, and keeping it, against a key of the list, in one program.

Run it: `uv run python -m tests.bench.saved_session FILE [--turns N]`, FILE a database of
`tests.bench.generator`.
"""

import argparse
import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

from textual.pilot import Pilot

from core.settings.paths import STATE_VARIABLE, state_folder
from core.settings.preferences import Settings
from tests.bench.screens import HEIGHT, WIDTH, Times, first_paint, opened
from tests.patience import until
from tests.terminal import LOSTKEYS, running
from tests.tui.seeing import settled
from tui.app.app import LostkeysApp
from tui.app.tab_table import TABS

SIGN = "→ Object"
"""Stands on the screen once the list does."""

TICK = 0.001
"""Seconds between two looks at how long the loop was held up."""


def measure(path: Path, turns: int) -> dict[str, float]:
    """Milliseconds: a look at all screens, a key, and the longest gaps; and files written."""
    state = tempfile.TemporaryDirectory()
    with state as name, patch.dict(os.environ, {STATE_VARIABLE: name}):
        return asyncio.run(_measured(path, turns))


async def _measured(path: Path, turns: int) -> dict[str, float]:
    app = LostkeysApp(path, Settings(name="mira"), fresh=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(lambda: app.snapshot is not None, pause=lambda: pilot.pause(0.02))
        for place in (*TABS[1:], TABS[0]):
            await pilot.press(place.key)
            await settled(pilot)
        await pilot.press("f3", "M", "f1")
        await settled(pilot)
        looks = [_seconds(app.session.look) for _ in range(turns)]
        keys = [await _key(pilot) for _ in range(turns)]
        app.session.look()
        app.session.write_now()
        before = await _stamps(app)
        for _ in range(turns):
            app.session.look()
            app.session.write_now()
        unchanged = before != await _stamps(app)
        idle = await _gap(app, pilot, turns, writes=False)
        gap = await _gap(app, pilot, turns, writes=True)
    return {
        "look": 1000 * min(looks),
        "key": 1000 * min(keys),
        "gap while it is written": 1000 * gap,
        "gap while nothing is": 1000 * idle,
        "written though nothing changed": float(unchanged),
    }


def _seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


async def _key(pilot: Pilot[None]) -> float:
    start = time.perf_counter()
    await pilot.press("j")
    return time.perf_counter() - start


async def _stamps(app: LostkeysApp) -> dict[str, int]:
    """When files were written, once all that was to be written is."""
    if app.session._writer is not None:
        await asyncio.wrap_future(app.session._writer.submit(int))
    return {
        str(one): one.stat().st_mtime_ns for one in (state_folder() / "sessions").glob("*.json")
    }


async def _gap(app: LostkeysApp, pilot: Pilot[None], turns: int, *, writes: bool) -> float:
    """The median of the longest times for which the loop was held up, a turn each."""
    found: list[float] = []
    for _ in range(turns):
        await pilot.press("j")
        if writes:
            app.session.look()
            app.session.write_now()
        longest, last = 0.0, time.perf_counter()
        for _ in range(50):
            await asyncio.sleep(TICK)
            now = time.perf_counter()
            longest, last = max(longest, now - last - TICK), now
        found.append(longest)
    return sorted(found)[len(found) // 2]


def measure_opening(path: Path, runs: int) -> tuple[Times, Times]:
    """First list on screen with a session and without one, in turn, in a pseudo-terminal.

    The session has the list in another order, filtered, under another threshold, at another row.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fresh = opened(folder, path)
        left = [word for word in fresh if word != "--fresh"]
        with running(left, folder, WIDTH, HEIGHT) as terminal:
            terminal.wait("Subject 1 →")
            for key in (*"]sjj", "pagedown"):
                terminal.press(key)
                terminal.settle(0.3)
            terminal.press("q")
            terminal.process.wait()
        pairs = [
            (first_paint(LOSTKEYS, left, folder, SIGN), first_paint(LOSTKEYS, fresh, folder, SIGN))
            for _ in range(runs + 1)
        ]
    pairs = pairs[1:]  # the first start compiles modules
    return (
        Times("open with a session", [pair[0] for pair in pairs]),
        Times("open without", [pair[1] for pair in pairs]),
    )


def main() -> None:
    """Measure a database and print a line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--turns", type=int, default=10)
    asked = parser.parse_args()
    pair = measure_opening(asked.file, asked.turns)
    for one in pair:
        print(one)
    ours, other = (statistics.median(one.seconds) for one in pair)
    print(f"with a session against without: {ours / other:.2f} times")
    found = measure(asked.file, asked.turns)
    for name, value in found.items():
        print(f"{name}: {value:,.2f}")
    print(f"a key is {found['key'] / found['look']:.0f} looks")


if __name__ == "__main__":
    main()
