"""The real program in a pseudo-terminal, once through all its screens; more of each is slow."""

from pathlib import Path

from tests.terminal import running
from tests.tui.sample import sample_project

SIGNS = {
    "f2": "passes above .50",
    "f3": "gemma3-27b  DR 25.0",
    "f4": "agreement 96.15%",
    "f5": "Questions to review",
    "f6": "Nothing has run here yet",
    "f7": "Knowledge profiles of each model",
    "f1": "Islam → Quran",
}
"""A key to each screen, and what only stands there."""


def test_every_screen_is_shown(tmp_path: Path) -> None:
    sample_project(tmp_path / "sample.db")
    with running(("--db", "sample.db"), tmp_path, 120, 40) as terminal:
        terminal.wait("of 12")
        for key, sign in SIGNS.items():
            terminal.press(key)
            terminal.wait(sign)
        terminal.press("q")
        assert terminal.end() == 0
        assert b"Traceback" not in terminal.raw
