"""The Figures screen in the real program, in a pseudo-terminal."""

from pathlib import Path

import pytest

from tests.terminal import forked
from tests.tui.sample import sample_project

pytestmark = pytest.mark.slow


def test_from_a_figure_to_its_facts_and_to_a_file(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="figures are saved by matplotlib")
    sample_project(tmp_path / "sample.db")
    with forked(("--db", "sample.db"), tmp_path, 120, 40) as terminal:
        terminal.wait("of 12")
        terminal.press("ctrl+o")
        terminal.settle()
        terminal.press("i")
        terminal.wait("Knowledge profiles of each model")
        terminal.press("j", "j", "j")
        terminal.wait("Stored and recalled facts, rare against popular")
        terminal.press("enter")
        terminal.settle()
        terminal.press("enter")
        terminal.wait("1 of 2, of 12")
        terminal.press("ctrl+o")
        terminal.settle()
        terminal.press("i")
        terminal.wait("Stored and recalled facts, rare against popular")
        terminal.press("w")
        terminal.wait("popularity.svg")
        terminal.press("enter")
        terminal.wait("saved popularity.svg")
        assert (tmp_path / "popularity.svg").read_text(encoding="utf-8").startswith("<?xml")
        terminal.press("q")
        assert terminal.end() == 0
        assert b"Traceback" not in terminal.raw
