"""The tour in the docs, followed key by key in the real program with the real model."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.terminal import KEYS, QUIET, ROOT, Terminal, running

pytestmark = pytest.mark.slow

TOUR = ROOT / "docs" / "start" / "tour.md"
DEMO = ("demo", "--facts", "3", "--samples", "8", "--db", "demo.db")
LONG = 240.0
"""Seconds to wait for the model, which shares the machine with whatever else runs."""

ASKS = "goes on in the background"

ALONE = 0.25
"""Seconds after which an escape cannot be the beginning of a longer key any more."""

ROW = re.compile(r"^\| (?:`(?P<keys>[^`]+)`)? ?\| (?P<seen>.*?) ?\|$", re.MULTILINE)
BOLD = re.compile(r"\*\*(.+?)\*\*")
JUDGED = re.compile(r"(DR|RT|IE|RF|EF|DI|NA) +Japan → Tokyo")


class Step(NamedTuple):
    """Keys to press, and what stands on the screen then."""

    keys: str
    signs: list[str]


def steps() -> list[Step]:
    rows = ROW.finditer(TOUR.read_text(encoding="utf-8"))
    return [Step(row["keys"] or "", BOLD.findall(row["seen"])) for row in rows]


def press(terminal: Terminal, keys: str) -> None:
    for key in [keys] if keys in KEYS else keys:
        terminal.press(key)
        terminal.settle(ALONE if key == "escape" else QUIET)


def test_the_tour_can_be_followed(tmp_path: Path) -> None:
    begin, *others, end = steps()
    assert len(others) > 15
    assert end.keys == "q"
    with running(DEMO, tmp_path, 120, 40) as terminal:
        for sign in begin.signs:
            terminal.wait(sign, LONG)
        terminal.wait(lambda screen: JUDGED.search(screen) is not None, LONG)
        for step in others:
            press(terminal, step.keys)
            for sign in step.signs:
                terminal.wait(sign)
        terminal.press(end.keys)
        terminal.wait(lambda screen: ASKS in screen or terminal.process.poll() is not None)
        if terminal.process.poll() is None:  # the job still runs, so that it asks first
            terminal.press(end.keys)
        assert terminal.end() == 0
        assert b"Traceback" not in terminal.raw
